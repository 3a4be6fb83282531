#!/usr/bin/env python3
"""Copies the documents that are for users, with the paths of the repository, and makes each link to a file that is not
copied one to the repository, at the tag of this version.

    python3 scripts/release/documents.py DIRECTORY [FILE...]    FILE, such as LICENSE-MIT, is not copied
"""

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from links import LINK, TOP

FILES = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "benches/README.md", "examples/kubernetes.yaml"]
# What is left out is for those who work on the program, or is of the Python package.
LEFT_OUT = {"docs/release.md", "docs/two-color-tried.md", "docs/trace.png", "docs/python.md", "docs/python-twelve.svg"}


def main():
    directory, without = pathlib.Path(sys.argv[1]), set(sys.argv[2:])
    manuals = [path.relative_to(TOP).as_posix() for path in sorted((TOP / "docs").rglob("*")) if path.is_file()]
    copied = {*FILES, *manuals} - LEFT_OUT - without
    manifest = (TOP / "Cargo.toml").read_text(encoding="utf-8")
    repository, version = (
        re.search(rf'^{key} = "(.*)"$', manifest, re.MULTILINE)[1] for key in ("repository", "version")
    )

    def adapted(page, found):
        link = found[1] or found[2]
        path, mark, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)).replace(os.sep, "/")
        if re.match("[a-z]+:", link) or not path or target in copied:
            return found[0]
        kind = "raw" if found[0].startswith("src") else "blob"
        return found[0].replace(link, f"{repository}/{kind}/v{version}/{target}{mark}{anchor}")

    for name in sorted(copied):
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            text = (TOP / name).read_text(encoding="utf-8")
            text = LINK.sub(lambda found: adapted(name, found), text)
            (directory / name).write_text(text, encoding="utf-8", newline="\n")
        else:
            shutil.copyfile(TOP / name, directory / name)


if __name__ == "__main__":
    main()
