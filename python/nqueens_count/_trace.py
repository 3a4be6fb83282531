"""A search step by step."""

import json
from dataclasses import dataclass
from html import escape
from os import PathLike
from threading import RLock
from typing import Any, Optional, Union, get_args

from . import _native
from ._arguments import Squares, rows, squares, whole, word
from ._file import write
from ._solution import Drawing, board, drawing
from .typing import Line, StepKind, TracedMethod, Until

MOST_PLAYED = 100_000
MOST_PLAYABLE = 1_000_000


@dataclass(frozen=True)
class Step:
    """A step of a search: an element of a `Trace`.

    The queens and the arrays show the state after the step. `print(step)` says what happens, `print(step.board)` shows
    the queens, and `step.draw()` is a picture of them.

    - `number`: the number of the step, from 1
    - `kind`: `conflict` (a square is attacked), `place` (a square is free and gets a queen), `backtrack` (no column of
      the row is left) or `solution`; with arrays of flags also `mark` (the lines of the new queen are marked) and
      `unmark` (the last queen is taken back and its lines are unmarked); with the other methods `remove` (the last
      queen is taken back) and `compare` (a queen does not attack the square) or `free` (the free squares of a row are
      found); on a board with `queens` or `blocked` also `blocked` (a square is passed over)
    - `row`: the row; `None` for a solution
    - `column`: the column; `None` for a backtrack, a solution and free squares
    - `queen`: in a conflict and a comparison, the row of the other queen
    - `line`: in a conflict, the line of the attack: `column`, `anti-diagonal` or `diagonal`
    - `free`: the columns of the free squares that are found
    - `solution`: for a solution, its number, from 1
    - `text`: a sentence that says what happens
    - `queens`: the columns of the queens placed, from row 0 on
    - `columns`: the first array of flags: True for each marked column; the other methods mark none
    - `antidiagonals`: the second array: the anti-diagonal of a square is number row + column, from 0 to 2N − 2
    - `diagonals`: the third array: the diagonal of a square is number row − column + N − 1, from 0 to 2N − 2
    """

    number: int
    kind: StepKind
    row: Optional[int]
    column: Optional[int]
    queen: Optional[int]
    line: Optional[Line]
    free: Optional[tuple[int, ...]]
    solution: Optional[int]
    text: str
    queens: tuple[int, ...]
    columns: tuple[bool, ...]
    antidiagonals: tuple[bool, ...]
    diagonals: tuple[bool, ...]

    @property
    def board(self) -> str:
        """The board with its queens, as text."""
        return board(len(self.columns), self.queens)

    def draw(self, *, square: int = 24) -> Drawing:
        """Draws the board with its queens. A notebook shows the picture.

        `square` is the side of a square in pixels.

        >>> for step in trace(6):
        ...     if step.kind == "backtrack":
        ...         break
        >>> step.draw(square=48).save("backtrack.svg")
        """
        return drawing(len(self.columns), [(str(self), self.queens)], square, str(self))

    def __str__(self) -> str:
        return f"{self.number}: {self.text}"

    def _repr_html_(self) -> str:
        return f"{self.draw()._repr_html_()}<p>{escape(str(self))}</p>"


class Trace:
    """An iterator over the steps of a search, made by `trace`. A notebook shows it as a page that plays the steps."""

    def __init__(
        self,
        size: int,
        until: Until = "first",
        method: TracedMethod = "flag-arrays",
        queens: Squares = (),
        blocked: Squares = (),
    ) -> None:
        self._size = rows(size)
        self._until = word("until", until, get_args(Until))
        self._method = word("method", method, get_args(TracedMethod))
        self._given = squares("queens", queens, self._size), squares("blocked", blocked, self._size)
        self._steps = _native.Trace(self._size, self._method, *self._given)
        # Several threads may share the trace.
        self._lock = RLock()
        self._number = 0
        self._is_over = False

    def __iter__(self) -> "Trace":
        return self

    def __next__(self) -> Step:
        with self._lock:
            if self._is_over:
                raise StopIteration
            step = Step(self._number + 1, **next(self._steps))
            self._number = step.number
            self._is_over = step.kind == "solution" and self._until == "first"
        return step

    def __repr__(self) -> str:
        return f"<trace of {self._size} queens, until={self._until!r}, after step {self._number}>"

    def page(self, *, limit: int = MOST_PLAYED) -> str:
        """Returns a page for a browser that plays the search from its first step on, at most `limit` steps.

        The page needs no network. `save` writes it to a file.
        """
        limit = whole("limit", limit, 1, MOST_PLAYABLE)
        steps: list[str] = []
        complete = False
        for step in Trace(self._size, self._until, self._method, *self._given):
            if len(steps) == limit:
                break
            steps.append(json.dumps(fields(step)))
        else:
            complete = True
        setup = _native.setup_in_line(self._size, *self._given) if any(self._given) else None
        head = {
            "schema": "nqueens/trace/1",
            "board": self._size,
            "method": self._method,
            "setup": setup,
            "until": self._until,
        }
        document = f'{json.dumps(head)[:-1]}, "steps": [\n' + ",\n".join(steps)
        before, after = _native.player_page(self._size)
        return f'{before}{document}\n], "complete": {json.dumps(complete)}}}\n{after}'

    def save(self, path: Union[str, PathLike[str]], *, limit: int = MOST_PLAYED) -> None:
        """Writes the page to a file, which ends in `.html`.

        >>> trace(6).save("trace.html")
        """
        write(path, {".html": lambda: self.page(limit=limit).encode()})

    def _repr_html_(self) -> str:
        title = f'title="{self._size} queens, step by step"'
        style = 'style="width:100%;height:940px;border:0"'
        return f'<iframe {title} sandbox="allow-scripts" {style} srcdoc="{escape(self.page())}"></iframe>'


def fields(step: Step) -> dict[str, Any]:
    """Returns the step in the form of the program's JSON."""
    given = {name: getattr(step, name) for name in ("row", "column", "queen", "line")}
    bits = None if step.free is None else sum(1 << column for column in step.free)
    named = {"step": step.number, "kind": step.kind, **given, "columns": bits, "number": step.solution}
    return {name: value for name, value in named.items() if value is not None}


def trace(
    size: int,
    *,
    until: Until = "first",
    method: TracedMethod = "flag-arrays",
    queens: Squares = (),
    blocked: Squares = (),
) -> Trace:
    """Returns an iterator over the steps of backtracking, for `size` queens.

    It ends at the first solution, or with `until="all"` when the search is over. Each `Step` has the queens and the
    arrays after it. At the end of a notebook's cell, it is a page that plays the steps; `save` writes it to a file.

    - `method`: `flag-arrays` marks the lines of each queen, `earlier-queens` compares a square with each queen placed
      before, and `bit-masks` finds all free squares of a row at once.
    - `queens`, `blocked`: squares (row, column) on which every solution has a queen, or none.

    >>> for step in trace(4):
    ...     if step.number in (1, 2, 3):
    ...         print(step)
    1: row 0, column 0 is free: a queen is placed there
    2: column 0, anti-diagonal 0 and diagonal 3 are marked
    3: row 1, column 0 is attacked by the queen of row 0 along the column
    >>> print(step)
    43: every row has a queen: solution 1
    >>> print(next(trace(4, method="bit-masks", queens=[(0, 1)])))
    1: row 0 is free in column 1
    >>> step.columns
    (True, True, True, True)
    >>> print(step.board)
    . Q . .
    . . . Q
    Q . . .
    . . Q .
    """
    return Trace(size, until, method, queens, blocked)
