"""Odd values for every parameter of everything public: each value is taken, or refused by a documented error."""

import dataclasses
import decimal
import fractions
import inspect
import pathlib
import re

import nqueens
import numpy
import pytest

LEDGER = pathlib.Path(__file__).parents[2] / "tests/data/0.2.0/whole.jsonl"
FIRST = nqueens.first(4)


def endless(value):
    """An endless iterator; reading far too much of it is an error of its own."""
    for _ in range(2_000_000):
        yield value
    raise LookupError("it was read without an end")


class Raising:
    """An object that fails whatever it is asked."""

    def fail(self, *_):
        raise LookupError("on purpose")

    __index__ = __float__ = __iter__ = __len__ = __str__ = __repr__ = __fspath__ = __bool__ = __eq__ = fail
    __hash__ = None


class Lying:
    def __index__(self):
        return "8"

    def __fspath__(self):
        return 8

    def __iter__(self):
        return 8


class Unending(list):
    def __iter__(self):
        return endless(0)

    def __len__(self):
        return 4


class Long(list):
    def __len__(self):
        return 2**62


class Number(int):
    """A value for which every comparison holds."""

    def yes(self, *_):
        return True

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = yes
    __hash__ = int.__hash__

    def __index__(self):
        return 2**64

    def __repr__(self):
        raise LookupError("on purpose")


class Word(str):
    """A value that equals every word."""

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__

    def __len__(self):
        return 2**62

    def __repr__(self):
        return "x" * 10**6


class Solution(nqueens.Solution):
    """A solution that claims to be longer and to have other columns."""

    def __len__(self):
        return 2**40

    def __iter__(self):
        return endless(0)

    def __getitem__(self, index):
        raise LookupError("on purpose")


def pretender(kind):
    return type("Pretender", (), {"__class__": kind})()


ODD = {
    "None": None,
    "True": True,
    "numpy.True_": numpy.True_,
    "0": 0,
    "-1": -1,
    **{f"{sign}2**{bits}": (-1 if sign else 1) * 2**bits for sign in ("", "-") for bits in (31, 32, 63, 64, 128, 1000)},
    "10**5000": 10**5000,
    "numpy.int64": numpy.int64(-(2**63)),
    "1.5": 1.5,
    "1e300": 1e300,
    "nan": float("nan"),
    "inf": float("inf"),
    "numpy.float32": numpy.float32("nan"),
    "1j": 1j,
    "Fraction": fractions.Fraction(1, 10**400),
    "Decimal": decimal.Decimal("NaN"),
    "str": "",
    "long str": "x" * 10**6,
    "surrogate": "\ud800",
    "surrogate path": "\ud800.svg",
    "NUL": "a\0b.svg",
    "bytes": b"8",
    "path": pathlib.PurePosixPath("nowhere"),
    "list": [],
    "nested": [[[[]]]],
    "list of large": [2**64, -(2**64)],
    "pair of large": [(2**64, 0), (0, -(2**1000))],
    "long list": ["x" * 10**6] * 1000,
    "tuple": (0, 1),
    "dict": {"size": 8},
    "array": numpy.arange(8),
    "matrix": numpy.zeros((3, 4)),
    "array of nothing": numpy.array(8),
    "object": object(),
    "type": type,
    "pretends to be str": pretender(str),
    "pretends to be bool": pretender(bool),
    "pretends to be a float": pretender(float),
    "pretends to be a Solution": pretender(nqueens.Solution),
    "Raising": Raising(),
    "list of Raising": [Raising()],
    "Lying": Lying(),
    "list of Lying": [Lying()],
    "Unending": Unending(),
    "list of Unending": [Unending()] * 4,
    "Long": Long([0, 1]),
    "list of Long": [Long([0, 1])],
    "Number": Number(5),
    "list of Number": [Number(5)],
    "Word": Word("x"),
    "list of Word": [Word("x")],
    "Solution": Solution(FIRST),
    "list of Solution": [Solution(FIRST)],
    "forged Solution": tuple.__new__(Solution, [2**64, "x"]),
    "long Solution": tuple.__new__(Solution, [0] * 1000),
    "endless numbers": lambda: endless(0),
    "endless words": lambda: endless("x"),
    "endless pairs": lambda: endless((0, 0)),
    "endless solutions": lambda: endless(FIRST),
    "endless methods": lambda: endless("bit-masks"),
    "endless lists": lambda: (endless(0) for _ in endless(0)),
}
NAMES = {name for name in ODD if name.startswith("endless")}

