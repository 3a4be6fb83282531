#!/usr/bin/env bash
# Provides Debian's compiler for targets whose standard library `rustup target add` does not get. Scripts read this file
# with `source`, as root on Debian x86-64.

# Builds go to `platforms`, and the compiler is unpacked in `rust`. rustup's toolchain stays as it is.
platforms=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")/platforms
rust=$platforms/rust

# Makes cargo build for a target, with the compiler of rustup or of Debian. Debian's compiler builds these crates of the
# standard library from their source.
provide_target() {
    local target=$1 crates=$2
    [ ! -d "$(rustc --print target-libdir --target "$target")" ] || return 0
    ! rustup target add "$target" 2> /dev/null || return 0
    if [ ! -e "$rust/complete" ]; then
        if [ "$(id -u)" != 0 ] || ! type -P apt-get > /dev/null; then
            echo "error: rustup does not get the standard library of $target; root on Debian x86-64 can use Debian's" >&2
            exit 1
        fi
        rm -rf "${rust:?}"
        mkdir -p "$rust/packages/partial"
        apt-get update
        # The packages are not installed, because they conflict with those of other compilers. Packages that are
        # installed already are needed too.
        # shellcheck disable=SC2046  # the names of packages
        apt-get install -qq --download-only --reinstall --no-install-recommends -o APT::Sandbox::User=root \
            -o Dir::Cache::archives="$rust/packages" rustc-web rust-web-clippy rust-web-src \
            $(apt-cache depends rustc-web rust-web-clippy | grep -o 'libstd-rust-web-.*')
        for package in "$rust"/packages/*.deb; do dpkg -x "$package" "$rust"; done
        rm -r "$rust/packages"
        touch "$rust/complete"
    fi
    export RUSTC=$rust/usr/bin/rustc PATH=$rust/usr/bin:$PATH
    export LD_LIBRARY_PATH=$rust/usr/lib/x86_64-linux-gnu:$rust/lib/x86_64-linux-gnu
    export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=$crates
}
