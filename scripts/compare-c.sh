#!/usr/bin/env bash
# Times the scalar kernel and two plain C programs (benches/c) on one thread, pinned to one CPU, with compare-peers.sh.
# The table is on standard output, a summary on standard error.
#
#   bash scripts/compare-c.sh [N [ROUNDS]]      default: 15 9
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

n=${1:-15} rounds=${2:-9}
if [ $# -gt 2 ] || ! [[ "$n $rounds" =~ ^[1-9][0-9]?\ [1-9][0-9]{0,3}$ ]] || [ "$n" -lt 2 ] || [ "$n" -gt 27 ]; then
    echo "usage: bash scripts/compare-c.sh [N [ROUNDS]]   with N from 2 to 27" >&2
    exit 2
fi
if [ -n "${NQUEENS_PROGRAM:-}" ]; then
    NQUEENS_PROGRAM=$(realpath -- "$NQUEENS_PROGRAM")
fi
need cc
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
# compare-peers.sh splits a command line at blanks, which the path of the directory may contain.
cd "$build"
for program in recursive iterative; do
    cc -O3 "$top/benches/c/$program.c" -o "$program"
done
cc --version | head -n 1 >&2
bash "$top/scripts/compare-peers.sh" --boards "$n" --rounds "$rounds" \
    --own 'scalar kernel=count {N} --threads 1 --engine backtrack --kernel scalar' \
    'C, recursive=./recursive {N}' 'C, iterative=./iterative {N}'
