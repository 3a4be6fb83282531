"""Gives `bench --compare` and `--peers` studies that are absurd, hostile or huge."""

import csv
import html.parser
import io
import json
import os
import random
import xml.etree.ElementTree

NUMBERS = [0, -1, 1, 2**31, 2**63, 2**64 - 1, 2**64, 10**40, 1e308, -1e308, 5e-324, 1e-300, 1e15, 0.1, float("inf"), float("nan")]
TEXTS = [
    "", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\nb", "a\r\nb", "a\tb", "\x00", "\x7f", "\x9b31m", "=cmd|' /C calc'!A0", "+1+1",
    "-2+3", "@SUM(1)", "\t=1+1", "<script>alert(1)</script>", "</script><script>alert(1)</script>", "\" onload=\"alert(1)",
    "]]>", "<!--", "&amp;&lt;&bogus;", "a|b|c", "`x` **b** [l](javascript:alert(1))", "\u202egnp.exe", "\ufeff", "\ufffe", "\uffff",
    "x" * 10_000, "é" * 300, "../../../etc/passwd", "%s%n", "nan", "1e308", "null",
]  # fmt: skip
OTHERS = [None, True, False, [], {}, [[]], {"a": 1}]
FORMATS = ["text", "json", "csv", "markdown"]
ENDS = ["svg", "html", "md", "csv", "json"]
HUGE = 48 << 20


def attack(round_):
    """Shows one study or two of which one is hostile."""
    case = round_.random.choice(CASES)
    words, most_memory = case(round_)
    options = ["--format", round_.random.choice(FORMATS)]
    if round_.random.random() < 0.5:
        options += ["--by", "board"]
    exports = [f"out.{end}" for end in round_.random.sample(ENDS, round_.random.randrange(1, 6))]
    for name in exports:
        options += ["--export", name]
    outcome = round_.run("bench", *words, *options, most_memory=most_memory)
    if options[1] == "csv":
        judge_csv(round_, outcome.stdout)
    for name in exports:
        data = round_.read(name)
        if outcome.code == 0 and round_.expect(data, f"{name} is missing or empty: {outcome.in_words()}"):
            judge_export(round_, name, data)
        elif outcome.code != 0:
            round_.expect(data is None, f"{name} is there in spite of the error: {outcome.in_words()}")
    for name in round_.names():
        if os.path.getsize(round_.path(name)) > HUGE // 2:
            os.remove(round_.path(name))
    return case.__name__.replace("_", " ")


def study(round_):
    """Returns a study of this program, which is measured once."""
    attack_ = round_.attack
    if not hasattr(attack_, "study"):
        options = ["--boards", "6,8", "--threads", "1,2", "--repetitions", "2", "--quiet"]
        outcome = round_.run("bench", *options, "--format", "json")
        attack_.study = json.loads(outcome.stdout) if round_.expect(outcome.code == 0, outcome.in_words()) else {}
    return json.loads(json.dumps(attack_.study))


