"""Prints the licenses of all crates that are compiled into the program on this machine, or into the crates of the
manifests that are given: `python3 scripts/release/licenses.py [MANIFEST...]`.

`--package` writes python/LICENSES, which goes into every wheel, whoever builds it. It has the crates of the package and
of the program on all systems. `--check` fails if that file is stale.

The licenses require that a copy of them goes with every copy of the program.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

os.chdir(pathlib.Path(__file__).resolve().parents[2])
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
# What is not needed of a crate that is under MIT too.
OTHERS = re.compile("APACHE|ZLIB|0BSD|UNLICENSE", re.IGNORECASE)
COPYRIGHT, MIT = re.split(r"\n\n(?=Permission is)", pathlib.Path("LICENSE-MIT").read_text(encoding="utf-8").strip())
APACHE = pathlib.Path("LICENSE-APACHE").read_text(encoding="utf-8").strip("\n")
PACKAGE = pathlib.Path("python/LICENSES")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def texts(package):
    paths = sorted(pathlib.Path(package["manifest_path"]).parent.iterdir())
    files = [path for path in paths if path.is_file() and path.name.upper().startswith(NAMES)]
    files = [file for file in files if not OTHERS.search(file.name)] or files
    if files:
        return "\n\n".join(file.read_text(encoding="utf-8", errors="replace").strip() for file in files)
    if "MIT" not in package["license"]:
        sys.exit(f"error: {package['name']} {package['version']} has no text of its license, {package['license']}")
    return f"Copyright (c) the authors\n\n{MIT}"


def parted(text):
    """Returns the copyright and the license of a text. MIT and Apache are the same for all crates but for how the lines
    are broken, and for the copyright within the second one."""
    for standard in MIT, APACHE:
        words = r"\W+".join(re.findall(r"\w+", standard))
        words = words.replace(r"Copyright\W+yyyy\W+name\W+of\W+copyright\W+owner", "(Copyright.*)")
        *copyright, rest = re.split(words, text)
        if copyright and not rest.strip("\n ."):
            return "\n\n".join(part for part in map(str.strip, copyright) if part not in standard), standard
    return "", text


def licenses(crates, manifests, *target):
    compiled = set()
    for manifest in manifests:
        # Packagers build the program with all features.
        features = ["--all-features"] if manifest == "Cargo.toml" else []
        options = ("--locked", "--manifest-path", manifest, *features, *target)
        # The first line is the crate itself.
        tree = cargo("tree", *options, "--edges", "normal", "--prefix", "none", "--format", "{p}").splitlines()[1:]
        compiled |= {tuple(line.split()[:2]) for line in tree}
    # This lists the packages of the whole workspace.
    packages = json.loads(cargo("metadata", "--locked", "--all-features", "--format-version", "1"))["packages"]
    for package in sorted(packages, key=lambda package: (package["name"], package["version"])):
        if package["source"] and (package["name"], f"v{package['version']}") in compiled:
            authors = f", by {', '.join(package['authors'])}" if package["authors"] else ""
            copyright, terms = parted(texts(package))
            names = crates.setdefault(terms, [])
            name = "\n".join(filter(None, [f"{package['name']}: {package['license']}{authors}", copyright]))
            names += [name] if name not in names else []
    yield "nqueens contains the Rust standard library (MIT OR Apache-2.0) and the crates below. Where a crate offers"
    yield "several licenses, nqueens uses it under MIT or, if that is not offered, under all the licenses that follow."
    for text, names in crates.items():
        yield "\n".join(["", "=" * 80, *names, "", text])


def main():
    if sys.argv[1:] not in (["--package"], ["--check"]):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        print("\n".join(licenses({}, sys.argv[1:] or ["Cargo.toml"])))
        return
    own = f"nqueens: MIT OR Apache-2.0\n{COPYRIGHT.splitlines()[-1]}"
    manifests = ["Cargo.toml", "python/Cargo.toml"]
    written = "\n".join([*licenses({MIT: [own], APACHE: [own]}, manifests, "--target", "all"), ""])
    if sys.argv[1] == "--package":
        PACKAGE.write_text(written, encoding="utf-8", newline="\n")
    elif PACKAGE.read_text(encoding="utf-8") != written:
        sys.exit(f"error: {PACKAGE} is stale; `python3 scripts/release/licenses.py --package` writes it anew")


main()
