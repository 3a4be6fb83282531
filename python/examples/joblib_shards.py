"""Counts 18 queens with joblib: eight shards on the processes of one machine, each shard with a ledger.

`python joblib_shards.py FOLDER` keeps the ledgers in FOLDER. Run it again after it was stopped, and it goes on.
"""

import pathlib
import sys

import nqueens
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

SIZE, SHARDS = 18, 8
ledgers = [pathlib.Path(sys.argv[1], f"{index}.jsonl") for index in range(SHARDS)]


def count(index, ledger):
    nqueens.count(SIZE, ledger=ledger, shard=(index, SHARDS), threads=1)


for _ in range(3):
    try:
        Parallel(n_jobs=2)(delayed(count)(index, ledger) for index, ledger in enumerate(ledgers))
        break
    except TerminatedWorkerError:
        # joblib gives up the whole call. The same call goes on with the units that the ledgers lack.
        print("a process was killed")
print(nqueens.status(ledgers).state, nqueens.merge(ledgers))
