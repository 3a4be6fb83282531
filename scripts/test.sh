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

has() { command -v "$1" > /dev/null; }

if ! has cargo; then
    echo "error: cargo is not installed; get Rust 1.89 or later from https://rustup.rs" >&2
    exit 1
fi
# Daemons are in /usr/sbin, which is not in every user's path.
PATH=$PATH:/usr/sbin
missing=()
# Rust needs the C compiler for linking, and scripts/compare-c.sh needs it for its programs.
has cc || missing+=(gcc libc6-dev)
has git || missing+=(git)
has awk || missing+=(mawk)
# A browser, for the pages of `trace` and `bench`.
has chromium || has chromium-browser || has google-chrome || has google-chrome-stable || missing+=(chromium)
has chromedriver || missing+=(chromium-driver)
# Python, for its package.
python3 -c 'import ensurepip, venv' 2> /dev/null || missing+=(python3 python3-venv)
if [ "$(uname)" = Linux ]; then
    # Slurm, for the scripts in scripts/slurm. The tests start their own cluster.
    for tool in sbatch squeue scontrol sinfo scancel slurmctld slurmd; do
        has "$tool" || { missing+=(slurm-wlm); break; }
    done
    has munged || missing+=(munge)
    has setpriv && has taskset || missing+=(util-linux)
    # Makes system calls fail.
    has strace || missing+=(strace)
    # librsvg, which supports fewer styles than a browser, for charts.
    has rsvg-convert || missing+=(librsvg2-bin)
    # Checks manual pages.
    has mandoc || missing+=(mandoc)
    if [ -n "$slow" ]; then
        # For the packages of a release.
        has lintian || missing+=(lintian)
        has debootstrap || missing+=(debootstrap)
    fi
fi
if [ ${#missing[@]} -gt 0 ]; then
    if has apt-get && [ "$(id -u)" = 0 ]; then
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
    else
        echo "error: please install ${missing[*]}, or run \`cargo test\`, which leaves out the tests that need them" >&2
        exit 1
    fi
fi

run() {
    echo "== $*"
    "$@"
}

# Tests send SIGINT, which is ignored by what a shell without job control runs in the background.
with_signals='env'
if env --default-signal=HUP,INT,QUIT,TERM true 2> /dev/null; then
    with_signals='env --default-signal=HUP,INT,QUIT,TERM'
fi

# The program that the first command builds. All later commands use it.
program=${CARGO_TARGET_DIR:-target}/debug/nqueens

# shellcheck disable=SC2086  # a command and its options
run $with_signals NQUEENS_TEST_ALL=1 cargo test --locked --all-features
run env NQUEENS_PROGRAM="$program" bash scripts/refresh-results.sh --check
# shellcheck disable=SC2086  # a command and its options
run $with_signals NQUEENS_PROGRAM="$program" bash scripts/python.sh test
if [ -n "$slow" ]; then
    # shellcheck disable=SC2086  # a command and its options
    run $with_signals NQUEENS_TEST_ALL=1 cargo test --locked --all-features -- --ignored
    # shellcheck disable=SC2086  # a command and its options
    run $with_signals NQUEENS_TEST_SEED=$RANDOM$RANDOM NQUEENS_TEST_TIMES=100 cargo test --locked --all-features --lib --bins --tests fuzz_
    # The library without its optional features.
    run cargo test --locked --no-default-features
    run bash scripts/reproduce-table.sh 16
    # What .github/workflows/release.yml runs.
    run bash scripts/release/check-package.sh
    if has apt-get || [ "$(uname)" != Linux ]; then
        run bash scripts/release/make.sh
    else
        echo "left out: archive and Debian package, which are made on Debian or Ubuntu"
    fi
    run bash scripts/release/vendored.sh
    run bash scripts/release/check-sources.sh dist/nqueens-*-vendored.tar.gz
    run bash scripts/python.sh build
    run bash scripts/python.sh check
    if has docker; then
        run docker build --tag nqueens:test .
        run docker run --rm --read-only --network none nqueens:test count 18 --quiet
    else
        echo "left out: Docker is not installed, so the image is not built"
    fi
    if cargo +nightly miri --version > /dev/null 2>&1; then
        run bash scripts/miri.sh
    else
        echo "left out: Miri is not installed; \`rustup component add --toolchain nightly miri\` installs it"
    fi
fi
echo "== all tests passed${slow:+, the slow ones too}"
