"""Reads ledgers by what docs/ledger.md says of them, with no code of the program: the judge of what the program does with them."""

import json
import re
import zlib

# What the CRC of a run or unit covers before the line itself begins so, by version of the format.
IDENTITY_BEGINS = {"nqueens/ledger/1": "", "nqueens/ledger/2": "nqueens/ledger/2 "}
IDENTITY_FIELDS = ("board", "engine", "plan", "fingerprint", "divisor", "units", "shard")
CRC = re.compile(rb'^(.*),"crc32":"([0-9a-f]{8})"\}$', re.DOTALL)


class NotALedger(Exception):
    """There is no header that can be believed."""


# More damage than this, and a file may be refused as something else.
MOST_DAMAGED_BYTES = 16 << 20
MOST_DAMAGED_LINES = 10**6
# A first line that says so, damaged or not, may be that of a version that is not known.
OTHER_VERSION = re.compile(rb'nqueens\\?/ledger\\?/(?![12]")')


class Ledger:
    """What a ledger says."""

    def __init__(self, header):
        self.header = header
        self.runs = []
        # For each unit the partial counts that lines with a good CRC give, in their order.
        self.units = {}
        # For each unit what those lines say, as they say it.
        self.said = {}
        # The numbers of the lines that are not as they were written.
        self.damaged = []
        self.damaged_bytes = 0
        # What follows the last end of a line.
        self.torn = b""

    @property
    def shard(self):
        """The shard's number and the number of shards."""
        return tuple(int(number) for number in self.header["shard"].split("/"))

    def contradicts_itself(self):
        """Returns whether a unit has two different counts."""
        return any(len(set(partials)) > 1 for partials in self.units.values())

    def is_mendable(self):
        """Returns whether so little is damaged that the program must go on from it, if nothing else is in the way."""
        little = self.damaged_bytes <= MOST_DAMAGED_BYTES and len(self.damaged) <= MOST_DAMAGED_LINES
        return little and len(self.torn) <= MOST_DAMAGED_BYTES and not self.contradicts_itself()

    def own_units(self):
        """Returns the units of its shard; None for a shard of version 1, whose units are not told by the file."""
        index, count = self.shard
        if count == 1:
            return set(range(self.header["units"]))
        if self.header["schema"] == "nqueens/ledger/1":
            return None
        return set(range(index, self.header["units"], count))


def identity(header):
    """Returns what the CRC of a run or unit covers before its line."""
    fields = " ".join(str(header[name]) for name in IDENTITY_FIELDS)
    return IDENTITY_BEGINS[header["schema"]] + fields


def crc_of(text, before=""):
    """Returns the CRC-32 of a line up to its own CRC, in hexadecimal digits."""
    return f"{zlib.crc32(text, zlib.crc32(before.encode())):08x}".encode()


def believed(line, before=""):
    """Returns the object of a line whose CRC is right, or None."""
    parts = CRC.match(line)
    if not parts or crc_of(parts[1], before) != parts[2]:
        return None
    try:
        value = json.loads(parts[1] + b"}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def sealed(value, before=""):
    """Returns the line of an object, with a CRC that is right."""
    text = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    text = text[:-1]
    return text + b',"crc32":"' + crc_of(text, before) + b'"}\n'


def header_of(data):
    """Returns the header in the first line, if its CRC is right, its version is known, and it says what can be."""
    header = believed(data.split(b"\n", 1)[0])
    if header is None or not is_sound(header):
        raise NotALedger
    return header


def is_sound(header):
    """Returns whether a header has what a header must have, of a known version."""
    schema, shard = header.get("schema"), header.get("shard")
    if not isinstance(schema, str) or schema not in IDENTITY_BEGINS:
        return False
    if any(type(header.get(name)) is not int for name in ("board", "divisor", "units")):
        return False
    if any(not isinstance(header.get(name), str) for name in ("engine", "plan", "fingerprint", "shard")):
        return False
    parts = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", shard, re.ASCII)
    return parts is not None and int(parts[1]) < int(parts[2]) and header["units"] >= 0


def read(data):
    """Returns what the bytes of a ledger say; raises NotALedger where the first line is damaged."""
    return read_as(header_of(data), data)


def read_below(data, header):
    """Returns what the lines below a damaged first one say, if some belong to the count of this header; otherwise None."""
    if b"\n" not in data or believed(data.split(b"\n", 1)[0]) is not None:
        return None
    for schema in IDENTITY_BEGINS:
        ledger = read_as({**header, "schema": schema}, data)
        if ledger.runs or ledger.units:
            ledger.damaged.insert(0, 1)
            return ledger
    return None


def read_as(header, data):
    """Returns what the lines below the first one say, as those of a ledger with this header."""
    ledger = Ledger(header)
    before = identity(header)
    lines = data.split(b"\n")
    ledger.torn = lines.pop()
    for number, line in enumerate(lines[1:], start=2):
        if not add(ledger, believed(line, before)):
            ledger.damaged.append(number)
            ledger.damaged_bytes += len(line)
    # A last line that lacks its end alone is whole.
    if add(ledger, believed(ledger.torn, before)):
        ledger.torn = b""
    return ledger


def add(ledger, value):
    """Takes in what a line says; returns whether it is a line of this ledger."""
    if value is None:
        return False
    if "run" in value:
        ledger.runs.append(value["run"])
        return True
    unit = value.get("unit")
    if not isinstance(unit, dict) or not isinstance(unit.get("unit"), int) or not isinstance(unit.get("partial"), str):
        return False
    if not 0 <= unit["unit"] < ledger.header["units"] or not re.fullmatch(r"\+?[0-9]{1,39}", unit["partial"]):
        return False
    ledger.units.setdefault(unit["unit"], []).append(int(unit["partial"]))
    ledger.said.setdefault(unit["unit"], []).append(unit)
    return True
