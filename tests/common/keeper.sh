#!/usr/bin/env bash
# Ends the processes that a test process has started, and those that they have started in turn. A variable in their
# environment marks them:
#
#   keeper.sh NAME=VALUE SECONDS
#
# Kills each marked process that takes longer, and all of them when standard input ends, as it does with the test process.
set -uo pipefail
trap '' HUP INT QUIT TERM
mark=$1 limit=$2 ticks=$(getconf CLK_TCK)

marked() { grep -lszxF -- "$mark" /proc/[0-9]*/environ | tr -dc '0-9\n'; }

# Sets `age` to the seconds since a process began.
look() {
    local text fields uptime
    text=$(cat "/proc/$1/stat" 2> /dev/null) || return 1
    read -r uptime _ < /proc/uptime
    # The name of the program, in parentheses, is the second field, and the start the 22nd.
    read -ra fields <<< "${text##*) }"
    age=$((${uptime%.*} - fields[19] / ticks))
}

# `read` returns more than 128 when its time is over, and less at the end of the input.
while read -rt $((limit < 10 ? limit : 10)) _; [ $? -gt 128 ]; do
    for process in $(marked); do
        if look "$process" && [ "$age" -gt "$limit" ]; then
            echo "killed after $limit s: $(tr '\0' ' ' < "/proc/$process/cmdline")" >&2
            kill -KILL "$process"
        fi
    done
done
# A process may start another one before it is killed.
for _ in {1..100}; do
    mapfile -t left < <(marked)
    [ ${#left[@]} != 0 ] || break
    kill -KILL "${left[@]}" 2> /dev/null
    sleep 0.05
done
