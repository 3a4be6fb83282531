#!/usr/bin/env python3
"""Prints the licenses of all crates that are compiled into the program on this machine, or into the crate of the manifest
that is given.

Their terms require that a copy of them goes with every copy of the program.
"""

import json
import os
import pathlib
import subprocess
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def compiled_in(metadata):
    """Returns the identifiers of the crates that the program is linked with, without the program's own."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = metadata["resolve"]["root"]
    found, ahead = set(), [root]
    while ahead:
        for dependency in nodes[ahead.pop()]["deps"]:
            is_normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_normal and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                ahead.append(dependency["pkg"])
    return found


def main():
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    host = next(line.split()[1] for line in output("rustc", "-vV").splitlines() if line.startswith("host: "))
    manifest = sys.argv[1] if len(sys.argv) > 1 else "Cargo.toml"
    options = ("--manifest-path", manifest, "--locked", "--all-features", "--format-version", "1", "--filter-platform", host)
    metadata = json.loads(output("cargo", "metadata", *options))
    compiled = compiled_in(metadata)
    packages = [package for package in metadata["packages"] if package["id"] in compiled]
    print("nqueens contains the Rust standard library (MIT OR Apache-2.0) and the crates below. Where a crate offers")
    print("several licenses, nqueens uses it under MIT or, if that is not offered, under all the licenses that follow.")
    for package in sorted(packages, key=lambda package: (package["name"], package["version"])):
        print(f"\n{'=' * 80}\n{package['name']} {package['version']}: {package['license']}")
        if package["authors"]:
            print(f"by {', '.join(package['authors'])}")
        files = [
            file
            for file in sorted(pathlib.Path(package["manifest_path"]).parent.iterdir())
            if file.is_file() and file.name.upper().startswith(NAMES)
        ]
        # The Apache license is the same for all, and is a file of its own beside this one.
        own = [file for file in files if "APACHE" not in file.name.upper()] or files
        for file in own:
            print(f"\n-- {file.name}\n\n{file.read_text(encoding='utf-8', errors='replace').strip()}")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    main()
