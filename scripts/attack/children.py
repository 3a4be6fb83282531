"""Runs the program under attack, and says what became of it."""

import os
import re
import resource
import select
import signal
import subprocess
import time

# A command that takes longer hangs.
PATIENCE = 30.0
# More output than this is not read; nothing here prints as much.
MOST_OUTPUT = 16 << 20
# No command here may grow beyond this, so that a fault does not take the machine down.
MOST_ADDRESSES = 3 << 30

# What may be in a text for people: no control characters but ends of lines and tabs.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


# Those that have not been waited for, which end with this process.
running = set()


class Outcome:
    """What became of a command."""

    def __init__(self, arguments, status, stdout, stderr, seconds, peak, hung):
        self.arguments = arguments
        self.code = os.waitstatus_to_exitcode(status)
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds
        # The most memory it held, in MB; 0 where that is what this process held when it made the copy that became the program.
        self.peak = peak
        self.hung = hung

    @property
    def output(self):
        """Its standard output, as text."""
        return self.stdout.decode("utf-8", "replace")

    @property
    def messages(self):
        """Its standard error, as text."""
        return self.stderr.decode("utf-8", "replace")

    def ended_by(self, *signals):
        """Returns whether one of these signals ended it, also where it says so by its exit code as a shell does."""
        return any(self.code in (-number, 128 + number) for number in signals)

    def in_words(self):
        """Returns how it ended, with the end of its messages."""
        end = "was stopped, as it hung" if self.hung else f"ended with {self.code}"
        said = self.messages[-300:].encode("unicode_escape").decode()
        return f"{' '.join(self.arguments)[:300]} {end} after {self.seconds:.2f} s: {said}"


class Child:
    """A command that runs."""

    def __init__(self, arguments, folder, environment=None, before=None, stdout=None, stdin=None):
        self.arguments = [os.fspath(argument) for argument in arguments]
        self.out = open_unnamed(folder)
        self.err = open_unnamed(folder)
        self.begun = time.monotonic()
        self.copied = own_memory()
        self.process = subprocess.Popen(
            self.arguments,
            cwd=folder,
            env=environment,
            stdin=stdin if stdin is not None else subprocess.DEVNULL,
            stdout=self.out if stdout is None else stdout,
            stderr=self.err,
            # A group of its own, so that a signal reaches whatever it starts, and nothing else.
            start_new_session=True,
            preexec_fn=lambda: prepare(before),
        )
        self.watch = os.pidfd_open(self.process.pid)
        running.add(self)

    def wait_for(self, seconds):
        """Returns whether it ends within this time."""
        poll = select.poll()
        poll.register(self.watch, select.POLLIN)
        return bool(poll.poll(max(0, seconds * 1000)))

    def send(self, number):
        """Sends it a signal, if it is still there."""
        if not self.wait_for(0):
            os.killpg(self.process.pid, number)

    def end(self, patience=PATIENCE):
        """Waits for its end, and makes one where it hangs."""
        hung = False
        try:
            hung = not self.wait_for(patience)
        finally:
            # Until it has been waited for, its number is its own. What it has started ends with it.
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            _, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            os.close(self.watch)
            running.discard(self)
            seconds = time.monotonic() - self.begun
        stdout, stderr = read_and_close(self.out), read_and_close(self.err)
        peak = usage.ru_maxrss / 1024
        # The system counts the copy of this process, before the program took its place.
        peak = 0 if peak < self.copied + 10 else peak
        return Outcome(self.arguments, status, stdout, stderr, seconds, peak, hung)


def own_memory():
    """Returns what this process holds, in MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def end_all():
    """Ends whatever still runs."""
    for child in list(running):
        child.end(0)


def prepare(before):
    """Done in the child before the program begins."""
    # What this process ignores, or a shell that ran it in the background, is not for the program.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if before:
        before()


def open_unnamed(folder):
    """Opens a file that has no name."""
    try:
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600), "w+b")
    except OSError:
        import tempfile

        return tempfile.TemporaryFile()


def read_and_close(file):
    """Returns the beginning of a file."""
    file.seek(0)
    with file:
        return file.read(MOST_OUTPUT)


def environment_without_ours():
    """Returns the environment without what would change what the program does."""
    prefixes = ("NQUEENS_", "SLURM_", "RUST_", "CLICOLOR", "NO_COLOR", "FORCE_COLOR")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    # Where a panic happens is in its message; the rest only takes time.
    return {**kept, "RUST_BACKTRACE": "0", "LC_ALL": "C.UTF-8"}
