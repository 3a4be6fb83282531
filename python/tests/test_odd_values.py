"""Odd values for every parameter of everything public: each value is taken, or refused by a documented error."""

import dataclasses
import fractions
import inspect
import pathlib
import re

import nqueens_count as nqueens
import numpy
import pytest

LEDGER = pathlib.Path(__file__).parents[2] / "tests/data/0.2.0/whole.jsonl"
FIRST = nqueens.first(4)


def endless(value):
    """An endless iterator; reading far too much of it is an error of its own."""
    for _ in range(2_000_000):
        yield value
    raise LookupError("it was read without an end")


ODD = {
    "None": None,
    "True": True,
    "numpy.True_": numpy.True_,
    "0": 0,
    "-1": -1,
    **{f"{sign}2**{bits}": (-1 if sign else 1) * 2**bits for sign in ("", "-") for bits in (31, 32, 63, 64, 128, 1000)},
    "numpy.int64": numpy.int64(-(2**63)),
    "1.5": 1.5,
    "1e300": 1e300,
    "nan": float("nan"),
    "inf": float("inf"),
    "numpy.float32": numpy.float32("nan"),
    "1j": 1j,
    "Fraction": fractions.Fraction(1, 10**400),
    "str": "",
    "long str": "x" * 10**6,
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
    nqueens.by_square: {"size": 4},
    nqueens.compare: {"size": 3, "methods": ["bit-masks"]},
    nqueens.count: {"size": 4},
    nqueens.merge: {"ledgers": LEDGER},
    nqueens.draw: {"solutions": FIRST},
    nqueens.estimate: {"size": 4, "probes": 2},
    nqueens.first: {"size": 4},
    nqueens.fundamental: {"size": 4},
    nqueens.heat_map: {"counts": [[1]]},
    nqueens.is_solution: {"columns": FIRST},
    nqueens.published: {"size": 4},
    nqueens.solutions: {"size": 4},
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
            if not isinstance(error, OSError):
                # The message names the fault: the parameter, an element of it, or the nature of solutions and boards.
                assert re.search(f"{parameter}|column|queens of rows|^N = ", str(error)), (name, str(error)[:500])
                assert len(str(error)) < 600, name
        except BaseException as error:
            pytest.fail(f"{name}: {type(error).__name__}: {str(error)[:500]}")


WHOLE = {
    "probes": (2, 1_000_000),
    "seed": (0, 2**64 - 1),
    "size": (1, 32),
    "square": (1, 1000),
    "threads": (1, 1024),
    "any_solution(size)": (1, 1_000_000),
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


def test_an_exception_of_an_iterator_goes_on_to_the_caller():
    def broken():
        yield FIRST
        raise LookupError("on purpose")

    with pytest.raises(LookupError, match="on purpose"):
        nqueens.draw(broken())
