"""Prints the licenses of all crates that are compiled into the program on this machine, or into the crates of the
manifests that are given: `python3 scripts/release/licenses.py [MANIFEST...]`.

`--package` writes python/LICENSES, which goes into every wheel, whoever builds it. It has the crates of the package and
of the program on all systems. `--check` fails if that file is stale.

The licenses require that a copy of them goes with every copy of the program.
"""

import json
import os
import pathlib
import subprocess
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
# What a crate without a file of its own is under, if it names this license.
MIT = pathlib.Path("LICENSE-MIT")
PACKAGE = pathlib.Path("python/LICENSES")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def texts(package):
    paths = sorted(pathlib.Path(package["manifest_path"]).parent.iterdir())
    files = [path for path in paths if path.is_file() and path.name.upper().startswith(NAMES)]
    # The Apache license is the same for all, and is a file of its own beside this one.
    files = [file for file in files if "APACHE" not in file.name.upper()] or files
    if files:
        return "\n\n".join(file.read_text(encoding="utf-8", errors="replace").strip() for file in files)
    if "MIT" not in package["license"]:
        sys.exit(f"error: {package['name']} {package['version']} has no text of its license, {package['license']}")
    terms = MIT.read_text(encoding="utf-8").strip().partition("\n\nPermission is")
    return "Copyright (c) the authors" + "".join(terms[1:])


def parted(text):
    """Returns the lines above the MIT license and its text, which is the same for all crates but for how its lines are
    broken; of another license no lines, and the text."""
    standard = MIT.read_text(encoding="utf-8").strip()
    standard = standard[standard.index("Permission is") :]
    above, found, terms = text.partition("Permission is hereby granted")
    same = (found + terms).split() == standard.split()
    return (above.strip(), standard) if same else ("", text)


def licenses(manifests, *target):
    compiled = set()
    for manifest in manifests:
        # Those who package the program build it with all features.
        features = ["--all-features"] if manifest == "Cargo.toml" else []
        options = ("--locked", "--manifest-path", manifest, *features, *target)
        # The first line is the crate itself.
        tree = cargo("tree", *options, "--edges", "normal", "--prefix", "none", "--format", "{p}").splitlines()[1:]
        compiled |= {tuple(line.split()[:2]) for line in tree}
    # This lists the packages of the whole workspace.
    packages = json.loads(cargo("metadata", "--locked", "--all-features", "--format-version", "1"))["packages"]
    crates = {}
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
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    if sys.argv[1:] not in (["--package"], ["--check"]):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        print("\n".join(licenses(sys.argv[1:] or ["Cargo.toml"])))
        return
    own = [pathlib.Path(name).read_text(encoding="utf-8") for name in ("LICENSE-MIT", "LICENSE-APACHE")]
    written = "\n".join([*own, *licenses(["Cargo.toml", "python/Cargo.toml"], "--target", "all"), ""])
    if sys.argv[1] == "--package":
        PACKAGE.write_text(written, encoding="utf-8", newline="\n")
    elif PACKAGE.read_text(encoding="utf-8") != written:
        sys.exit(f"error: {PACKAGE} is stale; `python3 scripts/release/licenses.py --package` writes it anew")


main()
