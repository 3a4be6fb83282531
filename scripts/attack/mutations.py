"""Damages and forges ledgers in all ways that come to mind, and gives them to every command that reads them."""

import json
import os
import shutil

import ledgers
from rounds import COUNTS

SMALL = [count for count in COUNTS if count[0] <= 14]
BIG = 64 << 20
HOSTILE = "\x1b]0;title\x07\nmatches the published count\x9b31m"


class Case:
    """A damaged ledger, and what must become of it."""

    def __init__(self, data, refused=False, merged=None, writer=None, torn=False, foreign=False):
        self.data = data
        # Only a last line without an end is more than there was, which may be dropped.
        self.torn = torn
        # Every command must refuse it and leave it alone.
        self.refused = refused
        # It is of another board or shard: a count must refuse it and leave it alone.
        self.foreign = foreign
        # Whether `merge` must give a total (True), must not (False), or may do either as long as it is right (None).
        self.merged = merged
        # Writes the file in place of `data`, where that is too long to be held.
        self.writer = writer


class Base:
    """The ledger that is damaged, taken apart."""

    def __init__(self, random, truth):
        self.random = random
        self.truth = truth
        self.data = truth.data
        self.lines = truth.data.splitlines(keepends=True)
        self.header = truth.ledger.header
        self.before = ledgers.identity(self.header)
        # The places of the lines of units.
        self.units = [at for at, line in enumerate(self.lines) if line.startswith(b'{"unit"')]

    def object(self, at):
        """Returns the object of a line."""
        return json.loads(self.lines[at])

    def with_line(self, at, line):
        """Returns the ledger with another line in place of one."""
        return b"".join([*self.lines[:at], line, *self.lines[at + 1 :]])

    def with_inserted(self, line, at=None):
        """Returns the ledger with one line more."""
        at = self.random.randrange(1, len(self.lines) + 1) if at is None else at
        return b"".join([*self.lines[:at], line, *self.lines[at:]])

    def forged(self, header_changes, seal_units=True):
        """Returns the ledger with another header, and with CRCs that are right."""
        header = {name: value for name, value in {**self.header, **header_changes}.items() if name != "crc32"}
        # Only what the identity can be made of can be sealed.
        before = ledgers.identity(header) if header["schema"] in ledgers.IDENTITY_BEGINS else self.before
        lines = [ledgers.sealed(header)]
        for line in self.lines[1:]:
            lines.append(ledgers.sealed(strip(line), before) if seal_units else line)
        return b"".join(lines)

    def with_unit(self, at, changes, where=None):
        """Returns the ledger with fields of a unit's line changed and its CRC right."""
        unit = {**self.object(at)["unit"], **changes}
        line = ledgers.sealed({"unit": unit}, self.before)
        return self.with_line(at, line) if where is None else self.with_inserted(line, where)


def strip(line):
    """Returns a line up to its CRC, as an object."""
    return ledgers.CRC.match(line.rstrip(b"\n"))[1] + b"}"


def flipped(base, data, many):
    """Returns bytes with some bits flipped."""
    data = bytearray(data)
    for _ in range(many):
        data[base.random.randrange(len(data))] ^= 1 << base.random.randrange(8)
    return bytes(data)


def one_bit(base):
    return Case(flipped(base, base.data, 1))


def many_bits(base):
    return Case(flipped(base, base.data, base.random.choice([2, 5, 50, 500])))


def bits_of_the_header(base):
    return Case(base.with_line(0, flipped(base, base.lines[0], base.random.randrange(1, 4))))


def a_lost_line(base):
    at = base.random.randrange(len(base.lines))
    return Case(base.with_line(at, b""))


def lost_lines(base):
    return Case(b"".join(line for line in base.lines if base.random.random() < 0.7))


def a_doubled_line(base):
    return Case(base.with_inserted(base.lines[base.random.choice(base.units)]), merged=True)


def swapped_lines(base):
    lines = base.lines[1:]
    base.random.shuffle(lines)
    return Case(base.lines[0] + b"".join(lines), merged=True)


