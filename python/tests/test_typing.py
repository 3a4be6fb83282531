"""The types, for type checkers: those of the compiled module are in its stub, the others in the source."""

import ast
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import nqueens

PROGRAM = Path(__file__).with_name("every_function.py")


# Kept in the environment, because the types of numpy take long to read.
CACHE = Path(sys.prefix) / "mypy"


def mypy(folder, *arguments):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(CACHE), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_a_program_that_uses_every_public_name_is_typed_and_runs(tmp_path):
    tree = ast.parse(PROGRAM.read_text())
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {name for name in vars(nqueens) if name[0] != "_"} <= used
    checked = mypy(tmp_path, str(PROGRAM))
    assert checked.returncode == 0, checked.stdout
    subprocess.run([sys.executable, str(PROGRAM)], check=True, timeout=60)


def test_a_wrong_program_is_refused(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import nqueens\ncounted: str = nqueens.count(8)\n")
    checked = mypy(tmp_path, str(wrong))
    assert checked.returncode == 1 and 'has type "int"' in checked.stdout


def test_the_package_itself_is_typed(tmp_path):
    checked = mypy(tmp_path, "--config-file", str(Path(__file__).parents[1] / "pyproject.toml"), "-p", "nqueens")
    assert checked.returncode == 0, checked.stdout


def test_the_stub_is_what_the_compiled_module_has(tmp_path):
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\n[mypy-numpy.*]\nfollow_imports = skip\n")
    command = [sys.executable, "-m", "mypy.stubtest", "nqueens._native", "--mypy-config-file", str(settings)]
    checked = subprocess.run(
        [*command, "--ignore-disjoint-bases"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


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
    # The classes of results have a help of their own.
    assert public - set(listed) == {name for name in public if isinstance(getattr(nqueens, name), type)}
    for name in public:
        value = getattr(nqueens, name)
        if callable(value):
            assert value.__doc__ and value.__module__ == "nqueens", name
            assert name in nqueens.__doc__, name
        for field in getattr(value, "__dataclass_fields__", ()):
            assert f"`{field}`" in value.__doc__, f"{name}.{field}"
    for method in nqueens.METHODS:
        assert f"`{method}`" in nqueens.compare.__doc__
