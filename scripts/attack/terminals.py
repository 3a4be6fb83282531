"""Plays a trace on a terminal of our own and ends it in all ways: the terminal must be given back as it was."""

import os
import pty
import select
import signal
import termios
import time

import children


def attack(round_):
    """Plays a trace, or counts with a progress bar, and ends it by keys or signals."""
    words = round_.random.choice([["trace", "6"], ["trace", "8", "--until", "all"], ["trace", "5"], ["count", "17", "-j1"]])
    number = round_.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, "twice", "key", "q"])
    master, slave = pty.openpty()
    try:
        before = termios.tcgetattr(slave)
        shown, outcome = play(round_, words, number, master, slave)
        after = termios.tcgetattr(slave)
    finally:
        os.close(master)
        os.close(slave)
    round_.log.append(f"# {number}, exit code {outcome.code}")
    allowed = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    round_.judge_any(outcome, signals=allowed)
    said = f"{words} on a terminal, ended by {number}"
    round_.expect(after[:4] == before[:4], f"the terminal has other settings after {said}")
    for on, off, what in [(b"\x1b[?1049h", b"\x1b[?1049l", "alternate screen"), (b"\x1b[?25l", b"\x1b[?25h", "hidden cursor")]:
        round_.expect(shown.rfind(on) <= shown.rfind(off), f"the {what} stays after {said}")
    return f"{words[0]}, {getattr(number, 'name', number)}"


def play(round_, words, number, master, slave):
    """Runs a command on the terminal; returns what the terminal was sent, and what became of the command."""
    shown = bytearray()
    environment = {**round_.attack.environment, "TERM": "xterm-256color"}
    words = [round_.attack.program, *words]
    round_.note(" ".join(words))

    def before():
        # The session is new, so this makes it the terminal of the session.
        import fcntl

        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        os.dup2(slave, 2)

    child = children.Child(words, round_.folder, environment, before=before, stdout=slave, stdin=slave)
    drain(master, shown, round_.random.uniform(0.02, 0.4))
    for key in round_.random.choices([b" ", b"\x1b[C", b"\x1b[D", b"+", b"-", b"x", b"\x1b"], k=round_.random.randrange(4)):
        os.write(master, key)
    if number == "key":
        os.write(master, b"\x03")
    elif number == "q":
        os.write(master, b"q")
    elif number == "twice":
        child.send(round_.random.choice([signal.SIGINT, signal.SIGTERM]))
        time.sleep(round_.random.choice([0, 0.005, 0.03]))
        child.send(round_.random.choice([signal.SIGINT, signal.SIGTERM]))
    else:
        child.send(number)
    until = time.monotonic() + 10
    while not child.wait_for(0) and time.monotonic() < until:
        drain(master, shown, 0.01)
        if number == "q" and words[1] == "count":
            child.send(signal.SIGTERM)
    outcome = child.end(0.1)
    drain(master, shown, 0.05)
    return bytes(shown), outcome


def drain(master, shown, seconds):
    """Takes in what the terminal is sent within this time."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([master], [], [], left)
        if ready:
            try:
                shown += os.read(master, 65536)
            except OSError:
                return
