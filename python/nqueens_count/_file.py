"""Files, whose endings decide what is written."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from os.path import splitext
from typing import Callable, Union

from ._arguments import path as path_of


def write(path: Union[str, PathLike[str]], makers: Mapping[str, Callable[[], bytes]]) -> None:
    """Writes to a file the content that the maker for its ending returns.

    Raises `ValueError` for an unknown ending.
    """

    def ending(name: str) -> str:
        return splitext(name)[1].lower()

    wanted = f"the path of a file that ends in {' or '.join(makers)}"
    name = path_of("path", path, wanted, lambda name: ending(name) in makers)
    contents = makers[ending(name)]()
    with open(name, "wb") as file:
        file.write(contents)
