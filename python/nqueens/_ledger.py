"""The progress and the sum of ledgers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Optional, Union, overload

from . import _native
from ._arguments import Path, flag, whole
from ._arguments import ledgers as paths_of
from ._counting import agreeing
from ._shown import Record
from .typing import Engine, State, Verdict


@dataclass(frozen=True)
class Status(Record):
    """The progress of a count in ledgers: the result of `status`.

    - `size`, `engine`, `plan`: what is counted
    - `state`: `done`, `running` or `stopped`
    - `shards`: the number of shards; 1 if all ledgers are of the whole count
    - `missing`: the shards that are not done, from 0
    - `units_done`, `units`: the number of finished units, and of all
    - `share`: the finished share of the expected work, from 0 to 1
    - `seconds_left`: the time left at the rate of the shards that are running; `None` if none is
    - `core_seconds`: the CPU time of the finished units
    """

    size: int
    engine: Engine
    plan: str
    state: State
    shards: int
    missing: tuple[int, ...]
    units_done: int
    units: int
    share: float
    seconds_left: Optional[float]
    core_seconds: float


@dataclass(frozen=True)
class Merged(Record):
    """A total from ledgers: the result of `merge(ledgers, details=True)`.

    - `size`, `total`: the number of rows of the board and of its solutions
    - `engine`, `plan`, `units`, `shards`: how it was counted
    - `core_seconds`: the CPU time of all units
    - `device`: the devices that counted with kernel `gpu`; `None` if only CPUs counted
    - `verdict`: the comparison with the published count, as in `Count`
    """

    size: int
    total: int
    engine: Engine
    plan: str
    units: int
    shards: int
    core_seconds: float
    device: Optional[str]
    verdict: Verdict


def status(ledgers: Union[Path, Iterable[Path]], *, shards: Optional[int] = None) -> Status:
    """Returns the progress of a count in its ledgers, which are the ledgers of some of its shards, or of the whole.

    `shards` is the number of shards, if all ledgers are of the whole count.

    Raises `OSError` for a file that cannot be read, and `ValueError` for ledgers that are none, belong to several counts
    or contradict each other.

    >>> now = status("12.jsonl")
    >>> now.state, now.missing
    ('done', ())
    """
    given = 1 if shards is None else whole("shards", shards, 1, _native.MOST_SHARDS)
    found = _native.status(paths_of(ledgers), shards=given)
    found["missing"] = tuple(found["missing"])
    return Status(**found)


@overload
def merge(ledgers: Union[Path, Iterable[Path]], *, details: Literal[False] = False) -> int: ...


@overload
def merge(ledgers: Union[Path, Iterable[Path]], *, details: Literal[True]) -> Merged: ...


def merge(ledgers: Union[Path, Iterable[Path]], *, details: bool = False) -> Union[int, Merged]:
    """Adds up the ledgers of a count, and returns the number of solutions. No unit is counted.

    With `details=True` the result is a `Merged`, which also tells the CPU time and the verdict.

    Raises `ValueError` if a unit is in no ledger, for ledgers that are none, belong to several counts or contradict each
    other, and for a total that no board can have; `RuntimeError` for one that contradicts the published count; `OSError`
    for a file that cannot be read.

    >>> merge("12.jsonl")
    14200
    """
    merged = Merged(**_native.merge(paths_of(ledgers)))
    if flag("details", details):
        return merged
    return agreeing(merged).total
