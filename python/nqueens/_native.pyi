from collections.abc import Iterable, Iterator, Sequence
from typing import Callable, Optional, SupportsIndex, final

__all__ = [
    "ENGINES",
    "KERNELS",
    "METHODS",
    "SYMMETRIES",
    "Solutions",
    "Trace",
    "VERSION",
    "check",
    "construct",
    "count",
    "effort",
    "estimate",
    "expected_visits",
    "fundamental",
    "is_backtracking",
    "is_fundamental",
    "is_solution",
    "nodes_per_row",
    "player_page",
    "published",
    "svg",
    "symmetries",
]

_Report = Optional[Callable[[float], object]]
_Bounds = tuple[float, float, float]

VERSION: str
METHODS: list[tuple[str, str]]
ENGINES: list[str]
KERNELS: list[str]
SYMMETRIES: list[str]

def count(
    size: SupportsIndex,
    *,
    engine: str,
    kernel: Optional[str],
    threads: Optional[SupportsIndex],
    nodes: bool,
    limit: Optional[float],
    progress: _Report,
) -> Optional[tuple[int, str, str, str, int, int, float, Optional[int], str]]: ...
def fundamental(
    size: SupportsIndex, *, threads: Optional[SupportsIndex], progress: _Report
) -> tuple[int, int, int]: ...
def published(size: SupportsIndex) -> tuple[Optional[int], Optional[int]]: ...
def estimate(
    size: SupportsIndex, *, probes: int, seed: int, threads: Optional[SupportsIndex], progress: _Report
) -> tuple[_Bounds, _Bounds]: ...
def check(columns: Iterable[SupportsIndex]) -> None: ...
def symmetries(columns: Iterable[SupportsIndex]) -> list[tuple[int, ...]]: ...
def is_fundamental(columns: Iterable[SupportsIndex]) -> bool: ...
def svg(size: SupportsIndex, solutions: Sequence[Iterable[SupportsIndex]], square: int) -> str: ...
def construct(size: int) -> Optional[bytearray]: ...
def is_solution(columns: Iterable[SupportsIndex]) -> bool: ...
def player_page(size: SupportsIndex) -> tuple[str, str]: ...
def effort(
    method: str, size: SupportsIndex, limit: Optional[float]
) -> Optional[tuple[int, Optional[int], int, float, str]]: ...
def expected_visits(method: str, size: SupportsIndex) -> float: ...
def is_backtracking(method: str) -> bool: ...
def nodes_per_row(size: SupportsIndex, *, threads: Optional[SupportsIndex], progress: _Report) -> list[int]: ...

@final
class Solutions(Iterator[tuple[int, ...]]):
    def __new__(cls, size: SupportsIndex, fundamental: bool) -> Solutions: ...
    def __iter__(self) -> Solutions: ...
    def __next__(self) -> tuple[int, ...]: ...

_Step = tuple[
    str,
    tuple[Optional[int], Optional[int]],
    tuple[Optional[int], Optional[str]],
    Optional[int],
    str,
    list[int],
    tuple[list[bool], list[bool], list[bool]],
]

@final
class Trace(Iterator[_Step]):
    def __new__(cls, size: SupportsIndex) -> Trace: ...
    def __iter__(self) -> Trace: ...
    def __next__(self) -> _Step: ...
