#!/usr/bin/env bash
# Runs the tests with the oldest compiler that Cargo.toml allows. rustup downloads it.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
if [ -z "$version" ]; then
    echo "error: Cargo.toml has no rust-version" >&2
    exit 1
fi
rustup toolchain install "$version" --profile minimal
cargo "+$version" test --locked --all-features
# The Python package is a crate of its own, whose tests are in Python.
PYO3_BUILD_EXTENSION_MODULE=1 cargo "+$version" check --locked --manifest-path python/Cargo.toml
