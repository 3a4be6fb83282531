"""Times this program beside others on Linux, with hyperfine, which must be installed (`cargo install hyperfine`).

    python3 scripts/versus.py peers [OPTIONS] NAME=COMMAND...   beside other counters, which you have built
    python3 scripts/versus.py revision BASE [PAIRS]             beside a commit, branch or tag; both are built

All run on the same CPUs and in turn: each once in every round, in reverse order in every other one. A count before the
rounds is checked and warms up. A total that is wrong or differs is an error, and the exit code is then 1.

`peers` prints CSV: for each board and program the median, shortest and longest time, the median processor time, and how
many times as long it takes as this program, whose row is the first. `scripts/results.py peers` makes a table of it. {N}
in a COMMAND is the size of the board. No shell reads it: 'peer=env OMP_NUM_THREADS=1 ./peer {N}' sets a variable.

`revision` makes PAIRS pairs of each count, by default 7. A count is slower, and the exit code 1, if the median of the
ratios of its pairs is above 1.05 in each of three rounds. What BASE or the CPU cannot count is left out.
NQUEENS_PROGRAM, and here NQUEENS_BASE_PROGRAM, name programs that are already built.
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
SLOWER, ROUNDS = 1.05, 3
# The longest time of a count of another revision in seconds. Old revisions need long for the larger counts.
PATIENCE = 60
# A program that prints more bytes is ended.
MOST_PRINTED = 1 << 26
# The counts for two revisions. Each takes from a tenth of a second to two seconds on a CPU with AVX-512.
JOBS = [
    "count 15 --engine backtrack --kernel scalar --threads 1",
    "count 15 --engine backtrack --kernel portable --threads 1",
    "count 17 --engine backtrack --kernel avx2 --threads 1",
    "count 17 --engine backtrack --kernel avx512 --threads 1",
    "count 17 --engine two-color --kernel portable --threads 1",
    "count 18 --engine two-color --kernel avx2 --threads 1",
    "count 18 --engine two-color --kernel avx512 --threads 1",
    "count 19 --engine two-color --threads 1",
    "count 19",
]


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


def built(tree, target, variable):
    """Returns the program that the variable names, or else one that is built from the sources."""
    if named := os.environ.get(variable):
        return shutil.which(named) or sys.exit(f"error: {variable}: there is no program '{named}'")
    code, output = run(["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target], cwd=tree)
    return target / "release/nqueens" if code == 0 else sys.exit(f"error: it cannot be built: {output}")


def says(text, total):
    """Tells whether the total is one of the numbers of a text. Their digits may be in groups, separated by , or '."""
    digits = f"{int(total):,}".replace(",", "[,']?")
    return re.search(rf"(?<![\w.-]){digits}(?!\w|\.\d)", text)


def peers(options, parser, target):
    with open(TOP / "results/published.csv", encoding="utf-8") as file:
        published = {row["N"]: row["total"] for row in csv.DictReader(line for line in file if line[0] != "#")}
    boards = options.boards.split(",")
    if unknown := [board for board in boards if not published.get(board)]:
        parser.error(f"--boards {options.boards}: no count is published for N = {unknown[0]}; give 1 to 27")
    cpus = sorted(os.sched_getaffinity(0))
    if not 0 < options.threads <= len(cpus):
        parser.error(f"--threads {options.threads}: this process may use {len(cpus)} CPUs")
    commands = {"nqueens": ["nqueens", "count", "{N}", "--threads", str(options.threads), *options.own]}
    for given in options.peers:
        name, _, command = given.partition("=")
        if not name or "{N}" not in command or name in commands:
            parser.error(f"'{given}' is not NAME=COMMAND with a name of its own and {{N}} for the size of the board")
        try:
            commands[name] = words(command)
        except argparse.ArgumentTypeError as error:
            parser.error(f"{name}: {error}")
        if not shutil.which(commands[name][0]):
            parser.error(f"{name}: there is no program '{commands[name][0]}'")
    commands["nqueens"][0] = str(built(TOP, target, "NQUEENS_PROGRAM"))
    _, machine = run([commands["nqueens"][0], "count", "4", "--format", "csv", "--quiet"])
    machine = next(csv.DictReader(machine.splitlines()), {})
    if not machine.keys() >= {"cpu", "program_version"}:
        parser.error(f"'{commands['nqueens'][0]}' is not nqueens: it does not count N = 4 with --format csv")
    os.sched_setaffinity(0, cpus[: options.threads])

    # The commands are left out, because they have paths of this machine.
    source = f"measured {datetime.date.today()}, nqueens {machine['program_version']}: scripts/versus.py {shlex.join(options.own)}"
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


