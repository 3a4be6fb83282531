"""Counts, published counts and estimates."""

import csv
import dataclasses
import itertools
import re
import subprocess
import sys
from pathlib import Path

import nqueens_count as nqueens
import numpy
import pytest

PUBLISHED = Path(__file__).parents[2] / "results" / "published.csv"


def table():
    lines = [line for line in PUBLISHED.read_text().splitlines() if not line.startswith("#")]
    return [{name: int(value) for name, value in row.items() if value} for row in csv.DictReader(lines)]


@pytest.mark.parametrize("row", table()[:16], ids=lambda row: "N = {N}".format(**row))
def test_counts_are_the_published_ones(row):
    size = row["N"]
    assert nqueens.count(size) == row["total"]
    assert nqueens.fundamental(size) == row["fundamental"]


@pytest.mark.parametrize("engine", nqueens.ENGINES)
def test_every_engine_and_kernel_counts(engine):
    for kernel in nqueens.KERNELS:
        if (engine, kernel) != ("two-color", "scalar"):
            result = nqueens.count(12, details=True, engine=engine, kernel=kernel, threads=2)
            assert (result.total, result.kernel, result.verdict) == (14200, kernel, "matches")
            assert engine in ("auto", result.engine)


def test_given_queens_and_blocked_squares_are_those_of_listed_solutions():
    listed = list(nqueens.solutions(7))
    with_queen = [solution for solution in listed if solution[0] == 2]
    assert nqueens.count(7, queens=[(0, 2)]) == len(with_queen)
    squares = [[sum(solution[row] == column for solution in with_queen) for column in range(7)] for row in range(7)]
    assert nqueens.by_square(7, queens=[(0, 2)]) == squares
    result = nqueens.count(7, blocked=numpy.array([[0, 2], [1, 5]]), details=True, double_check=True)
    assert result.total == sum(solution[0] != 2 and solution[1] != 5 for solution in listed)
    assert (result.verdict, result.double_check) == ("not published", "backtrack, scalar kernel")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"queens": [(0, 0), (0, 0)]}, "the queen on row 0, column 0 is given twice"),
        ({"queens": [(0, 0), (1, 1)]}, "the queens on row 0, column 0 and row 1, column 1 attack each other"),
        ({"queens": [(8, 0)]}, "row 8, column 0 is not on the board; rows and columns are numbered from 0 to 7"),
        ({"queens": [(0, -1)]}, "queens: row 0, column -1 is not on the board; rows and columns are numbered from 0 to 7"),
        ({"blocked": [(2**64, 0)]}, "blocked: row 18446744073709551616, column 0 is not on the board"),
        ({"queens": [(0, -(2**1000))]}, "queens: row 0, column -1.*[.]{3}.* is not on the board"),
        ({"blocked": [(0, 1, 2)]}, "blocked is .*; give pairs of a row and a column, from 0"),
        ({"queens": [(0, 1)], "blocked": [(0, 1)]}, "row 0, column 1 is blocked, but a queen is given there"),
        ({"queens": [(0, 1)], "engine": "two-color"}, "engine two-color does not count boards with given queens"),
    ],
)
def test_what_is_no_setup_is_a_value_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        nqueens.count(8, **arguments)


def test_published_counts_are_those_of_the_table():
    for row in table():
        assert nqueens.published(row["N"]) == row.get("total")
        assert nqueens.published(row["N"], fundamental=True) == row.get("fundamental")
    assert nqueens.published(28) is nqueens.published(32, fundamental=True) is None


def test_details_tell_how_it_was_counted():
    result = nqueens.count(12, details=True, engine="backtrack", kernel="scalar", threads=1, nodes=True)
    assert isinstance(result, nqueens.Count)
    assert (result.size, result.total, result.engine, result.kernel) == (12, 14200, "backtrack", "scalar")
    assert (result.threads, result.verdict) == (1, "matches")
    assert result.units > 0 and result.seconds > 0 and result.plan
    # The kernel visits one of two mirror images, and its units begin below the first rows.
    rows = int(result.plan.removeprefix("mirror-"))
    above = sum(is_placement(columns) for k in range(rows) for columns in itertools.permutations(range(12), k))
    assert result.nodes == (nqueens.compare(12, ["bit-masks"])[0].visited - above) / 2


def is_placement(columns):
    return all(abs(one - other) != row - above for row, one in enumerate(columns) for above, other in enumerate(columns[:row]))


def test_a_total_that_contradicts_the_published_one_is_an_error(monkeypatch):
    fields = dataclasses.asdict(nqueens.count(8, details=True))
    wrong = {**fields, "total": 93, "verdict": "contradicts"}
    del wrong["size"]
    monkeypatch.setattr(nqueens._native, "count", lambda *_, **__: wrong)
    with pytest.raises(RuntimeError, match="93 solutions .* N = 8, .* 92"):
        nqueens.count(8)
    assert nqueens.count(8, details=True).verdict == "contradicts"
    monkeypatch.setitem(wrong, "verdict", "impossible")
    with pytest.raises(RuntimeError, match="93 solutions .* N = 8, which is impossible; the machine may be faulty"):
        nqueens.count(8)
    monkeypatch.setattr(nqueens._native, "fundamental", lambda *_, **__: 13)
    with pytest.raises(RuntimeError, match="13 fundamental .* N = 8, .* 12"):
        nqueens.fundamental(8)


