"""The progress of a long computation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Callable, Optional, Union

from ._arguments import shown

Progress = Union[bool, Callable[[float], object]]
"""True for a bar of tqdm, or a function that is called with the share that is done."""


@contextmanager
def reporter(progress: Progress, label: str) -> Iterator[Optional[Callable[[float], object]]]:
    """Gives the function, if any, that is called with the share that is done, and calls it with 1 at the end."""
    if callable(progress):
        yield progress
        progress(1.0)
    elif progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            message = "progress=True needs tqdm: `pip install tqdm`, or give a function of the share that is done"
            raise ImportError(message) from None
        with tqdm(total=1.0, desc=label, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:

            def show(share: float) -> None:
                bar.update(share - bar.n)

            yield show
            show(1.0)
    elif progress is False:
        yield None
    else:
        raise TypeError(f"progress is {shown(progress)}; give True, False or a function of the share that is done")
