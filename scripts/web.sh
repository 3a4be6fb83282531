#!/usr/bin/env bash
# The page: one file that a browser opens from disk or from any host.
#
#   bash scripts/web.sh build    makes dist/nqueens.html
#   bash scripts/web.sh serve    makes it, and shows it on localhost
#   bash scripts/web.sh test     makes it, and tests it in Chromium (with Node)
#
# Where `rustup target add` fails, Debian's compiler is unpacked below the target directory, as root on Debian x86-64, and
# the standard library is built from its source.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/environment.sh
source scripts/environment.sh
target=wasm32-unknown-unknown
# That of scripts/platforms.sh, which unpacks the same compiler.
cache=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")/platforms
rust=$cache/rust
page=dist/nqueens.html

# Unpacks Debian's compiler, with what it needs and this system lacks, unless that is done.
unpack_rust() {
    [ ! -e "$rust/complete" ] || return 0
    rm -rf "${rust:?}"
    mkdir -p "$rust/packages/partial"
    apt-get update
    # Not installed: the packages are in conflict with those of other compilers.
    apt-get install -qq --download-only --no-install-recommends -o APT::Sandbox::User=root \
        -o Dir::Cache::archives="$rust/packages" rustc-web rust-web-src
    for package in "$rust"/packages/*.deb; do dpkg -x "$package" "$rust"; done
    rm -r "$rust/packages"
    touch "$rust/complete"
}

build() (
    export CARGO_TARGET_DIR=$cache CARGO_BUILD_TARGET=$target CARGO_INCREMENTAL=0
    # A browser that has DecompressionStream, which unpacks the page, has SIMD128 too.
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=-Ctarget-feature=+simd128
    linker=$(rustc --print sysroot)/lib/rustlib/$(rustc --print host-tuple)/bin/rust-lld
    if [ -e "$linker" ]; then export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker; fi
    if [ ! -d "$(rustc --print target-libdir --target $target)" ] && ! rustup target add $target 2> /dev/null; then
        unpack_rust
        export RUSTC=$rust/usr/bin/rustc
        export LD_LIBRARY_PATH=$rust/usr/lib/x86_64-linux-gnu:$rust/lib/x86_64-linux-gnu
        export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
    fi
    mkdir -p "$cache"
    run cargo build --release --locked --manifest-path web/Cargo.toml
    "$python" scripts/release/licenses.py web/Cargo.toml > "$cache/licenses.txt"
    run "$python" web/bundle.py "$cache/$target/release/nqueens_web.wasm" "$cache/licenses.txt" "$page"
)

case "$*" in
    build) build ;;
    serve)
        build
        echo "== http://localhost:8000/${page##*/} (Ctrl-C ends it)"
        "$python" -m http.server --bind localhost --directory "${page%/*}" 8000 ;;
    test)
        type -P node > /dev/null || packages nodejs
        build
        run node web/check.mjs "$page" ;;
    *) echo "usage: bash scripts/web.sh build|serve|test" >&2; exit 2 ;;
esac
