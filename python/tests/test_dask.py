"""The example for Dask, of which a worker is killed. `bash scripts/python.sh dask` installs Dask, which is large."""

import os
import pathlib
import re
import signal
import subprocess
import sys

import nqueens_count as nqueens
import pytest

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples/dask_shards.py"


def processes(ledger):
    """Returns the processes that have worked on a ledger, in this order."""
    return [int(process) for process in re.findall(r'^{"run":{"pid":(\d+)', ledger.read_text(), re.MULTILINE)]


def kill_a_worker(running, folder):
    """Kills a worker that has finished at most half of the 576 units of a shard. Returns the ledger of the shard."""
    while running.poll() is None:
        for ledger in folder.glob("*.jsonl"):
            if 1 <= ledger.read_text().count('{"unit":{') <= 288:
                os.kill(processes(ledger)[-1], signal.SIGKILL)
                return ledger
    raise AssertionError(f"the example ended before a worker was killed: {running.communicate()}")


@pytest.mark.skipif(os.name != "posix", reason="a process is killed")
def test_a_count_goes_on_when_a_worker_is_killed(tmp_path):
    pytest.importorskip("distributed")
    folder = tmp_path / "new" / "ledgers"
    command = [sys.executable, str(EXAMPLE), "21", "6", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            ledger = kill_a_worker(running, folder)
            printed, _ = running.communicate(timeout=240)
        finally:
            running.kill()
    assert running.returncode == 0
    assert printed.splitlines()[-1] == "314666222712"
    assert len(set(processes(ledger))) == 2, "another process went on with the ledger"
    assert nqueens.merge(folder.iterdir(), details=True).shards == 6
