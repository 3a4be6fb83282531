#!/usr/bin/env bash
# Packs what scripts/release/build.sh has laid out for Debian and its relatives:
#
#   bash scripts/release/deb.sh [TREE [DIRECTORY]]    DIRECTORY/nqueens_ARCHITECTURE.deb; by default of dist/tree, in dist
#
# SOURCE_DATE_EPOCH, in seconds, is the time of every file in it and of its entry in the changelog. DEB_HOST_ARCH is the
# architecture of the program, if it is not this machine's.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)

if [ $# -gt 2 ]; then
    echo "usage: bash scripts/release/deb.sh [TREE [DIRECTORY]]" >&2
    exit 2
fi
tree=${1:-$top/dist/tree} directory=${2:-$top/dist}
[ -x "$tree/bin/nqueens" ] || { echo "error: first run \`bash scripts/release/build.sh\`" >&2; exit 1; }
# The earliest time of an archive of this project (pack.py).
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800}
field() { sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" "$top/Cargo.toml" | head -n 1; }
version=$(field version) repository=$(field repository)
account=${repository%/nqueens}
maintainer="The nqueens developers <${account##*/}@users.noreply.github.com>"
architecture=${DEB_HOST_ARCH:-$(dpkg --print-architecture)}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
share=$root/usr/share doc=$root/usr/share/doc/nqueens
mkdir -p "$root/DEBIAN" "$share/lintian/overrides"
cp -r "$tree"/* "$root/usr/"
mv "$share/zsh/site-functions" "$share/zsh/vendor-completions"
gzip -9n "$share"/man/man1/*
gzip -9nc "$tree/share/doc/nqueens/CHANGELOG.md" > "$doc/changelog.gz"
gzip -9nc > "$doc/changelog.Debian.gz" << END
nqueens ($version-1) stable; urgency=medium

  * Version $version, whose changes changelog.gz lists.

 -- $maintainer  $(LC_ALL=C date --utc --date="@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')
END
{
    cat << END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: nqueens
Source: $repository
Comment: LICENSES-OF-DEPENDENCIES has the licenses of the crates that are linked into the program.

Files: *
Copyright: $(sed -n 's/^Copyright (c) //p' "$top/LICENSE-MIT")
License: Apache-2.0 or Expat

License: Apache-2.0
 On Debian systems, /usr/share/common-licenses/Apache-2.0 has the text of this license.

License: Expat
END
    sed -n '/^Permission/,$ { s/^$/./; s/^/ /; p }' "$top/LICENSE-MIT"
} > "$doc/copyright"
# These tags are about packages of Debian itself, which use the shared libraries of the system and close a report.
cat > "$share/lintian/overrides/nqueens" << END
nqueens: initial-upload-closes-no-bugs
nqueens: extra-license-file
END
cat > "$root/DEBIAN/control" << END
Package: nqueens
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: libc6 (>= 2.17)
Suggests: ocl-icd-libopencl1 | libopencl1
Section: math
Priority: optional
Homepage: $repository
Description: counts the solutions of the N-Queens problem
 nqueens counts the ways to place N queens on an N x N board so that none
 attacks another. It uses every core, does not enumerate the solutions of large
 boards one by one, and compares each total with the published one (OEIS
 A000170). It also tests and measures machines, shows solutions, and counts in
 shards on clusters.
END
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum > DEBIAN/md5sums)
chmod -R u=rwX,go=rX "$root"
# All files are newer than SOURCE_DATE_EPOCH, so that dpkg-deb gives them that time.
package=$directory/nqueens_$architecture.deb
mkdir -p "$directory"
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >&2
echo "$package"
