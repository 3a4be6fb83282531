"""Files, whose endings decide what is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from typing import Callable, Union

from ._arguments import path as path_of


def write(path: Union[str, os.PathLike[str]], makers: Mapping[str, Callable[[], bytes]]) -> None:
    """Writes to a file the content that the maker for its ending returns.

    Raises `ValueError` for an unknown ending. If not all of the content can be written, an old file keeps its content,
    and a new one is removed.
    """

    def ending(name: str) -> str:
        return os.path.splitext(name)[1].lower()

    wanted = f"the path of a file that ends in {' or '.join(makers)}"
    name = path_of("path", path, wanted, lambda name: ending(name) in makers)
    contents = makers[ending(name)]()
    target = os.path.realpath(name)  # a link may lead to a file that is not there yet
    is_new, is_file = not os.path.exists(target), os.path.isfile(target)
    try:
        # The file is written in place, so that it keeps its permissions and its owner.
        with FileIO(name, "r+" if is_file and os.access(target, os.R_OK) else "w") as file:
            if is_new or is_file:
                overwrite(file, contents)
            else:  # a device or a pipe
                write_whole(file, contents)
    except BaseException:
        if is_new:
            with suppress(OSError):
                os.unlink(target)
        raise


def overwrite(file: FileIO, contents: bytes) -> None:
    """Replaces the content of a file, or puts the old one back. A file that cannot be read has been emptied instead."""
    old = file.read() if file.readable() else b""
    try:
        replace(file, contents)
    except BaseException:
        replace(file, old)
        raise


def replace(file: FileIO, contents: bytes) -> None:
    file.seek(0)
    write_whole(file, contents)
    file.truncate()
    os.fsync(file.fileno())


def write_whole(file: FileIO, contents: bytes) -> None:
    rest = memoryview(contents)
    while rest:
        rest = rest[file.write(rest) :]
