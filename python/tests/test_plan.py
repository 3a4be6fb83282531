"""The specification of the two-color engine, from examples/two_color_plan.py and two_color_weights.py, against the
program.
"""

import json
import os
import pathlib
import subprocess

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def ledger(size, folder, options=""):
    """Counts with the program, and returns the documents of the lines of its ledger."""
    program = os.environ.get("NQUEENS_PROGRAM")
    if not program:
        pytest.skip("NQUEENS_PROGRAM names no program; scripts/test.sh gives it")
    path = folder / "ledger.jsonl"
    line = f"count {size} --engine two-color --threads 1 {options} --quiet --ledger"
    subprocess.run([os.path.abspath(program), *line.split(), path], check=True, capture_output=True)
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("size", range(1, 27))
def test_the_plan_of_the_specification_is_that_of_the_program(size, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    from two_color_plan import plan

    # A ledger begins with its plan, and one shard of many has hardly a unit.
    header = ledger(size, tmp_path, "--shard 99999/100000")[0]
    units, fingerprint = plan(size)
    assert (len(units), fingerprint) == (header["units"], header["fingerprint"])


@pytest.mark.parametrize("size", range(1, 12))
def test_plain_loops_find_the_partial_counts_of_the_program(size, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    from two_color_weights import check_weights, partial_counts

    check_weights(size)
    units = [line["unit"] for line in ledger(size, tmp_path) if "unit" in line]
    counted = {unit["unit"]: int(unit["partial"]) for unit in units}
    assert dict(enumerate(partial_counts(size))) == counted
