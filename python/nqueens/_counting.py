"""Counts, published counts and estimates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Optional, SupportsIndex, TypeVar, Union, get_args, overload

from . import _native
from ._arguments import Path, device_names, flag, path, rows, shard_of, squares, whole, word
from ._methods import ENGINES, KERNELS
from ._progress import Progress, computed
from ._shown import Record
from .typing import Counts, Engine, Kernel, Turn, Verdict

if TYPE_CHECKING:
    from ._ledger import Merged

Squares = Iterable[tuple[SupportsIndex, SupportsIndex]]


@dataclass(frozen=True)
class Count(Record):
    """The number of solutions of a board and how it was counted: the result of `count(size, details=True)`.

    - `size`: the number of rows of the board
    - `total`: the number of solutions
    - `engine`: `backtrack` or `two-color`
    - `kernel`: the implementation of the engine's inner loop, such as `avx2` or `portable`
    - `device`: the devices that counted with kernel `gpu`; `None` if the CPU counted
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
    device: Optional[str]
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
    device: Union[int, str, None] = ...,
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
    device: Union[int, str, None] = ...,
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
    device: Union[int, str, None] = ...,
    threads: Optional[int] = ...,
    nodes: bool = ...,
    ledger: Path,
    shard: tuple[int, int],
    progress: Progress = ...,
) -> None: ...


@overload
def count(
    size: int,
    *,
    queens: Squares = ...,
    blocked: Squares = ...,
    details: bool,
    engine: Engine = ...,
    kernel: Optional[Kernel] = ...,
    device: Union[int, str, None] = ...,
    threads: Optional[int] = ...,
    nodes: bool = ...,
    double_check: bool = ...,
    ledger: Optional[Path] = ...,
    shard: Optional[tuple[int, int]] = ...,
    progress: Progress = ...,
) -> Union[int, Count, None]: ...


