"""Counts N queens with Dask, in shards with a ledger each: `python dask_shards.py N SHARDS FOLDER [SCHEDULER]`.

`python dask_shards.py 26 32 /shared/q26 tcp://scheduler:8786` counts 26 queens on a cluster. Each shard takes about two
hours of one CPU, and 825 MiB of memory. All workers must share FOLDER, which has the ledgers. Without a scheduler,
workers on this machine count. If the count was stopped, the same command goes on.
"""

import pathlib
import sys

import nqueens_count as nqueens
from dask.distributed import Client


def count(size, shard, ledger):
    nqueens.count(size, shard=shard, ledger=ledger, threads=1)


# Each worker on this machine is a process, which imports this file too.
if __name__ == "__main__":
    size, shards, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    ledgers = [folder / f"{index}.jsonl" for index in range(shards)]
    with Client(*sys.argv[4:]) as client:
        # Dask gives the shard of a worker that was killed to another one, which goes on with its ledger.
        tasks = [client.submit(count, size, (index, shards), ledgers[index], pure=False) for index in range(shards)]
        client.gather(tasks)
    print(nqueens.merge(ledgers))
