#!/usr/bin/env bash
# Times the scalar kernel against two plain C programs (benches/c), one thread, pinned to one CPU, interleaved: A B C A B C …
# Prints the median seconds of each and their ratio to the recursive C program, and checks that all count the same.
#
#   bash scripts/compare-c.sh [N [ROUNDS [CPU]]]      default: 15 9 0
set -euo pipefail
cd "$(dirname "$0")/.."

n=${1:-15} rounds=${2:-9} cpu=${3:-0}
if ! [[ "$n $rounds $cpu" =~ ^[0-9]+\ [0-9]+\ [0-9]+$ ]] || [ "$n" -lt 2 ] || [ "$n" -gt 31 ] || [ "$rounds" -lt 1 ]; then
    echo "usage: bash scripts/compare-c.sh [N [ROUNDS [CPU]]]   with N from 2 to 31" >&2
    exit 2
fi
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for program in recursive iterative; do
    cc -O3 "benches/c/$program.c" -o "$build/$program"
done
cargo build --release --locked --quiet
cp "${CARGO_TARGET_DIR:-target}/release/nqueens" "$build/nqueens"

# The processor time of a command, in seconds; what it prints must be the same for all.
cpu_seconds() {
    local TIMEFORMAT=%U
    { time taskset -c "$cpu" "$@" > "$build/out" 2> /dev/null; } 2>&1
    cat "$build/out" >> "$build/totals"
}

for ((round = 0; round <= rounds; round++)); do
    for program in recursive iterative nqueens; do
        case $program in
            nqueens) command=("$build/nqueens" count "$n" --threads 1 --engine backtrack --kernel scalar) ;;
            *) command=("$build/$program" "$n") ;;
        esac
        seconds=$(cpu_seconds "${command[@]}")
        # Round 0 warms up.
        if [ "$round" -gt 0 ]; then echo "$seconds" >> "$build/$program.times"; fi
    done
done
if [ "$(sort -u "$build/totals" | wc -l)" -ne 1 ]; then
    echo "error: the programs do not count the same: $(sort -u "$build/totals" | tr '\n' ' ')" >&2
    exit 1
fi
median() { sort -n "$1" | awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int((NR + 2) / 2)]) / 2 }'; }
base=$(median "$build/recursive.times")
echo "N = $n, $(sort -u "$build/totals") solutions, median of $rounds rounds, one thread on CPU $cpu, $(cc --version | head -n 1)"
for program in recursive iterative nqueens; do
    seconds=$(median "$build/$program.times")
    awk -v p="$program" -v s="$seconds" -v b="$base" 'BEGIN { printf "%-10s %8.3f s  %5.2f\n", p, s, s / b }'
done
