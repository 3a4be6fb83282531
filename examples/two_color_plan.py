"""The plan of the two-color engine, from its specification in docs/two-color.md: `python3 two_color_plan.py N`."""

from itertools import accumulate, combinations
from sys import argv


def plan(n):
    """Returns the units of the plan of N rows, each (part, row block, first Re, end of Re), and its fingerprint."""
    even, odd = (n + 1) // 2, n // 2
    mask = lambda s: sum(1 << a for a in s)
    crowding = lambda s: sum(360360 // (b - a) for a, b in combinations(s, 2))
    rest = lambda s: tuple(a for a in range(even) if a not in s)
    rev = lambda s, half: tuple(sorted(half - 1 - a for a in s))
    line = lambda a: 2 * a + 1 if n % 2 else n - 1 - 2 * a
    centre = sorted(range(odd), key=lambda a: (abs(2 * line(a) - n + 1), a))
    numbers, units = [], []
    for k in range(even - odd, (even if n % 2 else even // 2) + 1):
        k_odd = k - (even - odd)
        if 2 * ((k + k_odd) ** 3 + (n - k - k_odd) ** 3) > n**3 + n:
            continue
        ro = list(combinations(range(odd), k_odd))
        if n % 2:
            kept = [s for s in combinations(range(even), k) if mask(s) <= mask(rev(s, even))]
            re = sorted(kept, key=lambda s: (s == rev(s, even), crowding(s), mask(s)))
            unequal = sum(s != rev(s, even) for s in re)
            visited = {s: range(len(re) if mask(s) <= mask(rev(s, odd)) else unequal) for s in ro}
            columns, sets = [(r + 1) * len(ro) for r in range(len(re))], max(len(re), len(ro))
        else:
            pair = 2 if 2 * k == even else 1
            halves = lambda s: (crowding(s) + crowding(rest(s)), min(mask(s), mask(rest(s))), mask(s))
            ranked = sorted(ro, key=halves if pair == 2 else lambda s: (-crowding(rest(s)), mask(s)))
            re = ranked[::pair]
            visited = {s: range(place // pair, len(re)) for place, s in enumerate(ranked)}
            columns, sets = [(pair * (r + 1)) ** 2 for r in range(len(re))], len(ro)
        ro.sort(key=lambda s: [a not in s for a in centre])
        # The rule makes row blocks, and ranges of Re.
        entries, exponent = {25: (2**15, 13), 26: (2**16, 13), 27: (2**16, 12), 28: (2**15, 12)}.get(n, (2**14, 13))
        together = max(4, min(entries // sets, 2 ** max(0, exponent - max(k_odd, even - k))))
        blocks = 1 if n <= 18 else min(len(ro), max(4, -(-len(ro) // together)))
        numbers += [len(re), len(ro), blocks, *map(mask, re), *map(mask, ro)]
        part, ranges = len({unit[0] for unit in units}), -(-len(re) // 2 ** (max(n - 20, 0) // 2))
        for block in range(blocks):
            members = ro[block * len(ro) // blocks : (block + 1) * len(ro) // blocks]
            tuples = [sum(r in visited[s] for s in members) * columns[r] for r in range(len(re))]
            before = list(accumulate(tuples, initial=0))
            cut = [ranges * (before[r] * len(re) + r * before[-1]) // (2 * len(re) * before[-1]) for r in range(len(re))]
            found = [(part, block, cut.index(i), len(re) - cut[::-1].index(i)) for i in sorted(set(cut))]
            found = [unit for unit in found if before[unit[2]] < before[unit[3]]]
            units += found[::-1] if block % 2 else found
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
    units, fingerprint = plan(int(argv[1]))
    print(f"N = {argv[1]}: {len(units)} units, fingerprint {fingerprint}")
