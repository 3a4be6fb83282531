"""The examples in the docstrings and documents, and the notebook."""

import doctest
import pathlib
import pydoc
import re
import sys
from unittest import mock

import nbformat
import nqueens
import pytest

sys.path.append(str(pathlib.Path(__file__).parent))
from execute import executed, stored

PYTHON = pathlib.Path(__file__).parents[1]
NAMES = {name: value for name, value in vars(nqueens).items() if not name.startswith("_")}


def examples():
    tests = []
    finder = doctest.DocTestFinder()
    for name, value in NAMES.items():
        if callable(value):
            for test in finder.find(value, name, module=False, globs=dict(NAMES)):
                if test.examples:
                    tests.append(pytest.param(test, id=test.name))
    return tests


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Changes to a folder with a ledger, whose two shards are joined in one file."""
    shards = sorted((PYTHON.parent / "tests/data/0.2.0").glob("shard-*.jsonl"))
    (tmp_path / "12.jsonl").write_bytes(b"".join(shard.read_bytes() for shard in shards))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("test", examples())
def test_the_examples_of_a_docstring(test, folder):
    report = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=report.append)
    assert not report, "".join(report)


def test_the_lines_in_the_readme_print_what_it_shows(capsys):
    readme = (PYTHON.parent / "README.md").read_text(encoding="utf-8")
    [(lines, shown)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL)
    exec(lines, {})
    assert capsys.readouterr().out == shown


def test_every_function_has_an_example():
    tested = {param.id.split(".")[0] for param in examples()}
    assert {name for name, value in NAMES.items() if callable(value) and name[0].islower()} <= tested


def test_the_help_is_short_enough_to_read():
    text = pydoc.plaintext.document(nqueens)
    assert len(text.splitlines()) <= 400
    assert all(f"\n    {name}(" in text for name, value in NAMES.items() if name[0].islower() and callable(value))


def test_the_lines_of_the_tour_do_what_they_say(folder, monkeypatch):
    lines = re.findall(r"^    (nqueens\..*?\)|nqueens\.METHODS)(?:  +(.*))?$", nqueens.__doc__, re.MULTILINE)
    assert len(lines) > 12
    for code, said in lines:
        value = eval(code, {"nqueens": nqueens})
        number = re.match(r"\d+", said)
        assert not number or value == int(number.group()), code
        assert said != "True" or value is True
    code = nqueens.__doc__.split("    import matplotlib")[1].split("\n\nCounts use")[0]
    plots = mock.MagicMock()
    monkeypatch.setitem(sys.modules, "matplotlib", plots)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", plots.pyplot)
    exec(re.sub("^    ", "", "    import matplotlib" + code, flags=re.MULTILINE), {"nqueens": nqueens})
    permutations = plots.pyplot.semilogy.call_args_list[0]
    assert permutations.args[1][-1] == 362880 and permutations.kwargs == {"label": "permutations"}


def test_the_guide_runs_as_printed(tmp_path, monkeypatch):
    """Runs the page from top to bottom, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    text = (PYTHON.parent / "docs" / "python.md").read_text(encoding="utf-8")
    names, report, examples = {}, [], 0
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "pycon":
            test = doctest.DocTestParser().get_doctest(code, names, "python.md", "python.md", 0)
            runner.run(test, out=report.append, clear_globs=False)
            names, examples = test.globs, examples + len(test.examples)
        else:
            # This code shows how the package is installed.
            assert language == "sh" and "pip install" in code
    assert examples > 25 and not report, "".join(report)


NOTEBOOK = PYTHON / "notebooks" / "n-queens.ipynb"
COMMITTED = nbformat.read(NOTEBOOK, as_version=4)
CODE = [cell for cell in COMMITTED.cells if cell.cell_type == "code"]
OUTPUTS = [output for cell in CODE for output in cell.outputs]


def shown(cell):
    """Returns the outputs of a cell that do not differ from run to run."""
    outputs = []
    for output in cell.outputs:
        if output.output_type == "stream":
            outputs.append((output.name, output.text))
        else:
            # The page of a trace has a test of its own; its looks may change.
            data = {kind: text for kind, text in output.get("data", {}).items() if kind != "text/html"}
            outputs.append((output.output_type, data))
    return outputs


def test_the_notebook_runs_and_shows_what_is_committed(tmp_path):
    assert NOTEBOOK.stat().st_size < 200_000
    assert NOTEBOOK.read_text(encoding="utf-8") == stored(COMMITTED), "`bash scripts/python.sh notebook` stores it so"
    assert len(CODE) > 25
    rerun = [cell for cell in executed(NOTEBOOK, tmp_path).cells if cell.cell_type == "code"]
    assert len(rerun) == len(CODE)
    for number, (before, after) in enumerate(zip(CODE, rerun), 1):
        assert before.execution_count == number, "it was executed from top to bottom"
        kinds = [output.output_type for output in before.outputs]
        assert "error" not in kinds and kinds == [output.output_type for output in after.outputs]
        # Times differ; visits, tests and solutions do not.
        if "varies" not in before.metadata.get("tags", []):
            assert shown(before) == shown(after), before.source


def test_the_notebook_has_every_method():
    reported = re.findall(r'^report\(\w+, "([a-z-]+)"', "\n".join(cell.source for cell in CODE), re.MULTILINE)
    assert reported == list(nqueens.METHODS)
    table = [output.text for output in OUTPUTS if "text" in output]
    assert any(text.split()[: len(reported) + 1] == ["N", *reported] for text in table)


def test_the_pictures_of_the_notebook_have_a_text():
    pictures = [output.data for output in OUTPUTS if "image/svg+xml" in output.get("data", {})]
    assert len(pictures) > 3
    assert all(re.match('<img alt="[^"]+" src="data:image/svg', data["text/html"]) for data in pictures)


def test_the_notebook_needs_nothing_but_the_package():
    imported = {name for cell in CODE for name in re.findall(r"^(?:import|from) (\w+)", cell.source, re.MULTILINE)}
    assert imported - {"nqueens"} <= {"collections", "itertools", "math", "time"}
