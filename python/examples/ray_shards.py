"""Counts 18 queens with Ray: eight shards on the workers of one machine, each shard with a ledger.

`python ray_shards.py FOLDER` keeps the ledgers in FOLDER, which workers on other machines must share.
"""

import pathlib
import sys

import nqueens
import ray

SIZE, SHARDS = 18, 8
ledgers = [pathlib.Path(sys.argv[1], f"{index}.jsonl") for index in range(SHARDS)]


# Ray gives the shard of a worker that was killed to another one, which goes on with its ledger.
@ray.remote(num_cpus=1, max_retries=3)
def count(index, ledger):
    nqueens.count(SIZE, ledger=ledger, shard=(index, SHARDS), threads=1)


ray.init(num_cpus=2, include_dashboard=False)
ray.get([count.remote(index, ledger) for index, ledger in enumerate(ledgers)])
print(nqueens.status(ledgers).state, nqueens.merge(ledgers))
