"""Counts in ledgers: begun, stopped and continued, in shards, watched and added up."""

import os
import re
import subprocess
import sys

import nqueens
import pytest


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
    begun = nqueens.status(ledger)
    assert (begun.size, begun.engine, begun.state, begun.shards, begun.missing) == (15, "backtrack", "stopped", 1, (0,))
    assert 0 < begun.units_done < begun.units and 0 < begun.share < 1 and begun.core_seconds > 0
    assert begun.seconds_left is None
    with pytest.raises(ValueError, match="units are missing|is missing|are in no ledger|no ledger"):
        nqueens.merge(ledger)
    shares = []
    result = nqueens.count(15, ledger=ledger, details=True, progress=shares.append)
    assert (result.total, result.engine, result.verdict) == (2279184, "backtrack", "matches")
    assert shares[0] >= begun.share - 1e-9 and shares[-1] == 1
    done = nqueens.status(str(ledger))
    assert (done.state, done.missing, done.units_done, done.share) == ("done", (), done.units, 1)
    assert nqueens.count(15, ledger=ledger) == nqueens.merge(ledger) == 2279184


def test_shards_are_told_apart_and_added_up(tmp_path):
    ledgers = [tmp_path / f"{index}.jsonl" for index in range(3)]
    for index in (0, 2):
        assert nqueens.count(12, ledger=ledgers[index], shard=(index, 3), engine="two-color") is None
    now = nqueens.status([ledgers[0], ledgers[2]])
    assert (now.shards, now.missing, now.state) == (3, (1,), "stopped")
    assert nqueens.count(12, ledger=ledgers[1], shard=(1, 3), engine="two-color", details=True) is None
    merged = nqueens.merge(iter(ledgers), details=True)
    assert (merged.size, merged.total, merged.engine, merged.shards) == (12, 14200, "two-color", 3)
    assert (merged.verdict, merged.device, merged.units) == ("matches", None, nqueens.status(ledgers).units)
    assert nqueens.recheck(ledgers, units=3).differences == ()
    with pytest.raises(ValueError, match="shard"):
        nqueens.count(12, ledger=ledgers[1], shard=(2, 3))


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
    with pytest.raises(ValueError, match="ledgers has no element"):
        nqueens.status([])


def test_a_wrong_total_is_an_exception_and_details_have_its_verdict(tmp_path, monkeypatch):
    ledger = tmp_path / "8.jsonl"
    assert nqueens.count(8, ledger=ledger) == 92
    true = nqueens._native.merge
    wrong = lambda ledgers: true(ledgers) | {"total": 93, "verdict": "contradicts"}
    monkeypatch.setattr(nqueens._native, "merge", wrong)
    with pytest.raises(RuntimeError, match="93 solutions were counted for N = 8, which contradicts"):
        nqueens.merge(ledger)
    assert nqueens.merge(ledger, details=True).verdict == "contradicts"


@pytest.mark.skipif(os.name != "posix", reason="a process is killed")
def test_a_process_that_is_killed_loses_no_finished_unit(tmp_path):
    ledger = tmp_path / "14.jsonl"
    code = "import nqueens, sys; nqueens.count(16, ledger=sys.argv[1], threads=1, engine='backtrack', kernel='scalar')"
    with subprocess.Popen([sys.executable, "-c", code, str(ledger)]) as process:
        while not ledger.exists() or ledger.read_text().count('"unit":{') < 3:
            assert process.poll() is None
        assert nqueens.status(ledger).state == "running"
        with pytest.raises(RuntimeError, match=f"in use by process {process.pid}"):
            nqueens.count(16, ledger=ledger)
        process.kill()
    kept = nqueens.status(ledger)
    assert kept.state == "stopped" and kept.units_done >= 3
    assert nqueens.count(16, ledger=ledger) == 14772512
