"""How a trace treats Python's own control flow: as it stands, or rewritten where it needs traced values.

    if x > 0: ...           x is traced: the plain trace is blocked here
    math.exp(x)             so the function is traced again, with every function that it calls rewritten

`Control` belongs to a transformed function and says how it is traced. A trace notes in it each time that code
asks for the elements of a traced value, also where an `except` of the code catches the error of that.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Final, Literal, TypeAlias

from mlirad.errors import MliradError, TracingError
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.raising import tracing_error

Mode: TypeAlias = Literal["auto", "rewrite", "plain"]

MODES: Final[tuple[Mode, ...]] = ("auto", "rewrite", "plain")
"""What the option `control` may be: rewritten where it is needed, always, or never."""


class Control:
    """How one transformed function is traced.

    `state` gives what the function reads from outside: if a blocked trace has changed that, it must not be
    repeated.
    """

    def __init__(self, mode: str = "auto", state: Callable[[], Hashable] = lambda: None) -> None:
        self.mode = mode
        self.is_rewriting = mode == "rewrite"
        """Whether the trace calls functions rewritten."""
        self.blocked: list[TracingError] = []
        """The errors of code that asked for elements of traced values, in the trace that is under way."""
        self.causes: list[TracingError] = []
        """Those of the plain trace that was repeated with rewriting."""
        self.rewritten: dict[str, None] = {}
        """The functions that the trace calls rewritten, each with its line."""
        self._state = state
        self._before: Hashable = None

    def begin(self) -> None:
        """A trace begins."""
        self.blocked = []
        self.rewritten.clear()
        if self._may_fall_back():
            self._before = self._state()

    def falls_back(self) -> bool:
        """Whether to trace again with rewriting, after a plain trace that was blocked. From now on it is."""
        if not self.blocked or not self._may_fall_back() or self._state() != self._before:
            return False
        self.causes = [error.with_traceback(None) for error in self.blocked]
        self.is_rewriting = True
        return True

    def _may_fall_back(self) -> bool:
        return self.mode == "auto" and not self.is_rewriting


def blocked(message: str, hint: str | None = None) -> TracingError:
    """The error of code that asks for the elements of a traced value, which the trace notes."""
    error = tracing_error(message, hint)
    if open_traces.frames:
        open_traces.frames[-1].functions.control.blocked.append(error)
    return error


@contextmanager
def attempting() -> Generator[None]:
    """Forget the errors of a `with` block that fails, where whoever tries it then does something else."""
    lists = (open_traces.frames[-1].functions.control.blocked, open_traces.raised or [])
    before = [len(found) for found in lists]
    try:
        yield
    except MliradError:
        for found, length in zip(lists, before, strict=True):
            del found[length:]
        raise


def note_rewritten(function: FunctionType) -> None:
    """Note that the trace under way, if there is one, calls a function rewritten."""
    if open_traces.frames:
        code = function.__code__
        name = f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"
        open_traces.frames[-1].functions.control.rewritten[name] = None


class _Rewriting:
    """How functions are rewritten: `required`, or as rewritten code calls them, where that can be."""

    required: Callable[[Callable[..., Any]], Callable[..., Any]]
    called: Callable[[Any], Any]


_rewriting = _Rewriting()


def bind_rewriting(
    required: Callable[[Callable[..., Any]], Callable[..., Any]], called: Callable[[Any], Any]
) -> None:
    """Say how functions are rewritten; called once, when the package is imported."""
    _rewriting.required, _rewriting.called = required, called


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function rewritten; raises `UnsupportedError` if it cannot be."""
    return _rewriting.required(function)


def as_traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as the trace under way calls it: rewritten if it rewrites control flow."""
    if open_traces.frames and open_traces.frames[-1].functions.control.is_rewriting:
        return _rewriting.called(function)
    return function
