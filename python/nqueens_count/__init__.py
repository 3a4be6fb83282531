"""Counts and shows solutions of the N-Queens problem: N queens on an N x N board, none attacking another.

`help(nqueens.count)` describes one function; this is an overview.

    import nqueens_count as nqueens

    nqueens.count(8)                    92
    nqueens.count(18)                   666090624, in less than a second
    nqueens.count(16, details=True)     the total with the engine, the time and the comparison with the published one
    nqueens.fundamental(12)             1787: the solutions up to rotation and reflection
    nqueens.count(12, double_check=True)    14200, counted a second time by another route
    nqueens.count(8, queens=[(0, 3)], blocked=[(4, 4)])    17: those with and without a queen on a square
    nqueens.by_square(8)                how many have a queen on each square
    nqueens.heat_map(nqueens.by_square(8))  a picture of it
    nqueens.count(12, ledger="all.jsonl")   14200, by a count that goes on where it was stopped
    nqueens.count(12, ledger="3.jsonl", shard=(3, 16))  a part of a count, for one of several machines
    nqueens.merge(["12.jsonl"])         14200: the sum of such parts
    nqueens.symmetric(12)               80: those that a half turn of the board leaves unchanged
    nqueens.published(27)               the published number, which nothing here counts
    nqueens.estimate(24)                the solutions and the nodes of the tree, estimated

Solutions are tuples: the column of the queen of each row, numbered from 0. In a notebook they are pictures.

    nqueens.first(8)                    the first solution in lexicographic order
    nqueens.solutions(8)                an iterator over all of them
    nqueens.any_solution(10**6)         a solution of a large board at once, as an array
    nqueens.is_solution([1, 3, 0, 2])   True

For a course: the textbook methods with their costs, and a search step by step.

    nqueens.compare(8, ["permutations", "flag-arrays"])     the visits, tests and seconds of each
    nqueens.METHODS                     the names of the methods
    nqueens.trace(4)                    the steps of a search; in a notebook, a page that plays them

The 12 fundamental solutions of 8 queens, drawn in a notebook's cell:

    nqueens.draw(nqueens.solutions(8, fundamental=True))

The visited nodes against N for three methods, drawn with matplotlib:

    import matplotlib.pyplot as plt

    sizes = range(4, 10)
    for method in ["permutations", "flag-arrays", "backtrack scalar"]:
        plt.semilogy(sizes, [nqueens.compare(n, [method])[0].visited for n in sizes], label=method)
    plt.xlabel("queens")
    plt.ylabel("candidates or nodes visited")
    plt.legend()

Counts use all CPUs while other Python threads go on, and Ctrl-C stops them. Boards have 1 to 32 rows.

An argument that is out of range is a `ValueError`, and one of a wrong type is a `TypeError`; the message says what would
be right. A wrong total is a `RuntimeError`, too little memory a `MemoryError`, and a file that cannot be read or written
an `OSError`.

The classes of the results, `Solution`, `Drawing`, `Trace`, `Step`, `Count`, `Merged`, `Estimate`, `Interval` and
`Cost`, have a help of their own, such as `help(nqueens.Solution)`.
"""

# The help of the package shows the names in `__all__`. Classes are left out: they inherit so much that the help would
# be four times as long. The compiled module comes first: where it is missing, as in a checkout, the error names it.
from ._native import VERSION as __version__
from ._counting import Count as Count
from ._counting import Estimate as Estimate
from ._counting import Interval as Interval
from ._counting import Merged as Merged
from ._counting import by_square, count, estimate, fundamental, merge, published, symmetric
from ._methods import ENGINES, KERNELS, METHODS, compare
from ._methods import Cost as Cost
from ._solution import SYMMETRIES, any_solution, draw, first, heat_map, is_solution, solutions
from ._solution import Drawing as Drawing
from ._solution import Solution as Solution
from ._trace import Step as Step
from ._trace import Trace as Trace
from ._trace import trace

__all__ = [
    "ENGINES",
    "KERNELS",
    "METHODS",
    "SYMMETRIES",
    "__version__",
    "any_solution",
    "by_square",
    "compare",
    "count",
    "draw",
    "estimate",
    "first",
    "fundamental",
    "heat_map",
    "is_solution",
    "merge",
    "published",
    "solutions",
    "symmetric",
    "trace",
]

# Public values belong to the package, whichever module defines them.
for _value in list(globals().values()):
    if getattr(_value, "__module__", "").startswith(f"{__name__}._"):
        _value.__module__ = __name__
del _value
