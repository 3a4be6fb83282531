"""Prints the licenses of all crates that are compiled into the program on this machine, or into the crates of the
manifests that are given.

The licenses require that a copy of them goes with every copy of the program.
"""

import json
import os
import pathlib
import subprocess
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def main():
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    compiled = set()
    for manifest in sys.argv[1:] or ["Cargo.toml"]:
        options = ("--locked", "--all-features", "--manifest-path", manifest)
        # The first line is the crate itself.
        tree = cargo("tree", *options, "--edges", "normal", "--prefix", "none", "--format", "{p}").splitlines()[1:]
        compiled |= {tuple(line.split()[:2]) for line in tree}
    # This lists the packages of the whole workspace.
    packages = json.loads(cargo("metadata", "--locked", "--all-features", "--format-version", "1"))["packages"]
    print("nqueens contains the Rust standard library (MIT OR Apache-2.0) and the crates below. Where a crate offers")
    print("several licenses, nqueens uses it under MIT or, if that is not offered, under all the licenses that follow.")
    for package in sorted(packages, key=lambda package: (package["name"], package["version"])):
        if (package["name"], f"v{package['version']}") not in compiled:
            continue
        print(f"\n{'=' * 80}\n{package['name']} {package['version']}: {package['license']}")
        if package["authors"]:
            print(f"by {', '.join(package['authors'])}")
        paths = sorted(pathlib.Path(package["manifest_path"]).parent.iterdir())
        files = [path for path in paths if path.is_file() and path.name.upper().startswith(NAMES)]
        # The Apache license is the same for all, and is a file of its own beside this one.
        for file in [file for file in files if "APACHE" not in file.name.upper()] or files:
            print(f"\n-- {file.name}\n\n{file.read_text(encoding='utf-8', errors='replace').strip()}")


sys.stdout.reconfigure(encoding="utf-8", newline="\n")
main()
