"""Shows measurements of results/ by the size of the board, for Markdown files and their pictures.

    python3 scripts/results.py peers MEASURED.csv PEERS.csv [--boards 16,18,20,22]     times measured here, and published
    python3 scripts/results.py speed MEASURED.csv [--boards 16,18]                     the README's table
    python3 scripts/results.py methods METHODS.csv [--boards 4,6,8]                    times of the classic methods
    python3 scripts/results.py records FOLDER                  archives, added up without the program that wrote them
    python3 scripts/results.py picture TABLE.csv ESTIMATES.csv PEERS.csv [--boards 16-28] [--output OUT.svg]
                                               counts, what is estimated of larger boards, and published times
"""

import argparse
import contextlib
import csv
import datetime
import gzip
import hashlib
import html
import json
import math
import pathlib
import sys
import textwrap


def time(seconds, step=0):
    """Returns a time with three significant digits in a unit that suits it, but with none below the step of the clock."""
    units = [(1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"), (600, 1, "s"), (7200, 1 / 60, "min"), (172800, 1 / 3600, "h"), (86400000, 1 / 86400, "days")]
    _, factor, unit = next((unit for unit in units if seconds < 0.9995 * unit[0]), (None, 1 / 31557600, "years"))
    number = seconds * factor
    places = 2 if number < 9.995 else 1 if number < 99.95 else 0
    if step:
        places = min(places, max(0, -math.ceil(math.log10(step * factor) - 1e-9)))
    return f"{number:.{places}f} {unit}"


def selected(text):
    """Returns the boards of a list such as 8,12-21."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {number for part in ends for number in range(part[0], part[-1] + 1)}


def plural(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def rows_of(path):
    """Returns the rows of a CSV file, which may begin with comments."""
    return csv.DictReader(line for line in open(path, encoding="utf-8") if not line.startswith("#"))


def read_peers(path):
    """Returns the times of programs, processor times if the file has them: {(program, machine, threads): {board: seconds}}. Sampled
    times are left out."""
    times = {}
    for row in (row for row in rows_of(path) if not row.get("sampled")):
        times.setdefault((row["program"], row["machine"], row["threads"] or "-"), {})[int(row["board"])] = float(row.get("cpu_seconds") or row["seconds"])
    return times


def table(headings, rows):
    print("| " + " | ".join(headings) + " |")
    print("|" + "---|" * len(headings))
    for row in rows:
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")


def by_board(columns, cells, boards):
    """Prints a table with a column for each key of `columns`, and a row for each of the boards that has a cell."""
    boards = sorted(boards & {board for _, board in cells})
    table(["N", *columns.values()], [[str(n), *(cells.get((key, n), "-") for key in columns)] for n in boards])


def show_speed(arguments):
    """Prints the rows of the README: times on one thread, of this program and of two others."""
    columns = {"nqueens": "this program", "C, recursive": "bit masks in C", "N-Queens-Count-Sol": "fastest other program"}
    cells = {}
    for row in rows_of(arguments.measured):
        # The shell prints processor times to the millisecond.
        words = time(float(row["cpu_seconds"]), 0.001)
        cells[row["program"], int(row["board"])] = f"about {words}" if row.get("sampled") else words
    by_board(columns, cells, arguments.boards)


def show_methods(arguments):
    """Prints the times of methods, or those that are expected of unfinished ones: as if all candidates took as long."""
    candidates = {"brute-force": lambda n: math.comb(n * n, n), "one-per-row": lambda n: n**n, "permutations": math.factorial}
    columns, cells = {}, {}
    for row in rows_of(arguments.measured):
        words = time(float(row["seconds"]))
        if row["outcome"] == "stopped":
            expected = candidates[row["method"]](int(row["board"])) / int(row["visited"]) * float(row["seconds"])
            words = f"about {time(expected)}"
        columns[row["method"]] = f"`{row['method']}`"
        # The first kernel of the backtracker is the scalar one.
        cells.setdefault((row["method"], int(row["board"])), words)
    order = [*candidates, *(method for method in columns if method not in candidates)]
    by_board({method: columns[method] for method in order}, cells, arguments.boards)


def show_records(arguments):
    """Prints what archives contain, and their checksums."""
    rows = []
    for path in sorted(pathlib.Path(arguments.folder).glob("*.jsonl.gz")):
        archive = path.read_bytes()
        header, *lines = map(json.loads, gzip.decompress(archive).splitlines())
        units = {line["unit"]["unit"]: line["unit"] for line in lines if "unit" in line}
        total, rest = divmod(sum(int(unit["partial"]) for unit in units.values()), header["divisor"])
        if rest or len(units) != header["units"]:
            raise ValueError(f"{path.name} is no complete count")
        runs = [line["run"] for line in lines if "run" in line]
        day = datetime.datetime.fromtimestamp(runs[0]["begun"], datetime.timezone.utc).date()
        kernels = ", ".join(dict.fromkeys(run["kernel"] for run in runs))
        hours = sum(unit["cpu_seconds"] for unit in units.values()) / 3600
        file, checksum = f"[`{path.name}`]({path.name})", f"`{hashlib.sha256(archive).hexdigest()}`"
        counts = f"{len(units):,}", f"{total:,}", f"{hours:.2g}"
        rows.append([str(header["board"]), file, *counts, str(day), kernels, checksum])
    table(["N", "archive", "units", "all solutions", "core-hours", "begun", "kernel", "SHA-256"], rows)


def show_peers(arguments):
    """Prints the times of scripts/versus.py, then the published ones, with a column for each board."""
    rows = []
    for path, where in (arguments.measured, "here"), (arguments.peers, ""):
        for (program, machine, threads), by_board in read_peers(path).items():
            if arguments.boards & set(by_board):
                shown = [time(by_board[board]) if board in by_board else "-" for board in sorted(arguments.boards)]
                with_threads = f", {plural(int(threads), 'thread')}" if threads != "-" else ""
                rows.append([program, (where or machine) + with_threads, *shown])
    table(["program", "on", *(f"N = {board}" for board in sorted(arguments.boards))], rows)


# Light and dark colours: text, less important text, the grid, paper, and series.
COLOURS = [
    "#1b1f27 #565d69 #d9dbe0 #fff #0b4fb3 #a5361a #116329 #7b2a9e #7a4a00 #4c5474 #006a73 #a80f66",
    "#e9ebef #a8afbb #3a404b #1d2128 #84b6ff #ff9c7a #5fd483 #d7a3f0 #f2bb5c #b3bcd8 #5fd0d8 #ff93c6",
]
# Text has a rim of paper, because it may cross the grid.
STYLE = """\
text { font: 13px system-ui, sans-serif; stroke-width: 3; paint-order: stroke }
.title { font-weight: bold } .note { font-size: 11px } .mark { fill: currentColor }
.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round } .thin { stroke-width: 1 }
.dashed { stroke-dasharray: 5 4 } .ideal { stroke-dasharray: 2 4 }
"""
# The marks of series around a point: a circle, a square, triangles.
MARKS = ["m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m-4 -4h8v8h-8z", "m0 -5l5 9h-10z", "m0 5l5 -9h-10z"]
TIMES = {1e-6: "1 µs", 1e-5: "10 µs", 1e-4: "0.1 ms", 1e-3: "1 ms", 0.01: "10 ms", 0.1: "0.1 s", 1: "1 s", 10: "10 s",
         60: "1 min", 600: "10 min", 3600: "1 h", 86400: "1 day", 86400 * 7: "1 week", 86400 * 30.4: "1 month",
         86400 * 365.25: "1 year"}
BOARDS = {board: str(board) for board in range(1, 34)}


def axis(ticks, values, scale, start, end):
    """Returns the ticks from the last below all values to the first above, and a function that places a value between
    start and end."""
    first = max((tick for tick in ticks if tick <= min(values)), default=min(ticks))
    last = min((tick for tick in ticks if tick >= max(values) and tick > first), default=max(ticks))
    place = lambda value: start + (scale(value) - scale(first)) / (scale(last) - scale(first)) * (end - start)
    return [(place(tick), label) for tick, label in ticks.items() if first <= tick <= last], place


class Picture:
    """An SVG picture as wide as the screen of a telephone, which grows downwards."""

    WIDTH, LEFT, RIGHT = 400, 66, 390

    def __init__(self):
        self.parts, self.bottom = [], 4

    def text(self, x, y, words, style="", anchor="start"):
        words = html.escape("".join(letter if letter.isprintable() else "?" for letter in words))
        self.parts.append(f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    def paragraph(self, words, style="", x=12, length=46):
        for line in textwrap.wrap(words, length, max_lines=8, break_on_hyphens=False):
            self.bottom += 17
            self.text(x, self.bottom, line, style)

    def title(self, words):
        self.bottom += 10 if self.parts else 0
        self.paragraph(words, "title")

    def plot(self, title, name, x_ticks, y_ticks, lines, x_scale=math.log, height=228):
        """Draws lines, each given by its words in the legend, its colour, style and points."""
        self.title(title)
        top = self.bottom + 16
        bottom = top + height
        points = [point for *_, points in lines for point in points]
        x_ticks, x = axis(x_ticks, [x for x, _ in points], x_scale, self.LEFT + 10, self.RIGHT - 10)
        y_ticks, y = axis(y_ticks, [y for _, y in points], math.log, bottom, top)
        for place, label in y_ticks:
            self.parts.append(f'<path class="line thin grid" d="M{self.LEFT} {place:.1f}H{self.RIGHT}"/>')
            self.text(self.LEFT - 6, place + 4.5, label, "quiet", "end")
        for place, label in x_ticks[:: len(x_ticks) // 14 + 1]:
            self.text(place, bottom + 19, label, "quiet", "middle")
        self.text((self.LEFT + self.RIGHT) / 2, bottom + 35, name, "quiet", "middle")
        self.bottom = bottom + 40
        for words, colour, style, points in lines:
            places = [f"{x(at):.1f} {y(value):.1f}" for at, value in sorted(points)]
            self.parts.append(f'<path class="c{colour} line {style}" d="M{"L".join(places)}"/>')
            if words:
                places.append(f"18 {self.bottom + 12.5}")
                self.paragraph(words, x=30, length=44)
                marks = "".join(f"M{place}{MARKS[colour % len(MARKS)]}" for place in places)
                self.parts.append(f'<path class="c{colour} mark" d="{marks}"/>')

    def write(self, path):
        light, dark = (
            f"text {{ fill: {ink}; stroke: {paper} }} .quiet {{ fill: {quiet} }} .grid {{ color: {grid} }}\n"
            f".paper {{ fill: {paper} }}" + "".join(f" .c{at} {{ color: {colour} }}" for at, colour in enumerate(series))
            for ink, quiet, grid, paper, *series in map(str.split, COLOURS)
        )
        width, height = self.WIDTH, round(self.bottom + 12)
        with open(path, "w", encoding="utf-8") if path else contextlib.nullcontext(sys.stdout) as out:
            out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n')
            out.write(f"<style>\n{light}\n{STYLE}@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n</style>\n")
            out.write('<rect class="paper" width="100%" height="100%"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


# The programs of the picture, and their names in it.
SHOWN = {
    ("N-Queens-Count-Sol", "4-core CPU of 2013"): "N-Queens-Count-Sol, 4 cores",
    ("ygch/n_queens", "Ryzen 9950X3D"): "bit masks, 32 threads",
    ("KAAPI-MOAIS", "grid, 3654 workers"): "a cluster, 3654 workers",
    ("ygch/n_queens", "RTX 5090"): "one RTX 5090",
    ("ygch/n_queens", "8 x RTX 5090"): "8 RTX 5090",
    ("Queens@TUD", "FPGAs, TU Dresden"): "FPGAs",
}


def draw_overview(arguments):
    """Draws times over N. This program's line ends at its largest count, and a dashed line behind it shows
    estimates."""
    counted = list(rows_of(arguments.table))
    threads = counted[-1]["threads"]
    own = {int(row["board"]): float(row["seconds"]) for row in counted if int(row["board"]) in arguments.boards}
    expected = {max(own): own[max(own)]}
    for row in rows_of(arguments.estimates):
        if row["threads"] == threads:
            expected[int(row["board"])] = float(row["estimate"])
    lines = [(f"nqueens, {threads} threads; dashed: expected", 0, "", own), ("", 0, "dashed", expected)]
    peers = {name[:2]: times for name, times in read_peers(arguments.peers).items()}
    lines += [(label, colour, "thin", peers[name]) for colour, (name, label) in enumerate(SHOWN.items(), start=1)]
    lines = [(*line, [(at, it) for at, it in times.items() if at in arguments.boards]) for *line, times in lines]
    picture = Picture()
    picture.plot("Time to count all solutions", "N", BOARDS, TIMES, lines, float, height=300)
    picture.write(arguments.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, *files in [
        ("peers", show_peers, "measured", "peers"),
        ("speed", show_speed, "measured"),
        ("methods", show_methods, "measured"),
        ("records", show_records, "folder"),
        ("picture", draw_overview, "table", "estimates", "peers"),
    ]:
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        for file in files:
            command.add_argument(file)
        if name != "records":
            command.add_argument("--boards", type=selected, default=set(range(1, 33)))
        if name == "picture":
            command.add_argument("--output")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        arguments.run(arguments)
    except KeyError as error:
        sys.exit(f"error: a file has no column {error}")


if __name__ == "__main__":
    main()
