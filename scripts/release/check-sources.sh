#!/usr/bin/env bash
# Unpacks the sources that scripts/release/vendored.sh has packed into an empty directory, and checks that they are
# complete: the program is checked there without a network.
#
#   bash scripts/release/check-sources.sh dist/nqueens-0.2.0-vendored.tar.gz
set -euo pipefail

if [ $# != 1 ] || ! [ -f "$1" ]; then
    echo "usage: bash scripts/release/check-sources.sh ARCHIVE" >&2
    exit 2
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
tar -xzf "$1" -C "$directory" --strip-components=1
cd "$directory"
# Without what other builds have downloaded.
CARGO_HOME=$directory/home CARGO_TARGET_DIR=$directory/target cargo check --quiet --locked --offline
echo "$1: complete"
