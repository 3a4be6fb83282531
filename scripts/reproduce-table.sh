#!/usr/bin/env bash
# Computes the table of N-Queens counts from N = 1 up to a given N and compares it with the published numbers in
# results/published.csv. Prints the table and a summary line. Exits with 1 if a number differs.
#
#   bash scripts/reproduce-table.sh          up to N = 15 (seconds)
#   bash scripts/reproduce-table.sh 18       up to N = 18 (a second)
#   bash scripts/reproduce-table.sh 22       up to N = 22 (minutes)
#
# NQUEENS_PROGRAM names a program that is already built; PUBLISHED names another file to compare with.
set -euo pipefail

if [ $# -gt 1 ] || ! [[ "${1:-15}" =~ ^[1-9][0-9]?$ ]] || [ "${1:-15}" -gt 27 ]; then
    echo "usage: bash scripts/reproduce-table.sh [N]   with N from 1 to 27" >&2
    exit 2
fi
to=${1:-15}
top=$(cd "$(dirname "$0")/.." && pwd)
published=${PUBLISHED:-$top/results/published.csv}
program=${NQUEENS_PROGRAM:-}
if [ -z "$program" ]; then
    (cd "$top" && cargo build --release --locked --quiet)
    program=${CARGO_TARGET_DIR:-$top/target}/release/nqueens
fi

computed=$(mktemp)
trap 'rm -f "$computed"' EXIT
"$program" table --to "$to" --format csv --quiet | tee "$computed"

# The verdict column is not used. The numbers themselves are compared, by the name of their column.
awk -F, -v to="$to" '
    /^#/ { next }
    FNR == 1 { file++; delete column; for (i = 1; i <= NF; i++) column[$i] = i; begun = 1; next }
    file == 1 { total[$column["N"]] = $column["total"]; fundamental[$column["N"]] = $column["fundamental"]
                quarter[$column["N"]] = $column["quarter_turn"]; next }
    { n = $column["board"]; rows++
      if (n != rows) { print "row " rows " is for N = " n; bad = 1 }
      compare("total", $column["total"], total[n])
      compare("fundamental", $column["fundamental"], fundamental[n])
      compare("quarter_turn", $column["quarter_turn"], quarter[n]) }
    function compare(name, computed, published) {
        if (published == "") { print "N = " n ": no published " name; bad = 1 }
        else if (computed "" != published "") { print "N = " n ": " name " computed " computed ", published " published; bad = 1 }
    }
    END {
        if (rows != to) { print rows + 0 " rows instead of " to; bad = 1 }
        if (bad) exit 1
        print "N = 1 to " to ": every total, fundamental and quarter-turn count is the published one"
    }' <(grep -v '^#' "$published") "$computed"
