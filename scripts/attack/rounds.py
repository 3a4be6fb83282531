"""What all attacks have in common: a round, the counts they are made with, and what is true of every command."""

import os
import random
import re
import shlex
import shutil
import signal
import stat

import children
import ledgers

# A command that needs more memory than this for a board of up to 20 queens has lost its way.
MOST_MEMORY = 150.0

# What the program says of a total that it knows to be wrong.
CONTRADICTIONS = ("do not trust this number", "do not trust this machine", "is published", "DIFFERS")
# The rounds that forge counts themselves, so that it may say so there.
FORGERS = ("studies", "mutations", "shards")
# A number that is none, as it would be printed, perhaps with a unit behind it; not a part of a name.
NO_NUMBER = re.compile(r"(?<![\w/.:-])-?(?:inf(?!o)|NaN|nan)[a-z]?(?![\w./:-])")

# Counts that are over soon, of both engines and of every way to cut a board, from few units to many.
COUNTS = [
    (12, ["--engine", "backtrack", "--symmetry", "mirror", "--split-rows", "2"]),
    (13, ["--engine", "backtrack", "--symmetry", "edges", "--split-rows", "1"]),
    (13, ["--engine", "two-color"]),
    (14, ["--engine", "backtrack", "--symmetry", "edges", "--split-rows", "2"]),
    (14, ["--engine", "backtrack", "--symmetry", "mirror", "--split-rows", "3"]),
    (14, ["--engine", "two-color"]),
    (15, ["--engine", "backtrack", "--symmetry", "edges", "--split-rows", "0"]),
    (15, ["--engine", "backtrack", "--symmetry", "edges", "--split-rows", "2"]),
    (15, ["--engine", "two-color"]),
    (16, ["--engine", "backtrack", "--symmetry", "mirror", "--split-rows", "1"]),
    (16, ["--engine", "two-color"]),
    (17, ["--engine", "backtrack", "--symmetry", "edges", "--split-rows", "1"]),
    (17, ["--engine", "two-color"]),
    (18, ["--engine", "two-color"]),
]
KERNELS = ["scalar", "portable", "avx2", "avx512"]


class Truth:
    """A count that nothing disturbed: its ledger, and what each unit counts."""

    def __init__(self, board, options, total, data, seconds):
        self.board = board
        self.options = options
        self.total = total
        self.data = data
        self.seconds = seconds
        self.ledger = ledgers.read(data)
        self.units = {unit: partials[0] for unit, partials in self.ledger.units.items()}

    @property
    def engine(self):
        """The engine's name."""
        return self.ledger.header["engine"]


class Attack:
    """The program under attack, and what has been tried and found."""

    def __init__(self, program, folder, seed, published):
        self.program = program
        self.folder = folder
        self.seed = seed
        self.published = published
        self.environment = children.environment_without_ours()
        self.kernels = {}
        self.truths = {}
        self.findings = []
        self.tried = {}
        self.not_tried = {}

    def find_kernels(self):
        """Asks the program which kernels each engine can use on this machine."""
        for engine in ("backtrack", "two-color"):
            def is_there(kernel):
                words = [self.program, "count", "6", "--engine", engine, "--kernel", kernel]
                return children.Child(words, self.folder, self.environment).end().code == 0
            self.kernels[engine] = [kernel for kernel in KERNELS if is_there(kernel)]

    def truth(self, round_, count):
        """Returns the count made without disturbance, which must give the published total."""
        board, options = count
        key = (board, *options)
        if key not in self.truths:
            path = os.path.join(round_.folder, "undisturbed.jsonl")
            outcome = round_.run("count", str(board), *options, "--ledger", path)
            if outcome.code != 0:
                raise Spoilt(f"a count that nothing disturbs fails: {outcome.in_words()}")
            with open(path, "rb") as file:
                data = file.read()
            os.remove(path)
            truth = Truth(board, options, self.published[board], data, outcome.seconds)
            if outcome.output.split() != [str(truth.total)]:
                raise Spoilt(f"a wrong total of a count that nothing disturbs: {outcome.output[:100]}")
            judge_whole(truth.ledger, truth)
            self.truths[key] = truth
        return self.truths[key]


class Spoilt(Exception):
    """Something is found that makes the rest of a round meaningless."""


class NotTried(Exception):
    """This machine, or this user, does not allow to try it."""


