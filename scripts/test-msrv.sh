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
