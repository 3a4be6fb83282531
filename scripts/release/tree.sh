#!/usr/bin/env bash
# Lays out what is installed: the program, its manual pages, its completions, its scripts for Slurm, its documents and all
# licenses, with the paths below /usr/local or ~/.local.
#
#   bash scripts/release/tree.sh PROGRAM DIRECTORY
set -euo pipefail

if [ $# != 2 ] || ! [ -x "$1" ]; then
    echo "usage: bash scripts/release/tree.sh PROGRAM DIRECTORY   the directory is replaced" >&2
    exit 2
fi
program=$1 tree=$2
top=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$tree"
share=$tree/share
mkdir -p "$tree/bin" "$share"/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d,doc/nqueens}
cp "$program" "$tree/bin/"
"$program" --generate man > "$share/man/man1/nqueens.1"
for command in count table solve status merge recheck trace methods estimate verify bench compare; do
    "$program" --generate "man-$command" > "$share/man/man1/nqueens-$command.1"
done
"$program" --generate complete-bash > "$share/bash-completion/completions/nqueens"
"$program" --generate complete-zsh > "$share/zsh/site-functions/_nqueens"
"$program" --generate complete-fish > "$share/fish/vendor_completions.d/nqueens.fish"
case $program in
    *.exe)
        mkdir -p "$share/powershell"
        "$program" --generate complete-powershell > "$share/powershell/nqueens.ps1"
        ;;
esac
"${PYTHON:-python3}" "$top/scripts/release/documents.py" "$share/doc/nqueens"
mkdir -p "$share/nqueens/slurm"
install -m 755 "$top"/scripts/slurm/*.sh "$share/nqueens/slurm/"
"${PYTHON:-python3}" "$top/scripts/release/licenses.py" > "$share/doc/nqueens/LICENSES-OF-DEPENDENCIES"
