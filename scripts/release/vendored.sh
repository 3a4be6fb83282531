#!/usr/bin/env bash
# Packs the sources of the program with those of all crates, so that they can be built without a network. Also packs the
# profile for the Phoronix Test Suite that builds them so:
#
#   bash scripts/release/vendored.sh    dist/nqueens-VERSION-vendored.tar.gz and dist/nqueens-VERSION-phoronix.tar.gz
#
# The profile is the one in benches/phoronix, with the version, and the checksum and the size of the sources.
# dist/phoronix has the content of its archive.
set -euo pipefail
cd "$(dirname "$0")/../.."

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

# The sources are complete if they can be checked without what other builds have downloaded.
tar -xzf "$archive" -C "$directory"
(cd "$directory/nqueens-$version" &&
    CARGO_HOME=$directory/home CARGO_TARGET_DIR=$directory/target cargo check --quiet --locked --offline)

cp -r benches/phoronix/* dist/phoronix/
sum=$(sha256sum "$archive" | cut -d' ' -f1)
size=$(wc -c < "$archive")
sed -i -e "s/VERSION/$version/g" \
    -e "s#^\( *\)<FileName>.*#\1<SHA256>$sum</SHA256>\n&\n\1<FileSize>$((size))</FileSize>#" dist/phoronix/*/*.xml
archive=dist/nqueens-$version-phoronix.tar.gz
"${PYTHON:-python3}" scripts/release/pack.py dist/phoronix phoronix "$archive"
echo "$archive"
