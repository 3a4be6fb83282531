#!/usr/bin/env bash
# Builds the program and the library for other platforms, as root on Debian x86-64, and runs what can be run here:
#
#   bash scripts/platforms.sh [--release] [NAME...]    without names, all
#
#   arm64, s390x (big-endian)    in emulation (qemu)
#   i686                         as it is
#   windows                      with Wine
#   web (WebAssembly), macos     types and lints only; scripts/web.sh runs the page
#
# --release also makes and tries what is released for arm64 and windows. The last lines say what was done.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/environment.sh
source scripts/environment.sh
cache=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")/platforms
# These variables would change what is built and run.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET NQUEENS_THREADS
release=''
if [ "${1:-}" = --release ]; then release=release; shift; fi
case $#$release in
    0) set -- arm64 i686 s390x windows web macos ;;
    0release) set -- arm64 windows ;;
esac

# Sets the variables of a platform: its target, its linker, the program that runs its programs, and the packages it
# needs.
describe() {
    linker='' runner='' suffix='' needed=()
    case $1 in
        arm64) target=aarch64-unknown-linux-gnu linker=aarch64-linux-gnu-gcc runner=qemu-aarch64-static
            needed=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static) ;;
        s390x) target=s390x-unknown-linux-gnu linker=s390x-linux-gnu-gcc runner=qemu-s390x-static
            needed=(gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user-static) ;;
        i686) target=i686-unknown-linux-gnu linker=i686-linux-gnu-gcc
            needed=(gcc-i686-linux-gnu libc6-dev-i386-cross) ;;
        windows) target=x86_64-pc-windows-gnu linker=x86_64-w64-mingw32-gcc runner=wine suffix=.exe
            needed=(gcc-mingw-w64-x86-64 wine wine64) ;;
        web) target=wasm32-unknown-unknown ;;
        macos) target=aarch64-apple-darwin ;;
        *) echo "usage: bash scripts/platforms.sh [--release] [arm64|i686|macos|s390x|web|windows...]" >&2; exit 2 ;;
    esac
}

# Sets the environment in which cargo builds for the platform.
prepare() {
    packages gcc libc6-dev "${needed[@]}"
    export CARGO_TARGET_DIR=$cache CARGO_BUILD_TARGET=$target CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none
    local name=${target^^}
    name=CARGO_TARGET_${name//-/_}
    case $target in
        # The programs need no library of the other system.
        *-linux-* | *-windows-*) export "${name}_RUSTFLAGS=-Ctarget-feature=+crt-static" ;;
        wasm32-*) export "${name}_RUSTFLAGS=-Ctarget-feature=+simd128" ;;
    esac
    if [ -n "$linker" ]; then export "${name}_LINKER=$linker"; fi
    case $runner in
        '') ;;
        wine) export "${name}_RUNNER=bash scripts/wine.sh" ;;
        *) export "${name}_RUNNER=$runner" ;;
    esac
    target_library "$target"
    cargo-clippy --version > /dev/null 2>&1 || rustup component add clippy
}

# Sets up Wine without a display, and with the source of random numbers that its version in Debian lacks.
export WINEPREFIX=$cache/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' DISPLAY=
prepare_wine() {
    [ -d "$WINEPREFIX/drive_c/windows/system32" ] || wineboot --init
    "$linker" -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" -x c - -ladvapi32 << 'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, length); }
END
}

# Runs the program of a platform, or of this machine if the name is `host`.
on() {
    local name=$1
    shift
    if [ "$name" = host ]; then "$host" "$@"; return; fi
    describe "$name"
    ${runner:+"$runner"} "$cache/$target/debug/nqueens$suffix" "$@"
}

