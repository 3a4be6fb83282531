"""The types, for type checkers: those of the compiled module are in its stub, the others in the source."""

import ast
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import nqueens
import pytest

PROGRAM = Path(__file__).with_name("every_function.py")


def run(*command, **options):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for mypy's cache."""
    return tmp_path_factory.mktemp("mypy")


def test_a_program_that_uses_every_public_name_is_typed_and_runs(folder):
    tree = ast.parse(PROGRAM.read_text())
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert set(nqueens.__all__) <= used
    run("mypy", "--strict", str(PROGRAM), cwd=folder)
    subprocess.run([sys.executable, str(PROGRAM)], check=True, timeout=60)


def test_a_wrong_program_is_refused(folder):
    wrong = folder / "wrong.py"
    wrong.write_text("import nqueens\ncounted: str = nqueens.count(8)\n")
    done = subprocess.run([sys.executable, "-m", "mypy", wrong], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and 'has type "int"' in done.stdout


def test_the_package_itself_is_typed(folder):
    settings = Path(__file__).parents[1] / "pyproject.toml"
    run("mypy", "--config-file", str(settings), "-p", "nqueens", cwd=folder)
    run("mypy.stubtest", "--mypy-config-file", str(settings), "nqueens", "--ignore-disjoint-bases", cwd=folder)


def test_the_stub_has_every_name_of_the_compiled_module():
    package = files("nqueens")
    assert (package / "py.typed").is_file()
    tree = ast.parse((package / "_native.pyi").read_text())
    stubbed = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            stubbed.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            stubbed.add(node.target.id)
    assert sorted(stubbed) == ast.literal_eval(next(node.value for node in tree.body if isinstance(node, ast.Assign)))
    assert stubbed == {name for name in dir(nqueens._native) if not name.startswith("_")}


def test_every_public_name_is_documented():
    listed = [name for name in nqueens.__all__ if not name.startswith("__")]
    assert listed == sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    public = {name for name in vars(nqueens) if not name.startswith("_")}
    assert public == set(listed)
    for name in listed:
        value = getattr(nqueens, name)
        if callable(value):
            assert value.__doc__ and value.__module__ == "nqueens", name
            if name[0].islower():
                assert name in nqueens.__doc__, name
    for method in nqueens.METHODS:
        assert f"`{method}`" in nqueens.compare.__doc__
