#!/usr/bin/env bash
# Runs a file of tests with Wine, as cargo's runner (scripts/platforms.sh).
#
# When a program exits, Wine ends its threads by SIGQUIT, and kills the program if that takes more than a second, as it
# may on a busy machine. If the program ended so after the last line of the tests, their result decides the exit code.
set -uo pipefail

output=$(mktemp)
trap 'rm -f "$output"' EXIT
wine "$@" | tee "$output"
code=${PIPESTATUS[0]}
result=$(tr -d '\r' < "$output" | grep . | tail -n 1)
case $code:$result in
    131:'test result: ok. '*'; 0 failed; '* | 137:'test result: ok. '*'; 0 failed; '*)
        echo "warning: Wine ended the tests by signal $((code - 128)) after their result" >&2
        code=0 ;;
esac
exit "$code"
