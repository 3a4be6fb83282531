"""A program for the type checker: results have the right types, and wrong words are refused. It does not run."""

from pathlib import Path
from typing import Optional

import nqueens_count as nqueens
import numpy as np
from nqueens_count.typing import Engine, Kernel, StepKind, Verdict
from numpy.typing import NDArray
from typing_extensions import assert_type

LEDGER = Path("8.jsonl")

assert_type(nqueens.count(8), int)
assert_type(nqueens.count(8, engine="backtrack", kernel=None, threads=1, progress=print), int)
assert_type(nqueens.count(8, queens=[(0, 3)], blocked=np.array([[4, 4]]), ledger=LEDGER), int)
assert_type(nqueens.count(8, ledger="8.jsonl", shard=(0, 2)), None)
counted = nqueens.count(8, details=True)
assert_type((counted.total, counted.engine, counted.kernel), tuple[int, Engine, Kernel])
assert_type((counted.nodes, counted.verdict, counted.double_check), tuple[Optional[int], Verdict, Optional[str]])
assert_type(nqueens.merge([LEDGER]), int)
assert_type(nqueens.merge("8.jsonl", details=True).verdict, Verdict)
assert_type(nqueens.by_square(6), list[list[int]])
assert_type(nqueens.published(27), Optional[int])
assert_type(nqueens.first(8), Optional[nqueens.Solution])
assert_type([solution.orbit() for solution in nqueens.solutions(6)], list[list[nqueens.Solution]])
assert_type(nqueens.any_solution(1000), Optional[NDArray[np.int64]])
assert_type(nqueens.is_solution([1, 3, 0, 2]), bool)
assert_type([cost.visited for cost in nqueens.compare(5, [*nqueens.METHODS, "two-color"])], list[Optional[int]])
assert_type([step.kind for step in nqueens.trace(4)], list[StepKind])

# mypy reports an `ignore` that is not needed.
wrong: str = nqueens.count(8)  # type: ignore[assignment]
nqueens.count(8, engine="abacus")  # type: ignore[call-overload]
nqueens.count(8, kernel="cuda")  # type: ignore[call-overload]
nqueens.compare(8, ["abacus"])  # type: ignore[list-item]
nqueens.compare(8, ["two-color scalar"])  # type: ignore[list-item]
nqueens.symmetric(8, "transpose")  # type: ignore[arg-type]
nqueens.trace(8, until="never")  # type: ignore[arg-type]
