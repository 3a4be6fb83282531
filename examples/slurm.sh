#!/usr/bin/env bash
# Counts N = 28 on a Slurm cluster in 64 shards, each for an hour or two on one node of 32 cores, and adds them up. Two
# lines, in a folder that all nodes share:
#
#   job=$(sbatch --parsable --array=0-63 slurm.sh 28 64)
#   sbatch --dependency=afterany:"$job" --output=merge.log --wrap='nqueens merge .'
#
# N and the number of shards follow the name of this file, and then options of `nqueens count`. Options for sbatch, such
# as --partition, stand before the name and override the lines below. For GPUs, the first line is
#
#   job=$(sbatch --parsable --array=0-63 --gpus-per-task=1 --cpus-per-task=16 slurm.sh 28 64 --kernel gpu)
#
# After any failure, give both lines again: a finished shard ends at once, and the others go on from their ledgers.
#
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=32
#SBATCH --mem=60G
#SBATCH --time=06:00:00
# A requeued task goes on with its log, too.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=shard-%a.log
set -euo pipefail

# With exec, the program gets Slurm's signals itself, and its exit code is that of the task. The number of threads is
# that of --cpus-per-task.
exec nqueens count "$1" --shard "$SLURM_ARRAY_TASK_ID/$2" --ledger "shard-$SLURM_ARRAY_TASK_ID.jsonl" "${@:3}"