def test_the_time_of_a_count_is_estimated():
    time = nqueens.estimate(15, probes=10, time=True, threads=1).seconds
    assert 0.001 < time.low < time.estimate < time.high < 60
    assert nqueens.estimate(4, probes=2).seconds is None
    with pytest.raises(ValueError, match="N = 29 takes"):
        nqueens.estimate(29, probes=2, time=True)


def test_an_estimate_is_near_and_its_seed_decides():
    found = nqueens.estimate(14, probes=200)
    assert found == nqueens.estimate(14, probes=200, threads=1) != nqueens.estimate(14, probes=200, seed=2)
    assert (found.size, found.probes) == (14, 200)
    nodes = nqueens.compare(14, ["bit-masks"])[0].visited
    for interval, truth in (found.solutions, 365596), (found.nodes, nodes):
        assert 0 < interval.low < interval.estimate < interval.high
        assert abs(interval.estimate / truth - 1) < 0.1


@pytest.mark.parametrize("function", [nqueens.count, nqueens.fundamental, nqueens.by_square, nqueens.estimate])
def test_progress_grows_to_1(function):
    shares = []
    function(13, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1 and shares[0] >= 0
    function(8, progress=True)


def test_progress_is_told_of_a_count_while_it_goes_on():
    shares = []

    def stop(share):
        shares.append(share)
        if 0 < share < 1:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        nqueens.count(18, engine="backtrack", threads=2, progress=stop)
    assert all(share == 0 for share in shares[:-1])


def test_whole_numbers_of_other_types_are_taken():
    eight = numpy.int64(8)
    assert nqueens.count(eight, threads=eight, details=True).size == 8
    assert nqueens.estimate(eight, probes=eight, seed=eight) == nqueens.estimate(8, probes=8, seed=8)


@pytest.mark.skipif(sys.platform != "linux", reason="the library knows the free memory on Linux only")
def test_a_count_that_needs_too_much_memory_is_a_memory_error():
    with pytest.raises(MemoryError, match="N = 28 on 1024 threads needs about .* GiB of memory"):
        nqueens.count(28, threads=1024)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are enforced on Linux")
@pytest.mark.parametrize("beyond", [20, 60, 150, 300])
def test_a_limit_of_address_space_is_a_memory_error_and_not_the_end(beyond):
    script = f"""if True:
        import re, resource, nqueens_count as nqueens
        used = int(re.search("VmSize:\\\\s*(\\\\d+)", open("/proc/self/status").read())[1]) << 10
        resource.setrlimit(resource.RLIMIT_AS, (used + ({beyond} << 20), resource.RLIM_INFINITY))
        for size in 18, 24, 28:
            try:
                nqueens.count(size, threads=2)
            except (MemoryError, RuntimeError) as error:
                print(type(error).__name__, error)
        print("goes on")
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("goes on\n"), done
    assert re.search("MemoryError (N = 28 on 2 threads|the plan of N = 28 alone) needs about", done.stdout), done


def test_a_missing_tqdm_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        nqueens.count(8, progress=True)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nqueens.count(8, details="no"), TypeError, "details is 'no'; give True or False"),
        (lambda: nqueens.count(8, double_check=1), TypeError, "double_check is 1; give True or False"),
        (lambda: nqueens.count(8, engine="abacus"), ValueError, "^engine is 'abacus'; give 'auto', 'backtrack'"),
        (lambda: nqueens.count(8, kernel="abacus"), ValueError, "^kernel is 'abacus'; give .* or 'scalar', the kernels of this CPU$"),
        (lambda: nqueens.count(8, engine="\ud800"), ValueError, r"^engine is '\\ud800'; give"),
        (lambda: nqueens.count(8, engine="two-color", kernel="scalar"), ValueError, "has no kernel scalar"),
        (lambda: nqueens.symmetric(8, "transpose"), ValueError, "^turn is 'transpose'; give 'half-turn' or 'quarter-turn'$"),
        (lambda: nqueens.count(29, engine="two-color"), ValueError, "at most 28"),
        (lambda: nqueens.count(29), ValueError, "at most 28, or name engine 'backtrack' to begin all the same$"),
        (lambda: nqueens.count(32, kernel="portable", threads=1024), ValueError, "N = 32 takes years .* at most 28"),
        (lambda: nqueens.fundamental(30), ValueError, "N = 30 takes years .* at most 28"),
        (lambda: nqueens.by_square(25), ValueError, "^N = 25 takes years of CPU time; give a board of at most 24$"),
        (lambda: nqueens.count(8, progress=7), TypeError, "progress is 7; give True"),
        (lambda: nqueens.published(8, fundamental="no"), TypeError, "fundamental is 'no'; give True or False"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
