"""Lets files be written in spite of errors, signals, links and full disks: an old file is whole, or the new one is."""

import json
import os
import signal
import stat
import subprocess
import threading
import time

import studies
from rounds import NotTried

OLD = b"what was there before\n"


def attack(round_):
    """Tries one way to lose a file."""
    case = round_.random.choice(CASES)
    case(round_)
    return case.__name__.replace("_", " ")


def writers(round_):
    """Returns commands that write a file: their words, its option, and its name."""
    study = studies.written(round_, "study.json", studies.study(round_))
    return [
        (["count", "12"], "--output", "out.txt"),
        (["count", "11", "--format", "json"], "--output", "out.json"),
        (["table", "--to", "9", "--format", "csv"], "--output", "out.csv"),
        (["solve", "8", "--all"], "--output", "out.txt"),
        (["solve", "6", "--all", "--format", "svg"], "--output", "out.svg"),
        (["trace", "6", "--until", "all"], "--output", "out.txt"),
        (["trace", "6"], "--html", "out.html"),
        (["profile", "8"], "--output", "out.txt"),
        (["compare", "6"], "--output", "out.txt"),
        (["bench", "--compare", study], "--output", "out.txt"),
        (["bench", "--compare", study], "--export", "out.html"),
        (["bench", "--compare", study], "--export", "out.svg"),
        (["bench", "--compare", study], "--export", "out.json"),
    ]


def whole(round_, words, option, name):
    """Returns what the command writes when nothing disturbs it, and how long that takes."""
    before = round_.names()
    outcome = round_.run(*words, option, name)
    data = round_.read(name)
    round_.expect(outcome.code == 0 and data, f"{name} is not written: {outcome.in_words()}")
    round_.expect(set(round_.names()) == {*before, name}, f"files are left: {round_.names()}")
    os.remove(round_.path(name))
    return data or b"", outcome.seconds


def looks_whole(name, data, example):
    """Returns whether a file has its end."""
    if name.endswith((".html", ".svg")):
        return data.rstrip().endswith((b"</html>", b"</svg>"))
    if name.endswith(".json"):
        try:
            return bool(json.loads(data))
        except ValueError:
            return False
    # Times differ, lines do not.
    return data.count(b"\n") == example.count(b"\n") and data.endswith(b"\n")


def killed_while_writing(round_):
    """However the program is ended, the old file is there or the whole new one."""
    words, option, name = round_.random.choice(writers(round_))
    example, seconds = whole(round_, words, option, name)
    there = round_.names()
    for _ in range(8):
        if old := round_.random.random() < 0.7:
            round_.write(name, OLD)
        child = round_.begin(*words, option, name)
        # Most of the writing is at the end.
        child.wait_for(seconds * round_.random.choice([round_.random.uniform(0, 1.1), round_.random.uniform(0.7, 1.1)]))
        sent = round_.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
        child.send(sent)
        outcome = child.end()
        round_.log.append(f"# {sent.name}, exit code {outcome.code}")
        round_.judge_any(outcome, signals=[sent], codes=(0,))
        data = round_.read(name)
        unchanged = data == (OLD if old else None)
        round_.expect(unchanged or data and looks_whole(name, data, example), f"{name} is neither old nor new: {data and data[-60:]!r}")
        round_.expect(outcome.code != 0 or not unchanged, f"{name} is not written: {outcome.in_words()}")
        if outcome.code != 0 and sent != signal.SIGKILL:
            # What was finished may be kept under a name that says that it is not all.
            left = set(round_.names()) - {*there, name, f"{name}.partial"}
            round_.expect(not left, f"files are left by {sent.name}: {left}")
        for left in set(round_.names()) - set(there):
            os.remove(round_.path(left))


def a_command_that_fails(round_):
    """Where there is nothing to write, an old file is left alone."""
    study = round_.write("bad.json", b"{}")
    words, name = round_.random.choice(
        [
            (["solve", "3", "--output", "F"], "F"),
            (["solve", "2", "--format", "svg", "--output", "F"], "F"),
            (["count", "33", "--output", "F"], "F"),
            (["count", "8", "--ledger", "no/such/folder/l", "--output", "F"], "F"),
            (["merge", "nothing", "--output", "F"], "F"),
            (["status", "nothing", "--output", "F"], "F"),
            (["merge", study, "--format", "json", "--output", "F"], "F"),
            (["bench", "--compare", study, "--export", "F.html"], "F.html"),
            (["bench", "--compare", "nothing", "--export", "F.svg"], "F.svg"),
            (["table", "--from", "5", "--to", "2", "--output", "F"], "F"),
            (["trace", "33", "--html", "F"], "F"),
        ]
    )
    if old := round_.random.random() < 0.6:
        round_.write(name, OLD)
    outcome = round_.run(*words)
    round_.expect(outcome.code in (1, 2), f"no error: {outcome.in_words()}")
    round_.expect(round_.read(name) == (OLD if old else None), f"{name} is touched by a command that fails: {outcome.in_words()}")
    round_.expect(set(round_.names()) <= {"bad.json", name}, f"files are left: {round_.names()}")


