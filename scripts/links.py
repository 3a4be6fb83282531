#!/usr/bin/env python3
"""Checks that the links of the Markdown files lead to files and headings of this repository: relative ones, and those to
its main branch.

    python3 scripts/links.py
"""

import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"""\]\(([^)\s]+)\)|(?:src|href)="([^"]+)\"""")
MAIN = re.compile(r"https://github\.com/[^/]+/nqueens/blob/main/")


def prose(path):
    """Returns the text of a document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """Returns the anchors that GitHub gives the headings of a document; those of equal headings get numbers."""
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


tracked = subprocess.run(["git", "ls-files", "*.md"], cwd=TOP, capture_output=True, text=True, check=True)
links = [(name, "".join(link)) for name in tracked.stdout.split() for link in LINK.findall(prose(TOP / name))]
bad = [f"{name}: {link} leads nowhere" for name, link in links if not is_good(TOP / name, link)]
print("\n".join([*bad, f"{len(links)} links of Markdown files, {len(bad)} bad"]))
sys.exit(1 if bad or not links else 0)
