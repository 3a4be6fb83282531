"""Makes again what is derived from the measurements in results/: the tables between these lines of Markdown files

    <!-- COMMAND -->
    <!-- end -->

and the pictures that their commands write, whose names end with .svg. COMMAND is `python3 scripts/...`. It is run in the
top directory, and its output becomes the table.

    python3 scripts/refresh-results.py            writes and names what has changed
    python3 scripts/refresh-results.py --check    writes nothing, names what is stale, and exits with 1 if something is

A picture in results/ that no command makes is an error.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
COMMAND = re.compile(r"^<!-- ((?:nqueens|python3|bash) .*) -->\n", re.MULTILINE)
BLOCK = re.compile(COMMAND.pattern + r"(?s:.*?)^<!-- end -->$", re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(2, f"error: {message}\n")
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    made = {}

    def block(match):
        """Runs the command of a block. Returns the block with its output, and keeps the pictures that it writes."""
        with tempfile.TemporaryDirectory() as folder:
            pictures = [word for word in match[1].split() if word.endswith(".svg")]
            places = {word: os.path.join(folder, str(number)) for number, word in enumerate(pictures)}
            words = [{"python3": sys.executable, **places}.get(word, word) for word in match[1].split()]
            is_allowed = match[1].startswith("python3 scripts/") and not any(re.search(r"^/|\.\./", at) for at in pictures)
            done = subprocess.run(words, cwd=TOP, stdout=subprocess.PIPE) if is_allowed else None
            if not done or done.returncode or not all(map(os.path.exists, places.values())):
                sys.exit(f"error: {page.relative_to(TOP)}: this command failed: {match[1]}")
            made.update({TOP / word: pathlib.Path(place).read_bytes() for word, place in places.items()})
            return f"<!-- {match[1]} -->\n{done.stdout.decode()}<!-- end -->"

    for page in sorted([*TOP.glob("*.md"), *TOP.glob("*/*.md"), *TOP.glob("results/*/*.md")]):
        try:
            text = page.read_text(encoding="utf-8")
        except ValueError as error:
            sys.exit(f"error: {page.relative_to(TOP)}: {error}")
        if commands := COMMAND.findall(text):
            if commands != [match[1] for match in BLOCK.finditer(text)]:
                sys.exit(f"error: {page.relative_to(TOP)}: a block has no line '<!-- end -->'")
            made[page] = BLOCK.sub(block, text).encode()

    stale = [path for path, content in made.items() if not path.exists() or path.read_bytes() != content]
    for path in sorted(stale):
        name = path.relative_to(TOP)
        print(f"{name} is stale: run python3 scripts/refresh-results.py" if check else name)
        if not check:
            path.write_bytes(made[path])
    orphans = sorted(set(TOP.glob("results/**/*.svg")) - set(made))
    for path in orphans:
        print(f"{path.relative_to(TOP)} is made by no command in a Markdown file: say there how it is made, or remove it")
    sys.exit(1 if orphans or check and stale else 0)


try:
    main()
except OSError as error:
    sys.exit(f"error: {error}")
