#!/usr/bin/env bash
# Installs the programs that the tests need, and runs all tests. `cargo test` alone skips a test whose program is not
# installed and reports this; here such a test fails.
#
#   bash scripts/test.sh           the fast tier, a few minutes on two cores
#   bash scripts/test.sh --slow    also the tests that take longer, and all that makes and checks a release
set -euo pipefail
cd "$(dirname "$0")/.."

slow=
case "$*" in
    '') ;;
    --slow) slow=1 ;;
    *) echo "usage: bash scripts/test.sh [--slow]" >&2; exit 2 ;;
esac

# shellcheck source=scripts/environment.sh
source scripts/environment.sh
# Daemons are in /usr/sbin, which is not in every user's path.
PATH=$PATH:/usr/sbin
# Each entry is a program, or several of which one is enough, and its package. Rust needs the C compiler for linking.
needed=(cc:gcc cc:libc6-dev git:git awk:mawk hyperfine:hyperfine
    'chromium chromium-browser google-chrome google-chrome-stable:chromium')
if [ "$(uname)" = Linux ]; then
    # strace makes system calls fail.
    needed+=(strace:strace mandoc:mandoc setpriv:util-linux)
    # Without a GPU, its kernels run on the CPU.
    ldconfig -p | grep -F libOpenCL.so.1 > /dev/null || needed+=(no-opencl-loader:ocl-icd-libopencl1)
    compgen -G '/etc/OpenCL/vendors/*.icd' > /dev/null || needed+=(no-opencl-device:pocl-opencl-icd)
    if [ -n "$slow" ]; then
        needed+=(lintian:lintian debootstrap:debootstrap munged:munge {sbatch,slurmctld,slurmd}:slurm-wlm)
    fi
fi
missing=()
for each in "${needed[@]}"; do
    read -ra names <<< "${each%:*}"
    [ -n "$(type -P "${names[@]}")" ] || missing+=("${each#*:}")
done
python3 -c 'import ensurepip, venv' 2> /dev/null || missing+=(python3 python3-venv)
packages "${missing[@]}"

# The program that the next command builds. All later commands use it. --slow and CI test the default features alone, and
# the library without any. Here a crate outside does (tests/library/outside).
program=${CARGO_TARGET_DIR:-target}/debug/nqueens

# With the Python package, because its tests then find the library built: cargo builds it once for both. The examples
# are parts of tests, and scripts/lint.sh compiles them too.
run env NQUEENS_TEST_ALL=1 cargo test --locked -p nqueens-count -p nqueens-python --all-features --tests
run cargo test --locked -p nqueens-count -p nqueens-python --all-features --doc
run python3 scripts/refresh-results.py --check
run env NQUEENS_PROGRAM="$program" bash scripts/python.sh test
if [ -n "$slow" ] || target_library wasm32-unknown-unknown 2> /dev/null; then
    run env NQUEENS_PROGRAM="$program" bash scripts/web.sh test
else
    echo "left out: the page is tested with --slow, or after \`rustup target add wasm32-unknown-unknown\`"
fi
if [ -n "$slow" ]; then
    run env NQUEENS_TEST_ALL=1 cargo test --locked --test cli
    run env NQUEENS_TEST_ALL=1 cargo test --locked --all-features -- --ignored
    run env NQUEENS_TEST_SEED=$RANDOM$RANDOM NQUEENS_TEST_TIMES=100 cargo test --locked --all-features --lib --bins --tests fuzz_
    run cargo test --locked --no-default-features
    run cargo check --locked --lib --no-default-features --features serde
    # .github/workflows/release.yml runs these scripts.
    run bash scripts/release/check-package.sh
    run bash scripts/release/make.sh
    run bash scripts/web.sh count
    run bash scripts/python.sh dask
    run bash scripts/python.sh build
    run bash scripts/python.sh check
    if [ "$(uname -m)" = x86_64 ] && [ "$(uname)" = Linux ]; then
        run bash scripts/platforms.sh
        run bash scripts/platforms.sh --release
    fi
    # Miri looks for undefined behaviour, in the code that needs no special instructions of the CPU.
    if cargo +nightly miri --version > /dev/null 2>&1; then
        run env MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked --no-default-features --test library \
            units_of_small_boards
    else
        echo "left out: Miri is not installed; \`rustup component add --toolchain nightly miri rust-src\` installs it"
    fi
    # Looks for accesses to memory that is not theirs, in the kernels that this CPU has.
    if cargo +nightly --version > /dev/null 2>&1; then
        run env RUSTFLAGS=-Zsanitizer=address cargo +nightly test --locked --no-default-features --lib \
            --target "$(rustc --print host-tuple)" engine::
    else
        echo "left out: AddressSanitizer needs a nightly toolchain; \`rustup toolchain install nightly\` installs it"
    fi
fi
echo "== all tests passed${slow:+, the slow ones too}"
