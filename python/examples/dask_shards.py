"""Counts 18 queens with Dask: eight shards on the workers of one machine, each shard with a ledger.

`python dask_shards.py FOLDER` keeps the ledgers in FOLDER, which workers on other machines must share.
"""

import pathlib
import sys

import nqueens
from dask.distributed import Client, LocalCluster

SIZE, SHARDS = 18, 8


def count(index, ledger):
    nqueens.count(SIZE, ledger=ledger, shard=(index, SHARDS), threads=1)


# Each worker is a process, which imports this file too.
if __name__ == "__main__":
    ledgers = [pathlib.Path(sys.argv[1], f"{index}.jsonl") for index in range(SHARDS)]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        # Dask gives the shard of a worker that was killed to another one, which goes on with its ledger.
        client.gather(client.map(count, range(SHARDS), ledgers, pure=False))
    print(nqueens.status(ledgers).state, nqueens.merge(ledgers))