def an_input_is_no_output(round_):
    """A file that is read is never written, by whatever name."""
    study = studies.written(round_, "a.json", studies.study(round_))
    ledger = round_.write("l.jsonl", round_.truth(0.3).data)
    peers = round_.write("p.csv", b"program,machine,threads,board,seconds,source\nx,m,1,8,0.5,s\n")
    path, words, option = round_.random.choice(
        [
            (study, ["bench", "--compare", study], "--export"),
            (study, ["bench", "--compare", study, "--format", "json"], "--output"),
            (peers, ["bench", "--compare", study, "--peers", peers], "--export"),
            (peers, ["bench", "--compare", study, "--peers", peers], "--output"),
            (ledger, ["merge", ledger], "--output"),
            (ledger, ["status", ledger], "--output"),
            (ledger, ["count", "8", "--ledger", ledger], "--output"),
        ]
    )
    name = os.path.basename(path)
    other = round_.random.choice([name, f"./{name}", f"../{os.path.basename(round_.folder)}/{name}", path, f"hard-{name}", f"soft-{name}"])
    if other.startswith("hard-"):
        os.link(path, round_.path(other))
    elif other.startswith("soft-"):
        os.symlink(name, round_.path(other))
    before = round_.read(name)
    outcome = round_.run(*words, option, other)
    round_.expect(round_.read(name) == before, f"an input is overwritten: {outcome.in_words()}")
    if not other.startswith("hard-"):
        round_.expect(outcome.code in (1, 2), f"an input is taken for an output: {outcome.in_words()}")


def two_outputs_in_one_file(round_):
    """One file for two outputs is refused."""
    study = studies.written(round_, "a.json", studies.study(round_))
    second = round_.random.choice([["--output", "./X.md"], ["--export", "X.md"], ["--output", "X.md"]])
    if old := round_.random.random() < 0.5:
        round_.write("X.md", OLD)
    outcome = round_.run("bench", "--compare", study, "--export", "X.md", *second)
    round_.expect(outcome.code == 2, f"two outputs in one file: {outcome.in_words()}")
    round_.expect(round_.read("X.md") == (OLD if old else None), f"the file of two outputs is written: {outcome.in_words()}")


def special_files(round_):
    """Devices, pipes and folders are written to or refused, and never replaced."""
    words, option, name = round_.random.choice(writers(round_))
    target = round_.random.choice(["null", "full", "fifo", "folder", "nowhere/file", "x" * 300, "dangling"])
    reader = device = None
    if target == "fifo":
        os.mkfifo(round_.path("fifo"))
        reader = read_away(round_.path("fifo"))
    elif target in ("null", "full"):
        device = target
        target = round_.device(device)
    elif target == "folder":
        os.mkdir(round_.path("folder"))
    elif target == "dangling":
        os.symlink("nowhere", round_.path("dangling"))
    if option == "--export":
        option, words = "--output", [*words]
    there = round_.names()
    outcome = round_.run(*words, option, target)
    if reader is not None:
        reader()
    if device == "null":
        round_.expect(outcome.code == 0, f"{target} cannot be written: {outcome.in_words()}")
    elif target not in ("fifo", "dangling"):
        round_.expect(outcome.code in (1, 2), f"{target[:20]} is written: {outcome.in_words()}")
    if device:
        kept = os.path.lexists(round_.path(target)) and stat.S_ISCHR(os.lstat(round_.path(target)).st_mode)
        round_.expect(kept, f"{target} is no device any more: {outcome.in_words()}")
    allowed = {*there, "nowhere"} if target == "dangling" else set(there)
    round_.expect(set(round_.names()) <= allowed, f"files are left: {set(round_.names()) - allowed}")
    if target == "fifo":
        round_.expect(not os.path.isfile(round_.path("fifo")), "a pipe is now a file")


def read_away(pipe):
    """Reads all that is written to a pipe, which holds only so much; returns what ends that."""
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    over = threading.Event()

    def read():
        while not over.wait(0.01):
            try:
                while os.read(descriptor, 1 << 16):
                    pass
            except BlockingIOError:
                pass

    thread = threading.Thread(target=read)
    thread.start()

    def end():
        over.set()
        thread.join()
        os.close(descriptor)

    return end


def a_full_disk(round_):
    """On a full disk the old file stays."""
    words, option, name = round_.random.choice(writers(round_))
    example, _ = whole(round_, words, option, name)
    script = 'mount -t tmpfs -o size=16k none "$1" && cd "$1" && cp ../old "$2" && (dd if=/dev/zero of=fill bs=1k count=64; shift 2; "$@") 2> ../err'
    script += '; code=$?; cp "$2" ../after; ls -A > ../names; exit $code'
    round_.write("old", OLD)
    os.mkdir(round_.path("disk"))
    inner = [word if not word.endswith("study.json") else round_.path("study.json") for word in words]
    outcome = in_namespace(round_, script, round_.path("disk"), name, round_.attack.program, *inner, option, name)
    if round_.read("after") is None:
        raise NotTried("a small file system cannot be mounted")
    round_.expect(outcome.returncode in (0, 1, 2), f"{words} {option} on a full disk ends with {outcome.returncode}")
    unchanged = round_.read("after") == OLD
    fits = outcome.returncode == 0 and looks_whole(name, round_.read("after"), example)
    round_.expect(fits or unchanged, f"{words} {option} on a full disk leaves {round_.read('after')[-60:]!r}")
    left = set(round_.read("names").decode().split()) - {name, "fill"}
    round_.expect(not left, f"files are left on a full disk: {left}")
    said = round_.read("err").decode("utf-8", "replace")
    round_.expect("panicked" not in said, f"panics on a full disk: {said[-300:]}")


