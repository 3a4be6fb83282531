#!/usr/bin/env bash
# Builds the program for this machine's system and CPU architecture and packs it as it is released:
#
#   bash scripts/release/build.sh              dist/nqueens-ARCHITECTURE-SYSTEM.tar.gz, for Windows .zip
#   bash scripts/release/build.sh --program    only the program, on Linux a static one; prints its path
#
# CARGO_BUILD_TARGET names another system or CPU, for which scripts/platforms.sh sets what cargo needs; NQUEENS_RUNNER is
# the program that runs its programs here.
#
# On Linux, Zig links the program for glibc 2.17, so that it runs with later ones too, and can load a GPU's driver. Zig
# is a Python package, listed in tools.txt; scripts/validate.sh says how to change such a list. The static program is
# for containers: it needs no shared library, and can load none.
# dist/tree has the content of the archive. The program has no symbols, and names no directory of this machine, so that
# the same commit, compiler and system give the same bytes for everyone.
set -euo pipefail
cd "$(dirname "$0")/../.."

case "$*" in
    '') features=packaging ;;
    --program) features=cli ;;
    *) echo "usage: bash scripts/release/build.sh [--program]" >&2; exit 2 ;;
esac

target=${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
architecture=${target%%-*}
format=tar.gz extension=''
build=build glibc='' linking=-Ctarget-feature=+crt-static
output=${CARGO_TARGET_DIR:-target}
mkdir -p "$output"
case $target in
    *-linux-*)
        system=linux
        if [ $# = 0 ]; then
            # shellcheck source=scripts/environment.sh
            source scripts/environment.sh
            environment "$output/zig" scripts/release/tools.txt >&2
            PATH=$(realpath "$output/zig/bin"):$PATH
            build=zigbuild glibc=.2.17 linking=''
        fi
        ;;
    *-darwin) system=macos linking='' ;;
    *-windows-*) system=windows format=zip extension=.exe ;;
    *) echo "error: there are no releases for $target" >&2; exit 1 ;;
esac

# The messages of a panic name source files. Here are the directories as the compiler sees them, and the names for them
# in the program.
native() { if type -P cygpath > /dev/null; then cygpath -w "$1"; else printf %s "$1"; fi; }
directories=("$(native "${CARGO_HOME:-$HOME/.cargo}")" "$(native "$(cd "$output" && pwd -P)")")
names=(/cargo /target)
flags=${RUSTFLAGS:-}
flags=${flags// /$'\x1f'}
for i in "${!directories[@]}"; do flags+=$'\x1f'--remap-path-prefix=${directories[i]}=${names[i]}; done
if [ -n "$linking" ]; then flags+=$'\x1f'$linking; fi
# The profile has no `strip`, because cargo ignores that if a profile has an override for a package.
flags+=$'\x1f-Cstrip=symbols'
export CARGO_ENCODED_RUSTFLAGS=${flags#$'\x1f'}

# With --target, build scripts and procedural macros are not linked statically, which would fail.
cargo "$build" --release --locked --features "$features" --target "$target$glibc" >&2
program=$output/$target/release/nqueens$extension
for directory in "$(native "$HOME")" "${directories[@]}"; do
    if [ "${#directory}" -gt 1 ] && LC_ALL=C grep -aqF -e "$directory/" -e "$directory\\" "$program"; then
        echo "error: '$program' names the directory '$directory' of this machine" >&2
        exit 1
    fi
done
if [ "${1:-}" = --program ]; then
    echo "$program"
    exit
fi

bash scripts/release/tree.sh "$program" dist/tree
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
archive=dist/nqueens-$architecture-$system.$format
"${PYTHON:-python3}" scripts/release/pack.py dist/tree "nqueens-$version" "$archive"
echo "$archive"
