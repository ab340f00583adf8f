"""Children of tests, which end on their own if they hang: whoever waits for one waits for ever else.

child = fork()                            a signal ends the child after a minute
ProcessPoolExecutor(2, initializer=end_after, initargs=(SECONDS,))
"""

from __future__ import annotations

import os
import signal
from typing import Final

SECONDS: Final = 60.0
"""The time that a child may take: machines that run tests are slow, and do other work."""


def fork(seconds: float = SECONDS) -> int:
    """`os.fork()`, with a child that `SIGALRM` ends after a while, whatever it is in."""
    child = os.fork()
    if child == 0:
        end_after(seconds)
    return child


def end_after(seconds: float) -> None:
    """End this process after a while, unless it has ended by then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    signal.setitimer(signal.ITIMER_REAL, seconds)
