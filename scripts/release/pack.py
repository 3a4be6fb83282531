"""Packs a directory into an archive. The same files always give the same archive, whoever owns them and whenever they
were written: SOURCE_DATE_EPOCH, in seconds, is the time of every file in it.

    python3 scripts/release/pack.py DIRECTORY ROOT ARCHIVE    ARCHIVE ends with .tar.gz or .zip; ROOT is its top folder
"""

import gzip
import io
import os
import pathlib
import sys
import tarfile
import time
import zipfile

# The earliest time that a ZIP archive can express.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
tree, root, archive = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
files = []
for path in sorted(path for path in tree.rglob("*") if path.is_file()):
    mode = 0o755 if path.parent.name == "bin" or path.suffix == ".sh" else 0o644
    files.append((f"{root}/{path.relative_to(tree).as_posix()}", mode, path.read_bytes()))

if archive.suffix == ".zip":
    with zipfile.ZipFile(archive, "w") as packed:
        for name, mode, content in files:
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
else:
    unpacked = io.BytesIO()
    with tarfile.open(fileobj=unpacked, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, mode, content in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), EPOCH, mode
            tar.addfile(entry, io.BytesIO(content))
    archive.write_bytes(gzip.compress(unpacked.getvalue(), mtime=EPOCH))
