"""Shows measurements of results/ by the size of the board, for Markdown files and their pictures.

    python3 scripts/results.py boards STUDY.json [--kernels A,B] [--boards 8,12-21]    a table of a study
    python3 scripts/results.py peers PEERS.csv                                         a table of published times
    python3 scripts/results.py picture STUDY.json PEERS.csv OUT.svg [--kernels A,B] [--boards 16-27]
                                               both as lines over the size of the board
"""

import argparse
import csv
import html
import json
import math
import sys

COLOURS = ["#0b4fb3", "#a5361a", "#116329", "#7b2a9e", "#7a4a00", "#4c5474", "#006a73", "#a80f66"]


def time(seconds):
    """A time with three significant digits in a unit that suits it."""
    units = [(1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"), (600, 1, "s"), (7200, 1 / 60, "min"), (172800, 1 / 3600, "h")]
    _, factor, unit = next((unit for unit in units if seconds < 0.9995 * unit[0]), (None, 1 / 86400, "days"))
    number = seconds * factor
    places = 2 if number < 9.995 else 1 if number < 99.95 else 0
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


def read_peers(path):
    """The published times: {(program, machine, threads): {board: seconds}}, and their sources."""
    times, sources = {}, {}
    lines = (line for line in open(path, encoding="utf-8") if not line.startswith("#"))
    for row in csv.DictReader(lines):
        peer = row["program"], row["machine"], row["threads"] or "-"
        times.setdefault(peer, {})[int(row["board"])] = float(row["seconds"])
        sources.setdefault(peer, {})[row["source"]] = None
    return times, sources


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


def show_peers(arguments):
    """Boards are rows here: a column for each board would not fit a screen."""
    times, sources = read_peers(arguments.peers)
    rows = []
    for (program, machine, threads), by_board in times.items():
        shown = ", ".join(f"{board}: {time(seconds)}" for board, seconds in sorted(by_board.items()))
        rows.append([program, machine, threads, shown, "; ".join(sources[program, machine, threads])])
    table(["program", "machine", "threads", "N: time", "source"], rows)


def draw(arguments):
    study, own, _, threads = read_study(arguments.study, arguments.kernels, arguments.boards)
    peers, _ = read_peers(arguments.peers)
    left, right, top, bottom = 84, 590, 40, 560
    lines = [*own.values(), *peers.values()]
    boards = [board for line in lines for board in line]
    seconds = [time for line in lines for time in line.values()]
    first, last = min(boards), max(boards)
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    x = lambda board: left + 12 + (board - first) / (last - first) * (right - left - 24)
    y = lambda seconds: bottom - (math.log10(seconds) - low) / (high - low) * (bottom - top)
    svg = []
    text = lambda at_x, at_y, words, **more: svg.append(
        f'<text x="{at_x:.1f}" y="{at_y:.1f}" '
        + " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in more.items())
        + f">{html.escape(words)}</text>"
    )
    text(14, 22, "Time of a whole count, by the size of the board", font_weight="bold")
    for power in range(low, high + 1):
        svg.append(f'<path d="M{left} {y(10**power):.1f}H{right}" stroke="#d9dbe0"/>')
        label = f"{10 ** (power + 3)} ms" if power < 0 else f"{10**power:,} s"
        text(left - 6, y(10**power) + 4.5, label, text_anchor="end", fill="#565d69")
    for board in range(first, last + 1):
        svg.append(f'<path d="M{x(board):.1f} {top}V{bottom}" stroke="#d9dbe0"/>')
        text(x(board), bottom + 18, str(board), text_anchor="middle", fill="#565d69")
    text((left + right) / 2, bottom + 36, "N", text_anchor="middle", fill="#565d69")

    def line(by_board, colour, width):
        points = [(x(board), y(seconds)) for board, seconds in sorted(by_board.items())]
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
        svg.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        for px, py in points:
            svg.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{width + 1}" fill="{colour}"/>')
        return points[-1]

    # A number at the end of each line of another program, and a list of them beside the chart.
    taken = []
    for number, (name, by_board) in enumerate(peers.items(), 1):
        px, py = line(by_board, "#a3a8b1", 1)
        while any(abs(px + 8 - ox) < 14 and abs(py - oy) < 11 for ox, oy in taken):
            py += 3
        taken.append((px + 8, py))
        text(px + 5, py + 4, str(number), font_size="11", fill="#3d434d")
        program, machine, _ = name
        text(right + 24, 222 + 20 * number, f"{number}  {program}: {machine}", font_size="12", fill="#3d434d")
    for number, ((engine, kernel), by_board) in enumerate(own.items()):
        colour = COLOURS[number % len(COLOURS)]
        line(by_board, colour, 2)
        svg.append(f'<path d="M{right + 24} {60 + 20 * number}h18" stroke="{colour}" stroke-width="3"/>')
        text(right + 48, 64 + 20 * number, f"nqueens, {engine} {kernel}, {threads} threads")
    text(right + 24, 222, "Published times of other programs, on their machines", fill="#565d69", font_size="12")
    text(14, bottom + 60, source_of(study), fill="#565d69", font_size="11")
    with open(arguments.out, "w", encoding="utf-8") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 636" width="960" height="636" ')
        out.write('font-family="system-ui, sans-serif" font-size="13" fill="#1b1f27">\n')
        out.write('<rect width="960" height="636" fill="#ffffff"/>\n' + "\n".join(svg) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, files in [("boards", show_boards, ["study"]), ("peers", show_peers, ["peers"]), ("picture", draw, ["study", "peers", "out"])]:
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        for file in files:
            command.add_argument(file)
        command.add_argument("--kernels", type=lambda text: text.split(","), default=[])
        command.add_argument("--boards", type=selected, default=set(range(1, 33)))
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    arguments.run(arguments)


if __name__ == "__main__":
    main()
