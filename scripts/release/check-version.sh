#!/usr/bin/env bash
# Checks that all files name the version of Cargo.toml and the same account.
#
#   bash scripts/release/check-version.sh           while the version is being worked on
#   bash scripts/release/check-version.sh v0.2.0    before it is released: the tag names the version, its changes have
#                                                   the day of the citation, and the account is known
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# -gt 1 ]; then
    echo "usage: bash scripts/release/check-version.sh [TAG]" >&2
    exit 2
fi
faults=0
fault() {
    echo "error: $*" >&2
    faults=1
}

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
grep -qx "version: $version" CITATION.cff || fault "CITATION.cff has no line 'version: $version', as Cargo.toml has"
while IFS=: read -r file line image; do
    [ "${image##*:}" = "$version" ] || fault "$file, line $line: the image is '$image', but the version is '$version'"
done < <(git grep -noE 'ghcr\.io/[A-Za-z0-9-]+/nqueens:[0-9A-Za-z.-]+' -- '*.md' '*.yaml' || true)
owner=$(sed -n 's#^repository = "https://github.com/\(.*\)/nqueens"$#\1#p' Cargo.toml)
! others=$(git grep -InoE '(github\.com/|ghcr\.io/|--repo )[A-Za-z0-9-]+/nqueens\>' -- ':!scripts/release' ':!tests' |
    grep -ivE "[/ ]$owner/nqueens\$") ||
    fault "the account of the repository is '$owner' in Cargo.toml, but these lines name another: $others"
heading=$(grep -m 1 '^## ' CHANGELOG.md)
case $heading in
    "## $version ("*) ;;
    *) fault "CHANGELOG.md begins with '$heading', but the version is '$version'" ;;
esac

if [ $# = 1 ]; then
    [ "$1" = "v$version" ] || fault "the tag is '$1', but the version is '$version': the tag must be 'v$version'"
    if [[ "$heading" =~ \(([0-9]{4}-[0-9]{2}-[0-9]{2})\)$ ]]; then
        day=${BASH_REMATCH[1]}
        grep -qx "date-released: $day" CITATION.cff || fault "CITATION.cff has no line 'date-released: $day'"
    else
        fault "CHANGELOG.md says '$heading': give the day of the release, as '## $version (2026-12-31)'"
    fi
    [ "$owner" != OWNER ] || fault "the account is not known yet: write it as docs/release.md says"
    ! left=$(git grep -wn OWNER -- README.md Cargo.toml docs examples python web ':!docs/release.md') ||
        fault "these lines still speak of the placeholder OWNER: $left"
fi
[ "$faults" = 0 ] || exit 1
echo "version $version${1:+, tag $1}, account $owner"
