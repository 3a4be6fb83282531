#!/usr/bin/env bash
# Adds up the shards in DIR and writes DIR/total.json. Fails, and leaves no new file, when a unit is missing or counts
# contradict each other. scripts/slurm/submit.sh submits it behind the array; by hand it is
#
#   sbatch [sbatch options...] scripts/slurm/merge.sh N DIR        or        bash scripts/slurm/merge.sh N DIR
#
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=00:15:00
#SBATCH --open-mode=append
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: sbatch scripts/slurm/merge.sh N DIR" >&2
    exit 2
fi
n=$1 dir=$2

# Under its name there is only ever a whole file.
temporary=$(mktemp "$dir/total.json.XXXXXX")
trap 'rm -f "$temporary"' EXIT
"${NQUEENS_PROGRAM:-nqueens}" merge --format json "$dir" > "$temporary"
if ! grep -Eq "\"board\": *$n(,|$)" "$temporary"; then
    echo "error: the ledgers in $dir are not of board $n" >&2
    exit 1
fi
# mktemp makes it for the owner alone.
chmod 644 "$temporary"
mv "$temporary" "$dir/total.json"