# The public callables, with arguments that are right. An object's own methods are called on it.
STEP = next(nqueens.trace(4))
CALLS = {
    nqueens.any_solution: {"size": 4},
    nqueens.by_class: {"size": 4},
    nqueens.by_color: {"size": 4},
    nqueens.by_column: {"size": 4},
    nqueens.by_square: {"size": 4},
    nqueens.compare: {"size": 3, "methods": ["bit-masks"]},
    nqueens.devices: {},
    nqueens.count: {"size": 4},
    nqueens.merge: {"ledgers": LEDGER},
    nqueens.draw: {"solutions": FIRST},
    nqueens.estimate: {"size": 4, "probes": 2},
    nqueens.first: {"size": 4},
    nqueens.fundamental: {"size": 4},
    nqueens.heat_map: {"counts": [[1]]},
    nqueens.is_solution: {"columns": FIRST},
    nqueens.nodes_per_row: {"size": 4},
    nqueens.published: {"size": 4},
    nqueens.recheck: {"ledgers": LEDGER, "units": 1},
    nqueens.solutions: {"size": 4},
    nqueens.status: {"ledgers": LEDGER},
    nqueens.symmetric: {"size": 4},
    nqueens.trace: {"size": 4},
    nqueens.Drawing: {"svg": "<svg/>", "text": "nothing"},
    nqueens.Solution: {"columns": FIRST},
    nqueens.Trace: {"size": 4},
    nqueens.draw(FIRST).save: {"path": "four.svg"},
    nqueens.trace(4).page: {},
    nqueens.trace(4).save: {"path": "four.html"},
    STEP.draw: {},
}


def parameters():
    for function, given in CALLS.items():
        for parameter in inspect.signature(function).parameters:
            yield pytest.param(function, given, parameter, id=f"{function.__qualname__}({parameter})")


@pytest.mark.parametrize(("function", "given", "parameter"), list(parameters()))
def test_an_odd_value_is_taken_or_refused_by_a_documented_error(function, given, parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documented = (TypeError, ValueError, OSError) if parameter in ("ledger", "ledgers", "path") else (TypeError, ValueError)
    for name, value in ODD.items():
        try:
            function(**{**given, parameter: value() if name in NAMES else value})
        except documented as error:
            # A codec's error is a ValueError too, but tells the caller nothing.
            assert not isinstance(error, UnicodeError), name
            if not isinstance(error, OSError):
                # The message names the fault: the parameter, an element of it, or the nature of solutions and boards.
                assert re.search(f"{parameter}|column|queens of rows|^N = ", str(error)), (name, str(error)[:500])
                assert len(str(error)) < 600, name
        except BaseException as error:
            pytest.fail(f"{name}: {type(error).__name__}: {str(error)[:500]}")


WHOLE = {
    "probes": (2, 1_000_000),
    "seed": (0, 2**64 - 1),
    "shards": (1, 100_000),
    "size": (1, 32),
    "square": (1, 1000),
    "threads": (1, 1024),
    "units": (1, 2**32 - 1),
    "any_solution(size)": (1, 1_000_000),
    "recheck(seed)": (0, 2**32 - 1),
    "Trace.page(limit)": (1, 1_000_000),
    "Trace.save(limit)": (1, 1_000_000),
}


@pytest.mark.parametrize(("function", "given", "parameter"), list(parameters()))
def test_a_whole_number_has_a_range_and_true_is_none(function, given, parameter):
    limits = WHOLE.get(f"{function.__qualname__}({parameter})", WHOLE.get(parameter))
    if limits is not None:
        low, high = limits
        wanted = f"give a whole number from {low} to {high}$"
        for wrong in low - 1, -(10**40), high + 1, 10**40:
            with pytest.raises(ValueError, match=f"^{parameter} is {str(wrong)[:5]}.*; {wanted}"):
                function(**{**given, parameter: wrong})
        for wrong in True, False, numpy.True_, numpy.array(True), "8", 8.0, float("nan"), [8]:
            with pytest.raises(TypeError, match=f"^{parameter} is .*; {wanted}"):
                function(**{**given, parameter: wrong})


def test_nothing_that_can_be_called_is_forgotten():
    called = {function.__qualname__ for function in CALLS}
    for name, value in vars(nqueens).items():
        if name.startswith("_") or inspect.ismodule(value) or not callable(value):
            continue
        if isinstance(value, type):
            for method, each in vars(value).items():
                if inspect.isfunction(each) and not method.startswith("_") and len(inspect.signature(each).parameters) > 1:
                    assert f"{name}.{method}" in called
            # Only the package makes these dataclasses, so nobody gives their fields.
            assert dataclasses.is_dataclass(value) or name in called
        else:
            assert name in called


def test_a_solution_that_lies_is_what_it_holds():
    solution, plain = Solution(nqueens.first(6)), nqueens.first(6)
    for ask in (
        nqueens.Solution.symmetries,
        nqueens.Solution.orbit,
        nqueens.Solution.is_fundamental,
        nqueens.Solution._repr_svg_,
        nqueens.Solution._repr_html_,
        repr,
        str,
        lambda given: str(nqueens.draw(given)),
        lambda given: str(nqueens.draw([given, plain])),
    ):
        assert ask(solution) == ask(plain)
    for forged in [], [2**64], [-1], ["x"], [None] * 4, [0] * 33, [1] * 1000:
        for ask in nqueens.Solution.symmetries, nqueens.Solution.is_fundamental, repr, str, nqueens.draw:
            with pytest.raises((TypeError, ValueError), match="column"):
                ask(tuple.__new__(Solution, forged))


def test_what_the_code_of_a_value_raised_is_kept_as_the_cause():
    with pytest.raises(TypeError, match="^size is <Raising instance at .*; give a whole number") as raised:
        nqueens.count(Raising())
    assert isinstance(raised.value.__cause__, LookupError)

    def broken():
        yield FIRST
        raise LookupError("on purpose")

    # An iterator's own exception comes through unchanged, as for a list.
    with pytest.raises(LookupError, match="on purpose"):
        nqueens.draw(broken())
