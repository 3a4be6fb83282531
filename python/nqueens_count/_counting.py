"""Counts, published counts and estimates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Optional, Union, get_args, overload

from . import _native
from ._arguments import Path, Squares, flag, ledgers_of, path, rows, shard_of, squares, whole, word
from ._methods import ENGINES, KERNELS
from ._progress import Progress, computed
from ._shown import Record
from .typing import Engine, Kernel, Turn, Verdict


@dataclass(frozen=True)
class Count(Record):
    """The number of solutions of a board and how it was counted: the result of `count(size, details=True)`.

    - `size`: the number of rows of the board
    - `total`: the number of solutions
    - `engine`: `backtrack` or `two-color`
    - `kernel`: the implementation of the engine's inner loop, such as `avx2` or `portable`
    - `plan`: the name of the plan, which says how the count was cut into units
    - `units`: the number of units, which are counted independently
    - `threads`: the number of threads that counted
    - `seconds`: the time from the start to the total
    - `nodes`: the number of nodes visited, fewer than the tree has (see `Cost`); `None` if the engine visits none, or
      counts them only with `nodes=True`
    - `verdict`: the comparison with the published count: `matches`, `contradicts` or `not published`; `impossible` for
      a total that is not published and that no board of this size can have
    - `double_check`: the route of the second count that confirmed the total; `None` without `double_check=True`
    """

    size: int
    total: int
    engine: Engine
    kernel: Kernel
    plan: str
    units: int
    threads: int
    seconds: float
    nodes: Optional[int]
    verdict: Verdict
    double_check: Optional[str]


@overload
def count(
    size: int,
    *,
    queens: Squares = ...,
    blocked: Squares = ...,
    details: Literal[False] = False,
    engine: Engine = ...,
    kernel: Optional[Kernel] = ...,
    threads: Optional[int] = ...,
    nodes: bool = ...,
    double_check: bool = ...,
    ledger: Optional[Path] = ...,
    shard: None = ...,
    progress: Progress = ...,
) -> int: ...


@overload
def count(
    size: int,
    *,
    queens: Squares = ...,
    blocked: Squares = ...,
    details: Literal[True],
    engine: Engine = ...,
    kernel: Optional[Kernel] = ...,
    threads: Optional[int] = ...,
    nodes: bool = ...,
    double_check: bool = ...,
    ledger: Optional[Path] = ...,
    shard: None = ...,
    progress: Progress = ...,
) -> Count: ...


@overload
def count(
    size: int,
    *,
    queens: Squares = ...,
    blocked: Squares = ...,
    details: bool = ...,
    engine: Engine = ...,
    kernel: Optional[Kernel] = ...,
    threads: Optional[int] = ...,
    nodes: bool = ...,
    ledger: Path,
    shard: tuple[int, int],
    progress: Progress = ...,
) -> None: ...


def count(
    size: int,
    *,
    queens: Squares = (),
    blocked: Squares = (),
    details: bool = False,
    engine: Engine = "auto",
    kernel: Optional[Kernel] = None,
    threads: Optional[int] = None,
    nodes: bool = False,
    double_check: bool = False,
    ledger: Optional[Path] = None,
    shard: Optional[tuple[int, int]] = None,
    progress: Progress = False,
) -> Union[int, Count, None]:
    """Counts the solutions for `size` queens, 1 to 32.

    On a common computer 18 queens take less than a second, 20 some seconds, 22 some minutes, and 24 an hour or two.
    Only the engine `backtrack` counts boards above 28. A count that would take it years of CPU time is refused, unless
    the engine is named. `estimate` takes a moment, and `any_solution` and `is_solution` take boards of up to a million
    rows.

    With `details=True` the result is a `Count`, which also tells the engine, the kernel, the time and the verdict.

    - `queens`, `blocked`: squares (row, column), both from 0, on which every solution has a queen, or none.
    - `engine`: `auto` (the fastest for the board), `backtrack` or `two-color`, which counts no board with `queens` or
      `blocked`.
    - `kernel`: one of `KERNELS`, by default the fastest that this CPU has.
    - `threads`: by default one for each CPU that this process may use; a count of at most 11 rows takes only one.
    - `nodes`: also count the visited nodes, if the engine visits any.
    - `double_check`: count every unit again by another route, and compare. This takes several times as long as the
      first count, with the backtracker up to a hundred times.
    - `ledger`: the path of a file in which each finished unit is recorded. Whatever stops the count, the same call goes on
      with the units that the file lacks, also with other threads or on another machine.
    - `shard`: with a ledger of its own, count only this shard, a pair such as (3, 16) for number 3 of 16, from 0. The
      result is then `None`: `merge` adds up the ledgers of all shards.
    - `progress`: True for a bar (it needs tqdm), or a function that is called with the share that is done, 0 to 1. An
      exception in the function stops the count.

    Other Python threads go on during the count, and Ctrl-C (in a notebook, "interrupt") stops it.

    Warns (`UserWarning`) of a ledger that has damaged lines, or whose file system cannot lock or flush it.

    Raises `ValueError` for arguments that are out of range, and `MemoryError` when too little memory is free. Raises
    `RuntimeError` when a second count differs, or when the total contradicts the published count or is impossible; with
    `details=True` the verdict reports such a total instead. Raises `OSError` for a ledger that cannot be read or written,
    and `RuntimeError` for one that another process works on.

    >>> count(8)
    92
    >>> result = count(14, details=True, threads=1)
    >>> result.total, result.threads, result.verdict
    (365596, 1, 'matches')
    >>> count(12, double_check=True)
    14200
    >>> count(8, queens=[(0, 3)], blocked=[(4, 4)])
    17
    >>> count(33)
    Traceback (most recent call last):
        ...
    ValueError: size is 33; give a whole number from 1 to 32
    """
    size, details, engine = rows(size), flag("details", details), word("engine", engine, ENGINES)
    nodes, double_check = flag("nodes", nodes), flag("double_check", double_check)
    if kernel is not None:
        kernel = word("kernel", kernel, KERNELS, ", the kernels of this CPU")
    placed = squares("queens", queens, size), squares("blocked", blocked, size)
    arguments = (size, *placed, engine, kernel, nodes)
    last: tuple[object, ...]
    if ledger is None:
        if shard is not None:
            raise ValueError("shard is for a count with a ledger; give ledger too")
        function, last = _native.count, (double_check,)
    else:
        if double_check:
            raise ValueError("double_check is for a count without a ledger; `nqueens recheck` counts units of one again")
        part = (0, 1) if shard is None else shard_of(shard)
        function, last = _native.count_in_ledger, (path("ledger", ledger, "the path of a file"), part)
    counted = computed(function, f"N = {size}", arguments, *last, threads=threads, progress=progress)
    if shard is not None:
        return None
    result = Count(size, **counted)
    return result if details else agreed_total(result)


@dataclass(frozen=True)
class Merged(Record):
    """A total from ledgers: the result of `merge(ledgers, details=True)`.

    - `size`, `total`: the number of rows of the board and of its solutions
    - `engine`, `plan`, `units`, `shards`: how it was counted
    - `core_seconds`: the CPU time of all units
    - `verdict`: the comparison with the published count, as in `Count`
    """

    size: int
    total: int
    engine: Engine
    plan: str
    units: int
    shards: int
    core_seconds: float
    verdict: Verdict


@overload
def merge(ledgers: Union[Path, Iterable[Path]], *, details: Literal[False] = False) -> int: ...


@overload
def merge(ledgers: Union[Path, Iterable[Path]], *, details: Literal[True]) -> Merged: ...


def merge(ledgers: Union[Path, Iterable[Path]], *, details: bool = False) -> Union[int, Merged]:
    """Adds up the ledgers of a count, and returns the number of solutions. No unit is counted.

    With `details=True` the result is a `Merged`, which also tells the CPU time and the verdict. Damaged lines are left out,
    with a `UserWarning`.

    Raises `ValueError` if a unit is in no ledger, and for ledgers that are none, belong to several counts, contradict
    each other or do not add up; `RuntimeError` for a total that contradicts the published count or is impossible, which
    `details=True` returns with its verdict; `OSError` for a file that cannot be read.

    >>> merge("12.jsonl")
    14200
    """
    details = flag("details", details)
    merged = Merged(**_native.merge(ledgers_of(ledgers)))
    return merged if details else agreed_total(merged)


def agreed_total(result: Union[Count, Merged]) -> int:
    """Returns a total, unless it contradicts the published count or is impossible."""
    counted = f"{result.total} solutions were counted for N = {result.size}"
    if result.verdict == "contradicts":
        raise contradiction(counted, published(result.size))
    if result.verdict == "impossible":
        raise RuntimeError(f"{counted}, which is impossible; {FAULTY}")
    return result.total


FAULTY = "the machine may be faulty"


def contradiction(counted: str, known: Optional[int]) -> RuntimeError:
    return RuntimeError(f"{counted}, which contradicts the published count of {known}; {FAULTY}")


def fundamental(size: int, *, threads: Optional[int] = None, progress: Progress = False) -> int:
    """Counts the fundamental solutions for `size` queens: the solutions up to rotation and reflection.

    `threads` and `progress` work as in `count`.

    >>> fundamental(8), fundamental(12)
    (12, 1787)
    """
    size = rows(size)
    counted: int = computed(_native.fundamental, f"N = {size}", size, threads=threads, progress=progress)
    known = published(size, fundamental=True)
    if known is not None and known != counted:
        raise contradiction(f"{counted} fundamental solutions were counted for N = {size}", known)
    return counted


def by_square(
    size: int,
    *,
    queens: Squares = (),
    blocked: Squares = (),
    threads: Optional[int] = None,
    progress: Progress = False,
) -> list[list[int]]:
    """Counts for each square the solutions that have a queen there: a list for each row, which numpy and matplotlib take.

    Each row and each column adds up to all solutions. `queens`, `blocked`, `threads` and `progress` work as in `count`.
    A board that takes years of CPU time is refused: a board of more than 24 rows, unless few squares are open.

    >>> by_square(4)
    [[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]]
    """
    size = rows(size)
    given = squares("queens", queens, size), squares("blocked", blocked, size)
    counts: list[list[int]] = computed(
        _native.by_square, f"N = {size}", size, *given, threads=threads, progress=progress
    )
    return counts


def symmetric(size: int, turn: Turn = "half-turn") -> int:
    """Counts the solutions for `size` queens that a half turn of the board leaves unchanged (OEIS A032522).

    With `turn="quarter-turn"` it counts the solutions that even a quarter turn leaves unchanged (OEIS A033148). 24
    queens take some seconds.

    >>> symmetric(8), symmetric(12), symmetric(12, "quarter-turn")
    (4, 80, 8)
    """
    counted: int = _native.symmetric(rows(size), word("turn", turn, get_args(Turn)) == "quarter-turn")
    return counted


def published(size: int, *, fundamental: bool = False) -> Optional[int]:
    """Returns the published number of solutions (OEIS A000170), or `None` above 27 queens.

    With `fundamental=True` it returns the number of fundamental solutions (OEIS A002562). Nothing is counted.

    >>> published(27)
    234907967154122528
    >>> published(8, fundamental=True)
    12
    >>> published(28) is None
    True
    """
    known: Optional[int] = _native.published(rows(size))[flag("fundamental", fundamental)]
    return known


@dataclass(frozen=True)
class Interval:
    """An `estimate` with its 95% confidence interval, from `low` to `high`."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.3g}, {self.low:.3g} to {self.high:.3g}"


