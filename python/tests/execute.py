"""Executes the notebook from top to bottom: `python execute.py NOTEBOOK` keeps the new outputs in it.

A cell runs as in Jupyter, as far as the notebook needs it. `bash scripts/python.sh check` executes it with Jupyter too.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from pprint import pformat


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def execute(notebook):
    """Runs the cells of a notebook, and keeps in each what it prints and the value of its last line."""
    names = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(notebook), 1):
        body = ast.parse("".join(cell["source"]))
        last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(body, f"cell {number}", "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        cell["execution_count"], cell["outputs"] = number, []
        if printed.getvalue():
            cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
        if value is not None:
            data, metadata = displayed(value)
            result = {"data": data, "execution_count": number, "metadata": metadata, "output_type": "execute_result"}
            cell["outputs"].append(result)


# A page, such as the player, is larger than all other outputs together, so it is shown only by who runs the notebook.
LARGEST = 50_000


def displayed(value):
    """Returns the forms of a value that a notebook keeps, and what it knows about them."""
    data, metadata = {}, {}
    for kind, method in ("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_"):
        if hasattr(value, method):
            shown = getattr(value, method)()
            shown, about = shown if isinstance(shown, tuple) else (shown, None)
            # The page of a picture has the picture once more.
            if len(shown) > LARGEST or "image/svg+xml" in data:
                continue
            data[kind] = lines(shown)
            if about is not None:
                metadata[kind] = about
    return {**data, "text/plain": lines(pformat(value, width=1000) if isinstance(value, list) else repr(value))}, metadata


def lines(text):
    return text.splitlines(keepends=True)


def stored(notebook):
    """Returns the text of the notebook's file: a line for each line of a source, and one line for all else of a cell."""
    cells = []
    for cell in notebook["cells"]:
        rest = {name: value for name, value in cell.items() if name != "source"}
        source = ",\n".join(json.dumps(line, ensure_ascii=False) for line in cell["source"])
        cells.append(f'{json.dumps(rest, ensure_ascii=False)[:-1]}, "source": [\n{source}\n]}}')
    rest = {name: value for name, value in notebook.items() if name != "cells"}
    return '{"cells": [\n' + ",\n".join(cells) + "\n], " + json.dumps(rest)[1:] + "\n"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    execute(notebook)
    path.write_text(stored(notebook), encoding="utf-8", newline="\n")
