"""`python -m nqueens_count`: runs the program `nqueens`, which a wheel of PyPI installs with this package."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, files
from typing import Optional

MISSING = """error: this package was installed without the program `nqueens`, which only the wheels of PyPI have.
`cargo install --locked nqueens-count` installs it; in Python, `import nqueens_count` has the functions."""


def program() -> Optional[str]:
    """Returns the path of the program, if the package was installed with it."""
    try:
        installed = files("nqueens-count") or []
    except PackageNotFoundError:
        return None
    named = (("bin", "nqueens"), ("Scripts", "nqueens.exe"))
    return next((os.fspath(file.locate()) for file in installed if file.parts[-2:] in named), None)


if __name__ == "__main__":
    path = program()
    if path is None:
        print(MISSING, file=sys.stderr)
        sys.exit(2)
    arguments = [path, *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(arguments))
    os.execv(path, arguments)
