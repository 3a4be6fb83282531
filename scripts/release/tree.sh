#!/usr/bin/env bash
# Lays out what is installed: the program, its manual pages, its completions, its documents and all
# licenses, with the paths below /usr/local or ~/.local. The program has the feature `packaging`.
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
doc=$tree/share/doc/nqueens
mkdir -p "$tree/bin" "$doc"/{docs,benches,examples}
cp "$program" "$tree/bin/"
${NQUEENS_RUNNER:+"$NQUEENS_RUNNER"} "$program" --generate "$tree"

cd "$top"
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$doc/"
cp -r docs/*.md docs/*.svg "$doc/docs/"
rm "$doc/docs/release.md"
cp benches/README.md "$doc/benches/"
cp examples/kubernetes.yaml examples/slurm.sh "$doc/examples/"
"${PYTHON:-python3}" scripts/release/licenses.py > "$doc/LICENSES-OF-DEPENDENCIES"
# Links to files that are not copied lead to the repository, at the tag of this version.
field() { sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" Cargo.toml | head -n 1; }
REPOSITORY=$(field repository) TAG=v$(field version)
export REPOSITORY TAG
cd "$doc"
# shellcheck disable=SC2016  # it is not for the shell
find . -name '*.md' -print0 | xargs -0 perl -pi -e '
    sub link_to {
        my ($mark, $link) = @_;
        my $path = ($ARGV =~ s{[^/]*$}{}r) . $link;
        return $mark . $link if -e $path;
        $path =~ s{^\./}{};
        $path =~ s{[^/]+/\.\./}{};
        return "$mark$ENV{REPOSITORY}/" . ($mark eq "](" ? "blob" : "raw") . "/$ENV{TAG}/$path";
    }
    s{(\]\(|src=")(?![a-z]+:)([^)"#]+)}{link_to($1, $2)}ge'
