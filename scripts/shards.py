"""Simulates a count in shards on many machines. docs/cluster.md advises how many shards there should be by its table.

    python3 scripts/shards.py results/MACHINE/units-28.csv        a table for Markdown

Each part's units take the mean time that `cargo bench --bench units` measured, with a uniform spread whose deviation
follows from the measured interval. A free machine takes the next shard, and after START seconds each free thread the
longest unit that is left. A machine that is taken away loses its units at hand, unless they end within the time of grace;
then the next free machine goes on with the shard. Random numbers are the same in every run.
"""

import argparse
import csv
import heapq
import math
import random
import sys

# The seconds that a task takes before it counts: for the batch system, the program and the plan.
START = 30
# The quantile of Student's distribution for an interval of 95%, by the number of measured units.
STUDENT = {3: 4.303, 5: 2.776, 6: 2.571, 10: 2.262, 25: 2.064}
# The name, the machines, the threads of each, how many times as long a unit takes as on the measured machine, the mean
# seconds for which a machine stays and is away, the seconds of grace, and the numbers of shards. By results/README.md a
# GPU takes 5 days for N = 28 with 16 threads, and a CPU with AVX2 about three times as long as one with AVX-512.
CASES = [
    ("8 GPUs with 16 threads each", 8, 16, (0.69, 0.69), None, 0, (8, 32, 128, 512)),
    ("64 machines of 32 cores", 64, 32, (1, 1.2), None, 0, (64, 128, 256, 1024)),
    ("1,000 machines of 8 cores that come and go", 1000, 8, (2, 4), (3600, 3600), 0, (1000, 2000, 4000, 16000)),
    ("the same with `--grace 5m`", 1000, 8, (2, 4), (3600, 3600), 300, (2000, 4000)),
]


def read_units(path, rng):
    """Returns the seconds of each unit, and the numbers of the units in the order in which a machine counts them."""
    with open(path, encoding="utf-8", newline="") as file:
        parts = [row for row in csv.DictReader(file) if row["part"] != "all"]
    seconds, expected = [], []
    for part in parts:
        units, timed = int(part["units"]), int(part["timed"])
        mean = float(part["seconds"]) / units
        deviation = (float(part["high"]) - float(part["low"])) / 2 / units * math.sqrt(timed) / STUDENT[timed]
        spread = min(math.sqrt(3) * deviation, mean)
        seconds += [mean + spread * (2 * rng.random() - 1) for _ in range(units)]
        expected += [float(part["work_share"]) / units] * units
    return seconds, sorted(range(len(seconds)), key=lambda unit: -expected[unit])


def run_task(units, threads, slower, start, end):
    """Counts units in their order, none of them begun after `end[0]` or ended after `end[1]`. Returns the time when the
    task ends, the units that are left, and the seconds of threads that were useful and that were lost."""
    free, last, left, useful, lost = [start] * threads, start, [], 0, 0
    for index, unit in enumerate(units):
        begun = free[0]
        if begun >= end[0]:
            left += units[index:]
            break
        done = begun + unit * slower
        if done > end[1]:
            left.append(unit)
            done = end[1]
            lost += done - begun
        else:
            useful += done - begun
        last = max(last, done)
        heapq.heapreplace(free, done)
    return last, left, useful, lost


def simulate(shards, machines, threads, slower, stay, grace, start, rng):
    """Counts shards, which are lists of units. Returns the seconds until all is counted, those of them in which some
    machine found no shard, and the seconds of threads in tasks that were useful, that were lost, and all."""
    slower = [rng.uniform(*slower) for _ in range(machines)]
    draw = lambda mean: -math.log(1 - rng.random()) * mean
    until = [draw(stay[0]) if stay else math.inf for _ in slower]
    # An event is a machine that is free, and the rest of the shard that it gave up.
    events, waiting, queue = [(0, machine, []) for machine in range(machines)], [], shards[::-1]
    end, idle_from, sums = 0, math.inf, [0, 0, 0]
    while events:
        now, machine, rest = heapq.heappop(events)
        if rest:
            queue.append(rest)
            events += [(now, other, []) for other in waiting]
            heapq.heapify(events)
            waiting = []
        returns = now
        while until[machine] <= now:
            returns = until[machine] + draw(stay[1])
            until[machine] = returns + draw(stay[0])
        if returns > now:
            heapq.heappush(events, (returns, machine, []))
        elif not queue:
            waiting.append(machine)
            idle_from = min(idle_from, now)
        else:
            ends = until[machine], until[machine] + grace
            last, rest, *seconds = run_task(queue.pop(), threads, slower[machine], now + start, ends)
            last = max(last, min(now + start, ends[0]))
            sums = [a + b for a, b in zip(sums, [*seconds, (last - now) * threads])]
            end = max(end, last)
            heapq.heappush(events, (max(last, ends[0]) if rest else last, machine, rest))
    return end, max(0, end - idle_from), *sums


def hours(seconds):
    return f"{seconds / 3600:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(2, f"error: {message}\n")
    parser.add_argument("units", metavar="UNITS.csv")
    seconds, order = read_units(parser.parse_args().units, random.Random(1))
    print("| machines | shards | units for each thread | hours of a shard | hours in all | of these with idle machines | idle threads | lost work |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, *case, numbers in CASES:
        for count in numbers:
            shards = [[] for _ in range(count)]
            for unit in order:
                shards[unit % count].append(seconds[unit])
            end, tail, useful, lost, taken = simulate(shards, *case, START, random.Random(2))
            print(f"| {name} | {count:,} | {len(seconds) / count / case[1]:.3g} | {hours(taken / count / case[1])} | {hours(end)} | {hours(tail)} |"
                  f" {(taken - useful - lost) / taken:.1%} | {lost / taken:.1%} |")
            name = ""


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"error: {error}")