def the_header_elsewhere(base):
    at = base.random.randrange(1, len(base.lines) + 1)
    return Case(b"".join([*base.lines[1:at], base.lines[0], *base.lines[at:]]))


def two_headers(base):
    return Case(base.with_inserted(base.lines[0]))


def a_truncated_file(base):
    return Case(base.data[: base.random.randrange(len(base.data))])


def a_truncated_line(base):
    at = base.random.randrange(len(base.lines))
    line = base.lines[at]
    return Case(base.with_line(at, line[: base.random.randrange(len(line))] + base.random.choice([b"", b"\n"])))


def joined_lines(base):
    at = base.random.randrange(len(base.lines))
    return Case(base.with_line(at, base.lines[at].rstrip(b"\n")))


def inserted_noise(base):
    noise = bytes(base.random.randrange(256) for _ in range(base.random.choice([1, 16, 500])))
    at = base.random.randrange(len(base.data) + 1)
    return Case(base.data[:at] + noise + base.data[at:])


def zeros(base):
    at = base.random.randrange(len(base.data))
    length = base.random.choice([1, 100, 4096, 1 << 16])
    return Case(base.data[:at] + bytes(length) + base.data[at + length * base.random.randrange(2) :])


def zeros_at_the_end(base):
    return Case(base.data + bytes(base.random.choice([1, 512, 4096])))


def crlf(base):
    return Case(base.data.replace(b"\n", b"\r\n"))


def byte_order_mark(base):
    return Case(b"\xef\xbb\xbf" + base.data)


def utf16(base):
    return Case(base.data.decode().encode("utf-16"))


def no_end_of_the_last_line(base):
    return Case(base.data[:-1], merged=True)


def no_line_ends(base):
    return Case(base.data.replace(b"\n", b""))


def another_encoding_of_json(base):
    at = base.random.choice(base.units)
    return Case(base.with_line(at, json.dumps(base.object(at), indent=1).encode() + b"\n"))


def a_foreign_line(base):
    """A line of another count, whose CRC is right there."""
    header = {**base.header, "plan": base.header["plan"] + "x"}
    line = ledgers.sealed(strip(base.lines[base.random.choice(base.units)]), ledgers.identity(header))
    return Case(base.with_inserted(line))


def another_version(base):
    schema = base.random.choice(["nqueens/ledger/3", "nqueens/ledger/99", "nqueens/ledger/0", "nqueens/ledger/10"])
    sealed = base.random.random() < 0.5
    return Case(base.forged({"schema": schema}, seal_units=sealed), refused=True, merged=False)


def another_version_with_a_wrong_crc(base):
    schema = base.random.choice([b"nqueens/ledger/3", b"nqueens/ledger/12"])
    return Case(base.with_line(0, base.lines[0].replace(base.header["schema"].encode(), schema)), refused=True, merged=False)


def another_version_in_another_spelling(base):
    """A header with a right CRC, written as JSON may be and this program does not write it, and of a version nobody knows."""
    schema = base.random.choice(["nqueens/ledger/3", "nqueens/ledger/3", "nqueens/ledger/10", "nqueens/ledger/", "hello", ""])
    rest = {name: value for name, value in base.header.items() if name not in ("schema", "crc32")}
    spelling = base.random.randrange(5)
    header = {**rest, "schema": schema} if spelling in (1, 2) else {"schema": schema, **rest}
    if spelling == 4:
        header = {"note": "x", **header}
    spaces = (", ", ": ") if spelling in (0, 1) else (",", ":")
    text = json.dumps(header, separators=spaces)
    if spelling == 3:
        text = text.replace("/", "\\/")
    # The lines below belong to that version, or to one that is known.
    fields = base.before[len(ledgers.IDENTITY_BEGINS[base.header["schema"]]) :]
    begin = base.random.choice([schema + " ", *ledgers.IDENTITY_BEGINS.values()])
    below = [ledgers.sealed(strip(line), begin + fields) for line in base.lines[1:]]
    return Case(b"".join([ledgers.sealed(text.encode()), *below]), refused=True, merged=False)


