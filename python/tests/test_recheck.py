"""Ledgers and counts that are counted again."""

import json
import re
import zlib
from pathlib import Path

import nqueens
import pytest

DATA = Path(__file__).parents[2] / "tests" / "data" / "0.2.0"
SHARDS = sorted(DATA.glob("shard-*.jsonl"))


def forged(path, unit, change):
    """Changes the partial count of a unit in a ledger, and corrects the checksum of its line."""
    lines = path.read_text().splitlines()
    header = json.loads(lines[0])
    names = ["schema", "board", "engine", "plan", "fingerprint", "divisor", "units", "shard"]
    identity = " ".join(str(header[name]) for name in names)
    for number, line in enumerate(lines):
        text = line.rsplit(',"crc32"', 1)[0]
        if text.startswith(f'{{"unit":{{"unit":{unit},'):
            text = re.sub('"partial":"(\\d+)"', lambda partial: f'"partial":"{change(int(partial[1]))}"', text)
            lines[number] = f'{text},"crc32":"{zlib.crc32((identity + text).encode()):08x}"}}'
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def ledgers(tmp_path):
    """Returns the ledgers of two shards of N = 12, which together have all 18 units."""
    for shard in SHARDS:
        (tmp_path / shard.name).write_bytes(shard.read_bytes())
    return sorted(tmp_path.iterdir())


def test_a_second_count_confirms_the_first():
    for engine in "backtrack", "two-color":
        result = nqueens.count(12, details=True, engine=engine, double_check=True)
        others = {"backtrack", "two-color"} - {engine}
        assert result.total == 14200 and result.double_check.split(", ")[0] in others
    assert nqueens.count(8, details=True).double_check is None
    shares = []
    assert nqueens.count(13, double_check=True, progress=shares.append) == 73712
    assert shares == sorted(shares) and shares[-1] == 1


def test_all_units_of_sound_ledgers_agree(ledgers):
    found = nqueens.recheck(ledgers, units=1000)
    assert (found.size, found.plan, found.finished, found.missed, found.differences) == (12, "row-sets-3", 18, 0, ())
    assert [unit.unit for unit in found.units] == list(range(18))
    for unit in found.units:
        assert Path(unit.ledger) == ledgers[unit.unit % 2]
        assert re.fullmatch("two-color, [a-z0-9]+ kernel", unit.recorded_by)
        assert re.fullmatch("two-color, [a-z0-9]+ kernel, sides exchanged", unit.recounted_by)
        assert unit.recorded_by not in unit.recounted_by or len(nqueens.KERNELS) == 2


def test_a_forged_partial_count_is_found_and_named(ledgers):
    # The sum of the two units is right, and so are the checksums and the total.
    forged(ledgers[0], 4, lambda partial: partial + 8)
    forged(ledgers[1], 7, lambda partial: partial - 8)
    found = nqueens.recheck(ledgers, units=1000, threads=2)
    assert [(unit.unit, unit.recorded - unit.recounted) for unit in found.differences] == [(4, 8), (7, -8)]
    assert [Path(unit.ledger) for unit in found.differences] == ledgers
    for seed in range(10):
        found = nqueens.recheck(ledgers[0], units=20, seed=seed)
        assert [unit.unit for unit in found.differences] == [4] * (4 in [unit.unit for unit in found.units])


def test_a_seed_chooses_the_same_units_again(ledgers):
    def chosen(**arguments):
        found = nqueens.recheck(ledgers, units=5, **arguments)
        return found.seed, [unit.unit for unit in found.units], found.missed

    assert chosen(seed=7, threads=1) == chosen(seed=7, threads=3) != chosen(seed=8)
    seed, units, missed = chosen()
    assert chosen(seed=seed) == (seed, units, missed)
    # One of the 18 units would be wrong.
    expected = 1.0
    for drawn in range(5):
        expected *= (17 - drawn) / (18 - drawn)
    assert abs(missed - expected) < 1e-12


def test_a_limited_time_is_kept_and_progress_is_told(ledgers):
    shares = []
    found = nqueens.recheck(str(ledgers[0]), duration=1e-9, threads=1, progress=shares.append)
    assert len(found.units) == 1 and found.differences == ()
    assert shares == sorted(shares) and shares[-1] == 1
    assert len(nqueens.recheck(ledgers[0]).units) == 9


def test_what_cannot_be_counted_again_is_said(ledgers, tmp_path):
    with pytest.raises(FileNotFoundError, match="cannot read '.*nowhere.jsonl'"):
        nqueens.recheck(tmp_path / "nowhere.jsonl")
    no_ledger = tmp_path / "note.jsonl"
    no_ledger.write_text("a note\n")
    with pytest.raises(ValueError, match="note.jsonl' is not a ledger"):
        nqueens.recheck(no_ledger)
    with pytest.raises(ValueError, match="is of N = 9, but .* is of N = 12; give the ledgers of one count"):
        nqueens.recheck([*ledgers, DATA / "whole.jsonl"])
    with pytest.raises(ValueError, match="^ledgers has no element; give the path of a ledger, or several$"):
        nqueens.recheck([])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"duration": 0}, ValueError, "duration is 0; give a positive number of seconds"),
        ({"duration": "1m"}, TypeError, "duration is '1m'"),
        ({"ledgers": 8}, TypeError, "ledgers is 8; give the path of a ledger, or several"),
        ({"ledgers": [8]}, TypeError, "an element of ledgers is 8"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        nqueens.recheck(**{"ledgers": "12.jsonl", **arguments})
