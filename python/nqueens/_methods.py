"""The textbook methods and the shape of the backtracking tree."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from html import escape
from typing import Any, Literal, Optional, TypeVar

from . import _native
from ._arguments import rows, seconds, several, shown, word
from ._progress import Progress, computed
from ._shown import in_words
from .typing import Compared, Kernel, Method, Outcome, Visits

METHODS: dict[Method, str] = dict(_native.METHODS)
"""The textbook methods, in descending order of visits, with a few words on each."""
KERNELS_OF = dict(_native.ENGINES)
ENGINES: tuple[Literal["auto"], Literal["backtrack"], Literal["two-color"]] = tuple(KERNELS_OF)
"""The engines of `count`; `auto` is the fastest for the board."""
KERNELS: tuple[Kernel, ...] = tuple(KERNELS_OF["auto"])
"""The kernels that the engines have on this CPU, the fastest first."""

Row = TypeVar("Row", "Cost", "Level")
KERNELS_AS_METHODS: list[Any] = [f"{engine} {kernel}" for engine in ENGINES[1:] for kernel in KERNELS_OF[engine]]
COMPARED: tuple[Compared, ...] = (*METHODS, *ENGINES[1:], *KERNELS_AS_METHODS)
MOST_COMPARED = 1000


class Table(list[Row]):
    """A list of rows with the same columns. A notebook shows it as a table."""

    def _repr_html_(self) -> str:
        names = [field.name for field in fields(self[0])] if self else []
        lines = ["".join(f"<th>{name}</th>" for name in names)]
        lines += ["".join(f"<td>{escape(in_words(value))}</td>" for value in astuple(row)) for row in self]
        return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


@dataclass(frozen=True)
class Cost:
    """The cost of a method on a board: an element of the list that `compare` returns.

    - `method`: the method, as it was given
    - `visited`: how many candidates or nodes it visited; `None` if it was stopped or visits nothing one by one. The
      engine `backtrack` visits fewer nodes than the tree has, and not the empty board. Its kernel `scalar` leaves out
      one of two mirror images: half of the nodes. The other kernels leave out up to three of four and look ahead, so
      that a quarter to an eighth is left. Up to 4 queens they look ahead to the end and report no nodes
    - `visits`: what `visited` counts: `candidates` (complete sets of queens) or `nodes` (placements in the first rows,
      none attacking another); `None` if the method visits neither, like the engine `two-color`
    - `size`: the number of rows of the board
    - `kernel`: the kernel of an engine; `None` for a textbook method
    - `outcome`: `matches`, `contradicts` or `not published` for its count, or `not finished` if it was stopped at the
      limit
    - `expected_visits`: how many it visits in all, even if it was stopped. If it was finished, this is `visited`;
      otherwise candidates are computed and nodes estimated. `None` for an engine
    - `tests`: how often it tested two queens, or a square, for an attack; `None` if it was stopped or makes no such
      tests
    - `solutions`: the solutions it found; `None` if it was stopped
    - `seconds`: the time it took, as `nqueens methods` measures it; `None` if it was stopped. A very short search is
      run several times, and the least time counts. The time of an engine leaves out the start of its thread
    """

    # The most important columns come first and last: pandas leaves out the middle ones if a line is too short.
    method: Compared
    visited: Optional[int]
    visits: Optional[Visits]
    size: int
    kernel: Optional[Kernel]
    outcome: Outcome
    expected_visits: Optional[float]
    tests: Optional[int]
    solutions: Optional[int]
    seconds: Optional[float]


def compare(size: int, methods: Iterable[Compared] = tuple(METHODS), *, limit: Optional[float] = 10.0) -> list[Cost]:
    """Runs methods of finding all solutions for `size` queens, each on one thread, and returns a `Cost` for each.

    A method is one of

    - `brute-force`: every choice of N of the N² squares,
    - `one-per-row`: every choice of a column for each row,
    - `permutations`: every choice of a different column for each row,
    - `earlier-queens`: backtracking that tests a square against each earlier queen,
    - `flag-arrays`: backtracking with a flag for each column, diagonal and anti-diagonal,
    - `bit-masks`: backtracking with bit masks,
    - an engine of `count`: `backtrack` or `two-color`; with a kernel, such as `backtrack scalar`.

    A method that takes longer than `limit` seconds is stopped; with `limit=None` no method is. A notebook shows the
    list as a table. Pandas takes the list as it is: `table = pandas.DataFrame(compare(6))`. If a number is missing,
    pandas makes the column floats; `table.visited.astype("Int64")` makes them whole numbers again.

    >>> for cost in compare(8, ["permutations", "flag-arrays", "backtrack scalar"]):
    ...     print(cost.method, cost.visited, cost.visits, cost.solutions)
    permutations 40320 candidates 92
    flag-arrays 2057 nodes 92
    backtrack scalar 1028 nodes 92

    A table of the nodes against N, for a plot:

    >>> names = ["permutations", "flag-arrays", "backtrack scalar"]
    >>> visited = {name: [compare(size, [name])[0].visited for size in range(4, 9)] for name in names}
    >>> visited["flag-arrays"]
    [17, 54, 153, 552, 2057]
    """
    if isinstance(methods, str):
        raise TypeError(f"methods is a string; give a list, such as [{shown(methods)}]")
    size = rows(size)
    if limit is not None:
        limit = seconds("limit", limit, ", or None for no limit")
    given = several("methods", methods, MOST_COMPARED, "a list of names")
    named = [word("an element of methods", method, COMPARED) for method in given]
    return Table(Cost(method=method, size=size, **_native.cost(method, size, limit)) for method in named)


@dataclass(frozen=True)
class Level:
    """The nodes of the backtracking tree with one number of queens: an element of the list that `nodes_per_row`
    returns.

    - `size`: the number of rows of the board
    - `queens`: the number of queens placed, in the first rows
    - `nodes`: the placements of that many queens in which none attacks another
    - `children`: the mean number of children of a node; `None` if there are no nodes
    """

    size: int
    queens: int
    nodes: int
    children: Optional[float]


def nodes_per_row(size: int, *, threads: Optional[int] = None, progress: Progress = False) -> list[Level]:
    """Counts the nodes of the backtracking tree for `size` queens: for k = 0 to N, the placements of the first k rows.

    The last level holds the solutions. Every node is visited; 16 queens take some seconds, and each further queen about
    seven times as long, up to 24. `threads` and `progress` work as in `count`. A notebook shows the list as a table,
    and pandas takes it as it is.

    >>> [level.nodes for level in nodes_per_row(8)]
    [1, 8, 42, 140, 344, 568, 550, 312, 92]
    """
    size = rows(size)
    nodes = computed(_native.nodes_per_row, f"N = {size}", size, threads=threads, progress=progress)
    children = [after / before if before else None for before, after in zip(nodes, nodes[1:])]
    return Table(Level(size, queens, *row) for queens, row in enumerate(zip(nodes, [*children, None])))
