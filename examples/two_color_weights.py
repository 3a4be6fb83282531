"""Counts queens by the units and weights of the two-color engine, in plain loops: `python3 two_color_weights.py N`."""

from collections import Counter
from itertools import product
from math import comb
from sys import argv, exit, stderr

from two_color_plan import mask, odd_line, parts, plan, turned


def weight(n, part, number, ro, ce, co):
    """Returns the weight of the tuple with this Re, given by its number, and these sets; 0 if it is not visited."""
    re, half_even, half_odd = part.re[number], (n + 1) // 2, n // 2
    if n % 2 == 0:
        levels = [part.ce.index(each) // part.members for each in (ro, ce, co)]
        return 24 // (1 + levels.count(number)) if max(levels) <= number else 0
    if ce not in part.ce[: number + 1] or (re == turned(re, half_even) and mask(ro) > mask(turned(ro, half_odd))):
        return 0
    by_transpose = 1 if ce == re else 2
    by_columns = 1 if ce == turned(ce, half_even) else 2
    by_rows = 1 if (re, ro) == (turned(re, half_even), turned(ro, half_odd)) else 2
    return by_transpose * by_columns * by_rows


def placements(n, parity, rows):
    """Counts the placements of one colour in these rows, by their columns. Row + column has the given parity."""
    found = Counter()

    def fill(queens):
        if len(queens) == len(rows):
            found[frozenset(j for i, j in queens)] += 1
            return
        row = rows[len(queens)]
        for column in range((row + parity) % 2, n, 2):
            if all(column != j and abs(row - i) != abs(column - j) for i, j in queens):
                fill([*queens, (row, column)])

    fill([])
    return found


def lines(n, even, odd):
    """Returns the lines of the board for a set of even half-lines and one of odd half-lines."""
    return [2 * a for a in even] + [odd_line(n, a) for a in odd]


def partial_counts(n):
    """Returns the partial count of each unit: the sum of weight · w · b over its tuples."""
    partial, board = [], frozenset(range(n))
    for number, block, first, end in plan(n)[0]:
        part, count = parts(n)[number], 0
        for re, ro in product(range(first, end), parts(n)[number].block(block)):
            rows = lines(n, part.re[re], ro)
            white, black = placements(n, 0, rows), placements(n, 1, sorted(board - set(rows)))
            for ce, co in product(part.ce, part.co):
                columns = frozenset(lines(n, ce, co))
                if white[columns] and black[board - columns]:
                    count += weight(n, part, re, ro, ce, co) * white[columns] * black[board - columns]
        partial.append(count)
    return partial


def check_weights(n):
    """Checks that the weights of each part sum to three times, or once, the number of tuples that they stand for."""
    for part in parts(n):
        k, k_odd = len(part.re[0]), len(part.ro[0])
        tuples = (comb((n + 1) // 2, k) * comb(n // 2, k_odd)) ** 2
        weights = [weight(n, part, *each) for each in product(range(len(part.re)), part.ro, part.ce, part.co)]
        print(f"k = {k}: {sum(map(bool, weights))} tuples are visited for {tuples}")
        assert sum(weights) == tuples * (1 if n % 2 else 3 if 4 * k == n else 6)


if __name__ == "__main__":
    if len(argv) != 2 or not argv[1].isdecimal():
        print("usage: python3 two_color_weights.py N, the size of the board", file=stderr)
        exit(2)
    size = int(argv[1])
    check_weights(size)
    total, remainder = divmod(sum(partial_counts(size)), 1 if size % 2 else 3)
    assert remainder == 0
    print(f"N = {size}: {total} solutions")
