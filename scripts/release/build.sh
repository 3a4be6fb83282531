#!/usr/bin/env bash
# Builds the program for this machine's system and CPU architecture and packs it as it is released:
#
#   bash scripts/release/build.sh              dist/nqueens-ARCHITECTURE-SYSTEM.tar.gz, on Windows .zip
#   bash scripts/release/build.sh --program    only the program; prints its path
#
# The program needs no shared library, except those of macOS. On Linux it is linked with musl, if that target is
# installed (`rustup target add x86_64-unknown-linux-musl`), and otherwise with the static library of the system.
# dist/tree has the content of the archive.
set -euo pipefail
cd "$(dirname "$0")/../.."

case "$*" in
    '' | --program) ;;
    *) echo "usage: bash scripts/release/build.sh [--program]" >&2; exit 2 ;;
esac

target=$(rustc -vV | sed -n 's/^host: //p')
architecture=${target%%-*}
format=tar.gz extension=''
case $target in
    *-linux-*)
        system=linux
        musl=$architecture-unknown-linux-musl
        if [ -d "$(rustc --print target-libdir --target "$musl")" ]; then target=$musl; fi
        ;;
    *-darwin) system=macos ;;
    *-windows-*) system=windows format=zip extension=.exe ;;
    *) echo "error: there are no releases for $target" >&2; exit 1 ;;
esac
if [ "$system" != macos ]; then export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static"; fi

# With --target, build scripts and procedural macros are not linked statically, which they could not be.
cargo build --release --locked --target "$target" >&2
program=${CARGO_TARGET_DIR:-target}/$target/release/nqueens$extension
if [ "${1:-}" = --program ]; then
    echo "$program"
    exit
fi

bash scripts/release/tree.sh "$program" dist/tree
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
archive=dist/nqueens-$architecture-$system.$format
"${PYTHON:-python3}" scripts/release/pack.py dist/tree "nqueens-$version" "$archive"
echo "$archive"
