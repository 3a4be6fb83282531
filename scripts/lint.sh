#!/usr/bin/env bash
# Checks the format of the source, and that the compiler, clippy and rustdoc have no warning about any part of it.
# tests/library/outside builds the library without any feature.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 0 ] || { echo "usage: bash scripts/lint.sh" >&2; exit 2; }
# shellcheck source=scripts/environment.sh
source scripts/environment.sh

# The Python module must not be linked with Python's library.
export PYO3_BUILD_EXTENSION_MODULE=1
run cargo fmt --all --check
# The other packages are apart, because in one command their dependencies would change features of those of the program,
# which cargo would then build once more for the check of the package and for the tests.
run cargo clippy --locked --all-targets --all-features -- -D warnings
run cargo clippy --locked --workspace --exclude nqueens-count --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" run cargo doc --locked --no-deps --lib --no-default-features --features ledger
