#!/usr/bin/env python3
"""Packs a directory into an archive. The same files always give the same archive, whoever owns them and whenever they
were written: SOURCE_DATE_EPOCH, in seconds, is the time of every file in it.

    python3 scripts/release/pack.py DIRECTORY ROOT ARCHIVE    ARCHIVE ends with .tar.gz or .zip; ROOT is its top folder
"""

import gzip
import os
import pathlib
import sys
import tarfile
import time
import zipfile

# The earliest time that a ZIP archive can express.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def mode(path):
    return 0o755 if path.parent.name == "bin" or path.suffix == ".sh" else 0o644


def pack_tar(files, archive):
    # Without its own name and time in the header.
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", mtime=EPOCH, fileobj=raw) as compressed:
        with tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for path, name in files:
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = path.stat().st_size, EPOCH, mode(path)
                with open(path, "rb") as content:
                    tar.addfile(entry, content)


def pack_zip(files, archive):
    when = time.gmtime(EPOCH)[:6]
    with zipfile.ZipFile(archive, "w") as packed:
        for path, name in files:
            entry = zipfile.ZipInfo(name, when)
            entry.create_system, entry.external_attr = 3, (0o100000 | mode(path)) << 16
            packed.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def main():
    if len(sys.argv) != 4 or not sys.argv[3].endswith((".tar.gz", ".zip")):
        sys.exit("usage: pack.py DIRECTORY ROOT ARCHIVE, where ARCHIVE ends with .tar.gz or .zip")
    tree, root, archive = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    paths = sorted(path for path in tree.rglob("*") if path.is_file())
    files = [(path, f"{root}/{path.relative_to(tree).as_posix()}") for path in paths]
    (pack_zip if archive.endswith(".zip") else pack_tar)(files, archive)


main()
