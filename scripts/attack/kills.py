"""Kills counts at random moments and goes on from their ledgers: nothing that was written down may be lost."""

import os
import signal
import time

import ledgers
from rounds import SIGNALS, Spoilt


def attack(round_):
    """Kills a count, or the shards of one, some times; then lets it come to its end."""
    truth = round_.truth()
    shards = round_.random.choice([1, 1, 1, 2, 3])
    paths = []
    for index in round_.random.sample(range(shards), shards):
        path = round_.path(f"{index}.jsonl")
        shard = [] if shards == 1 else ["--shard", f"{index}/{shards}"]
        count_in_spite_of_kills(round_, truth, shard, path, truth.seconds / shards)
        paths.append(path)
    merged = round_.run("merge", *paths)
    round_.expect(
        merged.code == 0 and merged.output.split() == [str(truth.total)],
        f"merge of {truth.total} after kills: {merged.output[:100]!r}, {merged.in_words()}",
    )
    return f"{truth.engine}, {'shards' if shards > 1 else 'whole'}"


def count_in_spite_of_kills(round_, truth, shard, path, seconds):
    """Counts with a ledger until all is done; judges the ledger after each kill."""
    before = None
    killed_hard = False
    for _ in range(round_.random.randrange(1, 6)):
        child = round_.begin(*words(round_, truth, shard, path))
        sent = kill(round_, child, seconds)
        # The second of two signals ends the program wherever it is, as kill -9 does.
        killed_hard |= signal.SIGKILL in sent or len(sent) > 1
        outcome = child.end()
        round_.log.append(f"# {[number.name for number in sent]}, exit code {outcome.code}")
        round_.judge_any(outcome, signals=sent, codes=(0,))
        before = judge_ledger(round_, truth, path, before, killed_hard)
    outcome = round_.run(*words(round_, truth, shard, path))
    after = judge_ledger(round_, truth, path, before, killed_hard=False)
    round_.expect(outcome.code == 0, f"a count does not go on after kills: {outcome.in_words()}")
    if not shard:
        printed = outcome.output.split()
        round_.expect(printed == [str(truth.total)], f"{printed} for {truth.total}: {outcome.in_words()}")
        round_.expect(len(after) == len(truth.units), f"done, with {len(after)} of {len(truth.units)} units")
    left = [name for name in round_.names() if not name.endswith(".jsonl")]
    round_.expect(killed_hard or not left, f"files are left: {left}")


def words(round_, truth, shard, path):
    """Returns the command line of a count, with means that may change from run to run."""
    options = ["--threads", str(round_.random.randrange(1, 5)), "--kernel", round_.kernel_of(truth.engine)]
    if round_.random.random() < 0.3:
        options.append("--quiet")
    return ["count", str(truth.board), *truth.options, *shard, *options, "--ledger", path]


def kill(round_, child, seconds):
    """Sends one signal or two at a random moment; returns them."""
    child.wait_for(round_.random.uniform(0, 1.2) * seconds)
    sent = [round_.random.choice(SIGNALS)]
    if round_.random.random() < 0.3:
        sent.append(round_.random.choice(SIGNALS))
    for number in sent:
        child.send(number)
        time.sleep(round_.random.choice([0, 0.001, 0.02]))
    return sent


def judge_ledger(round_, truth, path, before, killed_hard):
    """Checks that a ledger has lost, doubled and changed nothing; returns its units."""
    if not os.path.exists(path):
        round_.expect(not before, "a ledger is gone")
        return {}
    with open(path, "rb") as file:
        data = file.read()
    try:
        ledger = ledgers.read(data)
    except ledgers.NotALedger:
        # Before its first line is whole nothing has been counted.
        round_.expect(not before and b"\n" not in data, f"a ledger of {len(data)} bytes has no header")
        return {}
    round_.expect(not ledger.damaged, f"lines {ledger.damaged[:5]} of a ledger are damaged by kills")
    round_.expect(killed_hard or not ledger.torn, "a line of a ledger is torn without kill -9")
    doubled = [unit for unit, partials in ledger.units.items() if len(partials) > 1]
    round_.expect(not doubled, f"units {doubled[:5]} are in a ledger twice")
    lost = [unit for unit in before or {} if unit not in ledger.units]
    round_.expect(not lost, f"units {lost[:5]} were in a ledger and are no longer")
    wrong = [unit for unit, partials in ledger.units.items() if set(partials) != {truth.units[unit]}]
    round_.expect(not wrong, f"units {wrong[:5]} have another count than without kills")
    if round_.found:
        round_.write("judged.jsonl.txt", data)
        raise Spoilt("the rest of this round is not tried")
    return ledger.units
