#!/usr/bin/env bash
# Counts a board on a Slurm cluster: an array task for each shard that is missing, and behind them a job that adds all up.
# `--help` says more, docs/cluster.md everything.
set -euo pipefail

help() {
    cat << 'END'
usage: scripts/slurm/submit.sh N M DIR [sbatch options...]

Counts the solutions for N queens in M shards on a Slurm cluster. Each shard is a task of one job array and has a ledger in
DIR, which every node must see. A job behind the array adds the shards up and writes DIR/total.json.

Only shards that DIR lacks are submitted: after a failure, run the same command again. While jobs of an earlier submit are
queued or running it submits nothing.

The sbatch options go to both jobs (the job that adds up always asks for one CPU and 15 minutes). By default a task has 4
CPUs, 512 MB for each and 8 hours.

  scripts/slurm/submit.sh 22 64 /shared/q22
  scripts/slurm/submit.sh 22 64 /shared/q22 --partition=long --account=me --time=24:00:00 --cpus-per-task=32 --mem=16G

NQUEENS_PROGRAM names the program, by default the nqueens in PATH. NQUEENS_ENGINE, NQUEENS_KERNEL and the like reach the
tasks, as sbatch takes the environment along.
END
}

# The command line was wrong.
usage() {
    echo "error: $1; scripts/slurm/submit.sh --help tells more" >&2
    exit 2
}

fail() {
    echo "error: $1" >&2
    exit 1
}

for argument in "$@"; do
    case $argument in -h | --help) help; exit ;; esac
done
if [ $# -lt 3 ]; then usage "it takes N, M and DIR"; fi
n=$1 shards=$2 dir=$3
shift 3
if ! [[ $n =~ ^[1-9][0-9]?$ ]] || [ "$n" -gt 32 ]; then usage "N is a number from 1 to 32, not '$n'"; fi
if ! [[ $shards =~ ^[1-9][0-9]{0,6}$ ]]; then usage "M is the number of shards, not '$shards'"; fi
case $dir in '' | -*) usage "DIR is a directory, not '$dir'" ;; esac
# In the name of a log sbatch takes a backslash for an order to replace no patterns, and drops it.
case $(realpath -m -- "$dir") in *\\*) usage "sbatch cannot write logs where a backslash is in the path: '$dir'" ;; esac
for option in "$@"; do
    case $option in
        -a* | --array* | -d* | --dependency* | -J* | --job-name* | --parsable | --wrap* | -W | --wait)
            usage "the option $option is not for you to give" ;;
    esac
done
# sbatch would take the first word that is neither an option nor the value of one for the script.
case ${1:--} in -*) ;; *) usage "'$1' is not an option of sbatch" ;; esac
# Here and not in array.sh, because sbatch refuses a --mem on the command line beside a --mem-per-cpu in the script.
case " $*" in *' --mem'*) ;; *) set -- --mem-per-cpu=512M "$@" ;; esac

here=$(cd "$(dirname "$0")" && pwd)
for tool in sbatch squeue scontrol scancel; do
    command -v "$tool" > /dev/null || fail "$tool is not installed; this script is for a machine that submits to Slurm"
done
program=${NQUEENS_PROGRAM:-nqueens}
# With its whole path, because the tasks may start elsewhere.
NQUEENS_PROGRAM=$(realpath -e "$(command -v "$program")" 2> /dev/null) ||
    fail "the program '$program' is not there; NQUEENS_PROGRAM names it"
export NQUEENS_PROGRAM
config=$(scontrol show config) || fail "Slurm does not answer"
most=$(awk '$1 == "MaxArraySize" { print $3 - 1 }' <<< "$config")
if [ "$shards" -gt "${most:-$shards}" ]; then usage "this cluster takes arrays of at most $most tasks, not $shards"; fi

mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)

# Looks at the ledgers, which must be of this board, and sets `missing` to the shards that have none or are not complete. The
# program says what is wrong where there are ledgers of another number of shards or of several counts, one of another version
# of the format, or one that contradicts itself.
look_at_ledgers() {
    local table board
    table=$("$NQUEENS_PROGRAM" status --quiet --format json --shards "$shards" "$dir") || exit 1
    board=$(sed -n '/"board": *[0-9]/ { s/.*"board": *\([0-9][0-9]*\).*/\1/p; q; }' <<< "$table")
    if [ "${board:-$n}" -ne "$n" ]; then fail "$dir is of board $board, not of $n; give another directory"; fi
    missing=$("$NQUEENS_PROGRAM" status --missing --shards "$shards" "$dir") || exit 1
}

# The jobs of any earlier submit for this directory, but none behind the job that is given. The number in their names tells
# the jobs of this directory from all others.
mark=$(cksum <<< "$dir" | cut -d ' ' -f 1)
earlier_jobs() {
    squeue ${on[@]+"${on[@]}"} --all --noheader --format='%F %j' |
        awk -v last="$1" -v name="^nqueens-[0-9]+-[0-9]+-$mark(-merge)?\$" '$1 + 0 < last + 0 && $2 ~ name { print $1 }' |
        sort -nu | paste -sd ' '
}
refuse_after() {
    local jobs
    jobs=$(earlier_jobs "$1") || fail "squeue does not answer"
    if [ -z "$jobs" ]; then return; fi
    fail "jobs of an earlier submit are still queued or running: $jobs; wait for them, or end them with scancel $jobs"
}
on=()
refuse_after 999999999999
look_at_ledgers

# Of two submits at the same moment only one may go on. So the job that adds up is put into the queue first, and held: Slurm
# gives each job a number of its own, and whoever finds a job with a smaller one there takes his own away. A submit that is
# killed leaves that job behind, for the next one to find; a file as a lock would tell nobody.
name=nqueens-$n-$shards-$mark
# A file name of sbatch's knows patterns such as %a.
logs=${dir//%/%%}
merge=
array=
take_back() {
    if [ -z "$merge" ]; then return; fi
    scancel ${on[@]+"${on[@]}"} "$merge" || true
    if [ -n "$array" ]; then
        echo "error: array job $array is submitted, but not the job that adds up; when it has ended, run this command again" >&2
    fi
}
trap take_back EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
merge=$(sbatch --output="$logs/merge.log" "$@" --parsable --hold --job-name="$name-merge" --cpus-per-task=1 \
    --time=00:15:00 "$here/merge.sh" "$n" "$dir") || fail "sbatch refused the job that adds up"
case $merge in *';'*) on=("--clusters=${merge#*;}") ;; esac
merge=${merge%%;*}
refuse_after "$merge"
# Again, as another submit may have come and gone.
look_at_ledgers

if [ -n "$missing" ]; then
    array=$(sbatch --output="$logs/shard-%a-of-$shards.log" "$@" --parsable --job-name="$name" --array="$missing" \
        "$here/array.sh" "$n" "$shards" "$dir") || fail "sbatch refused the array"
    array=${array%%;*}
    # afterany, not afterok: behind a task that fails, afterok would leave this job in the queue for ever. It runs, fails,
    # and its log says what is missing.
    scontrol ${on[@]+"${on[@]}"} update "JobId=$merge" "Dependency=afterany:$array"
fi
scontrol ${on[@]+"${on[@]}"} release "$merge"
trap - EXIT
if [ -n "$missing" ]; then
    echo "array job $array: shards $missing of $shards"
else
    echo "no shard is missing"
fi
echo "merge job $merge: $dir/total.json"
