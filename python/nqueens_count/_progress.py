"""The progress of a long computation."""

from typing import Any, Callable, Optional, Union

from . import _native
from ._arguments import shown, whole

Progress = Union[bool, Callable[[float], object]]
"""True for a bar of tqdm, or a function that is called with the share that is done."""


def computed(
    function: Callable[..., Any], label: str, *arguments: Any, threads: Optional[int], progress: Progress
) -> Any:
    """Calls a function of the compiled module, and tells the progress: the share that is done, and 1 at the end.

    Without a number of threads, there is one for each CPU.
    """
    if threads is not None:
        threads = whole("threads", threads, 1, _native.MOST_THREADS)

    def told(report: Callable[[float], object]) -> Any:
        found = function(*arguments, (threads, report))
        report(1.0)
        return found

    if callable(progress):
        return told(progress)
    if progress is False:
        return function(*arguments, (threads, None))
    if progress is not True:
        raise TypeError(f"progress is {shown(progress)}; give True, False or a function of the share that is done")
    try:
        from tqdm.auto import tqdm
    except ImportError:
        message = "progress=True needs tqdm: `pip install tqdm`, or give a function of the share that is done"
        raise ImportError(message) from None
    with tqdm(total=1.0, desc=label, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:
        return told(lambda share: bar.update(share - bar.n))
