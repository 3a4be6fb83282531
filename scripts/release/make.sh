#!/usr/bin/env bash
# Makes and checks what is released for this machine's system, in dist: the archive, and on Linux the Debian package.
#
#   bash scripts/release/make.sh
#
# On Linux it needs root or sudo, and Debian or Ubuntu with debootstrap, lintian and mandoc.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# = 0 ] || { echo "usage: bash scripts/release/make.sh" >&2; exit 2; }
# The time of the commit is that of all files, so that anyone can build the same archive.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
trap 'echo "error: what line $LINENO of $0 checks is not so" >&2' ERR
archive=$(bash scripts/release/build.sh)
bash scripts/release/check-archive.sh "$archive"
[ "$(uname)" = Linux ] || exit 0
package=dist/nqueens_$(dpkg --print-architecture).deb
cargo deb --version > /dev/null 2>&1 || cargo install --locked cargo-deb@3.8.0 --no-default-features
cargo deb --locked --no-build --no-strip --output "$package"
lintian --fail-on error "$package"
mandoc -T lint -W warning dist/tree/share/man/man1/*.1

as_root=(env PATH="$PATH:/usr/sbin")
if [ "$(id -u)" != 0 ]; then as_root=(sudo); fi
# The package is installed into a new and minimal Debian system.
root=$(mktemp -d)
trap '"${as_root[@]}" rm -rf "$root"' EXIT
"${as_root[@]}" debootstrap --variant=minbase --include=man-db stable "$root" > dist/debootstrap.log
# man runs its helpers as another user.
"${as_root[@]}" chmod 755 "$root"
inside() { "${as_root[@]}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 MANPAGER=cat \
    DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
# Prints all files of the system, except logs and caches.
files() { inside find /etc /usr '(' -type f -o -type l ')' | sort; }

before=$(files)
"${as_root[@]}" cp "$package" "$root/nqueens.deb"
inside apt-get install -qq /nqueens.deb
[ "$(inside nqueens count 18 --quiet)" = 666090624 ]
inside man nqueens-count | grep SYNOPSIS
inside test -s /usr/share/doc/nqueens/copyright
inside apt-get remove -qq nqueens
diff <(echo "$before") <(files)
echo "$package: installed, counted, and removed without a trace"
