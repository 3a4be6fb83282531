from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Callable, Optional, Union, final

from .typing import Counts, Engine, Kernel, Line, Method, StepKind, Symmetry, Verdict

__all__ = [
    "ENGINES",
    "METHODS",
    "MOST_ROWS",
    "MOST_THREADS",
    "SYMMETRIES",
    "Solutions",
    "Trace",
    "VERSION",
    "by_color",
    "by_square",
    "check",
    "construct",
    "cost",
    "count",
    "devices",
    "estimate",
    "expected_visits",
    "fundamental",
    "heat_map",
    "is_backtracking",
    "is_fundamental",
    "is_solution",
    "nodes_per_row",
    "player_page",
    "published",
    "recheck",
    "svg",
    "symmetric",
    "symmetries",
]

_Report = Optional[Callable[[float], object]]
_Bounds = tuple[float, float, float]

VERSION: str
METHODS: list[tuple[Method, str]]
ENGINES: list[tuple[Engine, list[Kernel]]]
MOST_ROWS: int
MOST_THREADS: int
SYMMETRIES: list[Symmetry]

def count(
    size: int,
    *,
    queens: Sequence[tuple[int, int]] = ...,
    blocked: Sequence[tuple[int, int]] = ...,
    engine: Engine,
    kernel: Optional[Kernel],
    device: Optional[str],
    threads: Optional[int],
    nodes: bool,
    double_check: bool,
    progress: _Report,
) -> tuple[int, Engine, Kernel, Optional[str], str, int, int, float, Optional[int], Verdict, Optional[str]]: ...
def devices() -> list[tuple[int, str, str, str, int, Counts, Optional[str]]]: ...
def by_square(
    size: int,
    *,
    queens: Sequence[tuple[int, int]],
    blocked: Sequence[tuple[int, int]],
    first_row: bool,
    threads: Optional[int],
    progress: _Report,
) -> list[list[int]]: ...
def by_color(
    size: int, *, threads: Optional[int], progress: _Report
) -> dict[int, int]: ...
def fundamental(
    size: int, *, threads: Optional[int], progress: _Report
) -> tuple[int, int, int, list[tuple[int, int]]]: ...
def heat_map(counts: Sequence[Sequence[int]]) -> str: ...
def symmetric(size: int, quarter: bool) -> int: ...
def published(size: int) -> tuple[Optional[int], Optional[int]]: ...
def recheck(
    ledgers: Sequence[Union[str, PathLike[str]]],
    *,
    units: int,
    duration: Optional[float],
    seed: int,
    threads: Optional[int],
    progress: _Report,
) -> tuple[int, str, int, list[tuple[int, int, int, str, str, float, str]], float]: ...
def estimate(
    size: int, *, probes: int, seed: int, threads: Optional[int], progress: _Report
) -> tuple[_Bounds, _Bounds]: ...
def check(columns: Sequence[int]) -> None: ...
def symmetries(columns: Sequence[int]) -> list[tuple[int, ...]]: ...
def is_fundamental(columns: Sequence[int]) -> bool: ...
def svg(
    size: int, boards: Sequence[tuple[str, Sequence[int]]], square: int
) -> str: ...
def construct(size: int) -> bytes: ...
def is_solution(columns: Sequence[int]) -> bool: ...
def player_page(size: int) -> tuple[str, str]: ...
def cost(
    name: str, kernel: Optional[str], size: int, limit: Optional[float]
) -> Optional[tuple[Optional[int], Optional[int], int, float, Verdict]]: ...
def expected_visits(method: str, size: int) -> float: ...
def is_backtracking(method: str) -> bool: ...
def nodes_per_row(size: int, *, threads: Optional[int], progress: _Report) -> list[int]: ...

@final
class Solutions(Iterator[tuple[int, ...]]):
    def __new__(cls, size: int, fundamental: bool) -> Solutions: ...
    def __iter__(self) -> Solutions: ...
    def __next__(self) -> tuple[int, ...]: ...

_Step = tuple[
    StepKind,
    tuple[Optional[int], Optional[int]],
    tuple[Optional[int], Optional[Line]],
    Optional[int],
    str,
    list[int],
    tuple[list[bool], list[bool], list[bool]],
]

@final
class Trace(Iterator[_Step]):
    def __new__(cls, size: int) -> Trace: ...
    def __iter__(self) -> Trace: ...
    def __next__(self) -> _Step: ...
