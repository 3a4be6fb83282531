#!/usr/bin/env bash
# Checks that the working tree counts no slower than another revision. Both are built, and the same counts are timed
# with each in turn (A B B A), pinned to the same CPUs. A count is slower if the median of the ratios of its pairs is
# above 1.05 in each of three rounds; a count that is not slower in one round is not tried again. Both programs must
# return the same total.
#
#   bash scripts/bench-regression.sh BASE [PAIRS]      BASE: a commit, branch or tag; PAIRS: in each round, by default 7
#
# Prints a table with the last round of each count: the median seconds of both programs, the median ratio and the
# verdict. Exits with 1 if a count is slower, differs or fails. A count that BASE or the CPU cannot do is skipped.
# NQUEENS_BASE_PROGRAM and NQUEENS_PROGRAM name programs that are already built; with the first, BASE is only a label.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

slower=1.05 rounds=3
# The longest time of a count in seconds. Old revisions need long for the larger counts.
patience=60
if [ $# -lt 1 ] || [ $# -gt 2 ] || ! [[ ${2:-7} =~ ^[1-9][0-9]{0,2}$ ]]; then
    echo "usage: bash scripts/bench-regression.sh BASE [PAIRS]   with PAIRS from 1 to 999" >&2
    exit 2
fi
base=$1 pairs=${2:-7}
need git taskset timeout
base_program=${NQUEENS_BASE_PROGRAM:-}
[ -z "$base_program" ] || can_be_run "$base_program" || refuse "NQUEENS_BASE_PROGRAM: there is no program '$base_program'"
[ -z "${NQUEENS_PROGRAM:-}" ] || own_program
if [ -z "$base_program" ]; then
    commit=$(git -C "$top" rev-parse --verify --quiet --end-of-options "$base^{commit}") || refuse "there is no revision '$base'"
fi

work='' worktree=''
clean_up() {
    end_jobs
    local removed=1
    if [ -n "$worktree" ]; then git -C "$top" worktree remove --force "$worktree" 2> /dev/null || removed=''; fi
    if [ -n "$work" ]; then rm -rf "$work"; fi
    # The worktree was incomplete.
    if [ -z "$removed" ]; then git -C "$top" worktree prune; fi
}
end_with_clean_up
work=$(mktemp -d)

# The programs are copied, so that another build does not change what is measured.
target=${CARGO_TARGET_DIR:-$top/target}
if [ -z "$base_program" ]; then
    worktree=$work/tree
    git -C "$top" worktree add --quiet --detach "$worktree" "$commit" || fail "$base cannot be checked out"
    # The target directory is kept. The next run then builds only this crate.
    run_apart env -C "$worktree" CARGO_TARGET_DIR="$target/bench-regression" cargo build --release --locked --quiet ||
        fail "$base cannot be built"
    base_program=$work/base
    cp "$target/bench-regression/release/nqueens" "$base_program"
fi
own_program
if [ -z "${NQUEENS_PROGRAM:-}" ]; then
    cp "$program" "$work/new"
    program=$work/new
fi

mapfile -t cpus < <(allowed_cpus)
all_cpus=$(IFS=,; echo "${cpus[*]}")
# These counts take from a tenth of a second to two seconds on a CPU with AVX-512. They run on the last CPUs, because
# the first CPU often handles the interrupts.
jobs=(
    "count 15 --engine backtrack --kernel scalar --threads 1"
    "count 15 --engine backtrack --kernel portable --threads 1"
    "count 17 --engine backtrack --kernel avx2 --threads 1"
    "count 17 --engine backtrack --kernel avx512 --threads 1"
    "count 17 --engine two-color --kernel portable --threads 1"
    "count 18 --engine two-color --kernel avx2 --threads 1"
    "count 18 --engine two-color --kernel avx512 --threads 1"
    "count 19 --engine two-color --threads 1"
    "count 19 --threads ${#cpus[@]}"
)

# Counts. Sets `status`, `total` and `seconds`.
count() {
    local list=${cpus[-1]} words
    read -ra words <<< "$2"
    if [ "${words[-1]}" -gt 1 ]; then list=$all_cpus; fi
    status=0
    run_apart timeout --kill-after 5 $patience taskset -c "$list" "$1" "${words[@]}" --format csv --quiet > "$work/out" 2> "$work/err" || status=$?
    if [ "$status" -eq 0 ]; then
        total=$(csv_field total < "$work/out")
        seconds=$(csv_field seconds < "$work/out")
        if ! [[ $total =~ ^[0-9]+$ && $seconds =~ ^[0-9.]+$ ]]; then
            echo "its CSV has no total or no seconds" > "$work/err"
            status=1
        fi
    fi
}

# Runs one round of a job. Sets `verdict` if the job fails or the totals differ, otherwise the medians.
compare() {
    local pair side which totals=''
    verdict=
    : > "$work/base.seconds"
    : > "$work/new.seconds"
    # Pair 0 only warms up.
    for ((pair = 0; pair <= pairs; pair++)); do
        for side in 0 1; do
            # A B in even pairs, B A in odd ones.
            if (((pair + side) % 2)); then which=new; else which=base; fi
            if [ $which = new ]; then count "$program" "$1"; else count "$base_program" "$1"; fi
            # The program exits with 2 for an unknown option, engine or kernel.
            if [ "$status" -eq 2 ] && [ "$pair,$which" = 0,base ]; then
                which=new
                count "$program" "$1"
                case $status in
                    0) verdict="left out: new, not in $base" ;;
                    2) verdict="left out: not on this CPU" ;;
                esac
            fi
            # `timeout` exits with 137 if it had to kill the program.
            case $status,$pair,$which in
                124,0,base | 137,0,base) verdict="left out: over $patience s in $base" ;;
            esac
            if [ "$status" -ne 0 ] && [ -z "$verdict" ]; then
                echo "error: $1: $which ended with exit code $status: $(tail -n 1 "$work/err")" >&2
                verdict=FAILS
            fi
            [ -z "$verdict" ] || return 0
            if [ -n "$totals" ] && [ "$total" != "$totals" ]; then
                echo "error: $1: $base and the working tree count $totals and $total, in some order" >&2
                verdict=DIFFERS
                return 0
            fi
            totals=$total
            if [ "$pair" -gt 0 ]; then echo "$seconds" >> "$work/$which.seconds"; fi
        done
    done
    # A time of zero is replaced by one microsecond.
    paste -d ' ' "$work/base.seconds" "$work/new.seconds" |
        awk '{ for (i = 1; i <= 2; i++) if ($i < 1e-6) $i = 1e-6; printf "%.6f %.6f %.6f\n", $1, $2, $2 / $1 }' > "$work/pairs"
    base_seconds=$(median "$work/pairs" 1)
    new_seconds=$(median "$work/pairs" 2)
    ratio=$(median "$work/pairs" 3)
}

