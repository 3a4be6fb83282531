"""Runs python/examples/ with joblib, Dask and Ray, and kills a worker of each: `bash scripts/python.sh engines`."""

import os
import pathlib
import re
import signal
import subprocess
import sys

import nqueens
import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def processes(ledger):
    """Returns the processes that have worked on a ledger, in this order."""
    return [int(process) for process in re.findall(r'^{"run":{"pid":(\d+)', ledger.read_text(), re.MULTILINE)]


def kill_a_worker(running, folder):
    """Kills a worker that has finished some units of a shard, but not all. Returns the ledger of the shard."""
    while running.poll() is None:
        for ledger in folder.glob("*.jsonl"):
            if '\n{"unit"' not in ledger.read_text() or nqueens.status(ledger).state != "running":
                continue
            worker = processes(ledger)[-1]
            # A stopped process adds no line between the look at its ledger and its end.
            os.kill(worker, signal.SIGSTOP)
            now = nqueens.status(ledger)
            if now.state == "running" and now.units_done < now.units // now.shards:
                os.kill(worker, signal.SIGKILL)
                return ledger
            os.kill(worker, signal.SIGCONT)
    raise AssertionError(f"the example ended before a worker was killed: {running.communicate()}")


@pytest.mark.skipif(os.name != "posix", reason="a process is stopped and killed")
@pytest.mark.parametrize("engine", ["joblib", "dask", "ray"])
def test_a_count_goes_on_when_a_worker_is_killed(engine, tmp_path):
    folder = tmp_path / "ledgers"
    folder.mkdir()
    # Ray keeps a token in the home directory, and would report to its makers.
    environment = os.environ | {"HOME": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, str(EXAMPLES / f"{engine}_shards.py"), str(folder)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        try:
            ledger = kill_a_worker(running, folder)
            printed, _ = running.communicate(timeout=240)
        finally:
            running.kill()
    assert running.returncode == 0
    assert printed.splitlines()[-1] == "done 666090624"
    assert (engine == "joblib") == ("a process was killed" in printed)
    assert len(set(processes(ledger))) == 2, "another process went on with the ledger"
    ledgers = list(folder.iterdir())
    now = nqueens.status(ledgers)
    assert (now.state, now.shards, now.missing) == ("done", len(ledgers), ())
    assert nqueens.merge(ledgers) == 666090624
