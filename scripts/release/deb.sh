#!/usr/bin/env bash
# Packs dist/tree, which scripts/release/build.sh has made, for Debian and its relatives: dist/nqueens_ARCHITECTURE.deb.
# cargo-deb is needed (`cargo install cargo-deb --locked`); Cargo.toml says what goes where.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# != 0 ]; then
    echo "usage: bash scripts/release/deb.sh" >&2
    exit 2
fi
if ! [ -x dist/tree/bin/nqueens ]; then
    echo "error: there is no dist/tree/bin/nqueens; run \`bash scripts/release/build.sh\` first" >&2
    exit 1
fi
package=dist/nqueens_$(dpkg --print-architecture).deb
# The program has been built, and has no debug information to strip.
cargo deb --locked --no-build --no-strip --output "$package" >&2
echo "$package"
