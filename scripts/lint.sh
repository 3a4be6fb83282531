#!/usr/bin/env bash
# Checks the format of the source, and that the compiler, clippy and rustdoc have no warning about any part of it.
# scripts/release/check-package.sh checks the program without what packagers need.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/environment.sh
source scripts/environment.sh

run cargo fmt --check
run cargo clippy --locked --all-targets --all-features -- -D warnings
run cargo clippy --locked --lib --no-default-features -- -D warnings
run cargo clippy --locked --lib --no-default-features --features serde -- -D warnings
# The Python package is a crate of its own. Its module must not be linked with Python's library.
run cargo fmt --check --manifest-path python/Cargo.toml
PYO3_BUILD_EXTENSION_MODULE=1 run cargo clippy --locked --no-deps --manifest-path python/Cargo.toml \
    --target-dir "${CARGO_TARGET_DIR:-target}" -- -D warnings
# The page and the library for C are crates of their own, too.
for crate in web examples/c; do
    run cargo fmt --check --manifest-path $crate/Cargo.toml
    run cargo clippy --locked --no-deps --manifest-path $crate/Cargo.toml --target-dir "${CARGO_TARGET_DIR:-target}" -- -D warnings
done
RUSTDOCFLAGS="-D warnings" run cargo doc --locked --no-deps --lib --no-default-features --features ledger
