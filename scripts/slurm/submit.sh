#!/usr/bin/env bash
# usage: scripts/slurm/submit.sh N M DIR [sbatch options...]
#
# Counts the solutions for N queens in M shards on a Slurm cluster. Each shard is a task of one job array and has a ledger
# in DIR, which every node must be able to access. A job after the array adds up the shards and writes DIR/total.json.
#
# Only shards that are not complete in DIR are submitted. After a failure, run the same command again. While jobs of an
# earlier submit are queued or running, it submits nothing.
#
# The sbatch options, by their whole names, apply to both jobs, but the job that adds up always uses one CPU, 15 minutes
# and no GPU. By default, a task has 4 CPUs, the memory for each CPU that docs/cluster.md lists, and 8 hours.
#
#   scripts/slurm/submit.sh 22 64 /shared/q22
#   scripts/slurm/submit.sh 22 64 /shared/q22 --partition=long --account=me --time=24:00:00 --cpus-per-task=32
#   NQUEENS_KERNEL=gpu scripts/slurm/submit.sh 26 64 /shared/q26 --gpus-per-task=1 --cpus-per-task=16
#
# NQUEENS_PROGRAM names the program; by default it is the nqueens in PATH. All tasks count with the engine of the ledgers
# in DIR, or if there are none with that of NQUEENS_ENGINE. sbatch passes NQUEENS_KERNEL and other variables on to the
# tasks.
set -euo pipefail

usage() {
    echo "error: $1; scripts/slurm/submit.sh --help tells more" >&2
    exit 2
}

fail() {
    echo "error: $1" >&2
    exit 1
}

for argument in "$@"; do
    case $argument in -h | --help) sed -n '2,/^set -/s/^# \{0,1\}//p' "$0"; exit ;; esac
done
if [ $# -lt 3 ]; then usage "it takes N, M and DIR"; fi
n=$1 shards=$2 dir=$3
shift 3
# Larger boards take centuries.
if ! [[ $n =~ ^[1-9][0-9]?$ ]] || [ "$n" -gt 28 ]; then usage "N is a number from 1 to 28, not '$n'"; fi
if ! [[ $shards =~ ^[1-9][0-9]{0,6}$ ]]; then usage "M is the number of shards, not '$shards'"; fi
case $dir in '' | -*) usage "DIR is a directory, not '$dir'" ;; esac
# In the name of a log, sbatch interprets a backslash and removes it.
case $(realpath -m -- "$dir") in *\\*) usage "sbatch cannot write logs where a backslash is in the path: '$dir'" ;; esac
# These options, with a value or without, do not change what this script relies on. sbatch's getopt takes several short
# options in one word, and the next word as a value. It would take the beginning of a long option too.
valued='account begin chdir cluster-constraint clusters comment constraint core-spec cores-per-socket cpu-freq cpus-per-task
deadline delay-boot error exclude extra-node-info hint licenses mail-type mail-user mcs-label mem mem-bind
mem-per-cpu mincpus network nodefile nodelist open-mode output partition power prefer priority profile qos reservation signal
sockets-per-node switches thread-spec threads-per-core time time-min tmp wait-all-nodes wckey'
flags='contiguous exclusive hold nice no-kill no-requeue oversubscribe propagate quiet reboot requeue spread-job use-min-nodes
verbose'
# These are not for the job that adds up.
of_gpus=' cpus-per-gpu gpu-bind gpu-freq gpus gpus-per-node gpus-per-task gres gres-flags mem-per-gpu '
valued=" ${valued//$'\n'/ }$of_gpus" flags=" ${flags//$'\n'/ } "
refuse() { usage "the option $1 is not for you to give; these are, by their whole names:$valued${flags:1:-1}"; }
has_memory='' lacks_value='' is_of_gpus='' for_both=() for_array=()
for word in "$@"; do
    case $word in
        --?*)
            name=${word%%=*} name=${name#--} lacks_value=$word
            case $valued$flags in *" $name "*) ;; *) refuse "$word" ;; esac
            case $word in *=*) lacks_value='' ;; esac
            case $flags in *" $name "*) lacks_value='' ;; esac
            case $of_gpus in *" $name "*) is_of_gpus=1 ;; *) is_of_gpus='' ;; esac
            case $name in mem | mem-per-*) has_memory=1 ;; esac ;;
        -[!-]*)
            letters=${word#-} lacks_value=$word is_of_gpus=''
            while [ -n "$letters" ]; do
                case $letters in
                    [!AbBcCDeFHkLmMopqQsStvwx]*) refuse "$word" ;;
                    [HkQsv]*) letters=${letters#?} lacks_value='' ;;
                    ?) letters='' lacks_value=$word ;;
                    *) letters='' lacks_value='' ;;
                esac
            done ;;
        *)
            # sbatch would take this word for the script.
            if [ -z "$lacks_value" ] || [ "${word#-}" != "$word" ]; then usage "'$word' is not an option of sbatch"; fi
            lacks_value='' ;;
    esac
    if [ -n "$is_of_gpus" ]; then for_array+=("$word"); else for_both+=("$word"); fi
done
# sbatch would take the option that follows, which is one of this script, for the value.
[ -z "$lacks_value" ] || usage "the option $lacks_value needs a value"
# Other variables of sbatch apply to both jobs, as options do.
unset SBATCH_ARRAY_INX SBATCH_EXPORT SBATCH_WAIT
# The memory is not set in array.sh, because sbatch refuses --mem on the command line if the script contains
# --mem-per-cpu.
case $n in 23) mib=800 ;; 24) mib=950 ;; 25) mib=1600 ;; 26) mib=850 ;; 27) mib=1450 ;; 28) mib=1850 ;; *) mib=512 ;; esac
[ -n "$has_memory" ] || for_both=("--mem-per-cpu=${mib}M" "${for_both[@]}")

