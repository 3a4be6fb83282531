"""Executes the notebook from top to bottom: `python execute.py NOTEBOOK` keeps the new outputs in it."""

import json
import sys

import nbformat
from nbclient import NotebookClient


def executed(path, folder):
    """Returns the notebook with new outputs. `folder` is the working directory of its cells."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    where = {"metadata": {"path": folder}}
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", coalesce_streams=True, record_timing=False, resources=where
    )
    return client.execute()


def stored(notebook):
    """Returns the text of the notebook's file: a line for each line of a source, and one line for all else of a cell."""
    document = json.loads(nbformat.writes(notebook))
    cells = []
    for cell in document.pop("cells"):
        source = ",\n".join(json.dumps(line, ensure_ascii=False) for line in cell.pop("source"))
        cells.append(f'{json.dumps(cell, ensure_ascii=False)[:-1]}, "source": [\n{source}\n]}}')
    return '{"cells": [\n' + ",\n".join(cells) + "\n], " + json.dumps(document)[1:] + "\n"


if __name__ == "__main__":
    result = executed(sys.argv[1], ".")
    # The notebook must not depend on the version of Python.
    result.metadata.language_info = {"name": "python"}
    with open(sys.argv[1], "w", encoding="utf-8", newline="\n") as file:
        file.write(stored(result))
