#!/usr/bin/env bash
# Common functions of the scripts that measure. They read this file with `source`.

# The top directory of the repository.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The scripts read numbers with a decimal point from the output of programs.
export LC_ALL=C
# These variables would change what is measured.
unset NQUEENS_ENGINE NQUEENS_KERNEL NQUEENS_THREADS

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

can_be_run() { [ -f "$(type -P -- "$1")" ]; }

# Sets `program` to the one that NQUEENS_PROGRAM names, or to one that is built from this repository.
own_program() {
    program=${NQUEENS_PROGRAM:-}
    if [ -n "$program" ]; then
        can_be_run "$program" || refuse "NQUEENS_PROGRAM: there is no program '$program'"
        program=$(realpath -- "$(type -P -- "$program")")
    else
        run_apart env -C "$top" cargo build --release --locked --quiet || fail "this program cannot be built"
        program=${CARGO_TARGET_DIR:-$top/target}/release/nqueens
    fi
}

# Prints the CPUs that this process may use, one in each line.
allowed_cpus() {
    taskset -cp $$ | awk '{
        parts = split($NF, part, ",")
        for (i = 1; i <= parts; i++) {
            ends = split(part[i], end, "[-:]")
            for (cpu = end[1]; cpu <= end[ends > 1 ? 2 : 1]; cpu += ends > 2 ? end[3] : 1) print cpu
        }
    }'
}

# For awk: cuts a line of CSV into fields and returns how many there are.
# shellcheck disable=SC2016  # it is not for the shell
fields_of='
    function fields_of(line, field,    i, c, fields, quoted) {
        fields = 1
        field[1] = ""
        for (i = 1; i <= length(line); i++) {
            c = substr(line, i, 1)
            if (c == "\"") {
                if (quoted && substr(line, i + 1, 1) == c) { field[fields] = field[fields] c; i++ }
                else quoted = !quoted
            } else if (c == "," && !quoted) field[++fields] = ""
            else field[fields] = field[fields] c
        }
        return fields
    }'

# Prints the field in the named column of the first row of CSV on standard input.
csv_field() {
    awk -v name="$1" "$fields_of"'
        { fields = fields_of($0, field) }
        NR == 1 { for (i = 1; i <= fields; i++) if (field[i] == name) column = i }
        NR == 2 && column { print field[column] }'
}

# Prints the median of the numbers in one column of a file.
median() {
    awk -v column="$2" '{ print $column }' "$1" | sort -n |
        awk '{ t[NR] = $1 } END { printf "%.9g\n", (t[int((NR + 1) / 2)] + t[int((NR + 2) / 2)]) / 2 }'
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
    local group patience
    for group in $(jobs -p); do
        kill -TERM -- "-$group" 2> /dev/null || continue
        for ((patience = 0; patience < 200; patience++)); do
            sleep 0.05
            kill -0 -- "-$group" 2> /dev/null || continue 2
        done
        kill -KILL -- "-$group" 2> /dev/null || true
    done
}

# Calls the script's function `clean_up` when the script ends for any reason.
end_with_clean_up() {
    trap clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 131' QUIT
    trap 'exit 143' TERM
}
