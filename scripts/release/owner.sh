#!/usr/bin/env bash
# Names the account that publishes the project, in all files that link to its repository or its image.
#
#   bash scripts/release/owner.sh            prints the account; fails if two files name different ones
#   bash scripts/release/owner.sh ACCOUNT    writes ACCOUNT in its place
#
# Until the account is known, it is the placeholder OWNER.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# -gt 1 ] || ! [[ "${1-a}" =~ ^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$ ]]; then
    echo "usage: bash scripts/release/owner.sh [ACCOUNT]   letters, digits and hyphens, at most 39" >&2
    exit 2
fi

# Prints `file:line:place/account/nqueens` for each place that names the account.
places() { git grep -InoE '(github\.com/|ghcr\.io/|--repo )[A-Za-z0-9-]+/nqueens\>' -- ':!scripts/release' ':!tests'; }

if [ $# = 1 ]; then
    account=$1
    # The image registry takes lower case only.
    image=$(printf %s "$account" | tr '[:upper:]' '[:lower:]')
    places | cut -d: -f1 | sort -u | while IFS= read -r file; do
        sed -E "s#(github\.com/|--repo )[A-Za-z0-9-]+(/nqueens)\b#\1$account\2#g; s#(ghcr\.io/)[A-Za-z0-9-]+(/nqueens)\b#\1$image\2#g" \
            "$file" > "$file.new"
        # Keeps the permissions of the file.
        cat "$file.new" > "$file"
        rm "$file.new"
    done
fi

owner=$(sed -n 's#^repository = "https://github.com/\(.*\)/nqueens"$#\1#p' Cargo.toml)
if [ -z "$owner" ]; then
    echo "error: Cargo.toml has no line 'repository = \"https://github.com/ACCOUNT/nqueens\"'" >&2
    exit 1
fi
others=$(places | grep -ivE "[/ ]$owner/nqueens\$" || true)
if [ -n "$others" ]; then
    echo "error: Cargo.toml says that the account is $owner, but these places name another;" \
        "\`bash scripts/release/owner.sh ACCOUNT\` writes one in all of them" >&2
    echo "$others" >&2
    exit 1
fi
echo "$owner"
