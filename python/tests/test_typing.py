"""The types, for type checkers and for programs that ask for them."""

import ast
import inspect
import json
import re
import subprocess
import sys
import typing
from pathlib import Path

import nqueens
import pytest

PROGRAM = Path(__file__).with_name("every_function.py")


# The cache stays in the environment, because the types of numpy take long to read.
CACHE = Path(sys.prefix) / "mypy"


def mypy(folder, *arguments):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(CACHE), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_a_program_that_uses_every_public_name_is_typed_and_runs(tmp_path):
    tree = ast.parse(PROGRAM.read_text())
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {name for name in vars(nqueens) if name[0] != "_"} - {"typing"} <= used
    checked = mypy(tmp_path, str(PROGRAM))
    assert checked.returncode == 0, checked.stdout
    subprocess.run([sys.executable, str(PROGRAM)], check=True, timeout=60)


def pyright(folder):
    """Returns the errors in the programs of a folder, each as a file and a line."""
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    checked = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    found = [each for each in json.loads(checked.stdout)["generalDiagnostics"] if each["severity"] == "error"]
    return {(Path(each["file"]).name, each["range"]["start"]["line"] + 1) for each in found}


def test_a_wrong_program_is_refused(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("""\
import nqueens
counted: str = nqueens.count(8)
nqueens.count(8, engine="abacus")
nqueens.count(8, kernel="cuda")
nqueens.count(8, details=True, engine="abacus")
nqueens.compare(8, ["abacus"])
nqueens.compare(8, ["two-color scalar"])
nqueens.symmetric(8, "transpose")
nqueens.trace(8, until="never")
nqueens.Trace(8, "never")
""")
    (tmp_path / PROGRAM.name).write_text(PROGRAM.read_text())
    lines = {("wrong.py", line) for line in range(2, 11)}
    checked = mypy(tmp_path, str(wrong)).stdout
    assert {("wrong.py", int(line)) for line in re.findall(r"wrong\.py:(\d+): error", checked)} == lines
    assert pyright(tmp_path) == lines


def public():
    """Returns every public name with its value, and the methods of classes."""
    for name, value in vars(nqueens).items():
        if not name.startswith("_") and callable(value):
            yield pytest.param(value, id=name)
            for method, each in vars(value).items() if isinstance(value, type) else ():
                each = each.fget if isinstance(each, property) else each
                # Generated methods of a dataclass have no types.
                if inspect.isfunction(each) and method not in ("__eq__", "__setattr__", "__delattr__", "__replace__"):
                    yield pytest.param(each, id=f"{name}.{method}")


@pytest.mark.parametrize("value", list(public()))
def test_types_are_known_to_a_running_program(value):
    typing.get_type_hints(value)
    if inspect.isfunction(value):
        assert set(inspect.signature(value).parameters) - {"self", "cls"} <= set(typing.get_type_hints(value))
    # Some libraries read the types of fields from the class itself.
    for field in getattr(value, "__dataclass_fields__", {}).values():
        assert not isinstance(field.type, str)


def test_types_are_known_without_numpy():
    script = "import sys, typing; sys.modules['numpy'] = None; import nqueens; typing.get_type_hints(nqueens.any_solution)"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_words_are_those_of_the_library():
    from nqueens import typing as words

    def words_of(literal):
        return list(typing.get_args(literal))

    assert words_of(words.Engine) == list(nqueens.ENGINES)
    assert words_of(words.Method) == list(nqueens.METHODS)
    assert words_of(words.Symmetry) == list(nqueens.SYMMETRIES)
    with pytest.raises(ValueError) as raised:
        nqueens._native.count((8, [], [], "auto", "abacus", None, False), False, (1, None))
    kernels = str(raised.value).partition("the kernels are ")[2].split(", ")
    assert words_of(words.Kernel) == kernels
    of_cpu = [kernel for kernel in kernels if kernel != "gpu"]
    both = [f"{engine} {kernel}" for engine in nqueens.ENGINES[1:] for kernel in ("", *of_cpu)]
    assert words_of(words.EngineMethod) == [each.strip() for each in both if each != "two-color scalar"]
    assert set(nqueens._methods.COMPARED) <= set(words_of(words.Compared))
    steps = list(nqueens.trace(5, until="all"))
    assert set(words_of(words.StepKind)) == {step.kind for step in steps}
    assert set(words_of(words.Line)) == {step.line for step in steps} - {None}


def test_the_package_itself_is_typed(tmp_path):
    checked = mypy(tmp_path, "--config-file", str(Path(__file__).parents[1] / "pyproject.toml"), "-p", "nqueens")
    assert checked.returncode == 0, checked.stdout


def test_every_public_name_is_documented():
    listed = [name for name in nqueens.__all__ if not name.startswith("__")]
    assert listed == sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    public = {name for name in vars(nqueens) if not name.startswith("_")} - {"typing"}
    # The classes of results have their own help.
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
