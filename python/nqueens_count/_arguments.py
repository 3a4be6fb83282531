"""The arguments of the public functions, checked. No result has more elements than can be used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from numbers import Real
from operator import index
from os import PathLike, fspath
from reprlib import repr as shortened
from typing import Any, Callable, Optional, SupportsIndex, TypeVar, Union

from . import _native

Path = Union[str, PathLike[str]]
T = TypeVar("T")
Word = TypeVar("Word", bound=str)


def checked(
    name: str, value: Any, make: Callable[[Any], T], wanted: str, fits: Optional[Callable[[T], bool]] = None
) -> T:
    """Returns an argument as `make` makes it.

    Raises `TypeError` if `make` cannot, and `ValueError` if the result does not fit; `wanted` says what would be right.
    """
    error: type[Exception] = ValueError
    try:
        made = make(value)
        if fits is None or fits(made):
            return made
    except TypeError:
        error = TypeError
    except (ValueError, OverflowError):
        pass
    raise error(f"{name} is {shown(value)}; give {wanted}")


def shown(value: Any) -> str:
    """Returns a value as a message shows it: shortened, and in characters that can be printed."""
    return shortened(value).encode(errors="backslashreplace").decode()


def is_flag(kind: type) -> bool:
    """Returns True for the types of True and False, Python's and numpy's: whole numbers for Python, but no sizes."""
    return kind.__name__ in ("bool", "bool_")


def integer(value: Any) -> int:
    """Returns a whole number of any type."""
    if is_flag(type(value)):
        raise TypeError
    return index(value)


def integers(name: Callable[[int], str], values: Sequence[Any]) -> list[int]:
    """Returns whole numbers of any type; each has a name for messages. A million take a tenth of a second."""
    try:
        if not any(map(is_flag, set(map(type, values)))):
            return list(map(index, values))
    except TypeError:
        pass  # the loop below says which value is wrong
    return [checked(name(place), value, integer, "a whole number") for place, value in enumerate(values)]


def whole(name: str, value: SupportsIndex, low: int, high: int) -> int:
    """Returns a whole number in a range."""
    return checked(name, value, integer, f"a whole number from {low} to {high}", lambda number: low <= number <= high)


def seconds(name: str, value: float, note: str = "") -> float:
    """Returns a time in seconds."""

    def real(value: Any) -> float:
        if is_flag(type(value)) or not isinstance(value, Real):
            raise TypeError
        return float(value)

    return checked(name, value, real, f"a positive number of seconds, at most 1e9{note}", lambda time: 0 < time <= 1e9)


def flag(name: str, value: bool) -> bool:
    """Returns True or False."""
    if value is True or value is False:
        return value
    raise TypeError(f"{name} is {shown(value)}; give True or False")


def text(value: Any) -> str:
    """Returns a string."""
    if isinstance(value, str):
        return value
    raise TypeError


def word(name: str, value: str, words: Sequence[Word], note: str = "") -> Word:
    """Returns one of some words."""
    *others, last = map(repr, words)
    wanted = f"{', '.join(others)} or {last}{note}"
    return words[words.index(checked(name, value, text, wanted, words.__contains__))]


def path(name: str, value: Any, wanted: str, fits: Callable[[str], bool] = lambda path: True) -> str:
    """Returns the path of a file."""
    return checked(name, value, lambda value: text(fspath(value)), wanted, fits)


def several(name: str, value: Iterable[T], most: int, wanted: str) -> list[T]:
    """Returns the elements of an argument, which may be endless or have a wrong length."""
    given = list(islice(checked(name, value, iter, wanted), most + 1))
    if len(given) > most:
        raise ValueError(f"{name} has more than {most} elements; give at most as many")
    return given


def ledgers_of(value: Union[Path, Iterable[Path]]) -> list[str]:
    """Returns the paths of ledgers: of one, or of several."""
    wanted = "the path of a ledger, or several"
    paths = [value] if isinstance(value, (str, PathLike)) else several("ledgers", value, 1_000_000, wanted)
    if not paths:
        raise ValueError(f"ledgers has no element; give {wanted}")
    return [path("an element of ledgers", each, wanted) for each in paths]


def pair(value: Any) -> tuple[int, int]:
    """Returns two whole numbers of any type."""
    one, other = value
    return integer(one), integer(other)


def shard_of(value: Any) -> tuple[int, int]:
    """Returns the number of a shard, from 0, and the number of shards."""
    wanted = "the number of a shard, from 0, and the number of shards, such as (3, 16)"
    return checked("shard", value, pair, wanted, lambda pair: 0 <= pair[0] < pair[1] <= _native.MOST_SHARDS)


def rows(size: SupportsIndex, name: str = "size") -> int:
    """Returns the number of rows of a board that is searched."""
    return whole(name, size, 1, _native.MOST_ROWS)


Squares = Iterable[tuple[SupportsIndex, SupportsIndex]]


def squares(name: str, value: Squares, size: int) -> list[tuple[int, int]]:
    """Returns squares of a board: pairs of a row and a column, both from 0."""
    wanted = "pairs of a row and a column, from 0, such as [(0, 3)]"
    given = [
        checked(f"an element of {name}", square, pair, wanted)
        for square in several(name, value, _native.MOST_ROWS**2, wanted)
    ]
    for row, column in given:
        if not (0 <= row < size and 0 <= column < size):
            place = f"row {shown(row)}, column {shown(column)}"
            raise ValueError(f"{name}: {place} is not on the board; rows and columns are numbered from 0 to {size - 1}")
    return given
