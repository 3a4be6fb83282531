#!/usr/bin/env bash
# Ends the processes that a test process has started, and those that they have started in turn. A variable in their
# environment marks them:
#
#   keeper.sh NAME=VALUE
#
# Kills all marked processes when standard input ends.
set -uo pipefail
trap '' HUP INT QUIT TERM
mark=$1

marked() { grep -lszxF -- "$mark" /proc/[0-9]*/environ | tr -dc '0-9\n'; }

# Standard input ends with the test process.
cat > /dev/null
# A process may start another one before it is killed.
for _ in {1..100}; do
    mapfile -t left < <(marked)
    [ ${#left[@]} != 0 ] || break
    kill -KILL "${left[@]}" 2> /dev/null
    sleep 0.05
done