def the_version_exchanged(base):
    """The schema of version 1 and 2 exchanged in the header alone: no line below belongs to it."""
    other = {"nqueens/ledger/1": "nqueens/ledger/2", "nqueens/ledger/2": "nqueens/ledger/1"}[base.header["schema"]]
    return Case(base.forged({"schema": other}, seal_units=False), merged=False)


def another_board(base):
    board = base.random.choice([1, 4, base.header["board"] - 1, base.header["board"] + 1, 24, 28, 32])
    return Case(base.forged({"board": board}), merged=False, foreign=True)


def an_impossible_header(base):
    changes = base.random.choice(
        [
            {"board": 0}, {"board": 33}, {"board": -1}, {"board": 2**64}, {"board": "12"}, {"board": 12.5}, {"board": None},
            {"engine": ""}, {"engine": "none"}, {"engine": HOSTILE}, {"plan": "none"}, {"plan": ""}, {"plan": HOSTILE},
            {"plan": "mirror-9"}, {"plan": "x" * 100_000}, {"fingerprint": "0" * 16}, {"fingerprint": HOSTILE},
            {"divisor": 0}, {"divisor": 2**64 - 1}, {"divisor": 7}, {"units": 0}, {"units": 2**28}, {"units": 2**63},
            {"units": 1}, {"shard": "0/0"}, {"shard": "1/1"}, {"shard": "5/100000"}, {"shard": "0/99999999"}, {"shard": HOSTILE},
        ]
    )  # fmt: skip
    return Case(base.forged(changes, seal_units=base.random.random() < 0.7), merged=False)


def forged_sizes_of_the_shard(base):
    changes = base.random.choice(
        [{"shard_units": 0}, {"shard_units": 2**63}, {"shard_units": base.header["units"] + 1}, {"shard_weight": 0}]
        + [{"shard_weight": 2**64 - 1}, {"begun": 2**64 - 1}, {"host": HOSTILE}, {"program_version": HOSTILE}]
    )
    return Case(base.forged(changes))


def another_shard(base):
    index, count = base.random.choice([(0, 2), (1, 2), (3, 4), (99_999, 100_000)])
    return Case(base.forged({"shard": f"{index}/{count}"}), foreign=True)


def a_forged_partial(base):
    at = base.random.choice(base.units)
    partial = int(base.object(at)["unit"]["partial"])
    forged = base.random.choice([partial + 1, partial + base.header["divisor"], partial * 2 + 2, 0 if partial else 8, 2**127])
    return Case(base.with_unit(at, {"partial": str(forged)}), merged=False)


def a_sum_too_large(base):
    lines = [base.lines[0]]
    for line in base.lines[1:]:
        value = json.loads(strip(line))
        if "unit" in value:
            value["unit"]["partial"] = str(2**128 - 1)
        lines.append(ledgers.sealed(value, base.before))
    return Case(b"".join(lines), merged=False)


def two_counts_of_a_unit(base):
    at = base.random.choice(base.units)
    partial = int(base.object(at)["unit"]["partial"])
    where = base.random.randrange(1, len(base.lines) + 1)
    return Case(base.with_unit(at, {"partial": str(partial + base.header["divisor"])}, where), merged=False)


def an_impossible_unit(base):
    at = base.random.choice(base.units)
    changes = base.random.choice(
        [
            {"unit": base.header["units"]}, {"unit": 2**63}, {"unit": 2**64}, {"unit": -1}, {"unit": 1.5}, {"unit": None},
            {"partial": -1}, {"partial": "-1"}, {"partial": "1e3"}, {"partial": str(2**128)}, {"partial": "\x1b[31m7"},
            {"weight": 2**64 - 1}, {"weight": -1}, {"nodes": 2**64 - 1}, {"nodes": -1}, {"seconds": 1e308},
            {"seconds": -1.0}, {"seconds": 5e-324}, {"at": 1e308}, {"at": -5.0}, {"at": None}, {"weight": 0, "at": 0.0},
        ]
    )  # fmt: skip
    return Case(base.with_unit(at, changes))