# Tests the program and the library on a platform whose programs run here.
try_program() {
    local tests=(--lib --test library) left='the tests of the program'
    # Crates outside this repository are tested on this machine only, and expected times do not hold on a busy machine.
    local skipped=(outside run::expected)
    case $1 in
        windows)
            tests+=(--bins --test cli) left='the tests of Unix, Ctrl-Break'
            # Wine is slower than the first of these expects, and takes a name that is too long for a name that is free.
            skipped+=(readme a_long_argument)
            # If several threads start programs, Wine sometimes fails with an internal error and starts none.
            export RUST_TEST_THREADS=1
            ;;
        i686) tests+=(--bins) left='the tests that start the program' ;;
        # An emulator takes minutes for this test.
        *) skipped+=(the_largest_board_fits) ;;
    esac
    run cargo-clippy clippy --locked --lib --bins --tests --all-features -- -D warnings
    run cargo test --locked --all-features "${tests[@]}" -- "${skipped[@]/#/--skip=}" | tee "$cache/$1.tests"
    run on "$1" verify --threads 3
    # Ctrl-C needs a console. Wine 8 has no Ctrl-Break.
    if [ "$1" = windows ]; then
        "$linker" -o "$cache/interrupt.exe" tests/cli/interrupt.c
        run script -qefc "$(printf '%q ' "$runner" "$cache/interrupt.exe" \
            "\"$cache/$target/debug/nqueens.exe\" count 24 --quiet")" /dev/null < /dev/null
    fi
    if [ "$1" = i686 ]; then
        # A count that needs more memory than 32 bits can address is refused in one line.
        local code=0
        on i686 count 28 --quiet --threads 2 2> "$cache/refusal" || code=$?
        [ "$code $(wc -l < "$cache/refusal") $(grep -c 'needs about .* are free; ' "$cache/refusal")" = '1 1 1' ]
    fi
    # Short units of an archive are counted again by their second route.
    run on "$1" recheck results/records/23.jsonl.gz --unit 867 --unit 168
    did="program, library and tests built; $(awk '/^test result: ok/ { tests += $4 } END { print tests }' "$cache/$1.tests") tests, verify and recheck ran; not run: $left, what is called ${skipped[*]}"
}

try_release() {
    local archive
    packages git perl python3
    export NQUEENS_RUNNER=$runner QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
    # Zig links the program for Linux.
    unset CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    export SOURCE_DATE_EPOCH
    archive=$(bash scripts/release/build.sh)
    run bash scripts/release/check-archive.sh "$archive"
    did="$archive: unpacked, and its program counted"
}

try() {
    describe "$1"
    prepare
    if [ "$1" = windows ]; then prepare_wine; fi
    case $1:$release in
        *:release) try_release "$1" ;;
        macos:)
            # The benchmarks are left out, because they need a C compiler of macOS.
            run cargo-clippy clippy --locked --lib --bins --all-features -- -D warnings
            did='program and library checked; nothing was linked or run' ;;
        web:)
            run cargo-clippy clippy --locked --lib --no-default-features -- -D warnings
            run cargo-clippy clippy --locked --package nqueens-web -- -D warnings
            did='library checked; scripts/web.sh count runs it' ;;
        *) try_program "$1" ;;
    esac
    echo "$1: $did" >> "$cache/summary"
}

# Each platform begins a ledger and leaves it as if it had been killed. The next platform finishes the ledger, and the
# one after that counts the other shard and merges the two.
relay() {
    local names=(host "$@" host) i engine
    mkdir -p "$cache/relay"
    cd "$cache/relay"
    for ((i = 0; i + 2 < ${#names[@]}; i++)); do
        for engine in backtrack two-color; do
            rm -f {begun,0,1}.jsonl
            on "${names[i]}" count 16 --engine $engine --shard 0/2 --quiet --ledger begun.jsonl
            head -n 30 begun.jsonl > 0.jsonl
            on "${names[i + 1]}" count 16 --engine $engine --shard 0/2 --quiet --ledger 0.jsonl
            on "${names[i + 2]}" count 16 --engine $engine --shard 1/2 --quiet --ledger 1.jsonl
            echo "== ${names[*]:i:3}, $engine: $(on "${names[i + 2]}" merge --quiet {0,1}.jsonl | tee total)"
            grep -q '^14772512.\?$' total
        done
    done
    echo "relay: each of host $* began a ledger, the next one ended it, the one after that merged it" >> "$cache/summary"
}

for name in "$@"; do describe "$name"; done
mkdir -p "$cache"
: > "$cache/summary"
failed=()
# Runs a command in a shell of its own, and notes it under a name if it fails.
attempt() {
    set +e
    (set -e; "${@:2}") 2>&1 | tee "$cache/$1.log"
    [ "${PIPESTATUS[0]}" = 0 ] || { failed+=("$1"); echo "$1: FAILED" >> "$cache/summary"; }
    set -e
}
counting=()
for name in "$@"; do
    attempt "$name" try "$name"
    case " ${failed[*]} web macos " in *" $name "*) ;; *) counting+=("$name") ;; esac
done
if [ ${#counting[@]} != 0 ] && [ -z "$release" ]; then
    run cargo build --locked --all-features
    host=$(realpath -- "${CARGO_TARGET_DIR:-target}/debug/nqueens")
    attempt relay relay "${counting[@]}"
fi
echo "== platforms"
cat "$cache/summary"
[ ${#failed[@]} = 0 ] || { echo "error: failed: ${failed[*]}" >&2; exit 1; }