@dataclass(frozen=True)
class Estimate(Record):
    """The estimated size of the backtracking tree of a board: the result of `estimate`.

    - `size`: the number of rows of the board
    - `probes`: the number of random probes
    - `nodes`: an `Interval` for the nodes: the placements in the first rows in which no queen attacks another
    - `solutions`: an `Interval` for the solutions: the nodes of the last row
    - `seconds`: an `Interval` for the time of `count(size)` on this machine; `None` without `time=True`
    """

    size: int
    probes: int
    nodes: Interval
    solutions: Interval
    seconds: Optional[Interval] = None


def estimate(
    size: int,
    *,
    probes: int = 1000,
    seed: int = 1,
    time: bool = False,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Estimate:
    """Estimates how many nodes the backtracking tree has and how many solutions there are, without counting them.

    Each of the `probes` follows 1024 random paths down the tree; four times as many probes halve the interval. The same
    `seed` gives the same estimate. With `time=True`, units of the count are counted for two seconds, so that the result
    also has the time of all. `threads` and `progress` work as in `count`.

    >>> found = estimate(12)
    >>> found.solutions.low < 14200 < found.solutions.high
    True
    """
    size, time = rows(size), flag("time", time)
    probes, seed = whole("probes", probes, 2, 1_000_000), whole("seed", seed, 0, (1 << 64) - 1)
    found = computed(_native.estimate, f"N = {size}", size, probes, seed, time, threads=threads, progress=progress)
    return Estimate(size, probes, *(interval and Interval(*interval) for interval in found))
