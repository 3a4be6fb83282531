"""The examples in the docstrings and documents, and the notebook."""

import copy
import doctest
import importlib.metadata
import json
import pathlib
import pydoc
import re
import sys
from unittest import mock

import nqueens_count as nqueens
import pytest

sys.path.append(str(pathlib.Path(__file__).parent))
from execute import code_cells, execute, stored

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
    assert len(text.splitlines()) <= 320
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
    assert examples > 15 and not report, "".join(report)


def test_the_package_keeps_to_its_own_name_and_has_all_licenses():
    """The registry has another package `nqueens`, whose files would replace those of a module with that name."""
    files = importlib.metadata.files("nqueens-count")
    assert {re.split("[-.]", path.parts[0])[0] for path in files} == {"nqueens_count"}
    [licenses] = [path.read_text(encoding="utf-8") for path in files if path.name == "LICENSES"]
    for crate in "pyo3", "rayon-core", "dlopen2", "clap_builder":
        assert re.search(rf"^{crate}: .*MIT", licenses, re.MULTILINE)


NOTEBOOK = PYTHON / "notebooks" / "n-queens.ipynb"
COMMITTED = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
CODE = code_cells(COMMITTED)
OUTPUTS = [output for cell in CODE for output in cell["outputs"]]


def shown(cell):
    """Returns the outputs of a cell without the page of a trace, which has a test of its own and whose looks may change."""
    outputs = copy.deepcopy(cell["outputs"])
    for output in outputs:
        output.get("data", {}).pop("text/html", None)
    return outputs


def test_the_notebook_runs_and_shows_what_is_committed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert NOTEBOOK.stat().st_size < 200_000
    assert NOTEBOOK.read_text(encoding="utf-8") == stored(COMMITTED), "`bash scripts/python.sh notebook` stores it so"
    assert len(CODE) > 25
    rerun = copy.deepcopy(COMMITTED)
    execute(rerun)
    for before, after in zip(CODE, code_cells(rerun)):
        assert before["execution_count"] == after["execution_count"], "it was executed from top to bottom"
        # Times differ; visits, tests and solutions do not.
        if "varies" not in before["metadata"].get("tags", []):
            assert shown(before) == shown(after), before["source"]


def source(cell):
    return "".join(cell["source"])


def test_the_notebook_has_every_method():
    reported = re.findall(r'^report\(\w+, "([a-z-]+)"', "\n".join(map(source, CODE)), re.MULTILINE)
    assert reported == list(nqueens.METHODS)
    table = ["".join(output["text"]) for output in OUTPUTS if "text" in output]
    assert any(text.split()[: len(reported) + 1] == ["N", *reported] for text in table)


def test_the_pictures_of_the_notebook_have_a_text():
    pictures = [output["data"]["image/svg+xml"] for output in OUTPUTS if "image/svg+xml" in output.get("data", {})]
    assert len(pictures) > 3
    assert all(re.match('<svg role="img" aria-label="[^"]+" ', lines[0]) for lines in pictures)


def test_the_notebook_needs_nothing_but_the_package():
    imported = {name for cell in CODE for name in re.findall(r"^(?:import|from) (\w+)", source(cell), re.MULTILINE)}
    assert imported - {"nqueens_count"} <= {"collections", "itertools", "math", "time"}
