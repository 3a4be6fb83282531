#!/usr/bin/env bash
# Counts one shard of a board as one task of a Slurm job array: task I counts shard I of M. scripts/slurm/submit.sh
# submits it. To submit it by hand, run
#
#   sbatch --array=0-15 [sbatch options...] scripts/slurm/array.sh N 16 DIR [ENGINE]
#
# Options on sbatch's command line, and its variables such as SBATCH_PARTITION, override the lines below.
#
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=08:00:00
# A requeued task continues its ledger and its log.
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

if [ $# -lt 3 ] || [ $# -gt 4 ] || [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    echo "usage: sbatch --array=0-15 scripts/slurm/array.sh N 16 DIR [ENGINE]   (scripts/slurm/submit.sh does it)" >&2
    exit 2
fi
n=$1 shards=$2 dir=$3 shard=$SLURM_ARRAY_TASK_ID

# All tasks that have counted this shard write to the same log.
echo "$(date -u +%FT%TZ): shard $shard/$shards on $(hostname), job ${SLURM_ARRAY_JOB_ID}_$shard," \
    "restart ${SLURM_RESTART_COUNT:-0}" >&2

# With exec, the program is the task, and its exit code is that of the task. It receives Slurm's SIGTERM itself, and its
# units at hand have time to end: until KillWait (in slurm.conf, 30 seconds by default), or with --signal=B:TERM@600 for
# ten minutes before the time limit. It reads the number of threads from SLURM_CPUS_PER_TASK.
exec "${NQUEENS_PROGRAM:-nqueens}" count "$n" --engine "${4:-auto}" --shard "$shard/$shards" \
    --grace 10m --ledger "$dir/shard-$shard-of-$shards.jsonl"
