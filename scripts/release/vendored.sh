#!/usr/bin/env bash
# Packs the sources of the program with those of all crates, so that they can be built without a network, and the profile
# for the Phoronix Test Suite that does so:
#
#   bash scripts/release/vendored.sh    dist/nqueens-VERSION-vendored.tar.gz and dist/nqueens-VERSION-phoronix.tar.gz
#
# The profile differs from that in scripts/phoronix in the checksum and the size of the sources. dist/phoronix has the
# content of its archive.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# != 0 ]; then
    echo "usage: bash scripts/release/vendored.sh" >&2
    exit 2
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cargo package --locked --allow-dirty --no-verify --quiet --target-dir "$directory" 2> "$directory/log" ||
    { cat "$directory/log" >&2; exit 1; }
tar -xzf "$directory"/package/nqueens-count-*.crate -C "$directory"
tree=$(echo "$directory"/nqueens-count-*/)
mkdir "$tree/.cargo"
(cd "$tree" && cargo vendor --locked --versioned-dirs) > "$directory/config.toml" 2> "$directory/log" ||
    { cat "$directory/log" >&2; exit 1; }
mv "$directory/config.toml" "$tree/.cargo/"

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
archive=dist/nqueens-$version-vendored.tar.gz
rm -rf dist/phoronix
mkdir -p dist/phoronix
"${PYTHON:-python3}" scripts/release/pack.py "$tree" "nqueens-$version" "$archive"
echo "$archive"

sum=$(sha256sum "$archive" | cut -d' ' -f1)
size=$(wc -c < "$archive")
for profile in scripts/phoronix/*/; do
    copy=dist/phoronix/$(basename "$profile")
    cp -r "$profile" "$copy"
    sed "s#^\( *\)<FileName>.*#\1<SHA256>$sum</SHA256>\n&\n\1<FileSize>$((size))</FileSize>#" \
        "$profile/downloads.xml" > "$copy/downloads.xml"
done
archive=dist/nqueens-$version-phoronix.tar.gz
"${PYTHON:-python3}" scripts/release/pack.py dist/phoronix phoronix "$archive"
echo "$archive"
