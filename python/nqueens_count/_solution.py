"""Solutions and their pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from os import PathLike
from threading import RLock
from typing import TYPE_CHECKING, Any, Optional, SupportsIndex, Union, get_args

from . import _native
from ._arguments import Squares, checked, flag, integers, rows, several, squares, whole
from ._arguments import text as as_text
from ._file import write
from .typing import Symmetry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Columns = NDArray[np.int64]
else:
    # A program that asks for types while it runs may have no numpy.
    Columns = Collection[int]

SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)
"""The names of the eight symmetries of the board, in the order of `Solution.symmetries`."""

MOST_BOARDS = 1000
MOST_QUEENS = 1_000_000
COLUMNS = "the column of the queen of each row"
SOLUTIONS = "a solution or several, such as Solution([1, 3, 0, 2])"


class Solution(tuple[int, ...]):
    """A solution: a tuple with the column of the queen of each row, from row 0 on. Columns are numbered from 0.

    A `Solution` has 1 to 32 rows; `any_solution` and `is_solution` go up to a million. `str` is the board as text. In a
    notebook a solution is shown as a picture. Many books and the OEIS number columns from 1;
    `Solution(column - 1 for column in [2, 4, 1, 3])` reads such columns.

    Raises `ValueError` if two queens attack each other or a queen is not on the board; the message says which.

    >>> Solution([1, 3, 0, 2])
    Solution([1, 3, 0, 2])
    >>> print(_)
    . Q . .
    . . . Q
    Q . . .
    . . Q .
    >>> Solution([0, 1, 2, 3])
    Traceback (most recent call last):
        ...
    ValueError: the queens of rows 0 and 1 attack each other along the same diagonal
    """

    __slots__ = ()

    def __new__(cls, columns: Iterable[SupportsIndex]) -> Solution:
        given = several("columns", columns, _native.MOST_ROWS, COLUMNS)
        size = rows(len(given), "the number of columns")
        made = [whole(f"the column of row {row}, numbered from 0,", column, 0, size - 1) for row, column in enumerate(given)]
        _native.check(made)
        return super().__new__(cls, made)

    def __repr__(self) -> str:
        return f"Solution({list(self)})"

    def __str__(self) -> str:
        return board(len(self), self)

    def _repr_svg_(self) -> tuple[str, dict[str, str]]:
        return draw([self])._repr_svg_()

    def _repr_html_(self) -> str:
        return draw([self])._repr_html_()

    def symmetries(self) -> list[Solution]:
        """Returns the eight images under the rotations and reflections of the board, in the order of `SYMMETRIES`.

        >>> images = dict(zip(SYMMETRIES, Solution([1, 3, 0, 2]).symmetries()))
        >>> images["mirror-rows"]
        Solution([2, 0, 3, 1])
        >>> images["quarter-turn"] == images["identity"]
        True
        """
        return [trusted(image) for image in _native.symmetries(list(self))]

    def orbit(self) -> list[Solution]:
        """Returns the different solutions among the eight images, in order: 1, 2, 4 or 8.

        >>> Solution([1, 3, 0, 2]).orbit()
        [Solution([1, 3, 0, 2]), Solution([2, 0, 3, 1])]
        """
        return sorted(set(self.symmetries()))

    def is_fundamental(self) -> bool:
        """Returns True if the solution is the first of its orbit. Each orbit has exactly one such solution.

        >>> sum(solution.is_fundamental() for solution in solutions(8))
        12
        """
        images = self.symmetries()
        return images[0] == min(images)


def trusted(columns: tuple[int, ...]) -> Solution:
    """Returns a solution that the library found, without a check."""
    return tuple.__new__(Solution, columns)


def board(size: int, queens: Sequence[int]) -> str:
    """Returns a board whose first rows have queens in these columns, as text."""
    rows = [["."] * size for _ in range(size)]
    for row, column in zip(rows, queens):
        row[column] = "Q"
    return "\n".join(" ".join(row) for row in rows)


class Drawing:
    """A picture, made by `draw` and `Step.draw`. A notebook shows it; `str` is the SVG document."""

    def __init__(self, svg: str, text: str) -> None:
        self._svg = checked("svg", svg, as_text, "an SVG document")
        self._text = checked("text", text, as_text, "a text that says what is seen")

    def save(self, path: Union[str, PathLike[str]]) -> None:
        """Writes the picture to a file that ends in `.svg`, `.png` or `.pdf`. The last two need `pip install cairosvg`.

        Raises `ValueError` for another ending, and `ImportError` if CairoSVG is not installed.
        """
        by_cairo = {f".{kind}": partial(self._by_cairo, kind) for kind in ("png", "pdf")}
        write(path, {".svg": self._svg.encode, **by_cairo})

    def _by_cairo(self, kind: str) -> bytes:
        try:
            import cairosvg
        except (ImportError, OSError) as error:  # CairoSVG is not installed, or the library cairo is not
            message = f"a .{kind} needs CairoSVG: `pip install cairosvg`, or save a .svg ({error})"
            raise ImportError(message) from None
        made: bytes = getattr(cairosvg, f"svg2{kind}")(bytestring=self._svg.encode())
        return made

    def __str__(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<picture: {self._text}>"

    def _repr_svg_(self) -> tuple[str, dict[str, str]]:
        # Tools such as nbconvert, which put the document into a page, take the text from it alone.
        labelled = self._svg.replace("<svg ", f'<svg role="img" aria-label="{escape(self._text)}" ', 1)
        return labelled, {"alt": self._text}

    def _repr_html_(self) -> str:
        # The picture has a text for readers who cannot see it.
        source = b64encode(self._repr_svg_()[0].encode()).decode()
        return f'<img alt="{escape(self._text)}" src="data:image/svg+xml;base64,{source}">'


def draw(solutions: Union[Solution, Iterable[Solution]], *, square: int = 24) -> Drawing:
    """Draws one solution, or at most 1000 of one size side by side. A notebook shows the picture.

    `square` is the side of a square in pixels.

    >>> draw(solutions(8, fundamental=True)).save("twelve.svg")
    >>> draw(first(4))
    <picture: a solution for 4 queens, [1, 3, 0, 2]>
    """
    if isinstance(solutions, Solution):
        solutions = [solutions]
    given = [list(as_solution(each)) for each in several("solutions", solutions, MOST_BOARDS, SOLUTIONS)]
    if not given:
        raise ValueError("solutions has no element; give a solution or several")
    size, number = len(given[0]), len(given)
    for other in map(len, given):
        if other != size:
            raise ValueError(f"a solution of {other} rows among those of {size}; draw solutions of one size")
    boards = [(f"Solution {place}", solution) for place, solution in enumerate(given, 1)]
    text = f"{number} solutions for {size} queens" if number > 1 else f"a solution for {size} queens, {given[0]}"
    return drawing(size, boards, square, text)


def heat_map(counts: Iterable[Iterable[SupportsIndex]]) -> Drawing:
    """Draws a board shaded by the counts of `by_square`, with the numbers. A notebook shows the picture.

    >>> heat_map([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]])
    <picture: solutions with a queen on each of 4 x 4 squares>
    """
    wanted, most = "a list of counts for each row, as by_square returns", _native.MOST_ROWS
    count_rows = [several("a row of counts", row, most, wanted) for row in several("counts", counts, most, wanted)]
    squares = [[whole("an element of counts", count, 0, (1 << 128) - 1) for count in row] for row in count_rows]
    size = len(squares)
    if size == 0 or any(len(row) != size for row in squares):
        raise ValueError(f"counts has {size} rows, not all as long; give what by_square returns")
    return Drawing(_native.heat_map(squares), f"solutions with a queen on each of {size} x {size} squares")


def drawing(size: int, boards: Sequence[tuple[str, Sequence[int]]], square: int, text: str) -> Drawing:
    """Returns the picture of boards, each with a heading and the columns of the queens in its first rows."""
    queens = [(heading, [whole("a column", column, 0, size - 1) for column in columns]) for heading, columns in boards]
    return Drawing(_native.svg(size, queens, whole("square", square, 1, 1000)), text)


def as_solution(columns: Any) -> Solution:
    if isinstance(columns, Solution):
        return columns
    return Solution(checked("an element of solutions", columns, iter, SOLUTIONS))


class Search(Iterator[Solution]):
    """An iterator over solutions, which several threads may share."""

    def __init__(
        self, size: int, queens: list[tuple[int, int]], blocked: list[tuple[int, int]], fundamental: bool
    ) -> None:
        self._found = _native.Solutions(size, queens, blocked, fundamental)
        # Python's lock lets signals through, unlike a lock of the library.
        self._lock = RLock()

    def __next__(self) -> Solution:
        with self._lock:
            return trusted(next(self._found))


def solutions(
    size: int, *, queens: Squares = (), blocked: Squares = (), fundamental: bool = False
) -> Iterator[Solution]:
    """Returns an iterator over the solutions for `size` queens, 1 to 32, in lexicographic order.

    Each solution is searched for when it is asked for. Several threads may share the iterator. `queens` and `blocked`
    are squares (row, column) on which every solution has a queen, or none. With `fundamental=True` only the first
    solution of each orbit comes: the solutions up to rotation and reflection.

    >>> next(solutions(8))
    Solution([0, 4, 7, 5, 2, 6, 1, 3])
    >>> len(list(solutions(8))), len(list(solutions(8, fundamental=True)))
    (92, 12)
    """
    size = rows(size)
    given = squares("queens", queens, size), squares("blocked", blocked, size)
    if flag("fundamental", fundamental) and any(given):
        raise ValueError("fundamental solutions are those of a whole board; give neither queens nor blocked")
    return Search(size, *given, fundamental)


def first(size: int, *, queens: Squares = (), blocked: Squares = ()) -> Optional[Solution]:
    """Returns the first solution for `size` queens in lexicographic order, or `None` if there is none.

    `queens` and `blocked` work as in `solutions`. The search takes some seconds from 30 queens on; `any_solution` takes
    no time.

    >>> print(first(4))
    . Q . .
    . . . Q
    Q . . .
    . . Q .
    >>> first(3) is None
    True
    """
    return next(solutions(size, queens=queens, blocked=blocked), None)


def any_solution(size: int) -> Optional[Columns]:
    """Returns a solution for up to a million queens without a search: the column of the queen of each row.

    The result is an array of numpy or, if numpy is not installed, a `memoryview`. For 2 and 3 queens, which have no
    solution, it is `None`.

    >>> any_solution(6).tolist()
    [1, 3, 5, 0, 2, 4]
    >>> is_solution(any_solution(100_000))
    True
    """
    size = whole("size", size, 1, MOST_QUEENS)
    if size in (2, 3):
        return None
    columns = empty(size)
    memoryview(columns).cast("B")[:] = _native.construct(size)
    filled: Columns = columns
    return filled


def empty(size: int) -> Any:
    """Returns an array of numpy or, without numpy, a `memoryview`, to be filled."""
    try:
        import numpy
    except ImportError:
        return memoryview(bytearray(8 * size)).cast("q")
    return numpy.empty(size, numpy.int64)


def is_solution(columns: Iterable[SupportsIndex]) -> bool:
    """Returns True if queens in these columns, from row 0 on, are a solution of the board with as many rows.

    The columns may be any sequence of up to a million integers, such as a list, a `Solution` or an array of numpy.

    Columns are numbered from 0. If they are a solution only when numbered from 1, a `ValueError` is raised; so False is
    right for both ways of numbering.

    >>> is_solution([1, 3, 0, 2]), is_solution([0, 1, 2, 3])
    (True, False)
    >>> is_solution(column - 1 for column in [2, 4, 1, 3])
    True
    """
    given = several("columns", columns, MOST_QUEENS, COLUMNS)
    made = integers(lambda row: f"the column of row {row}", given)
    # No board with as many rows has such a column, however the columns are numbered.
    if made and not 0 <= min(made) <= max(made) <= len(made):
        return False
    found: bool = _native.is_solution(made)
    return found
