"""Settings for all compiled functions of the process, unless one overrides them: `ad.config`.

ad.config.threads = "all"        as many threads as this process may use, of all functions that state none
ad.config.progress = False       no line that tells how far a long compile is
ad.config.eager = True           nothing is compiled: functions are called as they stand
"""

from __future__ import annotations

from types import TracebackType

from mlirad.frontend.compiling import progress
from mlirad.frontend.tracing.argument_kinds import checked_flag, checked_integer
from mlirad.frontend.tracing.open_traces import eager_mode
from mlirad.jit.threads import ALL, MOST_THREADS, Threads, machine_threads, set_usual_threads, usual_threads

_HINT = 'write threads=4, threads="all" for as many as this process may use, or leave it out'


class Switch:
    """The setting `eager`: true while it is on, and a context in which it is."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return eager_mode.is_on

    def __enter__(self) -> None:
        _before.append(eager_mode.is_on)
        eager_mode.is_on = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        eager_mode.is_on = _before.pop()

    def __eq__(self, other: object) -> bool:
        return eager_mode.is_on == other if isinstance(other, bool) else self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return str(eager_mode.is_on)


_before: list[bool] = []
"""The values of the setting outside of the open contexts."""


class Config:
    """Settings of the process. They hold for functions that are compiled already, too.

    `threads` is how many threads work on a call of a function without an option `threads`: a number, or
    "all". It reads as a number, which is that of the environment variable MLIRAD_THREADS, or 1, until it is
    set.

    `progress` is whether a compile of more than two seconds tells on stderr how far it is. Until it is set,
    the environment variable MLIRAD_PROGRESS says so, `on` or `off`; without that, it is whether stderr is a
    terminal.

    `eager` is whether functions run as they stand, on NumPy arrays, to be debugged: a breakpoint, a print or
    a `raise` in a function that `ad.jit` or `ad.vmap` was given then works as in any other. Functions that
    are differentiated are traced still, and run by the interpreter. It is off until it is set, and
    `with ad.config.eager:` sets it for a block.
    """

    __slots__ = ()

    @property
    def threads(self) -> int:
        """Return how many threads work on a call. Raises `ArgumentError` for a malformed variable."""
        return usual_threads()

    @threads.setter
    def threads(self, value: Threads) -> None:
        set_usual_threads(checked_threads(value))

    @property
    def progress(self) -> bool:
        """Return whether long compiles tell how far they are."""
        return progress.is_shown()

    @progress.setter
    def progress(self, value: bool) -> None:
        progress.set_shown(checked_flag(value, "progress"))

    @property
    def eager(self) -> Switch:
        """A switch: functions run as they stand while it is on. As a context it is on for a block."""
        return _SWITCH

    @eager.setter
    def eager(self, value: bool) -> None:
        eager_mode.is_on = checked_flag(value, "eager")

    def __repr__(self) -> str:
        return f"<mlirad.config: threads={self.threads}, progress={self.progress}, eager={self.eager}>"


_SWITCH = Switch()


def checked_threads(value: Threads | None) -> int:
    """Return how many threads an option asks for, or an error at the user's line."""
    if isinstance(value, str) and value == ALL:
        return machine_threads()
    return checked_integer(value, "threads", 1, _HINT, most=MOST_THREADS, others=f"or {ALL!r}")


config = Config()
"""The settings of this process."""
