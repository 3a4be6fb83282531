"""Times this program beside other counters, which you have built, on Linux and with hyperfine, which must be installed
(`cargo install hyperfine`):

    python3 scripts/versus.py [OPTIONS] NAME=COMMAND...

All run on the same CPUs and in turn: each once in every round, in reverse order in every other one. A count before the
rounds is checked and warms up. A wrong total is an error, and the exit code is then 1.

The output is CSV: for each board and program the median, shortest and longest time, the median processor time, and how
many times as long it takes as this program, whose row is the first. `scripts/results.py peers` makes a table of it. {N}
in a COMMAND is the size of the board. No shell reads it: 'peer=env OMP_NUM_THREADS=1 ./peer {N}' sets a variable.

NQUEENS_PROGRAM names this program, if it is already built.
"""

import argparse
import contextlib
import csv
import datetime
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from statistics import median

TOP = pathlib.Path(__file__).resolve().parents[1]
# A program that prints more bytes is ended.
MOST_PRINTED = 1 << 26


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"error: {' '.join(message.split())}\n")


def say(line):
    print(line, file=sys.stderr)


def run(command, timeout=None, **options):
    """Runs a command. Returns its exit code, or 124 if its time is over, and its output. No process of its group outlives
    the command or this script. The output is a file, because a process that was left behind would keep a pipe open. If
    the time is limited, so is the length of the output."""
    with tempfile.TemporaryFile() as output:
        if timeout:
            options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_PRINTED, MOST_PRINTED))
        options |= {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        process = subprocess.Popen(command, start_new_session=True, **options)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            return 124, f"it takes more than {timeout:g} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if timeout and output.seek(0, os.SEEK_END) >= MOST_PRINTED:
            return 124, f"it prints more than {MOST_PRINTED >> 20} MiB"
        output.seek(0)
        return process.returncode, output.read().decode(errors="replace").strip()


def in_turn(commands, rounds, limit):
    """Returns the times and the processor times of each command. A round may take ten times their limits in all."""
    times = [([], []) for _ in commands]
    with tempfile.NamedTemporaryFile() as file:
        options = ["--shell=none", "--runs=1", "--style=none", "--export-json", file.name]
        for number in range(rounds if commands else 0):
            order = range(len(commands))[:: -1 if number % 2 else 1]
            command = ["hyperfine", *options, *(shlex.join(commands[i]) for i in order)]
            code, output = run(command, 10 * limit * len(commands))
            if code:
                sys.exit(f"error: hyperfine ended with exit code {code}: {''.join(output.splitlines()[-1:])}")
            for i, result in zip(order, json.loads(pathlib.Path(file.name).read_text())["results"]):
                times[i][0].append(result["times"][0])
                times[i][1].append(result["user"] + result["system"])
    return times


def built():
    """Returns the program that NQUEENS_PROGRAM names, or else one that is built from the sources."""
    if named := os.environ.get("NQUEENS_PROGRAM"):
        return shutil.which(named) or sys.exit(f"error: NQUEENS_PROGRAM: there is no program '{named}'")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or TOP / "target").resolve()
    code, output = run(["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target], cwd=TOP)
    return target / "release/nqueens" if code == 0 else sys.exit(f"error: it cannot be built: {output}")


def says(text, total):
    """Tells whether the total is one of the numbers of a text. Their digits may be in groups, separated by , or '."""
    digits = f"{int(total):,}".replace(",", "[,']?")
    return re.search(rf"(?<![\w.-]){digits}(?!\w|\.\d)", text)


def peers(options, parser):
    with open(TOP / "results/published.csv", encoding="utf-8") as file:
        published = {row["N"]: row["total"] for row in csv.DictReader(line for line in file if line[0] != "#")}
    boards = options.boards.split(",")
    if unknown := [board for board in boards if not published.get(board)]:
        parser.error(f"--boards {options.boards}: no count is published for N = {unknown[0]}; give 1 to 27")
    cpus = sorted(os.sched_getaffinity(0))
    if not 0 < options.threads <= len(cpus):
        parser.error(f"--threads {options.threads}: this process may use {len(cpus)} CPUs")
    commands = {"nqueens": ["nqueens", "count", "{N}", "--threads", str(options.threads)]}
    for given in options.peers:
        name, _, command = given.partition("=")
        if not name or "{N}" not in command or name in commands:
            parser.error(f"'{given}' is not NAME=COMMAND with a name of its own and {{N}} for the size of the board")
        try:
            commands[name] = shlex.split(command)
        except ValueError as error:
            parser.error(f"{name}: '{command}' is not a command: {str(error).lower()}")
        if not shutil.which(commands[name][0]):
            parser.error(f"{name}: there is no program '{commands[name][0]}'")
    commands["nqueens"][0] = str(built())
    _, machine = run([commands["nqueens"][0], "count", "4", "--format", "csv", "--quiet"])
    machine = next(csv.DictReader(machine.splitlines()), {})
    if not machine.keys() >= {"cpu", "program_version"}:
        parser.error(f"'{commands['nqueens'][0]}' is not nqueens: it does not count N = 4 with --format csv")
    os.sched_setaffinity(0, cpus[: options.threads])

    # The commands are left out, because they have paths of this machine.
    source = f"measured {datetime.date.today()}, nqueens {machine['program_version']}: scripts/versus.py"
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow("program machine threads board seconds fastest slowest cpu_seconds rounds times_ours source".split())
    failed = False
    for board in sorted(boards, key=int):
        ready = {}
        for name, command in list(commands.items()):
            ready[name] = [word.replace("{N}", board) for word in command]
            begun = time.monotonic()
            code, output = run(ready[name], 10 * options.limit)
            if time.monotonic() - begun > options.limit:
                say(f"{name}: N = {board} took more than {options.limit:g} s; it is left out for larger boards")
                del commands[name]
            if code or not says(output, published[board]):
                said = f"exit code {code}, last line '{''.join(output.splitlines()[-1:])[:200]}'"
                say(f"error: {name}: N = {board}: not the published count, {published[board]}: {said}")
                failed = True
                del ready[name]
                commands.pop(name, None)
        ours = None
        for name, (seconds, used) in zip(ready, in_turn([*ready.values()], options.rounds, options.limit)):
            ours = median(seconds) if name == "nqueens" else ours
            ratio = f"{median(seconds) / ours:.3f}" if ours else ""
            say(f"N = {board}: {name}: {median(seconds):.3f} s, {ratio or '-'} times")
            numbers = [f"{number:.6f}" for number in (median(seconds), min(seconds), max(seconds), median(used))]
            table.writerow([name, machine["cpu"], options.threads, board, *numbers, options.rounds, ratio, source])
    return failed


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def seconds(text):
    if not 0 < float(text) < float("inf"):
        raise ValueError
    return float(text)


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--boards", default="14,15,16", help="by default 14,15,16")
    parser.add_argument("--rounds", type=positive, default=5, help="by default 5")
    parser.add_argument("--threads", type=positive, default=1, help="of this program, CPUs of all; by default 1")
    said = "no larger boards after so many seconds; ten times that ends a count"
    parser.add_argument("--limit", type=seconds, default=60, help=said)
    options = parser.parse_args()
    if not shutil.which("hyperfine"):
        sys.exit("error: hyperfine is needed and not installed: `cargo install hyperfine`, or a package of your system")
    # This variable would change what is measured.
    os.environ.pop("NQUEENS_THREADS", None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    sys.exit(1 if peers(options, parser) else 0)


try:
    main()
except (OSError, ValueError, LookupError) as error:
    sys.exit(f"error: {' '.join(str(error).split())}")
