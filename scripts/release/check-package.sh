#!/usr/bin/env bash
# Packs the crate as it would be published, and checks the unpacked archive, without the rest of the repository. The
# integration tests are left out of the archive, because they need that rest.
#
#   bash scripts/release/check-package.sh            builds it and runs its unit tests
#   bash scripts/release/check-package.sh --check    only compiles them
set -euo pipefail
cd "$(dirname "$0")/../.."

case "$*" in
    '') work='test' ;;
    --check) work='check' ;;
    *) echo "usage: bash scripts/release/check-package.sh [--check]" >&2; exit 2 ;;
esac
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
target=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")
# CI has a clean checkout; a developer may have changes that are not committed yet.
cargo package --locked --allow-dirty --no-verify --target-dir "$directory" 2> "$directory/log" ||
    { cat "$directory/log" >&2; exit 1; }
if grep '^warning' "$directory/log" | grep -v '^warning: ignoring test' >&2; then
    echo "error: cargo package warns" >&2
    exit 1
fi
grep Packaged "$directory/log"
tar -xzf "$directory"/package/nqueens-count-*.crate -C "$directory"
top=$PWD
cd "$directory"/nqueens-count-*/
export CARGO_TARGET_DIR=$target
cargo "$work" --locked --all-features --lib --bins --tests
# Cargo takes what was made of the archive, which knows no commit, for what it would make of the checkout.
cd "$top"
cargo clean --quiet --locked --package nqueens-count