def compared(programs, job, pairs):
    """Returns the verdict about a count of two programs."""
    commands = [[str(program), *job.split(), "--quiet"] for program in programs]
    base, new = (run(command, PATIENCE) for command in commands)
    # The exit code of an unknown option, engine or kernel is 2.
    if base[0] in (2, 124):
        return f"left out: {base[1]}"
    if base != new or base[0] or not base[1].isdecimal():
        return f"FAILS or DIFFERS: {base[1]} before, {new[1]} now"
    (before, _), (now, _) = in_turn(commands, pairs, PATIENCE)
    ratio = median(after / earlier for earlier, after in zip(before, now))
    word = "SLOWER" if ratio > SLOWER else "faster" if ratio < 1 / SLOWER else "alike"
    return f"{median(before):.4f} s before, {median(now):.4f} s now, ratio {ratio:.3f}: {word}"


def revision(options, parser, target):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if not os.environ.get("NQUEENS_BASE_PROGRAM"):
            if run(["git", "archive", "-o", folder / "sources.tar", "--end-of-options", options.base], cwd=TOP)[0]:
                parser.error(f"there is no revision '{options.base}'")
            shutil.unpack_archive(folder / "sources.tar", folder / "tree")
        # The programs are copied, so that another build does not change what is measured. The target directory is kept.
        shutil.copy(built(folder / "tree", target / "versus", "NQUEENS_BASE_PROGRAM"), folder / "base")
        shutil.copy(built(TOP, target, "NQUEENS_PROGRAM"), folder / "new")
        cpus = sorted(os.sched_getaffinity(0))
        verdicts, left = {}, JOBS
        for number in range(1, ROUNDS + 1):
            for job in left:
                # The last CPU, because the first one often handles the interrupts.
                os.sched_setaffinity(0, cpus[-1:] if "--threads 1" in job else cpus)
                verdicts[job] = compared([folder / "base", folder / "new"], job, options.pairs)
                say(f"round {number}: {job}: {verdicts[job]}")
            left = [job for job in left if "SLOWER" in verdicts[job]]
    for job, verdict in verdicts.items():
        print(f"{job:{max(map(len, JOBS))}}  {verdict}")
    return any(word in verdict for verdict in verdicts.values() for word in ("SLOWER", "FAILS"))


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def seconds(text):
    if not 0 < float(text) < float("inf"):
        raise ValueError
    return float(text)


def words(text):
    """Returns the words of a command, as a shell would take them."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a command: {str(error).lower()}") from error


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="peers | revision")
    command = commands.add_parser("peers")
    command.set_defaults(run=peers)
    command.add_argument("peers", nargs="+", metavar="NAME=COMMAND")
    command.add_argument("--boards", default="14,15,16", help="by default 14,15,16")
    command.add_argument("--rounds", type=positive, default=5, help="by default 5")
    command.add_argument("--threads", type=positive, default=1, help="of this program, CPUs of all; by default 1")
    said = "no larger boards after so many seconds; ten times that ends a count"
    command.add_argument("--limit", type=seconds, default=60, help=said)
    command.add_argument("--own", type=words, default="", help="options of this program, such as '--kernel scalar'")
    command = commands.add_parser("revision")
    command.set_defaults(run=revision)
    command.add_argument("base", metavar="BASE")
    command.add_argument("pairs", metavar="PAIRS", type=positive, nargs="?", default=7)
    options = parser.parse_args()
    if not shutil.which("hyperfine"):
        sys.exit("error: hyperfine is needed and not installed: `cargo install hyperfine`, or a package of your system")
    # These variables would change what is measured.
    for name in ("NQUEENS_KERNEL", "NQUEENS_THREADS"):
        os.environ.pop(name, None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or TOP / "target").resolve()
    sys.exit(1 if options.run(options, parser, target) else 0)


try:
    main()
except (OSError, ValueError, LookupError, shutil.ReadError) as error:
    sys.exit(f"error: {' '.join(str(error).split())}")
