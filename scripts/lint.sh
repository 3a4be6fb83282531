#!/usr/bin/env bash
# Checks the format of the source, and that the compiler and clippy have no warning about the program, the library with
# and without its features, the Python package, the tests, the benchmarks and the documentation.
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
# The Python package is a crate of its own. Its module must not be linked with Python's library.
export PYO3_BUILD_EXTENSION_MODULE=1
run cargo fmt --check --manifest-path python/Cargo.toml
run cargo clippy --locked --all-targets --manifest-path python/Cargo.toml -- -D warnings
RUSTDOCFLAGS="-D warnings" run cargo doc --locked --no-deps --all-features
