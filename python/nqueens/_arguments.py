"""The arguments of the public functions, checked."""

from __future__ import annotations

from operator import index
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar

from . import _native

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

T = TypeVar("T")


def checked(
    name: str, value: Any, make: Callable[[Any], T], wanted: str, fits: Optional[Callable[[T], bool]] = None
) -> T:
    """Returns an argument as `make` makes it.

    Raises `TypeError` if `make` does, and `ValueError` if the result does not fit; `wanted` says what would be right.
    """
    error: type[Exception] = ValueError
    try:
        made = make(value)
        if fits is None or fits(made):
            return made
    except TypeError:
        error = TypeError
    raise error(f"{name} is {shortened(value)}; give {wanted}")


def only(kind: type) -> Callable[[Any], Any]:
    """Returns a function that refuses what is not of this type. True and False are of the type `bool` only."""

    def same(value: Any) -> Any:
        if not isinstance(value, kind) or (is_flag(value) and kind is not bool):
            raise TypeError
        return value

    return same


def is_flag(value: Any) -> bool:
    """Returns True for True and False, and those of numpy: whole numbers for Python, but no sizes or columns."""
    return type(value).__name__ in ("bool", "bool_")


def integer(value: Any) -> int:
    """Returns a whole number of any type."""
    if is_flag(value):
        raise TypeError
    return index(value)


def whole(name: str, value: SupportsIndex, low: int, high: int) -> int:
    """Returns a whole number in a range."""
    return checked(name, value, integer, f"a whole number from {low} to {high}", lambda number: low <= number <= high)


def flag(name: str, value: bool) -> bool:
    """Returns True or False."""
    given: bool = checked(name, value, only(bool), "True or False")
    return given


def rows(size: SupportsIndex, name: str = "size") -> int:
    """Returns the number of rows of a board that is searched."""
    return whole(name, size, 1, _native.MOST_ROWS)


def squares(name: str, value: Iterable[tuple[SupportsIndex, SupportsIndex]]) -> list[tuple[int, int]]:
    """Returns squares of a board: pairs of a row and a column, both from 0."""

    def pairs(value: Any) -> list[tuple[int, int]]:
        return [(integer(row), integer(column)) for row, column in value]

    wanted = "pairs of a row and a column, from 0, such as [(0, 3)]"
    try:
        return checked(name, value, pairs, wanted, lambda made: all(min(square) >= 0 for square in made))
    except ValueError:
        raise ValueError(f"{name} is {shortened(value)}; give {wanted}") from None


def workers(threads: Optional[SupportsIndex]) -> Optional[int]:
    """Returns the number of threads, or `None` for one for each CPU."""
    return None if threads is None else whole("threads", threads, 1, _native.MOST_THREADS)
