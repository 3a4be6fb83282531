"""The types, for type checkers and for programs that ask for them."""

import inspect
import subprocess
import sys
import typing
from pathlib import Path

import nqueens_count as nqueens
import pytest

PYTHON = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "checked", [["-p", "nqueens_count"], [str(PYTHON / "tests/typed.py")]], ids=["the package", "a program that uses it"]
)
def test_mypy_finds_nothing_wrong_with(checked, tmp_path):
    # The cache stays in the environment, because the types of numpy take long to read.
    options = ["--strict", "--cache-dir", str(Path(sys.prefix) / "mypy"), "--config-file", str(PYTHON / "pyproject.toml")]
    command = [sys.executable, "-m", "mypy", *options, *checked]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stdout


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
    script = "import sys, typing; sys.modules['numpy'] = None; import nqueens_count as nqueens; typing.get_type_hints(nqueens.any_solution)"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_words_are_those_of_the_library():
    from nqueens_count import typing as words

    def words_of(literal):
        return list(typing.get_args(literal))

    assert words_of(words.Engine) == list(nqueens.ENGINES)
    assert words_of(words.Method) == list(nqueens.METHODS)
    assert words_of(words.Symmetry) == list(nqueens.SYMMETRIES)
    with pytest.raises(ValueError) as raised:
        nqueens._native.count((8, [], [], "auto", "abacus", False), False, (1, None))
    kernels = str(raised.value).partition("give one of ")[2].split(", ")
    assert [*words_of(words.Kernel), "gpu"] == kernels
    both = [f"{engine} {kernel}" for engine in nqueens.ENGINES[1:] for kernel in ("", *words_of(words.Kernel))]
    assert words_of(words.EngineMethod) == [each.strip() for each in both if each != "two-color scalar"]
    assert set(nqueens._methods.COMPARED) <= set(words_of(words.Compared))
    methods = words_of(words.TracedMethod)
    steps = [step for each in methods for step in nqueens.trace(5, until="all", method=each, blocked=[(0, 0)])]
    assert set(words_of(words.StepKind)) == {step.kind for step in steps}
    assert set(words_of(words.Line)) == {step.line for step in steps} - {None}


def test_every_public_name_is_documented():
    listed = [name for name in nqueens.__all__ if not name.startswith("__")]
    assert listed == sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    public = {name for name in vars(nqueens) if not name.startswith("_")} - {"typing"}
    # The classes of results have their own help.
    assert public - set(listed) == {name for name in public if isinstance(getattr(nqueens, name), type)}
    for name in public:
        value = getattr(nqueens, name)
        if callable(value):
            assert value.__doc__ and value.__module__ == "nqueens_count", name
            assert name in nqueens.__doc__, name
        for field in getattr(value, "__dataclass_fields__", ()):
            assert f"`{field}`" in value.__doc__, f"{name}.{field}"
    for method in nqueens.METHODS:
        assert f"`{method}`" in nqueens.compare.__doc__
