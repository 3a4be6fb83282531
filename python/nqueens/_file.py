"""Files, whose endings say what is written."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Callable, Union

from ._arguments import checked


def write(path: Union[str, PathLike[str]], makers: Mapping[str, Callable[[], bytes]]) -> None:
    """Writes to a file what the maker of its ending returns.

    Raises `ValueError` for another ending. Nothing is written if the maker fails.
    """
    wanted = f"the path of a file that ends in {' or '.join(makers)}"
    name = checked("path", path, fspath, wanted, lambda name: ending(name) in makers)
    contents = makers[ending(name)]()
    with open(name, "wb") as file:
        file.write(contents)


def ending(name: str) -> str:
    return Path(name).suffix.lower()
