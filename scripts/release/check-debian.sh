#!/usr/bin/env bash
# Installs a release archive, and then a Debian package, into a new and minimal Debian system, and checks that each
# counts, that `man nqueens` and the completions work, and that nothing is left when it is removed.
#
#   bash scripts/release/check-debian.sh dist/nqueens-x86_64-linux.tar.gz dist/nqueens_amd64.deb
#
# Needs root and debootstrap, which downloads the system. DEBIAN_ROOT names a system made before; it is not changed.
set -euo pipefail

if [ $# != 2 ] || ! [ -f "$1" ] || ! [ -f "$2" ]; then
    echo "usage: bash scripts/release/check-debian.sh ARCHIVE DEB" >&2
    exit 2
fi
if [ "$(id -u)" != 0 ]; then
    echo "error: only root can change the root directory; run it with sudo" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
if [ -n "${DEBIAN_ROOT:-}" ]; then
    cp -a "$DEBIAN_ROOT" "$root"
else
    debootstrap --variant=minbase --include=bash-completion,man-db stable "$root" > "$work/log" ||
        { tail -n 5 "$work/log" >&2; exit 1; }
fi
# man runs its helpers as another user.
chmod 755 "$work"

inside() { env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    MANPAGER='cat' DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

# Prints all files of the system, except logs and caches.
files() { (cd "$root" && find etc usr \( -type f -o -type l \) | sort); }

fail() {
    echo "error: $1: $2" >&2
    exit 1
}

check() {
    local total
    total=$(inside nqueens count 18 --quiet) || fail "$1" "nqueens count 18 fails"
    [ "$total" = 666090624 ] || fail "$1" "nqueens count 18 printed '$total'"
    local page
    for page in nqueens nqueens-count; do
        inside man "$page" | grep SYNOPSIS > /dev/null || fail "$1" "man $page fails"
    done
    # shellcheck disable=SC2016  # the inner bash expands it
    inside bash -c 'source /usr/share/bash-completion/bash_completion; _completion_loader nqueens
        complete -p nqueens' > /dev/null 2>&1 ||
        inside bash -c 'source /usr/share/bash-completion/bash_completion; _comp_load nqueens
        complete -p nqueens' > /dev/null || fail "$1" "bash does not find the completions"
}

files > "$work/before"
tar -xzf "$1" -C "$root/usr/local" --strip-components=1
check "$1"
# The same files again, to remove them.
tar -tzf "$1" | cut -d/ -f2- | (cd "$root/usr/local" && xargs rm)
files | diff "$work/before" - || fail "$1" "files are left behind"

cp "$2" "$root/nqueens.deb"
inside apt-get install -qq /nqueens.deb > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$2" "it cannot be installed"; }
check "$2"
inside test -s /usr/share/doc/nqueens/copyright || fail "$2" "there is no copyright file"
inside apt-get remove -qq nqueens > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$2" "it cannot be removed"; }
files | diff "$work/before" - || fail "$2" "files are left behind"
system=$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' "$root/etc/os-release")
echo "$1 and $2: installed in $system, counted, and removed without a trace"
