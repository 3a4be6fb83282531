"""The words for arguments and results, as types: `engine: nqueens_count.typing.Engine = "backtrack"`."""

from typing import Literal

Engine = Literal["auto", "backtrack", "two-color"]
"""An engine of `count`; `auto` is the fastest engine for the board."""
Kernel = Literal["scalar", "portable", "avx2", "avx512", "neon"]
"""A kernel. `nqueens.KERNELS` lists the kernels of this CPU."""
Verdict = Literal["matches", "contradicts", "not published", "impossible"]

Method = Literal["brute-force", "one-per-row", "permutations", "earlier-queens", "flag-arrays", "bit-masks"]
"""A textbook method."""
TracedMethod = Literal["earlier-queens", "flag-arrays", "bit-masks"]
"""A method that `trace` follows."""
EngineMethod = Literal[
    "backtrack",
    "backtrack scalar",
    "backtrack portable",
    "backtrack avx2",
    "backtrack avx512",
    "backtrack neon",
    "two-color",
    "two-color portable",
    "two-color avx2",
    "two-color avx512",
    "two-color neon",
]
"""An engine as a method, with its best kernel or a named one."""
Compared = Literal[Method, EngineMethod]
"""A method that `compare` runs."""
Visits = Literal["candidates", "nodes"]
Outcome = Literal[Verdict, "not finished"]

Symmetry = Literal[
    "identity",
    "quarter-turn",
    "half-turn",
    "three-quarter-turn",
    "mirror-columns",
    "mirror-rows",
    "transpose",
    "anti-transpose",
]
Turn = Literal["half-turn", "quarter-turn"]

Until = Literal["first", "all"]
StepKind = Literal[
    "blocked", "compare", "free", "conflict", "place", "mark", "unmark", "remove", "backtrack", "solution"
]
Line = Literal["column", "anti-diagonal", "diagonal"]
