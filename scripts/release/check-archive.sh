#!/usr/bin/env bash
# Unpacks a release archive into an empty directory and checks it: the program counts, its manual pages can be
# formatted, its completions can be loaded, the links of its documents lead somewhere, and no license is missing.
#
#   bash scripts/release/check-archive.sh dist/nqueens-aarch64-macos.tar.gz
#   bash scripts/release/check-archive.sh --chroot dist/nqueens-x86_64-linux.tar.gz
#
# With --chroot, as root on Linux, the program runs with that directory as the root of its file system, where there is
# nothing else.
set -euo pipefail

chroot=
if [ "${1:-}" = --chroot ]; then
    chroot=1
    shift
fi
if [ $# != 1 ] || ! [ -f "$1" ]; then
    echo "usage: bash scripts/release/check-archive.sh [--chroot] ARCHIVE" >&2
    exit 2
fi
fail() {
    echo "error: $1: $2" >&2
    exit 1
}
links=$(dirname "$0")/../links.py
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
case $1 in
    *.zip) "${PYTHON:-python3}" -m zipfile -e "$1" "$directory" ;;
    *) tar -xzf "$1" -C "$directory" ;;
esac
roots=("$directory"/*)
root=${roots[0]}
[ ${#roots[@]} = 1 ] || fail "$1" "it must contain one folder, but has ${roots[*]##*/}"

program=("$root/bin/nqueens")
if [ -n "$chroot" ]; then program=(chroot "$root" /bin/nqueens); fi
# N = 18 uses another engine than N = 10, on several threads.
for board in 10:724 18:666090624; do
    total=$("${program[@]}" count "${board%:*}" --quiet) ||
        fail "$1" "nqueens count ${board%:*} fails"
    [ "$total" = "${board#*:}" ] || fail "$1" "nqueens count ${board%:*} printed '$total'"
done

share=$root/share
for command in '' -count -merge -verify; do
    page=$share/man/man1/nqueens$command.1
    [ -s "$page" ] || fail "$1" "there is no man1/nqueens$command.1"
    if type -P man > /dev/null && [ "$(uname)" = Linux ]; then
        MANPAGER='cat' man -l "$page" | grep SYNOPSIS > /dev/null || fail "$1" "man cannot format nqueens$command.1"
    fi
done
# shellcheck disable=SC2016  # the inner bash expands it
bash -c 'source "$1" && complete -p nqueens' bash "$share/bash-completion/completions/nqueens" > /dev/null ||
    fail "$1" "bash cannot load the completions"
grep -q '^#compdef nqueens' "$share/zsh/site-functions/_nqueens" || fail "$1" "the completions for zsh are missing"
grep -q '^complete -c nqueens' "$share/fish/vendor_completions.d/nqueens.fish" ||
    fail "$1" "the completions for fish are missing"
for file in LICENSE-APACHE LICENSE-MIT LICENSES-OF-DEPENDENCIES README.md CHANGELOG.md; do
    [ -s "$share/doc/nqueens/$file" ] || fail "$1" "there is no $file"
done
bad=$("${PYTHON:-python3}" "$links" "$share/doc/nqueens") || fail "$1" "$bad"
echo "$1: counts, and its manual pages, completions, documents and licenses are complete"
