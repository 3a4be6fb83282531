#!/usr/bin/env bash
# Packs the crate as it would be published, and checks the unpacked archive, without the rest of the repository. The
# integration tests are left out of the archive, because they need that rest.
#
#   bash scripts/release/check-package.sh            builds it and runs its unit tests
#   bash scripts/release/check-package.sh --check    checks that no source is missing, and the library with `ledger` alone
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
cargo package --locked --allow-dirty --no-verify --target-dir "$directory" 2> "$directory/log" ||
    { cat "$directory/log" >&2; exit 1; }
if grep '^warning' "$directory/log" | grep -v '^warning: ignoring test' >&2; then
    echo "error: cargo package warns" >&2
    exit 1
fi
grep Packaged "$directory/log"
tar -xzf "$directory"/package/nqueens-count-*.crate -C "$directory"
git ls-files src benches/'*.rs' build.rs | sort > "$directory/sources"
cd "$directory"/nqueens-count-*/
if missing=$(find . -type f | cut -c3- | sort | comm -13 - "$directory/sources") && [ -n "$missing" ]; then
    echo "error: Cargo.toml does not include: $missing" >&2
    exit 1
fi
if [ "$*" = --check ]; then
    # The files of an archive are old, and cargo takes what is older than its output for checked.
    find . -type f -exec touch {} +
    CARGO_TARGET_DIR=$target cargo clippy --locked --lib --tests --no-default-features --features ledger -- -D warnings
else
    cargo test --locked --all-features --lib --bins
fi