def all_times_absurd(base):
    seconds = base.random.choice([0.0, 1e11, 5e-324, 9e307, 1e15])
    lines = [base.lines[0]]
    for line in base.lines[1:]:
        value = json.loads(strip(line))
        if "unit" in value:
            value["unit"].update({"seconds": seconds, "at": seconds, "weight": base.random.choice([0, 1, 2**64 - 1])})
        lines.append(ledgers.sealed(value, base.before))
    return Case(b"".join(lines))


def hostile_runs(base):
    run = {
        "pid": base.random.choice([0, 1, 2**32 - 1, 2**40]),
        "host": HOSTILE,
        "kernel": base.random.choice([HOSTILE, "none", ""]),
        "threads": base.random.choice([0, 2**63]),
        "program_version": HOSTILE,
        "begun": base.random.choice([0, 2**64 - 1]),
    }
    return Case(base.with_inserted(ledgers.sealed({"run": run}, base.before)))


def no_runs(base):
    return Case(b"".join(line for line in base.lines if not line.startswith(b'{"run"')), merged=True)


def runs_without_end(base):
    many = base.random.choice([1000, 50_000])
    return Case(base.data + base.lines[1] * many, merged=True)


def a_line_of_another_kind(base):
    value = base.random.choice([{"note": "x"}, {"unit": 3}, {"run": []}, {"unit": {}, "run": {}}, {"unit": {"unit": 0}}])
    return Case(base.with_inserted(ledgers.sealed(value, base.before)))


def a_nested_line(base):
    deep = base.random.choice([200, 100_000])
    return Case(base.with_inserted(ledgers.sealed(b'{"unit":' + b"[" * deep + b"]" * deep + b"}", base.before)))


