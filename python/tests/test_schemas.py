"""The JSON documents of the program, and the lines of its ledgers, against the schemas in docs/schemas."""

import copy
import functools
import gzip
import json
import operator
import os
import pathlib
import re
import signal
import subprocess

import jsonschema
import pytest

PROGRAM = os.environ.get("NQUEENS_PROGRAM")
TOP = pathlib.Path(__file__).parents[2]
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (TOP / "docs/schemas").iterdir()}

# Later commands read the files of earlier ones.
COMMANDS = [
    "count 10",
    "count 8 --fundamental --double-check",
    "count 6 --by square",
    "count 6 --by column",
    "count 6 --by class",
    "count 6 --by color",
    "solve 6 --all --output six.json",
    "solve 6 --output one.json",
    "count --board six.json",
    "count --board one.json --by column",
    "solve --board one.json",
    "count 2 --engine two-color --ledger nothing.jsonl",
    "status nothing.jsonl",
    "merge nothing.jsonl",
    "count 12 --ledger whole.jsonl",
    "count 12 --ledger first.jsonl --shard 0/2",
    "table 8",
    "status whole.jsonl",
    "status first.jsonl",
    "merge whole.jsonl --fundamental",
    "merge whole.jsonl --archive whole.jsonl.gz",
    "recheck whole.jsonl --units 2",
    "recheck whole.jsonl --unit 1",
    "verify",
    "devices",
    "methods 6",
    "methods 14 --time-limit 10ms",
    "estimate 12",
    "estimate 8 --exact",
    "solve 6",
    "solve 6 --fundamental --all",
    "trace 4 --until all",
    "trace 6 --limit 3",
    "bench --duration 1s --output score.json",
    "bench --study --boards 8,9 --repetitions 3 --output study.json",
    "compare study.json study.json",
    "compare study.json",
    "compare score.json score.json",
]


def output_of(command, folder):
    """Runs a command. The self-test is stopped once it has printed rows of each kind."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen([PROGRAM, *command, "--format", "json"], cwd=folder, **pipes) as process:
        is_stopped = command == ["verify"] and os.name == "posix"
        begun = ""
        while is_stopped and "exchanged" not in begun:
            begun += process.stdout.readline() or pytest.fail("it has no such row")
        if is_stopped:
            process.send_signal(signal.SIGINT)
        # `communicate` would miss the text that was read ahead.
        stdout, stderr = begun + process.stdout.read(), process.stderr.read()
    # Where there is no device, the document has no rows.
    is_right = process.returncode == (-signal.SIGINT if is_stopped else 0) or command == ["devices"]
    assert is_right, f"{command}: {stderr}"
    return stdout


def errors(name, document):
    """Returns the faults of a document, by the schema in the file of this name."""
    validator = jsonschema.Draft202012Validator(SCHEMAS[name])
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def file_of(document):
    """Returns the name of the file with the schema that a document names."""
    program, kind, version = document["schema"].split("/")
    assert program == "nqueens"
    return f"{kind}-{version}.json"


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Returns the documents that the commands wrote, each with the name of its schema."""
    if PROGRAM is None:
        pytest.skip("NQUEENS_PROGRAM names no program; scripts/test.sh gives it")
    folder = tmp_path_factory.mktemp("schemas")
    found = []
    for command in COMMANDS:
        arguments = command.split()
        stdout = output_of(arguments, folder)
        document = json.loads(stdout or (folder / arguments[-1]).read_text(encoding="utf-8"))
        found.append((file_of(document), document))
    for ledger, opened in (("whole.jsonl", open), ("first.jsonl", open), ("whole.jsonl.gz", gzip.open)):
        with opened(folder / ledger, "rt", encoding="utf-8") as lines:
            found += [("ledger-3.json", json.loads(line)) for line in lines]
    return found


def test_the_output_of_every_command_has_its_schema(documents):
    for name, document in documents:
        assert not errors(name, document), name
    assert {name for name, _ in documents} == set(SCHEMAS)


def places(value, path=()):
    """Returns the paths of all objects in a document. Only the first and the last element of a list are visited."""
    if isinstance(value, dict):
        yield path
        children = value.items()
    else:
        children = {0: value[0], len(value) - 1: value[-1]}.items() if isinstance(value, list) and value else ()
    for key, child in children:
        yield from places(child, (*path, key))


def test_an_unknown_field_is_an_error_wherever_it_is(documents):
    for name, document in documents:
        for path in places(document):
            changed = copy.deepcopy(document)
            functools.reduce(operator.getitem, path, changed)["unknown"] = None
            assert errors(name, changed), f"{name}: {path}"


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_and_describes_every_field(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])

    def check(value):
        if isinstance(value, dict):
            for field, schema in value.get("properties", {}).items():
                assert {"description", "$ref", "const"} & set(schema), f"{name}: {field}"
            for child in value.values():
                check(child)
        elif isinstance(value, list):
            for child in value:
                check(child)

    check(SCHEMAS[name])


def test_the_page_on_formats_names_every_document():
    page = (TOP / "docs/formats.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(schemas/([a-z0-9-]+\.json)\)", page)) == set(SCHEMAS)
