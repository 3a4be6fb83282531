#!/usr/bin/env bash
# Adds up the shards in DIR and writes DIR/total.json. If a unit is missing or counts contradict each other, fails and
# leaves no new file; a total that contradicts the published one is written with this verdict, and fails too.
# scripts/slurm/submit.sh submits it after the array.
#
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=00:15:00
#SBATCH --open-mode=append
set -euo pipefail
exec "${NQUEENS_PROGRAM:-nqueens}" merge "${1?usage: sbatch scripts/slurm/merge.sh DIR}" --output "$1/total.json"
