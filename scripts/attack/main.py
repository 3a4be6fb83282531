"""Attacks the program for some minutes: kills, damaged and forged ledgers, hostile studies, limits, absurd command lines.

The choice of what is tried follows from the seed. What is found is kept in a folder that is named at the end: the file ROUND
in it has the commands.
"""

import argparse
import csv
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback

import children
import commands
import kills
import limits
import mutations
import outputs
import rounds
import shards
import studies
import terminals

# How often each kind has its turn.
KINDS = {
    "kills": (kills.attack, 3),
    "mutations": (mutations.attack, 12),
    "shards": (shards.attack, 2),
    "studies": (studies.attack, 6),
    "outputs": (outputs.attack, 3),
    "limits": (limits.attack, 4),
    "terminals": (terminals.attack, 1),
    "commands": (commands.attack, 12),
}
# More findings than this tell nobody anything new.
MOST_FINDINGS = 200


class Stop(BaseException):
    """Asked to stop."""


def main():
    """Attacks until the time is over; returns the exit code."""
    arguments = parse()
    folder = tempfile.mkdtemp(prefix="nqueens-attack-")
    # Some attacks are made as another user.
    os.chmod(folder, 0o755)
    attack = rounds.Attack(arguments.program, folder, arguments.seed, published(arguments.published))
    print(f"seed {arguments.seed}, {arguments.minutes:g} minutes, in {folder}", flush=True)
    signal.signal(signal.SIGTERM, stop)
    until = time.monotonic() + 60 * arguments.minutes
    code = 0
    try:
        attack.find_kernels()
        go_on(attack, arguments, until)
    except (KeyboardInterrupt, Stop):
        print("interrupted")
        code = 130
    finally:
        children.end_all()
    return report(attack) or code


def stop(*_):
    """Ends the attack when the system asks for it."""
    raise Stop


def parse():
    """Returns the options."""
    parser = Parser(prog="scripts/attack.sh", description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--minutes", type=positive, default=1.0, metavar="M", help="how long to go on [default: 1]")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), metavar="S", help="chooses what is tried")
    parser.add_argument("--only", choices=list(KINDS), metavar="KIND", help=f"one kind of attack alone: {', '.join(KINDS)}")
    parser.add_argument("--round", type=int, metavar="R", help="with --only, round R of it alone")
    parser.add_argument("--findings", type=int, default=MOST_FINDINGS, metavar="F", help="how many are enough [default: %(default)s]")
    parser.add_argument("--program", required=True, metavar="FILE", help="the program to attack [default: built from here]")
    parser.add_argument("--published", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.round is not None and not arguments.only:
        parser.error("--round is of one kind; give --only KIND")
    return arguments


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the command line."""

    def error(self, message):
        """Ends with exit code 2."""
        self.exit(2, f"error: {message}; scripts/attack.sh --help tells more\n")


def positive(text):
    """Returns a number of minutes."""
    minutes = float(text)
    if not 0 < minutes < 1e6:
        raise argparse.ArgumentTypeError(f"minutes are more than 0, not {text}")
    return minutes


def published(path):
    """Returns the published totals by board."""
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {int(row["N"]): int(row["total"]) for row in rows if row["total"]}


def go_on(attack, arguments, until):
    """Makes round after round."""
    if arguments.round is not None:
        make_round(attack, arguments.only, arguments.round)
        return
    order = random.Random(arguments.seed)
    number = dict.fromkeys(KINDS, 0)
    while time.monotonic() < until and len(attack.findings) < arguments.findings:
        turns = [arguments.only] if arguments.only else [kind for kind, (_, often) in KINDS.items() for _ in range(often)]
        order.shuffle(turns)
        for kind in turns:
            if time.monotonic() >= until or len(attack.findings) >= arguments.findings:
                break
            make_round(attack, kind, number[kind])
            number[kind] += 1


def make_round(attack, kind, number):
    """Makes one round of a kind."""
    round_ = rounds.Round(attack, kind, number)
    case = None
    try:
        case = KINDS[kind][0](round_)
    except rounds.Spoilt as words:
        round_.find(str(words))
    except rounds.NotTried as words:
        attack.not_tried[f"{kind}: {words}"] = attack.not_tried.get(f"{kind}: {words}", 0) + 1
        return
    except Exception:
        # The attack itself did not expect what it saw, which somebody should look at.
        round_.find(f"the attack fails: {traceback.format_exc()}")
    finally:
        round_.finish()
    cases = attack.tried.setdefault(kind, {})
    cases[case] = cases.get(case, 0) + 1
    for words in round_.found:
        attack.findings.append((round_.name, words))
        print(f"FOUND {round_.name} ({case}): {words[:1000].rstrip()}", flush=True)


def report(attack):
    """Prints what was tried and what was found; returns the exit code."""
    for kind in KINDS:
        cases = attack.tried.get(kind, {})
        found = sum(name.split()[0] == kind for name, _ in attack.findings)
        print(f"{kind}: {sum(cases.values())} rounds, {len(cases)} cases; {found} findings")
    for words, times in sorted(attack.not_tried.items()):
        print(f"not tried, {times} times: {words}")
    if attack.findings:
        print(f"{len(attack.findings)} findings; the file ROUND of each folder in {attack.folder} has the commands")
        return 1
    shutil.rmtree(attack.folder, ignore_errors=True)
    print("nothing found")
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
