"""Gives the program command lines that nobody means, made of the options and values that its help names."""

import os
import re
import signal

# Any may come behind an option that writes, so none is a path out of the folder of the round.
VALUES = [
    "", " ", "0", "-1", "1", "2", "3", "+3", "007", "1.5", "1e3", "0x10", "99", "256", "65536", "4294967296",
    "18446744073709551615", "18446744073709551616", "340282366920938463463374607431768211456", "nan", "inf", "-inf", "1e308",
    "abc", "auto", "é", "\u202e", "\x1b[31m", "a\nb", "\t", "--", "-", "-x", "--help", ".",
    "nothing.jsonl", "nothing/", "0/1", "1/1", "0/0", "-1/3", "1/2/3", "0/99999", "1-3", "3-1", "1,,2", ",", "1-", "6-8,10",
    "90s", "1m30s", "5 minutes", "x" * 5000, "%s", "$(id)", "`id`", "*", "text", "json", "svg", "12",
    "nothing/..", "DEVICE null", "DEVICE full",
]  # fmt: skip
BOARDS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "0", "33", "-1", "abc", "", "1000", "8.0"]


def attack(round_):
    """Runs a command line made by chance; what goes on for long is interrupted."""
    grammar = grammar_of(round_)
    command = round_.random.choice(sorted(grammar) + ["", "help", "bogus", "--help", "--version", "8"])
    words = [command] if command else []
    if round_.random.random() < 0.7:
        words.append(round_.random.choice(BOARDS))
    known = sorted(grammar.get(command, {"--help": [], "--bogus": []}))
    for _ in range(round_.random.randrange(5)):
        option = round_.random.choice(known)
        values = grammar.get(command, {}).get(option, [])
        words.append(option)
        if round_.random.random() < 0.85:
            words.append(round_.random.choice(values) if values and round_.random.random() < 0.5 else round_.random.choice(VALUES))
    if round_.random.random() < 0.1:
        round_.random.shuffle(words)
    # The system takes no zero byte in a word.
    words = [word.replace("\x00", "") for word in words]
    words = [round_.device(word.split()[1]) if word.startswith("DEVICE ") else word for word in words]
    devices = {word: os.lstat(round_.path(word)).st_mode for word in words if word in ("null", "full")}
    child = round_.begin(*words)
    sent = []
    if not child.wait_for(1.5):
        sent = [signal.SIGINT]
        child.send(signal.SIGINT)
    outcome = child.end(10)
    round_.log.append(f"# exit code {outcome.code}")
    for name, mode in devices.items():
        there = os.path.lexists(round_.path(name)) and os.lstat(round_.path(name)).st_mode == mode
        round_.expect(there, f"the device {name} is taken away: {outcome.in_words()}")
    # The largest boards need it.
    round_.judge_any(outcome, signals=sent, most_memory=2000)
    if outcome.code == 2:
        lines = outcome.messages.splitlines()
        round_.expect(len(lines) == 1, f"{len(lines)} lines for a bad command line: {outcome.in_words()}")
        round_.expect(not outcome.stdout, f"prints {outcome.output[:60]!r} for a bad command line: {outcome.in_words()}")
    return command if command in grammar else "no command"


def grammar_of(round_):
    """Returns the options of each command, with the values that its help names."""
    attack_ = round_.attack
    if not hasattr(attack_, "grammar"):
        names = re.findall(r"^  ([a-z]+) ", round_.run("--help").output.split("Commands:")[-1].split("Options:")[0], re.M)
        attack_.grammar = {name: options_of(round_.run(name, "--help").output) for name in names if name != "help"}
    return attack_.grammar


def options_of(text):
    """Returns the options that a help text has, with their values."""
    found = {}
    for part in re.split(r"\n(?= {2,6}-)", text)[1:]:
        names = re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", part.split("\n")[0])
        listed = re.search(r"\[possible values: ([^\]]*)\]", part)
        values = listed[1].split(", ") if listed else re.findall(r"^ +- ([a-z-]+):", part, re.M)
        for name in names:
            found[name] = values
    return found