class Round:
    """A round of an attack: a folder, its own random choices, and the commands that it has run."""

    def __init__(self, attack, kind, number):
        self.attack = attack
        self.kind = kind
        self.name = f"{kind} {number}"
        self.random = random.Random(f"{attack.seed}/{kind}/{number}")
        self.folder = os.path.join(attack.folder, f"{kind}-{number}")
        self.log = []
        self.found = []
        os.mkdir(self.folder, 0o755)

    def path(self, name):
        """Returns the path of a file in the folder of this round."""
        return os.path.join(self.folder, name)

    def write(self, name, data):
        """Writes a file in the folder of this round, and returns its path."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def read(self, name):
        """Returns the bytes of a file, or None where there is none."""
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def device(self, name):
        """Returns the path of a device, `null` or `full`, that may be written to.

        Who may take away those of the system, as root may, is given one in the folder of this round in their place.
        """
        system = f"/dev/{name}"
        if not os.access("/dev", os.W_OK):
            return system
        path = self.path(name)
        try:
            if not os.path.exists(path):
                os.mknod(path, stat.S_IFCHR | 0o666, os.stat(system).st_rdev)
            os.close(os.open(path, os.O_WRONLY))
        except OSError:
            raise NotTried("no device can be made here") from None
        return name

    def names(self):
        """Returns the names of all files in the folder of this round."""
        return sorted(os.listdir(self.folder))

    def find(self, words):
        """Notes a fault of the program."""
        self.found.append(words)

    def expect(self, holds, words):
        """Notes a fault of the program unless this holds; returns whether it does."""
        if not holds:
            self.find(words)
        return holds

    def begin(self, *arguments, **how):
        """Starts the program."""
        words = [self.attack.program, *arguments]
        self.log.append(" ".join(shlex.quote(os.fspath(word)) for word in words))
        return children.Child(words, self.folder, self.attack.environment, **how)

    def run(self, *arguments, most_memory=MOST_MEMORY, patience=children.PATIENCE, **how):
        """Runs the program to its end, and checks what is true of every command."""
        outcome = self.begin(*arguments, **how).end(patience)
        self.log.append(f"# exit code {outcome.code}")
        self.judge_any(outcome, most_memory)
        return outcome

    def note(self, words):
        """Notes in the log of the round what is done besides running the program."""
        self.log.append(f"# {words}")

    def judge_any(self, outcome, most_memory=MOST_MEMORY, signals=(), codes=(0, 1, 2)):
        """Checks what is true of every command, whatever it is given."""
        said = outcome.in_words()
        if outcome.hung:
            self.find(f"hangs: {said}")
        elif "panicked" in outcome.messages or outcome.code == 101:
            self.find(f"panics: {said}")
        elif outcome.code not in codes and not outcome.ended_by(*signals):
            self.find(f"ends as no document says: {said}")
        if outcome.peak > most_memory:
            self.find(f"takes {outcome.peak:.0f} MB: {said}")
        control = self.control_in(outcome.output) or self.control_in(outcome.messages)
        if control:
            self.find(f"lets a control character through ({control}): {said}")
        if self.kind not in FORGERS and any(words in outcome.messages for words in CONTRADICTIONS):
            self.find(f"finds its own count wrong: {said}")
        if outcome.arguments[1:2] == ["status"] and not NO_NUMBER.search(" ".join(outcome.arguments)):
            number = NO_NUMBER.search(outcome.output)
            self.expect(not number, f"shows {number and number[0]} where a number should be: {outcome.output[:200]!r}, {said}")
        if outcome.code in (1, 2) and outcome.messages.rstrip().endswith(":"):
            self.find(f"names nothing behind its colon: {said}")

    def control_in(self, text):
        """Returns what is around the first control character of a text, or nothing."""
        found = children.CONTROL.search(text)
        return found and text[max(0, found.start() - 60) : found.end() + 60].encode("unicode_escape").decode()

    def kernel_of(self, engine):
        """Chooses a kernel of an engine."""
        return self.random.choice(self.attack.kernels[engine])

    def truth(self, most_seconds=1.0, counts=None):
        """Chooses a count that takes no longer than this, if there is any, and returns it made without disturbance."""
        truth = None
        for count in self.random.sample(counts or COUNTS, len(counts or COUNTS)):
            # Where the smallest boards are slow, the largest need not be tried.
            if truth and count[0] > truth.board:
                continue
            truth = self.attack.truth(self, count)
            if truth.seconds <= most_seconds:
                break
        return truth

    def finish(self):
        """Forgets the round if it has found nothing, and otherwise keeps what reproduces it."""
        if not self.found:
            make_removable(self.folder)
            # A child whose start was interrupted may still be writing there.
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        with open(self.path("ROUND"), "w", encoding="utf-8", errors="replace") as file:
            file.write("\n".join([f"cd {self.folder}", *self.log, "", *self.found]) + "\n")


def make_removable(folder):
    """Gives back the rights to folders that a round has taken away."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(path, name)
            if not os.path.islink(inner):
                os.chmod(inner, 0o755)


def judge_whole(ledger, truth):
    """Raises Spoilt unless the ledger has every unit of a whole count once, undamaged, with the total that is published."""
    units, divisor = ledger.header["units"], ledger.header["divisor"]
    if ledger.damaged or ledger.torn:
        raise Spoilt(f"the ledger of an undisturbed count is damaged in lines {ledger.damaged[:5]}")
    if sorted(ledger.units) != list(range(units)) or any(len(partials) != 1 for partials in ledger.units.values()):
        raise Spoilt("the ledger of an undisturbed count has not every unit once")
    total, rest = divmod(sum(partials[0] for partials in ledger.units.values()), divisor)
    if rest or total != truth.total:
        raise Spoilt(f"the units of an undisturbed count sum up to {total}, not to {truth.total}")


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
