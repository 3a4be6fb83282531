#!/usr/bin/env bash
# Installs what the tests need and runs them.
#
#   bash scripts/test.sh           the fast tier, a few minutes on two cores
#   bash scripts/test.sh --slow    also the tests that take longer
set -euo pipefail
cd "$(dirname "$0")/.."

slow=
case "${1:-}" in
    '') ;;
    --slow) slow=1 ;;
    *) echo "usage: bash scripts/test.sh [--slow]" >&2; exit 2 ;;
esac

if ! command -v cargo > /dev/null; then
    echo "error: cargo is not installed; get Rust 1.89 or later from https://rustup.rs" >&2
    exit 1
fi
# Rust links with the C compiler; one test asks git for the commit; the page of `trace` is tested in Chromium; on Linux charts
# are drawn by librsvg too, scripts/slurm is tested on a cluster that the test starts, and scripts/attack.sh is in Python.
missing=
command -v cc > /dev/null || missing="$missing gcc libc6-dev"
command -v git > /dev/null || missing="$missing git"
command -v awk > /dev/null || missing="$missing mawk"
command -v chromium > /dev/null || command -v google-chrome > /dev/null || missing="$missing chromium"
command -v chromedriver > /dev/null || missing="$missing chromium-driver"
if [ "$(uname)" = Linux ]; then
    # The daemons are where not all have their path.
    PATH=$PATH:/usr/sbin
    for tool in sbatch squeue slurmctld slurmd; do
        command -v "$tool" > /dev/null || { missing="$missing slurm-wlm"; break; }
    done
    command -v munged > /dev/null || missing="$missing munge"
    command -v python3 > /dev/null || missing="$missing python3"
    command -v rsvg-convert > /dev/null || missing="$missing librsvg2-bin"
fi
if [ -n "$missing" ]; then
    if command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update
        # shellcheck disable=SC2086  # a list of packages
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
    else
        echo "error: please install:$missing" >&2
        exit 1
    fi
fi

run() {
    echo "== $*"
    "$@"
}

run cargo test --locked --all-features
run cargo test --locked --no-default-features --lib
run bash scripts/reproduce-table.sh 14
# The program is that of the tests. The same choice of attacks each time, so that a failure is one of the change.
if [ "$(uname)" = Linux ]; then run bash scripts/attack.sh --minutes 1 --seed 1; fi
if [ -n "$slow" ]; then
    run cargo test --locked --all-features -- --ignored
    run bash scripts/reproduce-table.sh 16
fi
echo "== all tests passed${slow:+, the slow ones too}"
