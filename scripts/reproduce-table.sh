#!/usr/bin/env bash
# Computes the table of N-Queens counts from N = 1 up to a given N and compares it with the published numbers in
# results/published.csv. Prints the table and a summary line. Exits with 1 if a number differs, and shows its row.
#
#   bash scripts/reproduce-table.sh [N]      by default up to N = 15 (a second); up to N = 22 it takes minutes
#
# NQUEENS_PROGRAM names a program that is already built; PUBLISHED names another file to compare with.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

to=${1:-15}
if [ $# -gt 1 ] || ! [[ $to =~ ^[1-9][0-9]?$ ]] || [ "$to" -gt 27 ]; then
    echo "usage: bash scripts/reproduce-table.sh [N]   with N from 1 to 27" >&2
    exit 2
fi
own_program
computed=$(mktemp)
trap 'rm -f "$computed"' EXIT
"$program" table "$to" --format csv --quiet | tee "$computed"

# The verdict of the program is not used. The numbers themselves are compared, by the names of their columns.
columns=N,total,fundamental,quarter_turn
awk -F , -v columns="$columns" '
    NR == 1 { sub("board", "N"); for (i = 1; i <= NF; i++) at[$i] = i; wanted = split(columns, name, ",") }
    { for (i = 1; i <= wanted; i++) printf "%s%s", $at[name[i]], i < wanted ? "," : "\n" }' "$computed" |
    diff -U 0 --label published --label computed \
        <(grep -v '^#' "${PUBLISHED:-$top/results/published.csv}" | head -n $((to + 1))) - ||
    fail "a number differs from the published one"
echo "N = 1 to $to: every total, fundamental and quarter-turn count is the published one"
