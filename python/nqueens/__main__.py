"""`python -m nqueens` runs the command-line program, if it is installed."""

import shutil
import subprocess
import sys

POINTER = """\
error: the command-line program nqueens is not installed; this is its Python package

Install the program with `cargo install --locked nqueens-count`, or use the package:

  nqueens count 16        python -c "import nqueens; print(nqueens.count(16))"
  nqueens solve 8         python -c "import nqueens; print(nqueens.first(8))"
  nqueens methods 8       python -c "import nqueens; print(*nqueens.compare(nqueens.METHODS, 8), sep='\\n')"

`python -c "import nqueens; help(nqueens)"` describes the package."""


def main() -> int:
    """Runs the program with the same arguments, or says where to get it."""
    program = shutil.which("nqueens")
    if program is None:
        print(POINTER, file=sys.stderr)
        return 2
    process = subprocess.Popen([program, *sys.argv[1:]])
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            # The program got the signal too, and ends as it sees fit.
            pass


if __name__ == "__main__":
    sys.exit(main())
