"""The specification of the two-color engine's plan, from examples/two_color_plan.py, against the program."""

import json
import os
import pathlib
import runpy
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "examples/two_color_plan.py"


@pytest.mark.parametrize("size", [*range(1, 22), 22, 23, 24, 25, 26])
def test_the_plan_of_the_specification_is_that_of_the_program(size, tmp_path):
    program = os.environ.get("NQUEENS_PROGRAM")
    if not program:
        pytest.skip("NQUEENS_PROGRAM names no program; scripts/test.sh gives it")
    units, fingerprint = runpy.run_path(str(SCRIPT))["plan"](size)
    # A ledger begins with its plan, and one shard of many has hardly a unit.
    ledger = tmp_path / "ledger.jsonl"
    line = f"count {size} --engine two-color --threads 1 --shard 99999/100000 --quiet --ledger"
    subprocess.run([os.path.abspath(program), *line.split(), ledger], check=True, capture_output=True)
    header = json.loads(ledger.read_text().splitlines()[0])
    assert (len(units), fingerprint) == (header["units"], header["fingerprint"])
