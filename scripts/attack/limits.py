"""Takes away what a program counts on: threads, descriptors, memory, room for files, /proc, rights."""

import os
import resource
import signal
import subprocess
import time

from rounds import COUNTS, NotTried

NOBODY = 65534
SMALL = [count for count in COUNTS if count[0] <= 14]


def attack(round_):
    """Tries one limit."""
    case = round_.random.choice(CASES)
    case(round_)
    return case.__name__.replace("_", " ")


def command(round_):
    """Chooses a command that counts, and says what it must print, if that is one number."""
    truth = round_.truth(0.5, SMALL)
    threads = ["--threads", str(round_.random.choice([1, 2, 4, 32]))]
    ledger = ["--ledger", "l.jsonl"] if round_.random.random() < 0.5 else []
    if round_.random.random() < 0.6:
        return ["count", str(truth.board), *truth.options, *threads, *ledger], str(truth.total)
    return round_.random.choice(
        [
            (["table", "--to", "9"], None),
            (["solve", "8"], None),
            (["compare", "6"], None),
            (["profile", "8"], None),
            (["estimate", "12"], None),
            (["bench", "--boards", "6", "--repetitions", "2"], None),
            (["trace", "5"], None),
            (["status", "--shards", "3", "none"], None),
        ]
    )


def judge(round_, outcome, total, **allowed):
    """Checks that what was printed with exit code 0 is right."""
    round_.log.append(f"# exit code {outcome.code}")
    round_.judge_any(outcome, **allowed)
    if total and outcome.code == 0:
        round_.expect(outcome.output.split() == [total], f"wrong total {outcome.output[:100]!r}: {outcome.in_words()}")


def limited(round_, name, low, high=None, **allowed):
    """Runs a command under a limit of the system."""
    words, total = command(round_)
    high = low if high is None else high
    round_.note(f"{name} {low} for the next command")
    outcome = round_.begin(*words, before=lambda: resource.setrlimit(getattr(resource, name), (low, high))).end()
    judge(round_, outcome, total, **allowed)
    if name == "RLIMIT_FSIZE" and total and "--ledger" in words:
        again = round_.run(*words)
        round_.expect(again.output.split() == [total], f"does not go on after the limit: {again.in_words()}")


def few_descriptors(round_):
    """`ulimit -n`: with less than one more than the standard ones the system cannot even load it."""
    limited(round_, "RLIMIT_NOFILE", round_.random.randrange(4, 14))


def little_memory(round_):
    """`ulimit -v`: what the system or the allocator ends is not the program's fault, a panic is."""
    # Below this the system cannot even load it.
    size = round_.random.choice([12, 16, 24, 32, 48, 64, 96, 128, 256]) << 20
    limited(round_, "RLIMIT_AS", size, signals=(signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL), codes=(0, 1, 2))


def small_stack(round_):
    """`ulimit -s`"""
    limited(round_, "RLIMIT_STACK", round_.random.choice([128, 512, 2048]) << 10)


def small_files(round_):
    """`ulimit -f`"""
    size = round_.random.choice([0, 1, 100, 512, 1024, 4096, 20_000])
    words, total = command(round_)
    round_.note(f"RLIMIT_FSIZE {size} for the next command")

    def before():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        if ignored:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    # Messages go through a pipe, lest they be what is too long.
    ignored = round_.random.random() < 0.5
    reader, writer = os.pipe()
    outcome = round_.begin(*words, before=before, stdout=writer).end()
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        outcome.stdout = file.read()
    judge(round_, outcome, total, signals=(signal.SIGXFSZ,))
    if total and "--ledger" in words:
        again = round_.run(*words)
        round_.expect(again.output.split() == [total], f"does not go on after the limit: {again.in_words()}")


def little_time(round_):
    """`ulimit -t`, with the soft limit alone"""
    words, total = command(round_)
    outcome = round_.begin(*words, before=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 60))).end()
    judge(round_, outcome, total, signals=(signal.SIGXCPU,))


