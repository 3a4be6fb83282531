#!/usr/bin/env bash
# Makes and checks what is released for this machine's system, in dist: the archive, and on Linux the Debian package.
#
#   bash scripts/release/make.sh
#
# On Linux it needs root or sudo, and Debian or Ubuntu with debootstrap, lintian and mandoc.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# != 0 ]; then
    echo "usage: bash scripts/release/make.sh" >&2
    exit 2
fi
if [ "$(uname)" = Linux ]; then
    for tool in dpkg-deb lintian mandoc debootstrap; do
        PATH=$PATH:/usr/sbin type -P "$tool" > /dev/null || { echo "error: please install $tool" >&2; exit 1; }
    done
fi
# The time of the commit is that of all files, so that anyone can build the same archive.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
archive=$(bash scripts/release/build.sh)
bash scripts/release/check-archive.sh "$archive"
[ "$(uname)" = Linux ] || exit 0
as_root=()
if [ "$(id -u)" != 0 ]; then as_root=(sudo); fi
package=$(bash scripts/release/deb.sh)
lintian --fail-on error "$package"
mandoc -T lint -W warning dist/tree/share/man/man1/*.1
# The program needs nothing else.
[ "$("${as_root[@]}" chroot dist/tree /bin/nqueens count 18 --quiet)" = 666090624 ] ||
    { echo "error: in an empty system the program does not count" >&2; exit 1; }
"${as_root[@]}" bash scripts/release/check-debian.sh "$package"