above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

declare -A rows
bad='' left=("${jobs[@]}")
for ((round = 1; round <= rounds && ${#left[@]} > 0; round++)); do
    again=()
    for job in "${left[@]}"; do
        compare "$job"
        if [ -n "$verdict" ]; then
            rows[$job]=$(printf '%9s  %9s  %6s  %s' - - - "$verdict")
            case $verdict in FAILS | DIFFERS) bad=1 ;; esac
        else
            if above "$ratio" "$slower"; then
                if [ "$round" -lt "$rounds" ]; then
                    again+=("$job")
                    verdict="to be tried again"
                else
                    verdict=SLOWER bad=1
                fi
            elif [ "$round" -gt 1 ]; then
                verdict="not slower in round $round"
            elif above 1 "$(awk -v r="$ratio" -v s="$slower" 'BEGIN { print r * s }')"; then
                verdict="faster, in one round"
            else
                verdict=alike
            fi
            rows[$job]=$(printf '%9.4f  %9.4f  %6.3f  %s' "$base_seconds" "$new_seconds" "$ratio" "$verdict")
        fi
        echo "round $round: $job: ${rows[$job]}" >&2
    done
    left=("${again[@]}")
done

width=$(printf '%s\n' "${jobs[@]}" | wc -L)
printf "%-${width}s  %9s  %9s  %6s  %s\n" count "base s" "new s" ratio verdict
for job in "${jobs[@]}"; do
    printf "%-${width}s  %s\n" "$job" "${rows[$job]}"
done
if [ -n "$bad" ]; then
    echo "compared with $base: a count is slower by more than 5% in each of $rounds rounds, or fails, or differs" >&2
    exit 1
fi
echo "compared with $base: nothing is slower" >&2
