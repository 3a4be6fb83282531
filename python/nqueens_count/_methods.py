"""The textbook methods and their costs."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from html import escape
from typing import Any, Literal, Optional

from . import _native
from ._arguments import rows, seconds, several, shown, word
from ._shown import in_words
from .typing import Compared, Kernel, Method, Outcome, Visits

METHODS: dict[Method, str] = dict(_native.METHODS)
"""The textbook methods, in descending order of visits, with a few words on each."""
KERNELS_OF = dict(_native.ENGINES)
ENGINES: tuple[Literal["auto"], Literal["backtrack"], Literal["two-color"]] = tuple(KERNELS_OF)
"""The engines of `count`; `auto` is the fastest for the board."""
KERNELS: tuple[Kernel, ...] = tuple(KERNELS_OF["auto"])
"""The kernels that the engines have on this CPU, the fastest first."""

KERNELS_AS_METHODS: list[Any] = [f"{engine} {kernel}" for engine in ENGINES[1:] for kernel in KERNELS_OF[engine]]
COMPARED: tuple[Compared, ...] = (*METHODS, *ENGINES[1:], *KERNELS_AS_METHODS)
MOST_COMPARED = 1000


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


class Costs(list[Cost]):
    """A list of costs. A notebook shows it as a table."""

    def _repr_html_(self) -> str:
        lines = ["".join(f"<th>{field.name}</th>" for field in fields(Cost))]
        lines += ["".join(f"<td>{escape(in_words(value))}</td>" for value in astuple(cost)) for cost in self]
        return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


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
    return Costs(Cost(method=method, size=size, **_native.cost(method, size, limit)) for method in named)
