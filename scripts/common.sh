#!/usr/bin/env bash
# Common functions of scripts that run the program. They read this file with `source`.

# The top directory of the repository.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The scripts read numbers with a decimal point from the output of programs.
export LC_ALL=C
# These variables would change what is measured.
unset NQUEENS_KERNEL NQUEENS_THREADS

# A relative path would be wrong after a change of directory.
if [ -n "${CARGO_TARGET_DIR:-}" ]; then
    CARGO_TARGET_DIR=$(realpath -m -- "$CARGO_TARGET_DIR")
    export CARGO_TARGET_DIR
fi

# Reports bad input in one line and exits with 2.
refuse() {
    echo "error: $*" >&2
    exit 2
}

# Reports an error and exits with 1.
fail() {
    echo "error: $*" >&2
    exit 1
}

# Fails unless all these programs are installed.
need() {
    local tool
    for tool in "$@"; do type -P "$tool" > /dev/null || fail "$tool is needed and is not installed"; done
}

# Sets `program` to the one that NQUEENS_PROGRAM names, or to one that is built from this repository.
own_program() {
    if [ -n "${NQUEENS_PROGRAM:-}" ]; then
        program=$(realpath -e -- "$(type -P -- "$NQUEENS_PROGRAM")" 2> /dev/null) ||
            refuse "NQUEENS_PROGRAM: there is no program '$NQUEENS_PROGRAM'"
    else
        run_apart env -C "$top" cargo build --release --locked --quiet || fail "this program cannot be built"
        # shellcheck disable=SC2034  # it is for the script
        program=${CARGO_TARGET_DIR:-$top/target}/release/nqueens
    fi
}

# Runs a command in a new process group and waits for it. A signal then takes effect at once, while bash would otherwise
# wait for a command in the foreground. `end_jobs` reaches all processes of the command.
run_apart() {
    local status=0
    set -m
    "$@" < /dev/null &
    set +m
    wait $! || status=$?
    return $status
}

# Ends the command of `run_apart` if the script is interrupted. nqueens needs up to a second of CPU time to end, and on a
# busy machine some more by the clock.
end_jobs() {
    local group
    for group in $(jobs -p); do
        kill -TERM -- "-$group" 2> /dev/null || continue
        timeout 10 tail --pid "$group" --sleep-interval 0.05 --follow /dev/null || true
        # What is left of the group heeds nothing else.
        kill -KILL -- "-$group" 2> /dev/null || true
    done
}

# Calls the script's function `clean_up` when the script ends for any reason.
end_with_clean_up() {
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' HUP QUIT TERM
}