def few_threads(round_):
    """`ulimit -u`, which binds everyone but root"""
    words, total = command(round_)
    if "--ledger" in words:
        os.chmod(round_.folder, 0o777)
    limit = round_.random.choice([1, 2, 3, 4, 5, 8, 20])
    if limit < 8 and round_.random.random() < 0.2:
        # With all the threads that it wants it takes too long.
        words, total = ["verify", "--threads", "8"], None
    as_nobody = os.geteuid() == 0

    def before():
        if as_nobody:
            become_nobody()
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))

    if as_nobody:
        needs_nobody(round_)
    round_.note(f"RLIMIT_NPROC {limit} for the next command{', as nobody' if as_nobody else ''}")
    judge(round_, round_.begin(*words, before=before).end(), total)


def merge_with_one_thread(round_):
    """`ulimit -u 1` for what only reads a ledger, but may want threads to make its plan"""
    truth = round_.truth(0.6, [count for count in SMALL if count[1] == ["--engine", "two-color"]])
    needs_nobody(round_)
    round_.write("l.jsonl", truth.data)
    command_, right = round_.random.choice(
        [(["merge"], str(truth.total)), (["status"], None), (["status", "--missing"], ""), (["status", "--format", "json"], None)]
    )

    def before():
        become_nobody()
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

    round_.note("RLIMIT_NPROC 1 for the next command, as nobody")
    outcome = round_.begin(*command_, "l.jsonl", before=before).end()
    judge(round_, outcome, None)
    lines = len(outcome.messages.splitlines())
    if outcome.code == 0:
        round_.expect(right is None or outcome.output.strip() == right, f"{outcome.output[:100]!r}: {outcome.in_words()}")
    else:
        fails_well = outcome.code == 1 and lines == 1 and not outcome.stdout
        round_.expect(fails_well, f"{lines} lines on standard error for want of threads: {outcome.in_words()}")


