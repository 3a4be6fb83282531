"""Shows measurements of results/ by the size of the board, for Markdown files and their pictures.

    python3 scripts/results.py boards STUDY.json [--kernels A,B] [--boards 8,12-21]    a table of a study
    python3 scripts/results.py peers MEASURED.csv PEERS.csv [--boards 16,18,20,22]     times measured here, and published
    python3 scripts/results.py speed FOLDER [--boards 16,18]                           the README's table
    python3 scripts/results.py picture TABLE.csv UNITS.csv ESTIMATES.csv PEERS.csv OUT.svg [--boards 16-28]
                                               counts, what sampled units and estimates say of larger boards, and
                                               published times
"""

import argparse
import csv
import html
import json
import math
import sys

COLOURS = ["#0b4fb3", "#a5361a", "#116329", "#7b2a9e", "#7a4a00", "#4c5474", "#006a73", "#a80f66"]


def time(seconds, step=0):
    """A time with three significant digits in a unit that suits it, but none below the step of the clock."""
    units = [(1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"), (600, 1, "s"), (7200, 1 / 60, "min"), (172800, 1 / 3600, "h"), (86400000, 1 / 86400, "days")]
    _, factor, unit = next((unit for unit in units if seconds < 0.9995 * unit[0]), (None, 1 / 31557600, "years"))
    number = seconds * factor
    places = 2 if number < 9.995 else 1 if number < 99.95 else 0
    if step:
        places = min(places, max(0, -math.ceil(math.log10(step * factor) - 1e-9)))
    return f"{number:.{places}f} {unit}"


def selected(text):
    """The numbers of a list such as 8,12-21."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {number for part in ends for number in range(part[0], part[-1] + 1)}


def read_study(path, kernels, boards):
    """The study, and its medians with the most threads: {(engine, kernel): {board: seconds}}, and the totals."""
    study = json.load(open(path, encoding="utf-8"))
    threads = max(row["threads"] for row in study["rows"])
    times, totals = {}, {}
    for row in study["rows"]:
        if row["threads"] == threads and row["board"] in boards and (not kernels or row["kernel"] in kernels):
            times.setdefault((row["engine"], row["kernel"]), {})[row["board"]] = row["seconds"]
            totals[row["board"]] = int(row["total"])
    return study, times, totals, threads


def rows_of(path):
    """The rows of a CSV file, which may begin with comments."""
    return csv.DictReader(line for line in open(path, encoding="utf-8") if not line.startswith("#"))


def read_peers(path):
    """The times of other programs: {(program, machine, threads): {board: seconds}}."""
    times = {}
    for row in rows_of(path):
        times.setdefault((row["program"], row["machine"], row["threads"] or "-"), {})[int(row["board"])] = float(row["seconds"])
    return times


def table(headings, rows):
    print("| " + " | ".join(headings) + " |")
    print("|" + "---|" * len(headings))
    for row in rows:
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")


def source_of(study):
    machine = study["machine"]
    return f"{machine['cpu']}, {machine['logical_cpus']} CPUs, nqueens {study['program']['version']}, {study['date']}"


def show_boards(arguments):
    study, times, totals, threads = read_study(arguments.study, arguments.kernels, arguments.boards)
    cell = lambda board: lambda one: time(one[board]) if board in one else "-"
    rows = [[str(board), f"{totals[board]:,}", *map(cell(board), times.values())] for board in sorted(totals)]
    table(["N", "solutions", *(" ".join(name) for name in times)], rows)
    print(f"\n{source_of(study)}; {threads} thread{'s' if threads > 1 else ''}, medians of {study['repetitions']}.")


def show_speed(arguments):
    """The rows of the README: counts with all threads, and the processor times of one beside two other programs."""
    files = {name: list(rows_of(f"{arguments.folder}/{name}.csv")) for name in ("table", "units-24", "peers")}
    all_threads = files["table"][-1]["threads"]
    whole = {int(row["board"]): time(float(row["seconds"])) for row in files["table"]}
    single = {}
    for row in files["peers"]:
        sampled = f" ({row['sampled']})" if row["sampled"] else ""
        # Processor times have the milliseconds that the shell prints.
        single[row["program"], int(row["board"])] = time(float(row["cpu_seconds"]), 0.001) + sampled
    for row in files["units-24"]:
        text = f"{time(float(row['seconds']))} ({row['timed']}/{int(row['units']):,})"
        if row["threads"] == all_threads:
            whole[int(row["board"])] = text
        if row["threads"] == "1":
            single["nqueens", int(row["board"])] = text
    columns = ("nqueens", "C, recursive", "N-Queens-Count-Sol")
    table(
        ["N", "two threads", "one thread", "usual bit masks", "fastest other"],
        [[str(n), whole[n], *(single.get((name, n), "-") for name in columns)] for n in sorted(arguments.boards)],
    )


def show_peers(arguments):
    """The times of scripts/versus.py, then the published ones, with a column for each board."""
    rows = []
    for path, where in (arguments.measured, "here"), (arguments.peers, ""):
        for (program, machine, threads), by_board in read_peers(path).items():
            if arguments.boards & set(by_board):
                shown = [time(by_board[board]) if board in by_board else "-" for board in sorted(arguments.boards)]
                with_threads = f", {threads} thread{'s' if threads != '1' else ''}" if threads != "-" else ""
                rows.append([program, (where or machine) + with_threads, *shown])
    table(["program", "on", *(f"N = {board}" for board in sorted(arguments.boards))], rows)


GPUS, OTHERS = "#8a5a10", "#6b717b"
# The programs of the picture: its colour, where the label of each stands, from the end of its line, and the label.
SHOWN = {
    ("ygch/n_queens", "Ryzen 9950X3D"): (OTHERS, -8, -4, "end", "bit masks, 32 threads"),
    ("N-Queens-Count-Sol", "4-core CPU of 2013"): (OTHERS, -8, -4, "end", "N-Queens-Count-Sol, 4 cores"),
    ("ygch/n_queens", "RTX 5090"): (GPUS, -8, -3, "end", "RTX 5090"),
    ("ygch/n_queens", "8 x RTX 5090"): (GPUS, -8, -2, "end", "8 RTX 5090"),
    ("KAAPI-MOAIS", "grid, 3654 workers"): (OTHERS, -6, -6, "end", "cluster"),
    ("Queens@TUD", "FPGAs, TU Dresden"): (OTHERS, -8, 4, "end", "FPGAs"),
}
TICKS = {0.01: "10 ms", 0.1: "0.1 s", 1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 86400: "1 day",
         86400 * 7: "1 week", 86400 * 30.4: "1 month", 86400 * 365.25: "1 year"}


def draw(arguments):
    """This program's line ends with what was counted; dashed behind it is what sampled units and estimates say."""
    counted = {int(row["board"]): (float(row["seconds"]), row) for row in rows_of(arguments.table)}
    own = {board: seconds for board, (seconds, _) in counted.items() if board in arguments.boards}
    threads = int(counted[max(own)][1]["threads"])
    expected = {max(own): own[max(own)]}
    for row in [*rows_of(arguments.units), *rows_of(arguments.estimates)]:
        if int(row["threads"]) == threads:
            expected[int(row["board"])] = float(row.get("seconds") or row["estimate"])
    peers = read_peers(arguments.peers)
    left, right, top, bottom = 66, 700, 34, 372
    ticks = list(TICKS)
    boards = range(min(arguments.boards), max(arguments.boards) + 1)
    x = lambda board: left + 10 + (board - boards[0]) / (len(boards) - 1) * (right - left - 20)
    y = lambda seconds: bottom - math.log(seconds / ticks[0]) / math.log(ticks[-1] / ticks[0]) * (bottom - top)
    svg = []
    text = lambda at_x, at_y, words, **more: svg.append(
        f'<text x="{at_x:.1f}" y="{at_y:.1f}" '
        + " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in more.items())
        + f">{html.escape(words)}</text>"
    )
    text(12, 20, "Time to count all solutions, by the size of the board", font_weight="bold")
    for seconds, label in TICKS.items():
        svg.append(f'<path d="M{left} {y(seconds):.1f}H{right}" stroke="#d9dbe0"/>')
        text(left - 6, y(seconds) + 4.5, label, text_anchor="end", fill="#565d69")
    for board in boards:
        text(x(board), bottom + 18, str(board), text_anchor="middle", fill="#565d69")
    text((left + right) / 2, bottom + 38, "N", text_anchor="middle", fill="#565d69")

    def line(by_board, colour, width, dashes="", radius=None):
        points = [(x(board), y(seconds)) for board, seconds in sorted(by_board.items()) if board in boards]
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
        svg.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"/>')
        for px, py in points:
            svg.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{radius or width + 1}" fill="{colour}"/>')
        return points[-1]

    for (program, machine, _), by_board in peers.items():
        if (program, machine) in SHOWN:
            colour, dx, dy, anchor, label = SHOWN[program, machine]
            px, py = line(by_board, colour, 1)
            text(px + dx, py + dy, label, text_anchor=anchor, fill=colour)
    line(expected, COLOURS[0], 2, "5 4", radius=2)
    line(own, COLOURS[0], 2)
    board = sorted(own)[2]
    text(x(board) + 10, y(own[board]) + 20, f"nqueens, {threads} threads", fill=COLOURS[0], font_weight="bold")
    with open(arguments.out, "w", encoding="utf-8") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 420" width="720" height="420" ')
        out.write('font-family="system-ui, sans-serif" font-size="13" fill="#1b1f27">\n')
        out.write('<rect width="720" height="420" fill="#ffffff"/>\n' + "\n".join(svg) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, files in [("boards", show_boards, ["study"]), ("peers", show_peers, ["measured", "peers"]), ("speed", show_speed, ["folder"]), ("picture", draw, ["table", "units", "estimates", "peers", "out"])]:
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        for file in files:
            command.add_argument(file)
        if name == "boards":
            command.add_argument("--kernels", type=lambda text: text.split(","), default=[])
        command.add_argument("--boards", type=selected, default=set(range(1, 33)))
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    arguments.run(arguments)


if __name__ == "__main__":
    main()
