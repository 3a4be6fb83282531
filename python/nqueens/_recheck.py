"""Units of ledgers, counted again."""

from collections.abc import Iterable
from dataclasses import dataclass
from secrets import randbits
from typing import Optional, Union

from . import _native
from ._arguments import Path, seconds, whole
from ._arguments import ledgers as paths_of
from ._progress import Progress, computed

MOST_UNITS = (1 << 32) - 1


@dataclass(frozen=True)
class Recounted:
    """A unit of a ledger that was counted again by another route.

    - `unit`: the number of the unit
    - `recorded`: its partial count in the ledger
    - `recounted`: its partial count now
    - `recorded_by`: the engine and the kernel that the ledger names
    - `recounted_by`: the route by which the unit was counted now
    - `seconds`: the time that one thread took
    - `ledger`: the path of the ledger
    """

    unit: int
    recorded: int
    recounted: int
    recorded_by: str
    recounted_by: str
    seconds: float
    ledger: str


@dataclass(frozen=True)
class Recheck:
    """Units of ledgers that were counted again: the result of `recheck`.

    - `size`: the number of rows of the board
    - `plan`: the name of the plan, which says how the count was cut into units
    - `finished`: the number of finished units in the ledgers
    - `units`: a `Recounted` for each unit that was counted again
    - `missed`: the probability that all these units would agree if 5% of the finished units were wrong
    - `seed`: the seed that chooses the same units again
    """

    size: int
    plan: str
    finished: int
    units: tuple[Recounted, ...]
    missed: float
    seed: int

    @property
    def differences(self) -> tuple[Recounted, ...]:
        """The units whose two partial counts differ. One of the two is wrong."""
        return tuple(unit for unit in self.units if unit.recorded != unit.recounted)


def recheck(
    ledgers: Union[Path, Iterable[Path]],
    *,
    units: Optional[int] = None,
    duration: Optional[float] = None,
    seed: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Recheck:
    """Counts units of ledgers again by another route, and compares.

    `ledgers` is the path of a ledger, or several paths of one count; they may be compressed, and unfinished. `count` and
    the program make them: `nqueens count 12 --ledger 12.jsonl`. No published count is needed. Units are chosen at
    random.

    - `units`: the number of units; all units if there are fewer.
    - `duration`: the seconds after which no unit is begun; at least one is counted. Without `units` the default is 60.
    - `seed`: two rechecks of the same units choose alike with the same seed; by default it is random.

    `threads` and `progress` work as in `count`. Look at the `differences` of the result.

    Raises `OSError` for a file that cannot be read. Raises `ValueError` for a file that is not a ledger, for ledgers of
    several counts, and for ledgers that contradict themselves or each other.

    >>> found = recheck("12.jsonl", units=10)
    >>> len(found.units), found.differences
    (10, ())
    """
    paths = paths_of(ledgers)
    if duration is not None or units is None:
        duration = seconds("duration", 60.0 if duration is None else duration)
    most = MOST_UNITS if units is None else whole("units", units, 1, MOST_UNITS)
    seed = randbits(32) if seed is None else whole("seed", seed, 0, (1 << 32) - 1)
    found = computed(_native.recheck, "recheck", paths, most, duration, seed, threads=threads, progress=progress)
    found["units"] = tuple(Recounted(**unit) for unit in found["units"])
    return Recheck(seed=seed, **found)
