#!/usr/bin/env bash
# Unpacks a release archive into an empty directory and checks it: the program counts, nothing is missing, bash
# can load the completions, and the links of the documents lead somewhere. The program for Linux needs
# glibc 2.17 and no later one.
#
#   bash scripts/release/check-archive.sh dist/nqueens-aarch64-macos.tar.gz
set -euo pipefail

if [ $# != 1 ] || ! [ -f "$1" ]; then
    echo "usage: bash scripts/release/check-archive.sh ARCHIVE" >&2
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

# N = 18 uses another engine than N = 10, on several threads.
for board in 10:724 18:666090624; do
    program=("$root"/bin/nqueens*)
    total=$(${NQUEENS_RUNNER:+"$NQUEENS_RUNNER"} "${program[0]}" count "${board%:*}" --quiet) || total="no total"
    [ "${total%$'\r'}" = "${board#*:}" ] || fail "$1" "nqueens count ${board%:*} printed '$total'"
done
if [[ $1 == *-linux.tar.gz ]]; then
    newest=$(LC_ALL=C grep -aoE 'GLIBC_[0-9.]+' "${program[0]}" | sort -V | tail -n 1) || newest='no glibc'
    [ "$newest" = GLIBC_2.17 ] || fail "$1" "the program needs $newest, not GLIBC_2.17"
fi

share=$root/share
for file in man/man1/nqueens{,-count,-merge,-verify}.1 zsh/site-functions/_nqueens fish/vendor_completions.d/nqueens.fish \
    doc/nqueens/examples/slurm.sh \
    doc/nqueens/{LICENSE-APACHE,LICENSE-MIT,LICENSES-OF-DEPENDENCIES,README.md,CHANGELOG.md}; do
    [ -s "$share/$file" ] || fail "$1" "there is no $file"
done
# shellcheck disable=SC2016  # the inner bash expands it
bash -c 'source "$1" && complete -p nqueens' bash "$share/bash-completion/completions/nqueens" > /dev/null ||
    fail "$1" "bash cannot load the completions"
bad=$("${PYTHON:-python3}" "$links" "$share/doc/nqueens") || fail "$1" "$bad"
echo "$1: counts, and is complete"
