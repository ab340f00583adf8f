"""The treatment of Python's own control flow by a trace: as it stands, or rewritten where it needs traced
values.

    if x > 0: ...           x is traced: the plain trace is blocked here
    math.exp(x)             so the function is traced again, with every function that it calls rewritten

`Control` belongs to a transformed function and says how it is traced. A trace notes in it each time that code
asks for the elements of a traced value, also where an `except` of the code catches the error of that.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any, Final, Literal, TypeAlias

from mlirad.errors import MliradError, TracingError
from mlirad.frontend.tracing.code_reads import is_generator, own_code
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.raising import tracing_error

Mode: TypeAlias = Literal["auto", "rewrite", "plain"]

MODES: Final[tuple[Mode, ...]] = ("auto", "rewrite", "plain")
"""The values of the option `control`: rewrite when needed, always, or never."""


class Control:
    """The state of tracing one transformed function, in one or several traces."""

    def __init__(self, mode: str = "auto") -> None:
        self.mode = mode
        self.is_rewriting = mode == "rewrite"
        """True if the trace calls functions rewritten."""
        self.blocked: list[TracingError] = []
        """The errors of code that asked for elements of traced values, in the trace that is under way."""
        self.causes: list[TracingError] = []
        """Those of the plain trace that was repeated with rewriting."""
        self.rewritten: dict[str, None] = {}
        """The functions that the trace calls rewritten, each with its line."""
        self.entered: list[FunctionType] = []
        """The functions that ran as they stand where a trace which rewrites was blocked."""
        self._known: dict[int, CodeType] = {}
        """The codes of those that earlier traces let run rewritten, by identity."""
        self._collected: dict[int, CodeType] = {}
        """The codes of generators that run to their end before their elements are used, by identity."""
        self.takers: list[Any] = []
        """The iterators that are taking elements of others, the innermost one last."""
        self.used_up: dict[int, Any] = {}
        """The iterators that traced conditions have left at a place that is not known, by identity."""
        self.hands_copies = False
        """True once a traced condition was met: its branches and loops work on copies of arrays."""

    def begin(self) -> None:
        """A trace begins."""
        self.blocked = []
        self.entered = []
        self.rewritten.clear()
        self.takers = []
        self.used_up = {}
        self.hands_copies = False

    def may_fall_back(self) -> bool:
        """Tell whether the trace was blocked, and may be repeated with more of the code rewritten."""
        if not self.blocked or self.mode == "plain":
            return False
        return not self.is_rewriting or bool(self._entered_first())

    def fall_back(self) -> None:
        """Trace with rewriting from now on, or with rewriting of what code enters without a call."""
        if self.is_rewriting:
            from mlirad.frontend.tracing.entered import rewrite_where_entered  # most programs do without
            from mlirad.frontend.tracing.told_functions import is_told_to_rewrite

            for code, function in self._entered_first():
                if is_generator(code) and (id(code) in self._known or is_told_to_rewrite(function.__code__)):
                    self._collected[id(code)] = code
                else:
                    rewrite_where_entered(function, rewritten)
                self._known[id(code)] = code
        else:
            self.causes = [error.with_traceback(None) for error in self.blocked]
            self.is_rewriting = True

    def notes_entered(self, functions: Iterable[FunctionType]) -> bool:
        """Note functions that ran as they stand; whether there are any that could run rewritten."""
        self.entered += functions
        return bool(self._entered_first())

    def _entered_first(self) -> list[tuple[CodeType, FunctionType]]:
        """The functions, with their codes, that code has entered in this trace and in none before."""
        found = ((own_code(function), function) for function in self.entered)
        return [(code, function) for code, function in found if self._is_new(code)]

    def _is_new(self, code: CodeType) -> bool:
        known = self._collected if is_generator(code) else self._known
        return id(code) not in known

    def collects(self, function: FunctionType) -> bool:
        """Tell whether a generator function is to run to its end before its elements are used."""
        return id(own_code(function)) in self._collected


def blocked(message: str, hint: str | None = None) -> TracingError:
    """The error of code that asks for the elements of a traced value, which the trace notes."""
    error = tracing_error(message, hint)
    if open_traces.frames:
        control = open_traces.frames[-1].functions.control
        control.blocked.append(error)
        if control.is_rewriting:
            from mlirad.frontend.tracing.entered import entered_functions  # which most programs do without

            control.entered += entered_functions()
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


def hand_copies() -> None:
    """Note that variables may hold copies from now on, so nobody knows which of them hold one array."""
    open_traces.frames[-1].functions.control.hands_copies = True


def note_rewritten(function: FunctionType) -> None:
    """Note that the trace under way, if there is one, calls a function rewritten."""
    if open_traces.frames:
        code = function.__code__
        name = f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"
        open_traces.frames[-1].functions.control.rewritten[name] = None


class _Rewriting:
    """The two ways to rewrite: `required`, which may raise, and `called`, which leaves others as they are."""

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
    """The function as the trace under way calls it: rewritten if it rewrites control flow.

    A function in C, which has no code that could ask, is what it stands for.
    """
    if not open_traces.frames:
        return function
    if open_traces.frames[-1].functions.control.is_rewriting:
        function = _rewriting.called(function)
    if type(function) in (BuiltinFunctionType, partial):
        from mlirad.frontend.tracing.told_functions import called_by_trace  # which most programs do without

        return called_by_trace(function)
    return function
