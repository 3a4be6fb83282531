"""The textbook methods and the trace."""

import json
import math
import os
import subprocess

import nqueens_count as nqueens
import pytest


def test_methods_cost_what_the_course_says():
    costs = {cost.method: cost for cost in nqueens.compare(5)}
    assert list(costs) == list(nqueens.METHODS)
    assert [cost.visited for cost in costs.values()] == [math.comb(25, 5), 5**5, math.factorial(5), 54, 54, 54]
    for name, cost in costs.items():
        assert (cost.size, cost.solutions, cost.outcome, cost.kernel) == (5, 10, "matches", None)
        assert cost.visits == ("nodes" if cost.visited == 54 else "candidates")
        assert cost.seconds > 0 and cost.expected_visits == cost.visited
        assert (cost.tests is None) == (name == "bit-masks")
    assert costs["flag-arrays"].tests == 5 * (54 - 10)


def test_engines_are_methods_too():
    scalar, best, two_color = nqueens.compare(10, ["backtrack scalar", "backtrack", "two-color"])
    nodes = nqueens.compare(10, ["bit-masks"])[0].visited
    assert (scalar.visited, scalar.kernel, scalar.method) == ((nodes - 1) / 2, "scalar", "backtrack scalar")
    assert best.kernel == nqueens.KERNELS[0] and best.visited <= scalar.visited
    assert two_color.visited is two_color.visits is None
    assert {cost.solutions for cost in (scalar, best, two_color)} == {724}


def test_a_method_that_is_not_finished_has_no_cost():
    stopped = nqueens.compare(22, ["brute-force", "backtrack scalar", "two-color"], limit=0.1)
    for cost in stopped:
        assert cost.outcome == "not finished"
        assert cost.visited is cost.tests is cost.solutions is cost.seconds is None
    assert stopped[0].expected_visits == pytest.approx(math.comb(22**2, 22))
    assert [cost.visits for cost in stopped] == ["candidates", "nodes", None]
    assert [cost.kernel for cost in stopped] == [None, "scalar", nqueens.KERNELS[0]]


def test_a_kernel_that_finishes_a_board_in_one_step_counts_no_nodes():
    for size in range(1, 5):
        scalar, portable = nqueens.compare(size, ["backtrack scalar", "backtrack portable"])
        assert scalar.visits == "nodes" and scalar.visited > 0
        assert portable.visits is portable.visited is None


def test_a_notebook_shows_the_lists_as_tables():
    costs = nqueens.compare(7, ["permutations", "backtrack scalar"])
    shown = costs._repr_html_()
    assert shown.startswith("<table><tr><th>method</th><th>visited</th><th>visits</th>") and shown.count("<tr>") == 3
    assert "<td>permutations</td><td>5,040</td><td>candidates</td><td>7</td><td></td><td>matches</td>" in shown
    assert f"<td>40</td><td>{costs[0].seconds:.3g}</td></tr>" in shown
    assert nqueens.compare(7, [])._repr_html_().count("<tr>") == 1


