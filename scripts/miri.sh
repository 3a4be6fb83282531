#!/usr/bin/env bash
# Looks for undefined behaviour with Miri, in the code that needs no special instructions of the CPU.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version > /dev/null 2>&1; then
    echo "error: Miri is not installed; \`rustup component add --toolchain nightly miri rust-src\` installs it" >&2
    exit 1
fi
MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked --no-default-features --test library \
    units_of_small_boards
