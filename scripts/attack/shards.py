"""Deals counts to shards: each unit must be in exactly one, what is missing must be said, and all together make the total."""

import collections
import os
import re
import shutil

import ledgers
from rounds import COUNTS

SMALL = [count for count in COUNTS if count[0] <= 15]


def attack(round_):
    """Counts the shards of a board in some order, and looks at what the program says of them before, between and after."""
    truth = round_.truth(0.6, SMALL)
    shards = round_.random.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 40])
    order = round_.random.sample(range(shards), shards)
    stop = round_.random.randrange(shards + 1)
    folder = round_.path("shards")
    os.mkdir(folder)
    for number, index in enumerate(order):
        if number == stop:
            judge_part(round_, truth, folder, shards)
        count(round_, truth, folder, index, shards)
    kept = judge_all(round_, truth, folder, shards)
    case = round_.random.choice(CASES)
    if kept and shards > 1:
        case(round_, truth, folder, shards)
    return case.__name__.replace("_", " ")


def path_of(folder, index, shards):
    """Returns the path of a shard's ledger."""
    return os.path.join(folder, f"shard-{index}-of-{shards}.jsonl")


def count(round_, truth, folder, index, shards, options=None):
    """Counts a shard."""
    means = ["--threads", str(round_.random.randrange(1, 5)), "--kernel", round_.kernel_of(truth.engine)]
    words = ["count", str(truth.board), *(options or truth.options), *means, "--shard", f"{index}/{shards}"]
    outcome = round_.run(*words, "--ledger", path_of(folder, index, shards))
    round_.expect(outcome.code == 0, f"a shard is not counted: {outcome.in_words()}")


def read(folder):
    """Returns the ledgers of a folder."""
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), "rb") as file:
                found.append(ledgers.read(file.read()))
    return found


def expand(text):
    """Returns the numbers of a list such as 2,5-7."""
    numbers = set()
    for part in text.strip().split(",") if text.strip() else []:
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def missing(round_, folder, shards):
    """Returns the shards that the program says are missing, and its exit code."""
    outcome = round_.run("status", "--missing", "--shards", str(shards), folder)
    if not re.fullmatch(r"[0-9,\-]*\n?", outcome.output):
        round_.find(f"not a list of shards: {outcome.output[:100]!r}")
        return set(), outcome.code
    return expand(outcome.output), outcome.code


def judge_sums(round_, outcome):
    """Checks that no more is said to be done than there is."""
    for done, there in re.findall(r"([0-9,]+) of ([0-9,]+) units?", outcome.messages):
        done, there = (int(number.replace(",", "")) for number in (done, there))
        round_.expect(done <= there, f"{done} of {there} units: {outcome.in_words()}")


def judge_part(round_, truth, folder, shards):
    """Checks what is said of some of the shards."""
    there = {ledger.shard[0] for ledger in read(folder)}
    listed, code = missing(round_, folder, shards)
    round_.expect(
        code == 0 and listed == set(range(shards)) - there,
        f"of {shards} shards {sorted(there)} are counted, but {sorted(listed)} are said to be missing (exit code {code})",
    )
    merged = round_.run("merge", folder)
    units = sum(len(ledger.units) for ledger in read(folder))
    round_.expect(merged.code != 0 or units == len(truth.units), f"a total without all shards: {merged.output[:100]!r}")


def judge_all(round_, truth, folder, shards):
    """Checks that all shards together have each unit once, and make the total; returns whether it is so."""
    found = read(folder)
    often = collections.Counter(unit for ledger in found for unit in ledger.units)
    lost = set(truth.units) - set(often)
    doubled = [unit for unit, times in often.items() if times > 1]
    fine = round_.expect(not lost, f"units {sorted(lost)[:5]} are in no shard")
    fine &= round_.expect(not doubled, f"units {doubled[:5]} are in two shards")
    for ledger in found:
        own = ledger.own_units()
        fine &= round_.expect(own is None or own == set(ledger.units), f"shard {ledger.shard} has units of others")
        for unit, partials in ledger.units.items():
            fine &= round_.expect(partials == [truth.units[unit]], f"unit {unit} of {ledger.shard} counts {partials}")
    listed, code = missing(round_, folder, shards)
    fine &= round_.expect(code == 0 and not listed, f"shards {sorted(listed)} are said to be missing (exit code {code})")
    return fine & judge_merge(round_, truth, folder)


def judge_merge(round_, truth, folder):
    """Checks that all shards make the total."""
    merged = round_.run("merge", folder)
    return round_.expect(
        merged.code == 0 and merged.output.split() == [str(truth.total)],
        f"merge of {truth.total}: {merged.output[:100]!r}, {merged.in_words()}",
    )


def refuses(round_, folder, why):
    """Checks that merge gives no total."""
    merged = round_.run("merge", folder)
    round_.expect(merged.code != 0, f"a total in spite of {why}: {merged.output[:100]!r}, {merged.in_words()}")


def the_same_shard_twice(round_, truth, folder, shards):
    """A copy of a shard changes nothing."""
    index = round_.random.randrange(shards)
    shutil.copy(path_of(folder, index, shards), os.path.join(folder, "copy.jsonl"))
    judge_merge(round_, truth, folder)
    judge_sums(round_, round_.run("status", folder))


def another_number_of_shards(round_, truth, folder, shards):
    """A shard of another number of shards does not belong there."""
    count(round_, truth, folder, 0, shards + 1)
    refuses(round_, folder, "a shard of another number of shards")


def another_count(round_, truth, folder, shards):
    """A shard of another board does not belong there."""
    board = str(truth.board - 1)
    outcome = round_.run("count", board, "--shard", f"0/{shards}", "--ledger", os.path.join(folder, "other.jsonl"))
    if round_.expect(outcome.code == 0, f"a shard is not counted: {outcome.in_words()}"):
        refuses(round_, folder, "a shard of another board")


