#!/usr/bin/env bash
# Makes the page: one file that a browser opens from disk or from any host.
#
#   bash scripts/web.sh build   makes dist/nqueens.html
#   bash scripts/web.sh test    makes it, and tests it in Chromium
#   bash scripts/web.sh count   tests the library in Node, for a browser and for WASI
#   bash scripts/web.sh picture makes it, and with Chromium the README's picture of it, docs/page.webp
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/environment.sh
source scripts/environment.sh
target=wasm32-unknown-unknown
platforms=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")/platforms
page=dist/nqueens.html
# The page is compared with the program for this machine, unless NQUEENS_PROGRAM names another.
program=${CARGO_TARGET_DIR:-target}/debug/nqueens

build() (
    export CARGO_TARGET_DIR=$platforms CARGO_BUILD_TARGET=$target CARGO_INCREMENTAL=0
    # A browser that has DecompressionStream, which unpacks the page, has SIMD128 too. Nobody sees names of functions.
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS='-Ctarget-feature=+simd128 -Cstrip=symbols'
    target_library $target
    mkdir -p "$platforms"
    run cargo build --profile web --locked --package nqueens-web
    "$python" scripts/release/licenses.py web/Cargo.toml > "$platforms/licenses.txt"
    run "$python" web/bundle.py "$platforms/$target/web/nqueens_web.wasm" "$platforms/licenses.txt" "$page"
)

# The library counts as it does for any crate, with a clock and without one.
count() {
    target_library "$1"
    run env CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none \
        cargo build --locked --package nqueens-web --example counts --target "$1" --target-dir "$platforms"
    run node web/run.mjs "$platforms/$1/debug/examples/counts.wasm"
}

case "$*" in
    build) build ;;
    test)
        type -P node > /dev/null || packages nodejs
        build
        [ -n "${NQUEENS_PROGRAM:-}" ] || run cargo build --locked
        run node web/check.mjs "$page" "${NQUEENS_PROGRAM:-$program}" ;;
    count)
        type -P node > /dev/null || packages nodejs
        for name in $target wasm32-wasip1; do count "$name"; done ;;
    picture)
        build
        run node web/picture.mjs "$page" docs/page.webp ;;
    *) echo "usage: bash scripts/web.sh build|test|count|picture" >&2; exit 2 ;;
esac