def count(
    size: int,
    *,
    queens: Squares = (),
    blocked: Squares = (),
    details: bool = False,
    engine: Engine = "auto",
    kernel: Optional[Kernel] = None,
    device: Union[int, str, None] = None,
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
    - `kernel`: one of `KERNELS`, by default the fastest that this CPU has; or `gpu`, which counts on GPUs with the engine
      `two-color`.
    - `device`: with kernel `gpu`, the number of a device, or numbers and parts of names with commas between them, as
      `devices` lists them; by default all GPUs.
    - `threads`: by default one for each CPU that this process may use; a count of at most 11 rows takes only one.
    - `nodes`: also count the visited nodes, if the engine visits any.
    - `double_check`: count again by another route, and compare. From 19 queens on this takes several times as long as
      the first count.
    - `ledger`: the path of a file in which each finished unit is recorded. Whatever stops the count, the same call goes on
      with the units that the file lacks, also with other threads or on another machine.
    - `shard`: with a ledger of its own, count only this shard, a pair such as (3, 16) for number 3 of 16, from 0. The
      result is then `None`: `merge` adds up the ledgers of all shards, and `status` tells their progress.
    - `progress`: True for a bar (it needs tqdm), or a function that is called with the share that is done, 0 to 1. An
      exception in the function stops the count.

    Other Python threads go on during the count, and Ctrl-C (in a notebook, "interrupt") stops it.

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
    if device is not None:
        kernel = "gpu" if kernel is None else kernel
        device = device_names(device)
    if kernel is not None:
        kernel = word("kernel", kernel, [*KERNELS, "gpu"], ", the kernels of this CPU and that of GPUs")
    if device is not None and kernel != "gpu":
        raise ValueError(f"device is for kernel 'gpu', not for {kernel!r}; give one of them")
    placed = squares("queens", queens, size), squares("blocked", blocked, size)
    arguments = (size, *placed, engine, kernel, device, nodes)
    last: tuple[object, ...]
    if ledger is None:
        if shard is not None:
            raise ValueError("shard is for a count with a ledger; give ledger too")
        function, last = _native.count, (double_check,)
    else:
        if double_check:
            raise ValueError("double_check is for a count without a ledger; recheck counts units of a ledger again")
        part = (0, 1) if shard is None else shard_of(shard)
        function, last = _native.count_in_ledger, (path("ledger", ledger, "the path of a file"), part)
    counted = computed(function, f"N = {size}", arguments, *last, threads=threads, progress=progress)
    if shard is not None:
        return None
    result = Count(size, **counted)
    return result if details else agreeing(result).total


Judged = TypeVar("Judged", bound=Union[Count, "Merged"])


def agreeing(result: Judged) -> Judged:
    """Returns a result, unless it contradicts the published count or is impossible."""
    counted = f"{result.total} solutions were counted for N = {result.size}"
    if result.verdict == "contradicts":
        raise contradiction(counted, published(result.size))
    if result.verdict == "impossible":
        raise RuntimeError(f"{counted}, which is impossible; {FAULTY}")
    return result


FAULTY = "the machine may be faulty"


def contradiction(counted: str, known: Optional[int]) -> RuntimeError:
    return RuntimeError(f"{counted}, which contradicts the published count of {known}; {FAULTY}")


@dataclass(frozen=True)
class Device(Record):
    """A device that OpenCL offers, usually a GPU: an element of the result of `devices`.

    - `number`: the number by which `count` knows the device
    - `name`, `platform`, `driver`: the names, and the version of the driver
    - `memory`: the memory of the device, in bytes
    - `counts`: `by default`, `if named` or `never`
    - `refusal`: the reason why the device cannot count; `None` if it can
    """

    number: int
    name: str
    platform: str
    driver: str
    memory: int
    counts: Counts
    refusal: Optional[str]


def devices() -> list[Device]:
    """Lists the devices of OpenCL, of which each is opened and checked. Without a driver or a device, the list is empty.

    >>> gpus = [device.number for device in devices() if device.counts == "by default"]
    >>> [count(12, device=gpu) for gpu in gpus] == len(gpus) * [14200]
    True
    """
    return [Device(**device) for device in _native.devices()]


def fundamental(size: int, *, threads: Optional[int] = None, progress: Progress = False) -> int:
    """Counts the fundamental solutions for `size` queens: the solutions up to rotation and reflection.

    `threads` and `progress` work as in `count`.

    >>> fundamental(8), fundamental(12)
    (12, 1787)
    """
    counted = sum(_orbits(size, threads, progress).values())
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
    return _squares(size, queens, blocked, False, threads, progress)


def by_column(
    size: int,
    *,
    queens: Squares = (),
    blocked: Squares = (),
    threads: Optional[int] = None,
    progress: Progress = False,
) -> list[int]:
    """Counts the solutions by the column of the queen in row 0 (OEIS A059963), with the arguments of `by_square`.

    >>> by_column(8)
    [4, 8, 16, 18, 18, 16, 8, 4]
    """
    return _squares(size, queens, blocked, True, threads, progress)[0]


def _squares(
    size: int, queens: Squares, blocked: Squares, first_row: bool, threads: Optional[int], progress: Progress
) -> list[list[int]]:
    size = rows(size)
    given = squares("queens", queens, size), squares("blocked", blocked, size)
    counts: list[list[int]] = computed(
        _native.by_square, f"N = {size}", size, *given, first_row, threads=threads, progress=progress
    )
    if not any(given):
        _compare(size, sum(counts[0]))
    return counts


def by_class(size: int, *, threads: Optional[int] = None, progress: Progress = False) -> dict[int, int]:
    """Counts the orbits of solutions under rotation and reflection, by the number of solutions in an orbit.

    >>> by_class(8)
    {8: 11, 4: 1, 2: 0}
    """
    orbits = _orbits(size, threads, progress)
    _compare(size, sum(solutions * number for solutions, number in orbits.items()))
    return orbits


def _orbits(size: int, threads: Optional[int], progress: Progress) -> dict[int, int]:
    size = rows(size)
    return dict(computed(_native.by_class, f"N = {size}", size, threads=threads, progress=progress))


def by_color(size: int, *, threads: Optional[int] = None, progress: Progress = False) -> dict[int, int]:
    """Counts the solutions by the number of queens on white squares, whose row and column have an even sum.

    >>> by_color(9)
    {3: 48, 5: 304}
    """
    size = rows(size)
    counts: dict[int, int] = computed(_native.by_color, f"N = {size}", size, threads=threads, progress=progress)
    _compare(size, sum(counts.values()))
    return counts


def _compare(size: int, total: int) -> None:
    """Raises `RuntimeError` if counts add up to a total other than the published one."""
    known = published(size)
    if known is not None and known != total:
        raise contradiction(f"the counts for N = {size} add up to {total}", known)


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
    """

    size: int
    probes: int
    nodes: Interval
    solutions: Interval


def estimate(
    size: int, *, probes: int = 1000, seed: int = 1, threads: Optional[int] = None, progress: Progress = False
) -> Estimate:
    """Estimates how many nodes the backtracking tree has and how many solutions there are, without counting them.

    Each of the `probes` follows 1024 random paths down the tree; four times as many probes halve the interval. The same
    `seed` gives the same estimate. `threads` and `progress` work as in `count`. The program estimates how long a count
    takes: `nqueens estimate N`.

    >>> found = estimate(12)
    >>> found.solutions.low < 14200 < found.solutions.high
    True
    """
    size = rows(size)
    probes, seed = whole("probes", probes, 2, 1_000_000), whole("seed", seed, 0, (1 << 64) - 1)
    found = computed(_native.estimate, f"N = {size}", size, probes, seed, threads=threads, progress=progress)
    nodes, solutions = (Interval(*interval) for interval in found)
    return Estimate(size, probes, nodes, solutions)
