"""A program that uses every public name, for type checkers. It also runs."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Optional, Union

import nqueens
import numpy as np
from nqueens.typing import Compared, Engine, Kernel, Line, Method, State, StepKind, Symmetry, Verdict
from numpy.typing import NDArray
from typing_extensions import assert_type

assert_type(nqueens.count(8), int)
assert_type(nqueens.count(8, details=False, engine="auto", kernel=None, threads=1, progress=print), int)
result = nqueens.count(8, details=True, nodes=True)
assert_type(result.device, Optional[str])
assert_type(nqueens.devices(), list[nqueens.Device])
assert_type(result, nqueens.Count)
assert_type((result.size, result.total, result.engine, result.kernel), tuple[int, int, Engine, Kernel])
assert_type((result.plan, result.units, result.threads, result.seconds), tuple[str, int, int, float])
assert_type((result.nodes, result.verdict, result.double_check), tuple[Optional[int], Verdict, Optional[str]])


def either(details: bool) -> Union[int, nqueens.Count, None]:
    return nqueens.count(8, details=details)


if (ledger := Path(__file__).parents[2] / "tests/data/0.2.0/whole.jsonl").exists():
    rechecked = nqueens.recheck([ledger], units=2, duration=60, seed=1, threads=2, progress=False)
    assert_type(rechecked, nqueens.Recheck)
    assert_type(rechecked.units, tuple[nqueens.Recounted, ...])
    assert_type(rechecked.differences, tuple[nqueens.Recounted, ...])
    assert_type((rechecked.size, rechecked.finished, rechecked.missed), tuple[int, int, float])
    assert_type((rechecked.units[0].recorded, rechecked.units[0].recounted_by), tuple[int, str])
    now = nqueens.status(ledger, shards=2)
    assert_type(now, nqueens.Status)
    assert_type((now.state, now.missing, now.share), tuple[State, tuple[int, ...], float])
    assert_type(nqueens.merge([ledger]), int)
    merged = nqueens.merge(ledger, details=True)
    assert_type(merged, nqueens.Merged)
    assert_type((merged.total, merged.verdict, merged.device), tuple[int, Verdict, Optional[str]])
with TemporaryDirectory() as folder:
    assert_type(nqueens.count(8, ledger=Path(folder) / "8.jsonl"), int)
    nqueens.count(8, ledger=f"{folder}/1.jsonl", shard=(1, 2))
assert_type(nqueens.count(8, queens=[(0, 3)], blocked=[(4, 4)]), int)
assert_type(nqueens.by_square(6, queens=[(0, 1)], blocked=(), threads=1), list[list[int]])
assert_type(nqueens.by_column(6), list[int])
assert_type((nqueens.by_class(6), nqueens.by_color(6)), tuple[dict[int, int], dict[int, int]])
assert_type(nqueens.heat_map(nqueens.by_square(6)), nqueens.Drawing)
assert_type(nqueens.fundamental(8, threads=2), int)
assert_type(nqueens.symmetric(8, "quarter-turn"), int)
assert_type(nqueens.published(27), Optional[int])
assert_type(nqueens.published(27, fundamental=True), Optional[int])
estimate = nqueens.estimate(10, probes=10, seed=3)
assert_type(estimate, nqueens.Estimate)
assert_type(estimate.solutions, nqueens.Interval)
assert_type((estimate.nodes.estimate, estimate.nodes.low, estimate.nodes.high), tuple[float, float, float])

assert_type(nqueens.solutions(6), Iterator[nqueens.Solution])
first = nqueens.first(8)
assert_type(first, Optional[nqueens.Solution])
assert first is not None
assert_type(first[0], int)
assert_type(first.symmetries(), list[nqueens.Solution])
assert_type(first.orbit(), list[nqueens.Solution])
assert_type(first.is_fundamental(), bool)
assert_type(nqueens.Solution([1, 3, 0, 2]), nqueens.Solution)
assert_type(nqueens.draw(first, square=20), nqueens.Drawing)
assert_type(nqueens.draw(nqueens.solutions(6)), nqueens.Drawing)
columns = nqueens.any_solution(1000)
assert_type(columns, Optional[NDArray[np.int64]])
assert columns is not None
assert_type(nqueens.is_solution(columns), bool)
assert_type(nqueens.is_solution(first), bool)

costs = nqueens.compare(5, [*nqueens.METHODS, *nqueens.ENGINES[1:]], limit=60)
assert_type(costs, list[nqueens.Cost])
assert_type((costs[0].method, costs[0].visited, costs[0].seconds), tuple[Compared, Optional[int], Optional[float]])
levels = nqueens.nodes_per_row(6, threads=1, progress=False)
assert_type(levels, list[nqueens.Level])
assert_type((levels[0].nodes, levels[0].children), tuple[int, Optional[float]])

trace = nqueens.trace(4, until="all")
assert_type(trace, nqueens.Trace)
for step in trace:
    assert_type(step, nqueens.Step)
    assert_type(step.columns, tuple[bool, ...])
    assert_type((step.kind, step.row, step.line), tuple[StepKind, Optional[int], Optional[Line]])
    assert_type(step.draw(square=20), nqueens.Drawing)
assert_type(trace.page(limit=10), str)

assert_type(nqueens.METHODS, dict[Method, str])
assert_type((nqueens.KERNELS, nqueens.SYMMETRIES), tuple[tuple[Kernel, ...], tuple[Symmetry, ...]])
assert_type(nqueens.__version__, str)
