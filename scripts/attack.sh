#!/usr/bin/env bash
# Attacks the program: kills it, damages its ledgers, gives it hostile files, and takes away resources. An independent
# reader, which shares no code with the program, judges the ledgers. Exit code 1 if a fault is found.
#
#   bash scripts/attack.sh                                a minute, with a seed by chance, which is printed
#   bash scripts/attack.sh --minutes 30 --seed 7
#   bash scripts/attack.sh --program target/release/nqueens
#   bash scripts/attack.sh --seed 7 --only mutations --round 12     one round again
#
# `--help` lists all options. All files are written to a new folder below TMPDIR, which is kept if a fault is found.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")

fail() {
    echo "error: $1" >&2
    exit 2
}

command -v python3 > /dev/null || fail "python3 is not installed"
python3 -c 'import os, sys; sys.exit(sys.version_info < (3, 9) or not hasattr(os, "pidfd_open"))' ||
    fail "the attack needs Linux and Python 3.9 or later"

program=
options=()
help=
while [ $# -gt 0 ]; do
    case $1 in
        --program) [ $# -gt 1 ] || fail "--program needs a file"; program=$2; shift ;;
        --program=*) program=${1#*=} ;;
        -h | --help) help=1 ;;
        *) options+=("$1") ;;
    esac
    shift
done
if [ -n "$help" ]; then exec python3 -B "$here/attack/main.py" --help; fi
if [ -z "$program" ]; then
    # Uses the profile of the tests. It is optimised, keeps its assertions, and is already built after a test run.
    (cd "$top" && cargo build --locked --quiet --bin nqueens)
    program=${CARGO_TARGET_DIR:-$top/target}/debug/nqueens
fi
if ! [ -f "$program" ] || ! [ -x "$program" ]; then fail "there is no program '$program'"; fi
program=$(realpath -- "$program")
exec python3 -B "$here/attack/main.py" --program "$program" --published "$top/results/published.csv" \
    ${options[@]+"${options[@]}"}