def a_huge_line(base):
    mark = base.random.choice([b"a", b"\x00", b"\xff", b'{"unit":'])
    end = base.random.choice([b"\n", b""])

    def write(file):
        file.write(base.data)
        for _ in range(BIG >> 20):
            file.write(mark * ((1 << 20) // len(mark)))
        file.write(end)

    return Case(None, writer=write, torn=not end)


def a_huge_first_line(base):
    begin = base.random.choice([b"", b'{"schema":"nqueens/ledger/1","board":12,"engine":"', b'{"schema":"nqueens/ledger/2",'])

    def write(file):
        file.write(begin)
        for _ in range(BIG >> 20):
            file.write(b"x" * (1 << 20))
        file.write(base.random.choice([b"", b"\n"]))

    return Case(None, writer=write)


def megabytes_of_newlines(base):
    many = base.random.choice([1, 16, 256])

    def write(file):
        file.write(base.data)
        for _ in range(many):
            file.write(b"\n" * (1 << 20))

    return Case(None, writer=write)


def megabytes_that_may_be_mended(base):
    """Much is damaged, and no more than the program promises to mend."""
    noise = base.random.choice([b"\n" * 200_000, b"x" * (12 << 20) + b"\n", b"damaged\n" * 100_000])
    return Case(base.with_inserted(noise))


def a_sparse_tail(base):
    def write(file):
        file.write(base.data)
        file.truncate(4 << 30)

    return Case(None, writer=write, torn=True)


def something_else(base):
    data = base.random.choice(
        [b"", b"\n", b"{}", b"{}\n", b"[]\n", b"null\n", b"nqueens", b"\x7fELF" + bytes(100), b"a,b\n1,2\n", b'{"schema":"']
        + [b'{"schema":"nqueens/ledger/1"}\n', b'{"schema":"nqueens/status/1"}\n', b"[" * 100_000]
    )
    return Case(data)


CASES = [
    one_bit, many_bits, bits_of_the_header, a_lost_line, lost_lines, a_doubled_line, swapped_lines, the_header_elsewhere,
    two_headers, a_truncated_file, a_truncated_line, joined_lines, inserted_noise, zeros, zeros_at_the_end, crlf,
    byte_order_mark, utf16, no_end_of_the_last_line, no_line_ends, another_encoding_of_json, a_foreign_line, another_version,
    another_version_with_a_wrong_crc, the_version_exchanged, another_board, an_impossible_header, forged_sizes_of_the_shard,
    another_shard, a_forged_partial, a_sum_too_large, two_counts_of_a_unit, an_impossible_unit, all_times_absurd, hostile_runs,
    no_runs, runs_without_end, a_line_of_another_kind, a_nested_line, a_huge_line, a_huge_first_line, megabytes_of_newlines,
    a_sparse_tail, something_else, another_version_in_another_spelling, megabytes_that_may_be_mended,
]  # fmt: skip


def attack(round_):
    """Damages a ledger in one way, and gives it to the commands that read it, and to the one that goes on from it."""
    truth = round_.truth(0.6, SMALL)
    case = round_.random.choice(CASES)
    made = case(Base(round_.random, truth))
    path = round_.path("ledger.jsonl")
    with open(path, "wb") as file:
        if made.writer:
            made.writer(file)
        else:
            file.write(made.data)
    round_.note(f"{case.__name__.replace('_', ' ')}; before it was damaged the ledger was that of {truth.board} {truth.options}")
    state = os.stat(path)
    if made.data is not None:
        # Kept, as the last command may write to the other.
        shutil.copy(path, round_.path("as-it-was"))
    known = what_is_in(made)
    judge_readers(round_, truth, made, known, path)
    after = os.stat(path)
    same = (state.st_mtime_ns, state.st_size, state.st_ino) == (after.st_mtime_ns, after.st_size, after.st_ino)
    round_.expect(same, "a command that only reads has written")
    judge_count(round_, truth, made, known, path)
    if made.data is None:
        for name in round_.names():
            if os.path.getsize(round_.path(name)) > BIG // 2:
                os.remove(round_.path(name))
    return case.__name__.replace("_", " ")


def what_is_in(made):
    """Returns what an independent reader finds in the ledger, or None where it finds no header."""
    if made.data is None:
        return None
    try:
        return ledgers.read(made.data)
    except ledgers.NotALedger:
        return None


def what_must_be_kept(truth, made, known):
    """Returns the ledger that a count must go on from, as an independent reader finds it; None where it may be refused."""
    if made.data is None or made.refused or made.foreign:
        return None
    begun = known
    if begun is None and not ledgers.OTHER_VERSION.search(made.data.split(b"\n", 1)[0]):
        # The first line is damaged, but those below may show whose they are.
        begun = ledgers.read_below(made.data, truth.ledger.header)
    if begun is None or not begun.is_mendable():
        return None
    same = all(begun.header[name] == truth.ledger.header[name] for name in ledgers.IDENTITY_FIELDS)
    right = all(set(partials) == {truth.units.get(unit)} for unit, partials in begun.units.items())
    return begun if same and right else None


def judge_readers(round_, truth, made, known, path):
    """Checks what `status`, `status --missing`, `merge` and `recheck` say of it."""
    status = round_.run("status", *round_.random.choice([[], ["--format", "json"], ["--format", "markdown"]]), path)
    missing = round_.run("status", "--missing", path)
    merged = round_.run("merge", path)
    if made.refused:
        for outcome in (status, missing, merged):
            round_.expect(outcome.code in (1, 2), f"another version of the format is read: {outcome.in_words()}")
    if made.merged is True:
        round_.expect(merged.output.split() == [str(truth.total)] and merged.code == 0, f"no total: {merged.in_words()}")
    if made.merged is False:
        round_.expect(merged.code != 0, f"a total of what cannot be believed: {merged.output[:100]!r}, {merged.in_words()}")
    if merged.code == 0 and made.merged is None:
        round_.expect(merged.output.split() == [str(truth.total)], f"wrong total {merged.output[:100]!r}: {merged.in_words()}")
    rechecked = round_.run("recheck", "--all", path)
    if known is None:
        return
    if not made.foreign and rechecked.code == 0:
        right = all({truth.units.get(unit)} == set(partials) for unit, partials in known.units.items())
        round_.expect(right, f"wrong partial counts agree: {rechecked.in_words()}")
    if known.contradicts_itself():
        round_.expect(status.code == 1, f"a contradiction is no error: {status.in_words()}")
        listed = missing.output.strip() == str(known.shard[0])
        round_.expect(missing.code == 1 and listed, f"{missing.output[:100]!r} after a contradiction: {missing.in_words()}")
        round_.expect(merged.code != 0, f"a total after a contradiction: {merged.output[:100]!r}, {merged.in_words()}")
    lacking = truth.units.keys() - known.units.keys()
    if lacking and known.shard == (0, 1):
        round_.expect(merged.code != 0, f"a total though units are lost: {merged.output[:100]!r}, {merged.in_words()}")
        round_.expect(missing.code != 0 or missing.output == "0\n", f"units are lost and not missed: {missing.in_words()}")


def judge_count(round_, truth, made, known, path):
    """Checks what a count that goes on from it makes of it."""
    means = ["--threads", str(round_.random.randrange(1, 4)), "--kernel", round_.kernel_of(truth.engine)]
    state = os.stat(path)
    outcome = round_.run("count", str(truth.board), *truth.options, *means, "--ledger", path)
    printed = outcome.output.split()
    kept = what_must_be_kept(truth, made, known)
    if kept or made.data is not None and truth.data.startswith(made.data):
        round_.expect(outcome.code == 0, f"a ledger that can be mended is not gone on with: {outcome.in_words()}")
    round_.expect(outcome.code != 0 or printed == [str(truth.total)], f"wrong total {printed}: {outcome.in_words()}")
    others = [name for name in round_.names() if name not in ("ledger.jsonl", "as-it-was", "ledger.jsonl.bad")]
    round_.expect(not others, f"files are left: {others}")
    if made.data is None:
        judge_large(round_, made, outcome, state, path)
        return
    after, bad = round_.read("ledger.jsonl"), round_.read("ledger.jsonl.bad")
    round_.expect(bad is None or bad == made.data, "the file set aside is not as it was")
    untouched = after == made.data and bad is None
    if made.refused or made.foreign or (known and known.contradicts_itself()):
        round_.expect(outcome.code in (1, 2) and untouched, f"what must be left alone is not: {outcome.in_words()}")
    if outcome.code == 2:
        round_.expect(untouched, f"refused, and touched: {outcome.in_words()}")
    if bad is None and after is not None and not after.startswith(made.data) and not is_torn_off(made.data, after):
        round_.find(f"the old bytes are nowhere: {outcome.in_words()}")
    if outcome.code == 0:
        judge_counted(round_, truth, kept, after)


def is_torn_off(before, after):
    """Returns whether only a last line that was not whole is gone, or its end was put behind it."""
    whole = before[: before.rfind(b"\n") + 1]
    return after.startswith(whole)


def judge_large(round_, made, outcome, state, path):
    """Checks that a file that is too large to be a ledger, if it is refused, is as it was."""
    after = os.stat(path)
    touched = (state.st_mtime_ns, state.st_size) != (after.st_mtime_ns, after.st_size)
    aside = [name for name in round_.names() if name.endswith(".bad")]
    if touched and not aside and not made.torn:
        round_.find(f"the old bytes are nowhere: {outcome.in_words()}")
    if aside:
        round_.expect(os.path.getsize(round_.path(aside[0])) == state.st_size, "the file set aside is not as it was")


def judge_counted(round_, truth, kept, after):
    """Checks the ledger of a count that came to its end, and that the units that were good before are not counted again."""
    try:
        ledger = ledgers.read(after)
    except ledgers.NotALedger:
        round_.find("a count has ended, and its ledger has no header")
        return
    round_.expect(not ledger.damaged and not ledger.torn, f"lines {ledger.damaged[:5]} are damaged after the count")
    counted = {unit: set(partials) for unit, partials in ledger.units.items()}
    wrong = [unit for unit, partial in truth.units.items() if counted.get(unit) != {partial}]
    round_.expect(not wrong, f"a right total, and units {wrong[:5]} are not in the ledger or wrong")
    if kept:
        # What is as the program wrote it is good; it is lost when the line of the unit is another one.
        good = [unit for unit, said in kept.said.items() if all(once == truth.ledger.said[unit][0] for once in said)]
        lost = [unit for unit in good if truth.ledger.said[unit][0] not in ledger.said.get(unit, [])]
        round_.expect(not lost, f"{len(lost)} units, {sorted(lost)[:5]}, were good and are lost: they were counted again")