here=$(cd "$(dirname "$0")" && pwd)
command -v sbatch > /dev/null || fail "sbatch is not installed; this script is for a machine that submits to Slurm"
program=${NQUEENS_PROGRAM:-nqueens}
# The path is absolute, because the tasks may start in another directory.
NQUEENS_PROGRAM=$(realpath -e "$(command -v "$program")" 2> /dev/null) ||
    fail "the program '$program' is not there; NQUEENS_PROGRAM names it"
export NQUEENS_PROGRAM
case $("$NQUEENS_PROGRAM" --version 2> /dev/null) in 'nqueens '*) ;; *) fail "the program '$program' is not nqueens" ;; esac
config=$(scontrol show config) || fail "Slurm does not answer"
most=$(awk '$1 == "MaxArraySize" { print $3 - 1 }' <<< "$config")
if [ "$shards" -gt "${most:-$shards}" ]; then usage "this cluster takes arrays of at most $most tasks, not $shards"; fi

mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)

# Checks the ledgers, which must be of this board, and sets `missing` to the shards that have no ledger or an incomplete
# one. The program reports an error if the ledgers belong to several counts or to another number of shards, have another
# version of the format, or contradict themselves.
look_at_ledgers() {
    local table board
    table=$("$NQUEENS_PROGRAM" status --quiet --format json --shards "$shards" "$dir") || exit 1
    board=$(sed -n '/"board": *[0-9]/ { s/.*"board": *\([0-9][0-9]*\).*/\1/p; q; }' <<< "$table")
    if [ "${board:-$n}" -ne "$n" ]; then fail "$dir is of board $board, not of $n; give another directory"; fi
    engine=$(sed -n '/"engine": *"/ { s/.*"engine": *"\([a-z-]*\)".*/\1/p; q; }' <<< "$table")
    engine=${engine:-${NQUEENS_ENGINE:-auto}}
    if [ "${NQUEENS_ENGINE:-auto}" != auto ] && [ "$NQUEENS_ENGINE" != "$engine" ]; then
        fail "$dir is of engine $engine, not of NQUEENS_ENGINE=$NQUEENS_ENGINE; unset it, or give another directory"
    fi
    missing=$("$NQUEENS_PROGRAM" status --missing --shards "$shards" "$dir") || exit 1
}

# Fails if there are jobs of earlier submits for this directory: jobs with a lower number than the given one. The jobs
# of a directory have its checksum in their names.
mark=$(cksum <<< "$dir" | cut -d ' ' -f 1)
refuse_after() {
    local jobs
    jobs=$(squeue ${on[@]+"${on[@]}"} --all --noheader --format='%F %j' |
        awk -v last="$1" -v name="^nqueens-[0-9]+-[0-9]+-$mark(-merge)?\$" '$1 + 0 < last + 0 && $2 ~ name { print $1 }' |
        sort -nu | paste -sd ' ') || fail "squeue does not answer"
    [ -z "$jobs" ] ||
        fail "jobs of an earlier submit are still queued or running: $jobs; wait for them, or end them with scancel $jobs"
}
on=()
refuse_after 999999999999
look_at_ledgers

# Only one of two simultaneous submits may continue. Each first puts its merge job into the queue, held. Slurm gives
# each job a unique number, and a submit that finds a merge job with a lower number cancels its own. A killed submit
# leaves its merge job in the queue, where the next submit finds it. A lock file would not show who holds it.
name=nqueens-$n-$shards-$mark
# sbatch replaces patterns such as %a in file names.
logs=${dir//%/%%}
merge='' array=''
take_back() {
    [ -z "$merge" ] || scancel ${on[@]+"${on[@]}"} "$merge" || true
    [ -z "$array" ] ||
        echo "error: array job $array is submitted, but not the job that adds up; when it has ended, run this command again" >&2
}
trap take_back EXIT
trap 'exit 130' INT
trap 'exit 143' HUP QUIT TERM
merge=$(sbatch --output="$logs/merge.log" "${for_both[@]}" --parsable --hold --job-name="$name-merge" --cpus-per-task=1 \
    --time=00:15:00 "$here/merge.sh" "$dir") || fail "sbatch refused the job that adds up"
case $merge in *';'*) on=("--clusters=${merge#*;}") ;; esac
merge=${merge%%;*}
refuse_after "$merge"
# Check again, because another submit may have finished in the meantime.
look_at_ledgers

if [ -n "$missing" ]; then
    array=$(sbatch --output="$logs/shard-%a-of-$shards.log" "${for_both[@]}" "${for_array[@]}" --parsable \
        --job-name="$name" --array="$missing" "$here/array.sh" "$n" "$shards" "$dir" "$engine") || fail "sbatch refused the array"
    array=${array%%;*}
    # With afterok, this job would stay in the queue forever after a failed task. With afterany it runs and fails, and
    # its log lists what is missing.
    scontrol ${on[@]+"${on[@]}"} update "JobId=$merge" "Dependency=afterany:$array"
    echo "array job $array: shards $missing of $shards"
else
    echo "no shard is missing"
fi
scontrol ${on[@]+"${on[@]}"} release "$merge"
trap - EXIT
echo "merge job $merge: $dir/total.json"
