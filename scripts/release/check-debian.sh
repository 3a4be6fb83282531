#!/usr/bin/env bash
# Installs a Debian package into a new and minimal Debian system, and checks that it counts, that `man nqueens` works, and
# that nothing is left when it is removed.
#
#   bash scripts/release/check-debian.sh dist/nqueens_amd64.deb
#
# Needs root and debootstrap, which downloads the system.
set -euo pipefail

if [ $# != 1 ] || ! [ -f "$1" ]; then
    echo "usage: bash scripts/release/check-debian.sh DEB" >&2
    exit 2
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'echo "error: $1: what line $LINENO of check-debian.sh checks is not so" >&2' ERR
debootstrap --variant=minbase --include=man-db stable "$root" > "$root.log" || { tail -n 5 "$root.log" >&2; exit 1; }
rm "$root.log"
# man runs its helpers as another user.
chmod 755 "$root"

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 MANPAGER=cat DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@"; }

# Prints all files of the system, except logs and caches.
files() { inside find /etc /usr '(' -type f -o -type l ')' | sort; }

before=$(files)
cp "$1" "$root/nqueens.deb"
inside apt-get install -qq /nqueens.deb
[ "$(inside nqueens count 18 --quiet)" = 666090624 ]
inside man nqueens-count | grep SYNOPSIS
inside test -s /usr/share/doc/nqueens/copyright
inside apt-get remove -qq nqueens
diff <(echo "$before") <(files)
echo "$1: installed in $(grep -oP '^PRETTY_NAME="\K[^"]*' "$root/etc/os-release"), counted, and removed without a trace"