def places(value, found):
    """Returns all places in a document: containers and keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, inner in items:
        found.append((value, key))
        places(inner, found)
    return found


def hostile_value(choose: random.Random, value):
    """Returns what a reader does not expect in a place; mostly of the kind it expects."""
    kind = choose.random()
    if kind < 0.2:
        return choose.choice(NUMBERS + TEXTS + OTHERS)
    if isinstance(value, str):
        return choose.choice(TEXTS)
    if isinstance(value, bool) or value is None:
        return choose.choice(OTHERS + NUMBERS)
    if isinstance(value, (int, float)):
        return choose.choice(NUMBERS)
    return choose.choice(OTHERS)


def written(round_, name, document):
    """Writes a study, and sometimes changes what JSON has no words for."""
    text = json.dumps(document, ensure_ascii=round_.random.random() < 0.5)
    return round_.write(name, text.encode("utf-8", "surrogatepass"))


def with_hostile_values(round_):
    """Some values, or one key in all rows, are others than they should be."""
    document = study(round_)
    found = places(document, [])
    if round_.random.random() < 0.5:
        for _ in range(round_.random.choice([1, 2, 5, 20])):
            holder, key = round_.random.choice(found)
            holder[key] = hostile_value(round_.random, holder[key])
    else:
        _, key = round_.random.choice([(holder, key) for holder, key in found if isinstance(key, str)])
        value = next(holder[key] for holder, name in found if name == key)
        hostile = hostile_value(round_.random, value)
        for holder, name in found:
            if name == key:
                holder[name] = hostile
    name = round_.random.choice(["hostile.json", "h\x1b[31m.json", "=1+1.json", "<b>.json", "a|b\n.json"])
    return with_a_good_one(round_, written(round_, name, document)), 150


def with_a_good_one(round_, path):
    """Returns the options that compare a study with itself, or with a good one."""
    order = round_.random.randrange(3)
    if order == 0:
        return ["--compare", path]
    good = written(round_, "good.json", study(round_))
    return ["--compare", path, good] if order == 1 else ["--compare", good, path]


def with_absurd_times(round_):
    """The times of some rows are as long or as short as numbers go."""
    document = study(round_)
    share = round_.random.choice([0.3, 1, 1])
    times = round_.random.choices([1e308, 5e-324, 1e308, 5e-324, 1e100, 0, -1.0, 1e18], k=round_.random.choice([1, 1, 2]))
    keys = round_.random.choice([["seconds"], ["seconds"], ["seconds", "fastest", "slowest"], ["cpu_seconds"], ["speed_up"]])
    for row in document.get("rows", []):
        if round_.random.random() < share:
            row.update(dict.fromkeys(keys, round_.random.choice(times)))
    path = written(round_, "times.json", document)
    return ["--compare", path] if share == 1 else with_a_good_one(round_, path), 150


def with_missing_parts(round_):
    """Some parts are not there, or twice."""
    document = study(round_)
    for _ in range(round_.random.choice([1, 3])):
        holder, key = round_.random.choice(places(document, []))
        if isinstance(holder, dict):
            holder.pop(key, None)
        elif key < len(holder):
            holder.append(holder[key])
    return with_a_good_one(round_, written(round_, "parts.json", document)), 150


def with_many_rows(round_):
    """There are thousands of rows."""
    document = study(round_)
    rows = document.get("rows") or [{}]
    many = round_.random.choice([100, 2000, 20_000])
    document["rows"] = [
        {
            **rows[at % len(rows)],
            "threads": at + 1 if round_.random.random() < 0.8 else 1,
            "board": 6 + at % 20,
            "total": str(round_.attack.published[6 + at % 20]),
        }
        for at in range(many)
    ]
    return with_a_good_one(round_, written(round_, "many.json", document)), 400


def with_damaged_bytes(round_):
    """The text itself is damaged, cut off or nested without end."""
    data = bytearray(json.dumps(study(round_)).encode())
    kind = round_.random.randrange(6)
    if kind == 0:
        del data[round_.random.randrange(len(data)) :]
    elif kind == 1:
        for _ in range(round_.random.choice([1, 10, 300])):
            data[round_.random.randrange(len(data))] = round_.random.randrange(256)
    elif kind == 2:
        data = b"[" * round_.random.choice([1000, 1_000_000])
    elif kind == 3:
        data = b'{"schema":"nqueens/bench/1","rows":' + b'{"a":[' * 100_000
    elif kind == 4:
        data = round_.random.choice([b"", b"\n", b"null", b"\xef\xbb\xbf" + bytes(data), bytes(data) * 2, b"{}", b"[]"])
    else:
        data = data.replace(b'"seconds"', b'"seconds":1,"seconds"')
    return with_a_good_one(round_, round_.write("damaged.json", bytes(data))), 150


def huge(round_):
    """The file is larger than any study."""
    unit, begin = round_.random.choice(
        [(b"0,", b"["), (b"0,", b'{"schema":"nqueens/bench/1","rows":['), (b"x", b'"'), (b" ", b""), (b"\n", b""), (b"{},", b'{"rows":[')]
    )
    path = round_.path("huge.json")
    with open(path, "wb") as file:
        file.write(begin)
        for _ in range(HUGE >> 20):
            file.write(unit * ((1 << 20) // len(unit)))
    return ["--compare", path], 150


def peers(round_):
    """The times of other programs are absurd."""
    good = written(round_, "good.json", study(round_))
    columns = ["program", "machine", "threads", "board", "seconds", "source"]
    if round_.random.random() < 0.2:
        round_.random.shuffle(columns)
        columns = columns[: round_.random.randrange(1, 7)]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for _ in range(round_.random.choice([0, 1, 5, 200])):
        row = {"program": "other", "machine": "m", "threads": "1", "board": "8", "seconds": "0.5", "source": "s"}
        for key in round_.random.sample(list(row), round_.random.randrange(4)):
            if key in ("threads", "board", "seconds"):
                row[key] = str(round_.random.choice(NUMBERS))
            else:
                row[key] = round_.random.choice(TEXTS)
        writer.writerow([row[column] for column in columns])
    path = round_.write("peers.csv", text.getvalue().encode("utf-8", "replace"))
    return ["--compare", good, "--peers", path], 150


def huge_peers(round_):
    """The times of other programs are in a file without end."""
    good = written(round_, "good.json", study(round_))
    unit = round_.random.choice([b"x", b",", b"\n", b'"', b"#\n", b"a,b,1,8,1.0,c\n"])
    path = round_.path("peers.csv")
    with open(path, "wb") as file:
        file.write(round_.random.choice([b"", b"program,machine,threads,board,seconds,source\n"]))
        for _ in range(HUGE >> 20):
            file.write(unit * ((1 << 20) // len(unit)))
    return ["--compare", good, "--peers", path], 150


CASES = [
    with_hostile_values, with_hostile_values, with_hostile_values, with_absurd_times, with_absurd_times, with_missing_parts,
    with_many_rows, with_damaged_bytes, peers, peers, huge, huge_peers,
]  # fmt: skip


def judge_export(round_, name, data):
    """Checks a file that was written for others to read."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        round_.find(f"{name} is not UTF-8")
        return
    control = round_.control_in(text)
    round_.expect(not control, f"{name} has a control character: {control}")
    if name.endswith(".csv"):
        judge_csv(round_, data)
    elif name.endswith(".svg"):
        judge_svg(round_, name, data)
    elif name.endswith(".json"):
        try:
            json.loads(text)
        except ValueError as error:
            round_.find(f"{name} is not JSON: {error}")
    elif name.endswith(".html"):
        page = Page()
        page.feed(text)
        round_.expect(not page.hostile, f"{name} runs what the study says: {page.hostile}")


