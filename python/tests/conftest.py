"""What all tests have in common."""

import signal

# In the background of a script it is ignored, or blocked by a program that waits for signals. Then Ctrl-C would stop neither
# a count here nor what the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "pthread_sigmask"):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
