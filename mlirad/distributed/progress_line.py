"""A line on the terminal that says how far a call has come: rounds, chunks, seconds.

    with ad.distributed.progress():
        value, gradient = ad.value_and_grad(loss)(w, X, y)

    round 2 of 5 [########------------]  37 of 96 chunks, 12 s

Engines tell what they do (`round_begins`, `chunk_is_done`) whether somebody looks or not: these are a few
assignments. A thread writes the line, so that a call that waits for workers is shown too.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Final, TextIO

WIDTH: Final = 20
"""The characters of a bar."""

EVERY: Final = 0.25
"""The seconds between two lines."""


class _State:
    """All that the call which runs has told."""

    def __init__(self) -> None:
        self.calls = 0
        self.begun: float | None = None
        self.round = 0
        self.rounds = 0
        self.repeats = 0
        self.chunks = 0
        self.done = 0


_state: Final = _State()


def call_begins(rounds: int) -> None:
    """Note that a call of some rounds begins."""
    _state.calls += 1
    _state.begun, _state.round, _state.rounds = time.monotonic(), 0, rounds


def call_ends() -> None:
    """Note that the call is over."""
    _state.begun = None


def round_begins(number: int) -> None:
    """Note that a round begins, by its number from 0 on, perhaps again."""
    _state.repeats = _state.repeats + 1 if _state.round == number + 1 else 0
    _state.round, _state.chunks, _state.done = number + 1, 0, 0


def chunks_begin(count: int) -> None:
    """Note how many chunks the round has, if each is told when it is done."""
    _state.chunks = count


def chunk_is_done() -> None:
    """Note that a chunk is done, in this process."""
    _state.done += 1


class progress:
    """Show how far calls have come, on a terminal or in a notebook, once one has taken `after` seconds.

    The line goes to `file`, or to standard error if that is None, and only if it is a terminal or a notebook.
    It is taken away when the call is over, also by Ctrl-C. Rounds are those that `split` of a function says;
    one that looks for a quantile is repeated. Chunks are counted where Dask's threads run them: workers of a
    cluster answer once per round, and Dask's dashboard shows the rest.

    >>> import numpy as np, dask.array as da, mlirad as ad
    >>> X = da.ones((1000, 3), chunks=(100, 3))
    >>> with ad.distributed.progress(after=1.0):
    ...     ad.jit(lambda X: np.sum(np.sin(X)))(X).round(6)
    np.float64(2524.412954)
    """

    def __init__(self, after: float = 2.0, file: TextIO | None = None):
        self._after = after
        self._file = file
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        """Begin to look. Nothing is written where nobody would see it."""
        file = sys.stderr if self._file is None else self._file
        if self._file is None and not _is_seen(file):
            return
        self._ended.clear()
        self._thread = threading.Thread(target=self._write, args=(file,), name="mlirad-progress", daemon=True)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the line away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    def _write(self, file: TextIO) -> None:
        shown = 0
        while not self._ended.wait(EVERY):
            text = line(self._after)
            if text or shown:
                file.write("\r" + text.ljust(shown))
                file.flush()
            shown = len(text)
        if shown:
            file.write("\r" + " " * shown + "\r")
            file.flush()


def _is_seen(file: TextIO) -> bool:
    """Tell whether a person sees what is written: on a terminal, or in a notebook."""
    return "ipykernel" in sys.modules or file.isatty()


def line(after: float) -> str:
    """The line for what runs now; empty if nothing has run for as long."""
    begun = _state.begun
    if begun is None or (seconds := time.monotonic() - begun) < after:
        return ""
    repeats = f", repeated {_state.repeats} times" if _state.repeats else ""
    share = _state.done / _state.chunks if _state.chunks else 0.0
    part = (max(_state.round - 1, 0) + share) / max(_state.rounds, 1)
    bar = ("#" * int(WIDTH * part)).ljust(WIDTH, "-")
    chunks = f"{_state.done} of {_state.chunks} chunks, " if _state.chunks else ""
    return f"round {_state.round} of {_state.rounds}{repeats} [{bar}] {chunks}{seconds:.0f} s"
