"""What holds for all compiled functions of the process, unless one says otherwise: `ad.config`.

ad.config.threads = "all"        as many threads as this process may use, of all functions that state none
ad.config.progress = False       no line that tells how far a long compile is
"""

from __future__ import annotations

from mlirad.frontend.compiling import progress
from mlirad.frontend.tracing.argument_kinds import checked_flag, checked_integer
from mlirad.jit.threads import ALL, MOST_THREADS, Threads, machine_threads, set_usual_threads, usual_threads

_HINT = 'write threads=4, threads="all" for as many as this process may use, or leave it out'


class Config:
    """Settings of the process. They hold for functions that are compiled already, too.

    `threads` is how many threads work on a call of a function without an option `threads`: a number, or
    "all". It reads as a number, which is that of the environment variable MLIRAD_THREADS, or 1, until it is
    set.

    `progress` is whether a compile of more than two seconds tells on stderr how far it is. Until it is set,
    the environment variable MLIRAD_PROGRESS says so, `on` or `off`; without that, it is whether stderr is a
    terminal.
    """

    __slots__ = ()

    @property
    def threads(self) -> int:
        """How many threads work on a call. Raises `ArgumentError` for a variable that is no number."""
        return usual_threads()

    @threads.setter
    def threads(self, value: Threads) -> None:
        set_usual_threads(checked_threads(value))

    @property
    def progress(self) -> bool:
        """Whether long compiles tell how far they are."""
        return progress.is_shown()

    @progress.setter
    def progress(self, value: bool) -> None:
        progress.set_shown(checked_flag(value, "progress"))

    def __repr__(self) -> str:
        return f"<mlirad.config: threads={self.threads}, progress={self.progress}>"


def checked_threads(value: Threads | None) -> int:
    """How many threads an option asks for, or an error at the user's line."""
    if isinstance(value, str) and value == ALL:
        return machine_threads()
    return checked_integer(value, "threads", 1, _HINT, most=MOST_THREADS, others=f"or {ALL!r}")


config = Config()
"""The settings of this process."""
