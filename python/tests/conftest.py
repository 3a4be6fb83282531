"""Settings that all tests share."""

import signal

# SIGINT is ignored in the background of a script, and blocked by a program that waits for signals. Then Ctrl-C would
# stop neither a count here nor the processes that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "pthread_sigmask"):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
