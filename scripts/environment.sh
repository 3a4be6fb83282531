#!/usr/bin/env bash
# Installs what the tools of the scripts need. Scripts read this file with `source`.

python=${PYTHON:-python3}

run() {
    echo "== $*"
    "$@"
}

# Installs the missing ones of these packages, as root on Debian. Fails elsewhere.
packages() {
    local package missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2> /dev/null | grep -q '^install ok' || missing+=("$package")
    done
    [ ${#missing[@]} != 0 ] || return 0
    if ! type -P apt-get > /dev/null || [ "$(id -u)" != 0 ]; then
        echo "error: please install ${missing[*]}" >&2
        exit 1
    fi
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# Gets the standard library of a target, unless the compiler has it.
target_library() { [ -d "$(rustc --print target-libdir --target "$1")" ] || rustup target add "$1"; }

# Prints the folder of an environment's programs.
programs_of() {
    if [ -d "$1/Scripts" ]; then echo "$1/Scripts"; else echo "$1/bin"; fi # Windows has Scripts
}

# Creates the environment DIRECTORY with the packages in LIST, in these versions and with these hashes, unless it has
# them already.
environment() {
    local directory=$1 list=$2
    # The copy of the list says what is installed.
    ! cmp -s "$list" "$directory/installed.txt" || return 0
    "$python" -c 'import ensurepip, venv' 2> /dev/null || packages python3 python3-venv
    rm -rf "${directory:?}"
    "$python" -m venv "$directory"
    "$(programs_of "$directory")/python" -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r "$list"
    cp "$list" "$directory/installed.txt"
}