def judge_svg(round_, name, data):
    """Checks that a picture is well-formed and has no number that is none."""
    try:
        xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as error:
        round_.find(f"{name} is not well-formed: {error}")
        return
    for element in xml.etree.ElementTree.fromstring(data).iter():
        for key, value in element.attrib.items():
            number = key in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "points", "d")
            if number and ("inf" in value.lower() or "nan" in value.lower()):
                round_.find(f"{name} has {key}={value[:60]!r}")
                return


def judge_csv(round_, data):
    """Checks that no cell is a formula for a spreadsheet."""
    for row in csv.reader(io.StringIO(data.decode("utf-8", "replace"))):
        for cell in row:
            if cell[:1] in ("=", "@", "\t", "\r") or cell[:1] in ("+", "-") and not is_number(cell):
                round_.find(f"a cell of the CSV is a formula: {cell[:60]!r}")
                return


def is_number(text):
    """Returns whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return text == "-"
    return True


class Page(html.parser.HTMLParser):
    """Looks for what a hostile study could have brought into a page."""

    def __init__(self):
        super().__init__()
        self.hostile = []
        self.inside_script = False

    def handle_starttag(self, tag, attributes):
        """Notes an attribute that runs something."""
        self.inside_script = tag == "script"
        for name, value in attributes:
            if name.startswith("on") or "javascript:" in (value or ""):
                self.hostile.append((tag, name, value))

    def handle_endtag(self, _):
        """A script ends."""
        self.inside_script = False

    def handle_data(self, data):
        """Notes a script of the study's."""
        if self.inside_script and data.strip().startswith("alert"):
            self.hostile.append(data[:60])
