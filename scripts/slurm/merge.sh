#!/usr/bin/env bash
# Adds up the shards in DIR and writes DIR/total.json. If a unit is missing or counts contradict each other, fails and
# leaves no new file. scripts/slurm/submit.sh submits it after the array. To run it by hand, use
#
#   sbatch [sbatch options...] scripts/slurm/merge.sh N DIR        or        scripts/slurm/merge.sh N DIR
#
# Options after DIR are those of `nqueens merge`, such as --fundamental.
#
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=00:15:00
#SBATCH --open-mode=append
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: sbatch scripts/slurm/merge.sh N DIR [options of nqueens merge...]" >&2
    exit 2
fi
n=$1 dir=$2
shift 2

# The file gets its name only when it is complete.
temporary=$(mktemp "$dir/total.json.XXXXXX")
trap 'rm -f "$temporary"' EXIT
"${NQUEENS_PROGRAM:-nqueens}" merge --format json "$@" "$dir" > "$temporary"
if ! grep -Eq "\"board\": *$n(,|$)" "$temporary"; then
    echo "error: the ledgers in $dir are not of board $n" >&2
    exit 1
fi
# mktemp allows only the owner to read the file.
chmod 644 "$temporary"
mv "$temporary" "$dir/total.json"
