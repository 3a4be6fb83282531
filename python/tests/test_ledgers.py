"""Counts in ledgers: begun, stopped and continued, in shards, and added up."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nqueens_count as nqueens
import pytest

DATA = Path(__file__).parents[2] / "tests" / "data" / "0.2.0"


def units_in(ledger):
    return ledger.read_text().count('{"unit":{')


def test_a_count_that_was_stopped_goes_on(tmp_path):
    ledger = tmp_path / "13.jsonl"

    class Stop(Exception):
        pass

    def stop(share):
        if share > 0.1:
            raise Stop

    long = {"engine": "backtrack", "kernel": "scalar", "threads": 1, "ledger": ledger}
    with pytest.raises(Stop):
        nqueens.count(15, progress=stop, **long)
    begun = units_in(ledger)
    assert begun > 0
    with pytest.raises(ValueError, match=" units are missing"):
        nqueens.merge(ledger)
    shares = []
    result = nqueens.count(15, ledger=ledger, details=True, progress=shares.append)
    assert (result.total, result.engine, result.verdict) == (2279184, "backtrack", "matches")
    assert begun < units_in(ledger) == result.units
    assert shares[0] > 0.05 and shares[-1] == 1
    assert nqueens.count(15, ledger=ledger) == nqueens.merge(str(ledger)) == 2279184


def test_shards_are_told_apart_and_added_up(tmp_path):
    ledgers = [tmp_path / f"{index}.jsonl" for index in range(3)]
    for index, details in enumerate([False, True, False]):
        given = {"shard": (index, 3), "engine": "two-color", "details": details}
        assert nqueens.count(12, ledger=ledgers[index], **given) is None
    merged = nqueens.merge(iter(ledgers), details=True)
    assert (merged.size, merged.total, merged.engine, merged.shards) == (12, 14200, "two-color", 3)
    assert (merged.verdict, merged.units) == ("matches", sum(map(units_in, ledgers)))
    with pytest.raises(ValueError, match="^6 of 18 units are missing"):
        nqueens.merge(ledgers[:2])
    with pytest.raises(ValueError, match="shard"):
        nqueens.count(12, ledger=ledgers[1], shard=(2, 3))


def test_files_that_are_no_ledgers_of_one_count_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="cannot read '.*nowhere.jsonl'"):
        nqueens.merge(tmp_path / "nowhere.jsonl")
    no_ledger = tmp_path / "note.jsonl"
    no_ledger.write_text("a note\n")
    with pytest.raises(ValueError, match="note.jsonl' is not a ledger"):
        nqueens.merge(no_ledger)
    with pytest.raises(ValueError, match="is of N = .*, but .* is of N = .*; give the ledgers of one count"):
        nqueens.merge(sorted(DATA.glob("*.jsonl")))
    with pytest.raises(ValueError, match="^ledgers has no element; give the path of a ledger, or several$"):
        nqueens.merge([])
    with pytest.raises(TypeError, match="^an element of ledgers is 8"):
        nqueens.merge([8])


def test_what_does_not_go_together_is_refused(tmp_path):
    ledger = tmp_path / "8.jsonl"
    for given, said in [
        ({"shard": (0, 2)}, "shard is for a count with a ledger; give ledger too"),
        ({"ledger": ledger, "double_check": True}, "double_check is for a count without a ledger"),
        ({"ledger": ledger, "shard": (2, 2)}, r"shard is (2, 2); give the number of a shard"),
        ({"ledger": ledger, "shard": (0, 100_001)}, "shard is "),
    ]:
        with pytest.raises(ValueError, match="^" + re.escape(said)):
            nqueens.count(8, **given)
    assert not ledger.exists()
    with pytest.raises(TypeError, match="^shard is 7; give"):
        nqueens.count(8, ledger=ledger, shard=7)
    with pytest.raises(OSError):
        nqueens.count(8, ledger=tmp_path / "nowhere" / "8.jsonl")


def test_a_wrong_total_is_an_exception_and_details_have_its_verdict(tmp_path, monkeypatch):
    ledger = tmp_path / "8.jsonl"
    assert nqueens.count(8, ledger=ledger) == 92
    true = nqueens._native.merge
    for verdict, said in [("contradicts", "contradicts the published count of 92"), ("impossible", "is impossible")]:
        wrong = lambda ledgers: true(ledgers) | {"total": 93, "verdict": verdict}
        monkeypatch.setattr(nqueens._native, "merge", wrong)
        with pytest.raises(RuntimeError, match=f"93 solutions were counted for N = 8, which {said}"):
            nqueens.merge(ledger)
        assert nqueens.merge(ledger, details=True).verdict == verdict


@pytest.mark.skipif(os.name != "posix", reason="a process is killed")
def test_a_process_that_is_killed_loses_no_finished_unit(tmp_path):
    ledger = tmp_path / "14.jsonl"
    code = "import nqueens_count as nqueens, sys; nqueens.count(16, ledger=sys.argv[1], threads=1, engine='backtrack', kernel='scalar')"
    with subprocess.Popen([sys.executable, "-c", code, str(ledger)]) as process:
        while not ledger.exists() or units_in(ledger) < 3:
            assert process.poll() is None
        with pytest.raises(RuntimeError, match=f"in use by process {process.pid}"):
            nqueens.count(16, ledger=ledger)
        process.kill()
    kept = units_in(ledger)
    result = nqueens.count(16, ledger=ledger, details=True)
    assert result.total == 14772512 and 3 <= kept < units_in(ledger) == result.units


def test_what_the_program_warns_of_is_a_warning_and_missing_shards_are_named(tmp_path):
    ledgers = [tmp_path / f"{index}.jsonl" for index in range(3)]
    for index in (0, 2):
        nqueens.count(12, ledger=ledgers[index], shard=(index, 3), engine="backtrack")
    with pytest.raises(ValueError, match=r"units are missing, of shard 1 of 3$"):
        nqueens.merge(ledgers[::2])
    ledgers[1].write_text('{"schema":')
    with pytest.warns(UserWarning, match="1.jsonl' had only a part of its first line"):
        nqueens.count(12, ledger=ledgers[1], shard=(1, 3), engine="backtrack")
    with ledgers[0].open("a") as file:
        file.write("not a line of a ledger\n")
    shard = {"ledger": ledgers[0], "shard": (0, 3), "engine": "backtrack"}
    for warn in [
        lambda: nqueens.merge(ledgers),
        lambda: nqueens.count(12, **shard),
        lambda: nqueens.count(12, progress=lambda share: None, **shard),
        lambda: nqueens.count(12, progress=True, **shard),
    ]:
        with pytest.warns(UserWarning, match="0.jsonl': line .* is damaged") as warned:
            assert warn() in (14200, None)
        # The line is the caller's. Otherwise Python would show the warning of one call only.
        assert [(each.filename, each.lineno) for each in warned] == [(__file__, warn.__code__.co_firstlineno)]
