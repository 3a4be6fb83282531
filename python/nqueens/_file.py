"""Files, whose endings decide what is written."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from secrets import token_hex
from typing import Callable, Union

from ._arguments import path as path_of

KEPT = {errno.EACCES, errno.EBUSY, errno.EPERM, errno.EROFS, errno.EXDEV}
"""The errors of a path that cannot be replaced: a mount point, or a file in a folder that takes no other file."""


def write(path: Union[str, os.PathLike[str]], makers: Mapping[str, Callable[[], bytes]]) -> None:
    """Writes to a file the content that the maker for its ending returns.

    Raises `ValueError` for an unknown ending. The file keeps its content unless all of the new content can be written.
    """
    wanted = f"the path of a file that ends in {' or '.join(makers)}"
    name = path_of("path", path, wanted, lambda name: ending(name) in makers)
    contents = makers[ending(name)]()
    try:
        old = os.stat(name)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):  # a device or a pipe; a folder is an error
        with open(name, "wb") as stream:
            stream.write(contents)
        return
    # A link stays; the file that it leads to is replaced.
    target = os.path.realpath(name)
    if old is not None:
        # A write-protected file must not be replaced.
        os.close(os.open(target, os.O_WRONLY))
    try:
        replace(target, old, contents)
    except OSError as error:
        if old is None or error.errno not in KEPT:
            error.filename, error.filename2 = name, None  # the name that the caller knows
            raise
        write_in_place(target, contents)


def ending(name: str) -> str:
    return os.path.splitext(name)[1].lower()


def replace(target: str, old: Union[os.stat_result, None], contents: bytes) -> None:
    """Writes a new file beside `target`, and puts it in its place when it is complete."""
    new = os.path.join(os.path.dirname(target), f"nqueens-{token_hex(8)}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # Until the permissions of an old file are copied, only its owner may read the new one.
    file = os.open(new, flags, 0o666 if old is None else 0o600)
    try:
        try:
            if old is not None:
                keep_access(old, file, new)
            write_whole(file, contents)
        finally:
            os.close(file)
        os.replace(new, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise


def keep_access(old: os.stat_result, new: int, name: str) -> None:
    """Gives a new file the permissions of the old one and, if possible, its owner and group.

    If the group cannot be set, the new file's group gets only the rights of everybody else.
    """
    group_rights = (old.st_mode & 0o7) << 3
    for user in -1, old.st_uid:  # only root may change the owner
        with suppress(OSError, AttributeError):
            os.fchown(new, user, old.st_gid)
            group_rights = 0o70
    # A file system without permissions has none to keep.
    with suppress(OSError):
        os.chmod(name, old.st_mode & (0o707 | group_rights))


def write_in_place(target: str, contents: bytes) -> None:
    """Writes into an existing file, which gets its old content back if there is no room for the new.

    A file that may not be read is emptied instead.
    """
    may_read = os.access(target, os.R_OK)
    with open(target, "r+b" if may_read else "wb", buffering=0) as file:
        old = file.read() if may_read else b""
        try:
            write_whole(file.fileno(), contents)
        except BaseException:
            write_whole(file.fileno(), old)
            raise


def write_whole(file: int, contents: bytes) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    rest = memoryview(contents)
    while rest:
        rest = rest[os.write(file, rest) :]
    os.ftruncate(file, len(contents))
    os.fsync(file)
