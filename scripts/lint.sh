#!/usr/bin/env bash
# Checks the format of the source, and that the compiler, clippy and rustdoc have no warning about any part of it.
# scripts/release/check-package.sh checks the program without what packagers need.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/environment.sh
source scripts/environment.sh

# The Python module must not be linked with Python's library.
export PYO3_BUILD_EXTENSION_MODULE=1
run cargo fmt --all --check
run cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
run cargo clippy --locked --lib --tests --no-default-features -- -D warnings
RUSTDOCFLAGS="-D warnings" run cargo doc --locked --no-deps --lib --no-default-features --features ledger
