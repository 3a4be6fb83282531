#!/usr/bin/env bash
# Packs the crate as it would be published, and checks the unpacked archive, without the rest of the repository. The
# integration tests are left out of the archive, because they need that rest.
#
#   bash scripts/release/check-package.sh            builds it and runs its unit tests
#   bash scripts/release/check-package.sh --check    only checks program and library, with the default features
set -euo pipefail
cd "$(dirname "$0")/../.."

case "$*" in
    '' | --check) ;;
    *) echo "usage: bash scripts/release/check-package.sh [--check]" >&2; exit 2 ;;
esac
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
target=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")
# CI has a clean checkout; a developer may have changes that are not committed yet.
cargo package --locked --allow-dirty --no-verify --target-dir "$directory" 2>&1 | tee "$directory/log"
if grep '^warning' "$directory/log" | grep -v '^warning: ignoring test'; then
    echo "error: cargo package warns" >&2
    exit 1
fi
tar -xzf "$directory"/package/nqueens-count-*.crate -C "$directory"
# Clippy has its settings from the checkout.
export CLIPPY_CONF_DIR=$PWD
cd "$directory"/nqueens-count-*/
if [ "$*" = --check ]; then
    # The files of an archive are old, and cargo takes files that are older than its output as checked.
    find . -type f -exec touch {} +
    CARGO_TARGET_DIR=$target cargo clippy --locked --lib --bins --tests -- -D warnings
else
    cargo test --locked --all-features --lib --bins
fi
