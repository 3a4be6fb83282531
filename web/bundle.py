"""Bundles the page from its parts: one file that needs nothing else.

    python3 web/bundle.py FILE.wasm LICENSES OUTPUT
"""
import base64
import csv
import json
import re
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "web" / "page"
# Each module stands after the modules that it imports.
MODULES = ["dom", "address", "texts", "library", "pool", "setup", "grid", "board", "count", "watch", "tree", "code", "why", "main"]
PUBLISHED = ROOT / "results" / "peers.csv"
BOARDS = {16, 18, 20}
LANGUAGES = {"Python": "py", "Rust": "rs"}


def script():
    """Returns the modules as one script: each is a function that returns its exports."""
    parts = ["const modules = {};"]
    for name in MODULES:
        text = (PAGE / f"{name}.js").read_text()
        text = re.sub(r"^import (\{.*\}) from '\./(\w+)\.js';$", r"const \1 = modules.\2;", text, flags=re.M)
        exported = re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", text, flags=re.M)
        text = re.sub(r"^export ", "", text, flags=re.M)
        parts.append(f"modules.{name} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();")
    return "\n".join(parts)


def in_json(value):
    """Returns a JSON text that cannot end the script element around it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def measured():
    """Returns the file of times measured side by side that the README shows and names."""
    file = re.search(r"^<!-- python3 scripts/results\.py speed (\S+)", (ROOT / "README.md").read_text(), flags=re.M)
    if not file:
        sys.exit("error: README.md has no table that `scripts/results.py speed` makes")
    return ROOT / file[1]


def peers():
    """Returns the times of programs: measured times, which are processor times as in the README, and published
    times."""
    rows = []
    for path in [measured(), PUBLISHED]:
        lines = (line for line in path.read_text().splitlines() if not line.startswith("#"))
        for row in csv.DictReader(lines):
            if int(row["board"]) in BOARDS:
                rows.append({
                    "program": row["program"],
                    "machine": row["machine"],
                    "threads": int(row["threads"]) if row["threads"] else None,
                    "board": int(row["board"]),
                    "seconds": float(row.get("cpu_seconds") or row["seconds"]),
                    "measured": path != PUBLISHED,
                    "sampled": bool(row.get("sampled")),
                })
    return rows


def examples():
    """Returns the short programs that the page shows, by name and language."""
    folder = ROOT / "examples"
    return {name: {language: (folder / f"{name}.{ending}").read_text() for language, ending in LANGUAGES.items()}
            for name in ["ten_lines", "thirty_lines"]}


def compressed(path):
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
    return base64.b64encode(packer.compress(Path(path).read_bytes()) + packer.flush()).decode()


def main():
    library, licenses, output = sys.argv[1:]
    player = (ROOT / "src" / "classic" / "player.html").read_text()
    # The colours and the queen come from the player.
    palette = player[player.index(":root {"):player.index("/* --now")]
    queen = re.search(r'<symbol id="queen".*?</symbol>', player, flags=re.S).group()
    page = (PAGE / "index.html").read_text()
    parts = {
        "PALETTE": palette,
        "STYLE": (PAGE / "style.css").read_text(),
        "QUEEN": queen,
        "PLAYER": in_json(player),
        "WORKER": in_json((PAGE / "worker.js").read_text()),
        "PEERS": in_json(peers()),
        "EXAMPLES": in_json(examples()),
        "LICENSES": in_json(Path(licenses).read_text()),
        "SCRIPT": script(),
        "LIBRARY": compressed(library),
    }
    page = re.sub(r"\{\{([A-Z]+)\}\}", lambda place: parts[place[1]], page)
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    Path(output).write_text(page)
    size = Path(output).stat().st_size
    print(f"{output}: {size:,} bytes", file=sys.stderr)
    if size > 800_000:
        sys.exit("error: the page has more than 800,000 bytes")


main()