def a_shard_under_another_name(round_, truth, folder, shards):
    """The ledger of a shard is refused for another one, and left alone."""
    index = round_.random.randrange(1, shards)
    path = path_of(folder, index, shards)
    with open(path, "rb") as file:
        before = file.read()
    outcome = round_.run("count", str(truth.board), *truth.options, "--shard", f"0/{shards}", "--ledger", path)
    with open(path, "rb") as file:
        after = file.read()
    round_.expect(outcome.code in (1, 2) and before == after, f"the ledger of another shard is used: {outcome.in_words()}")


def rewrite(path, change):
    """Writes a ledger anew: `change` is given its header, and its units with their partial counts."""
    with open(path, "rb") as file:
        data = file.read()
    ledger = ledgers.read(data)
    before = ledgers.identity(ledger.header)
    lines = data.split(b"\n")[:-1]
    template = next(value for line in lines[1:] if "unit" in (value := ledgers.believed(line, before)))
    units = change(ledger.header, {unit: partials[0] for unit, partials in ledger.units.items()})
    with open(path, "wb") as file:
        file.write(lines[0] + b"\n" + lines[1] + b"\n")
        for unit, partial in units:
            value = {"unit": {**template["unit"], "unit": unit, "partial": str(partial)}}
            file.write(ledgers.sealed(value, before))


def units_of_another_shard(round_, truth, folder, shards):
    """A shard that was dealt otherwise has as many units as it should have, but not its own."""
    with_units = [index for index in range(shards) if read_one(path_of(folder, index, shards)).units]
    if len(with_units) < 2:
        return
    index, other = round_.random.sample(with_units, 2)
    taken = list(read_one(path_of(folder, other, shards)).units)
    many = round_.random.randrange(1, min(len(taken), len(read_one(path_of(folder, index, shards)).units)) + 1)

    def change(_, units):
        kept = list(units.items())[many:]
        return kept + [(unit, truth.units[unit]) for unit in taken[:many]]

    round_.note(f"shard {index} gets {many} units of shard {other} in place of its own")
    rewrite(path_of(folder, index, shards), change)
    refuses(round_, folder, "units that are in no shard")
    listed, code = missing(round_, folder, shards)
    round_.expect(code != 0 or index in listed, f"shard {index} lacks units, but only {sorted(listed)} are said to be missing")


def read_one(path):
    """Returns a ledger."""
    with open(path, "rb") as file:
        return ledgers.read(file.read())


def two_counts_of_a_unit(round_, truth, folder, shards):
    """A ledger that contradicts itself fails everything, also beside a good copy of it."""
    index = next((index for index in range(shards) if read_one(path_of(folder, index, shards)).units), None)
    if index is None:
        return
    path = path_of(folder, index, shards)
    if round_.random.random() < 0.5:
        shutil.copy(path, os.path.join(folder, "copy.jsonl"))

    def change(_, units):
        wrong = round_.random.choice(list(units))
        return [*units.items(), (wrong, units[wrong] + truth.ledger.header["divisor"])]

    rewrite(path, change)
    refuses(round_, folder, "two counts of a unit")
    listed, code = missing(round_, folder, shards)
    round_.expect(code == 1 and index in listed, f"shard {index} contradicts itself; missing {sorted(listed)}, exit code {code}")
    status = round_.run("status", folder)
    round_.expect(status.code == 1, f"a contradiction is no error of status: {status.in_words()}")


def two_ledgers_that_differ(round_, truth, folder, shards):
    """Two ledgers of a shard that differ in what a unit counts fail the merge."""
    index = next((index for index in range(shards) if read_one(path_of(folder, index, shards)).units), None)
    if index is None:
        return
    copy = os.path.join(folder, "copy.jsonl")
    shutil.copy(path_of(folder, index, shards), copy)

    def change(_, units):
        wrong = round_.random.choice(list(units))
        return [(unit, partial + (unit == wrong)) for unit, partial in units.items()]

    rewrite(copy, change)
    refuses(round_, folder, "two ledgers that differ")


def an_archive_of_the_shards(round_, truth, folder, shards):
    """An archive of the shards makes the total, alone and beside them; a damaged one makes none."""
    alone = round_.path("alone")
    os.mkdir(alone)
    archive = os.path.join(alone, "all.nqa")
    paths = [path_of(folder, index, shards) for index in range(shards)]
    round_.random.shuffle(paths)
    outcome = round_.run("archive", *paths, "--output", archive)
    if not round_.expect(outcome.code == 0, f"no archive of all shards: {outcome.in_words()}"):
        return
    judge_merge(round_, truth, alone)
    shutil.copy(archive, folder)
    judge_merge(round_, truth, folder)
    listed, code = missing(round_, alone, shards)
    round_.expect(code == 0 and not listed, f"shards {sorted(listed)} are said to be missing in an archive (exit code {code})")
    with open(archive, "rb") as file:
        good = file.read()
    for _ in range(10):
        data = bytearray(good)
        if round_.random.random() < 0.3:
            del data[round_.random.randrange(len(data)) :]
        else:
            data[round_.random.randrange(len(data))] ^= round_.random.randrange(1, 256)
        with open(archive, "wb") as file:
            file.write(data)
        refuses(round_, alone, "a damaged archive")


CASES = [
    the_same_shard_twice,
    another_number_of_shards,
    another_count,
    a_shard_under_another_name,
    units_of_another_shard,
    two_counts_of_a_unit,
    two_ledgers_that_differ,
    an_archive_of_the_shards,
]
