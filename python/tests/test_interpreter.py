"""The border between Python and the library: signals, threads and panics."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import nqueens_count as nqueens
import pytest

LONG = [
    "nqueens.count(32, engine='backtrack')",
    "nqueens.count(24)",
    "nqueens.fundamental(24)",
    "nqueens.by_square(20)",
    "nqueens.estimate(32, probes=10**6)",
    "nqueens.compare(12, ['brute-force'], limit=None)",
    "nqueens.compare(24, ['backtrack scalar'], limit=None)",
    "nqueens.first(32)",
]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no os.kill with SIGINT")
@pytest.mark.parametrize("call", [*LONG, "sum(1 for _ in nqueens.trace(32, until='all'))"])
def test_ctrl_c_stops_it_within_a_second(call):
    sent = []

    def interrupt():
        # Nothing tells that the work has begun: Python code that ran then would react to the signal by itself.
        time.sleep(0.3)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        eval(call)
    # The limit is CPU time: a busy machine gives less, and each thread has its own.
    assert time.process_time() - sent[0] < (os.cpu_count() or 1)
    thread.join()
    # The next computation is not stopped.
    assert nqueens.count(8) == 92


def test_an_exception_of_a_signal_handler_stops_a_count():
    def handler(*_):
        raise BlockingIOError("enough")

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(BlockingIOError, match="enough"):
            nqueens.count(32, engine="backtrack", progress=lambda share: signal.raise_signal(signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("call", LONG)
def test_python_goes_on_while_rust_counts(call):
    # The other thread never ends. If it kept the interpreter, this thread would not end either.
    script = f"""
import os, threading, time, nqueens_count as nqueens
threading.Thread(target=lambda: {call}, daemon=True).start()
time.sleep(0.3)
assert nqueens.count(8) == 92
print("free", flush=True)
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "free\n", done.stderr


def test_counts_in_several_threads_are_right():
    results = []
    count = lambda size: results.append(nqueens.count(size) == nqueens.published(size))
    threads = [threading.Thread(target=count, args=(size,)) for size in (8, 10, 12, 13, 14)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 5


@pytest.mark.parametrize("search", [lambda: nqueens.trace(6, until="all"), lambda: nqueens.solutions(10)])
def test_threads_share_a_search(search):
    shared, interval = search(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            parts = list(threads.map(list, [shared] * 4))
    finally:
        sys.setswitchinterval(interval)
    found = list(itertools.chain(*parts))
    # Steps are in the order of their numbers.
    assert sorted(found, key=lambda each: getattr(each, "number", each)) == list(search())


@pytest.mark.parametrize("in_another_thread", [False, True])
def test_a_panic_is_a_runtime_error(in_another_thread, capfd):
    if not hasattr(nqueens._native, "_panic"):
        pytest.skip("the module is built without debug assertions")
    with pytest.raises(RuntimeError, match="the library panicked.*on purpose"):
        nqueens._native._panic(in_another_thread)


@pytest.mark.skipif(os.name == "nt", reason="the program of this test is a shell script")
def test_the_package_as_a_program_is_the_program_that_was_installed_with_it(tmp_path):
    command, environment = [sys.executable, "-m", "nqueens_count", "count", "8"], {**os.environ, "PYTHONPATH": str(tmp_path)}
    wheel = tmp_path / "nqueens_count-9.dist-info"
    wheel.mkdir()
    (wheel / "METADATA").write_text("Metadata-Version: 2.1\nName: nqueens-count\nVersion: 9\n")
    for recorded, ended in [
        ("nqueens_count/__init__.py,,\n", (2, "", "error: this package was installed without the program `nqueens`")),
        ("bin/nqueens,,\n", (3, "ran count 8\n", "")),
    ]:
        (wheel / "RECORD").write_text(recorded)
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin/nqueens").write_text('#!/bin/sh\necho "ran $*"\nexit 3\n')
        (tmp_path / "bin/nqueens").chmod(0o755)
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stdout, ran.stderr[: len(ended[2])]) == ended
