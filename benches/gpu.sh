#!/usr/bin/env bash
# Measures a GPU, and what may make it faster, in about nine minutes on an NVIDIA H200. Standard output is CSV, with
# what was tried in front; the devices and the times of whole counts go to standard error. The machine with the GPU
# needs no compiler: it gets the program and the benchmark.
#
#   cargo build --release && cargo bench --no-run --bench units   prints the path of the benchmark
#   bash benches/gpu.sh target/release/nqueens target/release/deps/units-… > gpu.csv
#
# N = 28 takes four minutes more for each trial: BENCHMARK 28 --gpu --alone --sample 16. With NQUEENS_SIZES=14 the
# script is quick enough for PoCL.
set -euo pipefail
program=$1 bench=$2
read -ra sizes <<< "${NQUEENS_SIZES:-18 20 22 24 26}"

"$program" devices >&2
for n in "${sizes[@]}"; do
    [ "$n" -gt 24 ] || "$program" count "$n" --kernel gpu >&2
done
echo tried,board,kernel,threads,units,counted,share_of_work,first_seconds,seconds,whole,sum
for n in "${sizes[@]}"; do
    [ "$n" -ge 24 ] || [ ${#sizes[@]} = 1 ] || continue
    first=
    for tried in '' '--scratch 2048' '--scratch 4096' '--by-panel' '--bands' '--ahead 8' '--by-panel --bands' \
        '--scratch 2048 --by-panel --bands --ahead 8'; do
        read -ra options <<< "--gpu --alone --sample $((n > 24 ? 16 : 128)) $tried"
        # A driver may refuse one trial and take the next.
        if row=$("$bench" "$n" "${options[@]}" | tail -n 1); then echo "$tried,$row"; else continue; fi
        # Every trial draws the same units.
        sum=${row##*,}
        if [ "${first:=$sum}" != "$sum" ]; then echo "error: with '$tried' the sum differs for N = $n" >&2; fi
    done
done
