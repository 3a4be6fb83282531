#!/usr/bin/env bash
# Environments of Python tools, for the scripts that read this file with `source`.

python=${PYTHON:-python3}

# Prints the folder of an environment's programs.
programs_of() {
    if [ -d "$1/Scripts" ]; then echo "$1/Scripts"; else echo "$1/bin"; fi # Windows has Scripts
}

# Creates the environment DIRECTORY with the packages in LIST, in these versions and with these hashes, unless it has
# them already. Installs Python as root on Debian, and fails where it cannot be had.
environment() {
    local directory=$1 list=$2
    # The copy of the list says what is installed.
    if cmp -s "$list" "$directory/installed.txt"; then
        return
    fi
    if ! "$python" -c 'import ensurepip, venv' 2> /dev/null; then
        if type -P apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
            apt-get update
            DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 python3-venv
        else
            echo "error: please install Python with its modules venv and ensurepip (on Debian, python3-venv)" >&2
            exit 1
        fi
    fi
    rm -rf "${directory:?}"
    "$python" -m venv "$directory"
    "$(programs_of "$directory")/python" -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r "$list"
    cp "$list" "$directory/installed.txt"
}