def become_nobody():
    """Gives up the rights of root."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def needs_nobody(round_):
    """Raises NotTried unless the program can be run without the rights of root."""
    if os.geteuid() != 0:
        raise NotTried("only root can become somebody else")
    try:
        outcome = round_.begin("count", "4", before=become_nobody).end()
    except (OSError, subprocess.SubprocessError):
        raise NotTried("another user cannot run the program where it is") from None
    if outcome.code != 0:
        raise NotTried("another user cannot run the program where it is")


def closed_descriptors(round_):
    """Standard input, output or error closed"""
    closed = round_.random.sample([0, 1, 2], round_.random.randrange(1, 4))
    words, total = command(round_)
    round_.note(f"descriptors {sorted(closed)} closed for the next command")

    def before():
        for number in closed:
            os.close(number)

    outcome = round_.begin(*words, before=before).end()
    judge(round_, outcome, None if 1 in closed else total)
    if 1 in closed:
        round_.expect(outcome.code != 0, f"there is no standard output, and no error: {outcome.in_words()}")
    ledger = round_.read("l.jsonl")
    if ledger is not None:
        round_.expect(ledger.startswith(b'{"schema"'), f"something else is in the ledger: {ledger[:100]!r}")


def no_proc(round_):
    """No /proc, as in a jail"""
    words, total = command(round_)
    script = 'umount -l /proc 2> /dev/null; test ! -e /proc/self || exit 77; exec "$@"'
    child = in_namespace(round_, script, *words)
    if child.code == 77 or "unshare" in child.messages:
        raise NotTried("/proc cannot be taken away")
    judge(round_, child, total)


def in_namespace(round_, script, *words):
    """Runs the program by a script, with mounts of its own."""
    import children

    if os.geteuid() != 0:
        raise NotTried("only root can take /proc away")
    arguments = ["unshare", "--mount", "sh", "-c", script, "sh", round_.attack.program, *words]
    round_.note(" ".join(arguments))
    try:
        return children.Child(arguments, round_.folder, round_.attack.environment).end()
    except OSError:
        raise NotTried("unshare is not installed") from None


def a_folder_that_cannot_be_read(round_):
    """A ledger in a folder in which files can be made and that cannot be listed"""
    needs_nobody(round_)
    folder = round_.path("drop")
    os.mkdir(folder)
    os.chmod(folder, 0o333)
    count = (16, ["--engine", "backtrack", "--symmetry", "mirror", "--split-rows", "1"])
    truth = round_.attack.truth(round_, count)
    # The slowest kernel, so that it takes longer than the second after which the disk is waited for.
    kernel = round_.attack.kernels["backtrack"][0]
    words = ["count", str(truth.board), *truth.options, "--kernel", kernel, "--threads", "1", "--ledger", "drop/a.jsonl"]
    outcome = round_.begin(*words, before=become_nobody).end(60)
    judge(round_, outcome, str(truth.total))
    round_.expect(outcome.code == 0, f"no ledger in a folder that cannot be listed: {outcome.in_words()}")


def an_ignored_interrupt(round_):
    """A SIGINT that is ignored when the program begins, as in the background of a script, stays ignored"""
    truth = round_.truth(1.0)
    words = ["count", str(truth.board), *truth.options, "--threads", "1"]
    number = round_.random.choice([signal.SIGINT, signal.SIGHUP])
    round_.note(f"{number.name} ignored, and sent")
    child = round_.begin(*words, before=lambda: signal.signal(number, signal.SIG_IGN))
    child.wait_for(truth.seconds * round_.random.uniform(0.1, 0.6))
    child.send(number)
    outcome = child.end()
    judge(round_, outcome, str(truth.total))
    round_.expect(outcome.code == 0, f"a {number.name} that was ignored ends it: {outcome.in_words()}")


def a_reader_that_goes_away(round_):
    """The reader of the output goes away early, which is no error"""
    words, _ = command(round_)
    reader, writer = os.pipe()
    os.close(reader)
    outcome = round_.begin(*words, stdout=writer).end()
    os.close(writer)
    judge(round_, outcome, None)
    round_.expect("roken pipe" not in outcome.messages, f"complains of its reader: {outcome.in_words()}")


def many_threads(round_):
    """Many more threads than CPUs"""
    truth = round_.truth(0.3, SMALL)
    threads = round_.random.choice([64, 300, 1024])
    outcome = round_.run("count", str(truth.board), *truth.options, "--threads", str(threads), most_memory=400)
    round_.expect(outcome.code == 0, f"{threads} threads: {outcome.in_words()}")
    judge(round_, outcome, str(truth.total), most_memory=400)


def stopped_and_continued(round_):
    """Stopped for a while, asked how far it is, and continued"""
    truth = round_.truth(0.8)
    child = round_.begin("count", str(truth.board), *truth.options, "--threads", "2")
    child.wait_for(max(0.03, truth.seconds * round_.random.uniform(0.1, 0.5)))
    for number in round_.random.choices([signal.SIGSTOP, signal.SIGCONT, signal.SIGUSR1, signal.SIGWINCH], k=6):
        child.send(number)
        time.sleep(0.005)
    child.send(signal.SIGCONT)
    outcome = child.end()
    # Before it has set itself up, SIGUSR1 ends it.
    judge(round_, outcome, str(truth.total), signals=(signal.SIGUSR1,))


CASES = [
    few_descriptors, few_descriptors, little_memory, little_memory, small_stack, small_files, small_files, little_time,
    few_threads, few_threads, few_threads, merge_with_one_thread, closed_descriptors, closed_descriptors, no_proc,
    a_folder_that_cannot_be_read, an_ignored_interrupt, a_reader_that_goes_away, many_threads, stopped_and_continued,
]  # fmt: skip