def a_ledger_on_a_full_disk(round_):
    """What there is room for is written, and the next run goes on from it."""
    truth = round_.truth(0.8, [(15, ["--engine", "backtrack", "--symmetry", "edges", "--split-rows", "2"])])
    script = 'mount -t tmpfs -o size=64k none "$1" && cd "$1" && shift && "$@" 2> ../err; code=$?; cp ledger ../after; exit $code'
    os.mkdir(round_.path("disk"))
    count = [round_.attack.program, "count", str(truth.board), *truth.options, "--ledger", "ledger"]
    outcome = in_namespace(round_, script, round_.path("disk"), *count)
    if round_.read("after") is None:
        raise NotTried("a small file system cannot be mounted")
    size = len(round_.read("after"))
    round_.expect(outcome.returncode == 1, f"a count on a full disk ends with {outcome.returncode}: {round_.read('err')[-200:]!r}")
    round_.expect(size > 32 << 10, f"a disk with room for 64 KB has {size} bytes of the ledger when it is full")
    again = round_.run("count", str(truth.board), *truth.options, "--ledger", "after")
    round_.expect(again.output.split() == [str(truth.total)], f"a count does not go on after a full disk: {again.in_words()}")


def in_namespace(round_, script, *arguments):
    """Runs a script with file systems of its own; it takes them along when it ends."""
    if os.geteuid() != 0:
        raise NotTried("only root can mount a small file system")
    try:
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", script, "sh", *arguments],
            cwd=round_.folder, env=round_.attack.environment, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise NotTried("unshare is not installed") from None


def links_beside_a_ledger(round_):
    """Links where the program might write beside a damaged ledger are not followed."""
    truth = round_.truth(0.3)
    lines = truth.data.splitlines(keepends=True)
    round_.write("s.jsonl", b"".join(lines[:2] + [lines[2][:-9] + b"x" + lines[2][-8:]] + lines[3:]))
    precious = round_.write("precious", OLD)
    link = round_.random.choice(["s.jsonl.mending", "s.jsonl.bad", "s.jsonl.tmp", "s.jsonl.bad.1"])
    kind = round_.random.choice(["link", "dangling link", "hard link", "file"])
    target = "precious" if kind == "link" else "nowhere"
    if kind == "hard link":
        os.link(precious, round_.path(link))
    elif kind == "file":
        round_.write(link, OLD)
    else:
        os.symlink(target, round_.path(link))
    outcome = round_.run("count", str(truth.board), *truth.options, "--ledger", "s.jsonl")
    round_.expect(round_.read("precious") == OLD, f"a file behind a {kind} {link} is overwritten: {outcome.in_words()}")
    round_.expect(round_.read("nowhere") is None, f"a {kind} {link} is followed: {outcome.in_words()}")
    if kind == "file":
        round_.expect(round_.read(link) == OLD, f"a file {link} is overwritten: {outcome.in_words()}")
    round_.expect(not os.path.islink(round_.path("s.jsonl")), "the ledger is now a link")


def a_ledger_taken_away(round_):
    """A count whose ledger is taken away while it counts does not end as if all was well."""
    truth = round_.truth(1.0)
    path = round_.path("l.jsonl")
    child = round_.begin("count", str(truth.board), *truth.options, "--threads", "1", "--ledger", path)
    while not (os.path.exists(path) and os.path.getsize(path)) and not child.wait_for(0):
        time.sleep(0.001)
    child.send(signal.SIGSTOP)
    time.sleep(0.02)
    if child.wait_for(0) or len(round_.read("l.jsonl").splitlines()) > len(truth.units) / 2:
        child.send(signal.SIGCONT)
        child.end()
        return
    os.remove(path)
    if round_.random.random() < 0.5:
        round_.write("l.jsonl", b"")
    child.send(signal.SIGCONT)
    outcome = child.end()
    round_.judge_any(outcome)
    round_.expect(outcome.code != 0, f"exit code 0, and the ledger is gone: {outcome.in_words()}")


CASES = [
    killed_while_writing, killed_while_writing, killed_while_writing, a_command_that_fails, a_command_that_fails,
    an_input_is_no_output, an_input_is_no_output, two_outputs_in_one_file, special_files, special_files, a_full_disk,
    a_ledger_on_a_full_disk, links_beside_a_ledger, links_beside_a_ledger, a_ledger_taken_away,
]  # fmt: skip
