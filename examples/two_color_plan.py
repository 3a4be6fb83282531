"""The plan of the two-color engine, by the rules in docs/two-color.md: `python3 two_color_plan.py N`."""

from itertools import accumulate, combinations
from sys import argv, exit, stderr
from typing import NamedTuple


class Part(NamedTuple):
    """The sets of a part, each a tuple of half-lines, and the number of its row blocks."""

    re: list  # the visited Re, by number
    ro: list  # the Ro, in their order
    ce: list  # the Ce that have a rank, by rank
    co: list  # the Co, by rank
    members: int  # how many sets have one level
    visiting: dict  # for each Ro, the numbers of the Re with which it is visited
    blocks: int

    def block(self, number):
        """Returns the Ro of a row block."""
        return self.ro[number * len(self.ro) // self.blocks : (number + 1) * len(self.ro) // self.blocks]


def mask(s):
    return sum(1 << a for a in s)


def turned(s, half):
    """Returns rev s, of a set of so many half-lines."""
    return tuple(half - 1 - a for a in reversed(s))


def crowding(s):
    return sum(360360 // (b - a) for a, b in combinations(s, 2))


def odd_line(n, a):
    """Returns the line of the board for an odd half-line."""
    return 2 * a + 1 if n % 2 else n - 1 - 2 * a


def part_of(n, k):
    """Returns the part with k queens on EE."""
    even, odd = (n + 1) // 2, n // 2
    k_odd = k - (even - odd)
    co = ro = list(combinations(range(odd), k_odd))
    members = 2 if 4 * k == n else 1
    if n % 2:
        kept = [s for s in combinations(range(even), k) if mask(s) <= mask(turned(s, even))]
        ce = re = sorted(kept, key=lambda s: (s == turned(s, even), crowding(s), mask(s)))
        co = sorted(ro, key=lambda s: (crowding(s), mask(s)))
        unequal = sum(s != turned(s, even) for s in re)
        visiting = {s: range(len(re) if mask(s) <= mask(turned(s, odd)) else unequal) for s in ro}
    else:
        rest = lambda s: tuple(a for a in range(even) if a not in s)
        couples = lambda s: (crowding(s) + crowding(rest(s)), min(mask(s), mask(rest(s))), mask(s))
        ce = co = sorted(ro, key=couples if members == 2 else lambda s: (-crowding(rest(s)), mask(s)))
        re = ce[::members]
        visiting = {s: range(rank // members, len(re)) for rank, s in enumerate(co)}
    centre = sorted(range(odd), key=lambda a: (abs(2 * odd_line(n, a) - n + 1), a))
    ro = sorted(ro, key=lambda s: [a not in s for a in centre])
    entries, exponent = {25: (2**15, 13), 26: (2**16, 13), 27: (2**16, 12), 28: (2**15, 12)}.get(n, (2**14, 13))
    together = max(4, min(entries // max(len(ce), len(co)), 2 ** max(0, exponent - max(k_odd, even - k))))
    blocks = 1 if n <= 18 else min(len(ro), max(4, -(-len(ro) // together)))
    return Part(re, ro, ce, co, members, visiting, blocks)


def parts(n):
    """Returns the visited parts of a board with n rows."""
    odd = n % 2
    most = (n + 1) // 2 if odd else n // 4
    bound = lambda white: 2 * (white**3 + (n - white) ** 3) <= n**3 + n
    return [part_of(n, k) for k in range(odd, most + 1) if bound(2 * k - odd)]


def units_of(n, part, block):
    """Returns the units of a row block, each (first Re, end of Re)."""
    count, ranges = len(part.re), -(-len(part.re) // 2 ** (max(n - 20, 0) // 2))
    columns = [(r + 1) * (len(part.co) if n % 2 else part.members**2 * (r + 1)) for r in range(count)]
    tuples = [columns[r] * sum(r in part.visiting[s] for s in part.block(block)) for r in range(count)]
    before = list(accumulate(tuples, initial=0))
    cut = [ranges * (before[r] * count + r * before[-1]) // (2 * count * max(1, before[-1])) for r in range(count)]
    found = [(cut.index(number), count - cut[::-1].index(number)) for number in sorted(set(cut))]
    found = [(first, end) for first, end in found if before[first] < before[end]]
    return found[::-1] if block % 2 else found


def plan(n):
    """Returns the units of a board with n rows, each (part, row block, first Re, end of Re), and the fingerprint."""
    numbers, units = [], []
    for number, part in enumerate(parts(n)):
        numbers += [len(part.re), len(part.ro), part.blocks, *map(mask, part.re), *map(mask, part.ro)]
        units += [(number, block, *re) for block in range(part.blocks) for re in units_of(n, part, block)]
    mark = 1
    for number in numbers + [number for unit in units for number in unit]:
        mark = ((mark ^ number) * 0x9E3779B97F4A7C15) % 2**64
        mark ^= mark >> 32
    text = b"two-color\0row-sets-3\0"
    text += b"".join(number.to_bytes(8, "little") for number in (n, 1 if n % 2 else 3, len(units), mark))
    fingerprint = 0xCBF29CE484222325
    for byte in text:
        fingerprint = ((fingerprint ^ byte) * 0x100000001B3) % 2**64
    return units, f"{fingerprint:016x}"


if __name__ == "__main__":
    if len(argv) != 2 or not argv[1].isdecimal():
        print("usage: python3 two_color_plan.py N, the size of the board", file=stderr)
        exit(2)
    units, fingerprint = plan(int(argv[1]))
    print(f"N = {argv[1]}: {len(units)} units, fingerprint {fingerprint}")