def test_a_notebook_shows_results_as_tables_and_steps_as_pictures():
    shown = nqueens.count(8, details=True)._repr_html_()
    assert "<tr><th>total</th><td>92</td></tr>" in shown and "<td>None</td>" not in shown
    shown = nqueens.estimate(4)._repr_html_()
    assert "<tr><th>probes</th><td>1,000</td></tr>" in shown and "<td>2, 2 to 2</td>" in shown
    step = next(nqueens.trace(4))
    assert step._repr_html_() == f"{step.draw()._repr_html_()}<p>{step}</p>"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nqueens.compare(8, ["abacus"]), ValueError, "is 'abacus'; give 'brute-force', .* or 'two-color portable'$"),
        (lambda: nqueens.compare(8, [[8]]), TypeError, r"an element of methods is \[8\]"),
        (lambda: nqueens.compare(8, 8), TypeError, "methods is 8; give a list of names"),
        (lambda: nqueens.compare(8, "bit-masks"), TypeError, r"give a list, such as \['bit-masks'\]"),
        (lambda: nqueens.compare(8, ["two-color scalar"]), ValueError, "is 'two-color scalar'; give"),
        (lambda: nqueens.compare(8, ["bit-masks"], limit=0), ValueError, "limit is 0; give a positive number"),
        (lambda: nqueens.compare(8, ["bit-masks"], limit=math.nan), ValueError, "limit is nan; give a positive number"),
        (lambda: nqueens.compare(8, ["bit-masks"], limit=True), TypeError, "limit is True; give a positive number"),
        (lambda: nqueens.trace(4, until="never"), ValueError, "until is 'never'; give 'first' or 'all'"),
        (lambda: nqueens.trace(4, method="brute-force"), ValueError, "give 'earlier-queens', 'flag-arrays' or 'bit-masks'"),
        (lambda: nqueens.trace(4, queens=[(0, 0), (1, 1)]), ValueError, "attack each other along the same diagonal"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("size", range(1, 7))
def test_the_arrays_of_every_step_are_those_of_its_queens(size):
    steps = list(nqueens.trace(size, until="all"))
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        # The next step marks a queen that was just placed.
        marked = list(enumerate(step.queens))[: -1 if step.kind == "place" else None]
        lines = range(2 * size - 1)
        assert step.columns == tuple(column in [queen for _, queen in marked] for column in range(size))
        assert step.antidiagonals == tuple(line in [row + column for row, column in marked] for line in lines)
        assert step.diagonals == tuple(line in [row - column + size - 1 for row, column in marked] for line in lines)
        assert str(step) == f"{step.number}: {step.text}"
        if step.kind == "conflict":
            said = f"row {step.row}, column {step.column} is attacked by the queen of row {step.queen} along the {step.line}"
            assert step.text == said
    found = [step for step in steps if step.kind == "solution"]
    assert [step.queens for step in found] == list(nqueens.solutions(size))
    assert [step.solution for step in found] == list(range(1, len(found) + 1))
    assert all(step.board == str(nqueens.Solution(step.queens)) for step in found)


def test_a_trace_ends_at_the_first_solution_unless_all_are_wanted():
    trace = nqueens.trace(4)
    steps = list(trace)
    assert steps[-1].kind == "solution" and steps[-1].solution == 1
    assert list(trace) == [] and "after step 43" in repr(trace)
    every = list(nqueens.trace(4, until="all"))
    assert every[: len(steps)] == steps and every[-1].kind == "backtrack"
    assert list(nqueens.trace(3)) == list(nqueens.trace(3, until="all"))


def document(page):
    return json.loads(page.split('<script type="application/json" id="trace">')[1].split("</script>")[0])


def test_the_page_has_the_whole_trace():
    trace = nqueens.trace(4, until="all")
    next(trace)
    page = trace.page()
    assert page.startswith("<!DOCTYPE html>") and "<title>4 queens, step by step</title>" in page
    shown = document(page)
    assert (shown["schema"], shown["board"], shown["until"], shown["complete"]) == ("nqueens/trace/1", 4, "all", True)
    assert len(shown["steps"]) == 109
    assert shown["steps"][2] == {"step": 3, "kind": "conflict", "row": 1, "column": 0, "queen": 0, "line": "column"}
    cut = document(trace.page(limit=7))
    assert cut["steps"] == shown["steps"][:7] and cut["complete"] is False
    assert document(trace.page(limit=109))["complete"] is True
    assert trace._repr_html_().startswith('<iframe title="4 queens, step by step" ') and "&quot;nqueens/trace/1&quot;" in trace._repr_html_()


def test_the_page_is_saved_as_html_only(tmp_path):
    trace = nqueens.trace(4)
    trace.save(tmp_path / "trace.HTML", limit=7)
    assert (tmp_path / "trace.HTML").read_bytes() == trace.page(limit=7).encode()
    for name in "trace", "trace.json", "trace.svg", "html":
        with pytest.raises(ValueError, match="give the path of a file that ends in .html$"):
            trace.save(tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(ValueError, match="limit is 0"):
        trace.save(tmp_path / "none.html", limit=0)
    assert not (tmp_path / "none.html").exists()


def test_a_step_is_drawn():
    step = list(nqueens.trace(6))[20]
    assert 0 < len(step.queens) < 6
    picture = step.draw()
    assert repr(picture) == f"<picture: {step}>"
    assert str(picture).count('href="#queen"') == len(step.queens) and 'href="#board-6"' in str(picture)
    assert next(nqueens.trace(4)).draw(square=20)._repr_svg_()[1] == {"alt": str(next(nqueens.trace(4)))}


@pytest.mark.parametrize("method", ["earlier-queens", "flag-arrays", "bit-masks"])
def test_every_method_finds_the_solutions_of_a_board(method):
    given = {"queens": [(0, 3)], "blocked": [(4, 4), (5, 1)]}
    steps = list(nqueens.trace(6, until="all", method=method, **given))
    assert [step.queens for step in steps if step.kind == "solution"] == list(nqueens.solutions(6, **given)) != []
    assert (method == "flag-arrays") == any(any(step.columns) for step in steps)
    for step in steps:
        assert (step.free is None) == (step.kind != "free")
        if step.free:
            assert all(step.text.count(str(column)) for column in step.free)


@pytest.mark.parametrize(
    ("size", "until", "method", "board"),
    [
        (1, "first", "flag-arrays", ""),
        (3, "first", "flag-arrays", ""),
        (5, "all", "flag-arrays", ""),
        (5, "all", "bit-masks", ""),
        (4, "all", "earlier-queens", "..Q.\n*...\n....\n...."),
    ],
)
def test_the_page_has_the_document_of_the_program(size, until, method, board):
    program = os.environ.get("NQUEENS_PROGRAM")
    if not program:
        pytest.skip("NQUEENS_PROGRAM names no program; scripts/test.sh gives it")
    of = ["--board", "-"] if board else [str(size)]
    command = [program, "trace", *of, "--method", method, "--until", until, "--format", "json", "--quiet"]
    printed = subprocess.run(command, check=True, capture_output=True, timeout=60, input=board.encode()).stdout
    printed_document = json.loads(printed)
    del printed_document["program_version"]
    marked = {mark: [divmod(i, size) for i, square in enumerate(board.replace("\n", "")) if square == mark] for mark in "Q*"}
    trace = nqueens.trace(size, until=until, method=method, queens=marked["Q"], blocked=marked["*"])
    assert document(trace.page()) == printed_document
