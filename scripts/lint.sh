#!/usr/bin/env bash
# Checks the format of the source, and that the compiler and clippy have no warning about the program, the library with
# and without its features, the tests, the benchmarks and the documentation.
set -euo pipefail
cd "$(dirname "$0")/.."

run() {
    echo "== $*"
    "$@"
}

run cargo fmt --check
run cargo clippy --locked --all-targets --all-features -- -D warnings
run cargo clippy --locked --all-targets --no-default-features -- -D warnings
run cargo clippy --locked --all-targets --no-default-features --features ledger -- -D warnings
RUSTDOCFLAGS="-D warnings" run cargo doc --locked --no-deps --all-features
