#!/usr/bin/env python3
"""Checks that the links of the Markdown files lead to files and headings of this repository: relative ones, and those to
its main branch or to a tag. Relative links of the documents in a directory, of a release, must lead to files there. Paths
that are named without a link must exist too.

    python3 scripts/links.py [DIRECTORY]
"""

import argparse
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"""\]\(([^)\s]+)\)|(?:src|href)="([^"]+)\"""")
MAIN = re.compile(r"https://github\.com/[^/]+/nqueens/(?:blob|raw)/(?:main|v[0-9.]+)/")
# `NAME` stands for any name.
NAMED = re.compile(r"`((?:benches|docs|examples|python|results|scripts|src|tests|web)/(?:(?!NAME)[\w./-])*)`")


def prose(path):
    """Returns the text of a document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """Returns the anchors that GitHub gives the headings of a document, with numbers for equal headings."""
    found = []
    for heading in re.findall(r"^#+ (.*)", prose(path), re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w -]", "", text).replace(" ", "-")
        repeated = found.count(anchor)
        found += [anchor] if not repeated else [anchor, f"{anchor}-{repeated}"]
    return found


def is_good(page, link):
    base = page.parent
    if MAIN.match(link):
        base, link = TOP, MAIN.sub("", link)
    elif re.match("[a-z]+:", link):
        return True
    path, _, anchor = link.partition("#")
    target = base / path if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(2, f"error: {message}\n")
    parser.add_argument("directory", nargs="?", type=pathlib.Path)
    directory = parser.parse_args().directory
    if directory and not directory.is_dir():
        parser.error(f"'{directory}' is not a directory")
    if directory:
        pages = sorted(directory.rglob("*.md"))
    else:
        tracked = subprocess.run(["git", "ls-files", "*.md"], cwd=TOP, capture_output=True, text=True, check=True)
        pages = [TOP / name for name in tracked.stdout.split()]
    links = [(page, "".join(link)) for page in pages for link in LINK.findall(prose(page))]
    bad = [f"{page}: {link} leads nowhere" for page, link in links if not is_good(page, link)]
    named = [(page, path) for page in pages for path in NAMED.findall(prose(page))]
    bad += [f"{page}: there is no {path}" for page, path in named if not directory and not (TOP / path).exists()]
    print("\n".join([*bad, f"{len(links)} links of Markdown files, {len(bad)} bad"]))
    return 1 if bad or not links else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")
