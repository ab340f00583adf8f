"""Functions that code enters without a call that can be rewritten: properties, operators, `__new__`, setters.

    class Model:
        @property
        def rate(self):               `model.rate` is not a call, so rewritten code enters `rate` plain; its
            if self.x > 0: ...        condition blocks the trace. From then on `rate` asks, in threads that
                                      trace, whether its rewritten code is to run instead.

So do functions that other code calls which has no source, such as the wrappers that decorators generate.
Functions that cannot be rewritten themselves, generators and such wrappers, have their calls rewritten. A
generator that blocks the trace even so is called as a function that returns a list.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from traceback import walk_tb
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, TypeAlias

from mlirad.errors import UnsupportedError
from mlirad.frontend.splicing.insertion import UnknownCodeError
from mlirad.frontend.splicing.plain import Spliced
from mlirad.frontend.splicing.questions import MISS, Question, Values, ask_first
from mlirad.frontend.tracing.code_reads import is_generator, is_rewritable_file
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.told_functions import BEGINNING, is_told_to_rewrite, tell_to_rewrite
from mlirad.frontend.tracing.usage_hints import RUNTIME
from mlirad.jit.object_layout import running_function

Rewritten: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""From a function to the rewritten one; raises `UnsupportedError` if it cannot be rewritten."""

_WITH_PYTHONS_RESULT: Final = frozenset((
    "__bool__", "__complex__", "__contains__", "__float__", "__hash__", "__index__", "__int__", "__len__",
))  # fmt: skip
"""Methods whose callers in C insist on a class of Python's, which no traced value has."""


def entered_functions() -> Iterator[FunctionType]:
    """The functions that run in the trace, from the innermost one outwards, and could run rewritten."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code.co_name != BEGINNING:
        yield from _as_it_stands(frame)
        frame = frame.f_back


def entered_at(error: BaseException) -> list[FunctionType]:
    """The same of the functions that ran where an error ended the trace."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    begun = [k for k, frame in enumerate(frames) if frame.f_code.co_name == BEGINNING]
    running = frames[max(begun, default=-1) + 1 :]
    return [function for frame in reversed(running) for function in _as_it_stands(frame)]


def _as_it_stands(frame: FrameType) -> Iterator[FunctionType]:
    """The function that runs in a frame, if it could run rewritten, and is known."""
    function = running_function(frame) if _could_run_rewritten(frame.f_code) else None
    if function is not None:
        yield function


def _could_run_rewritten(code: CodeType) -> bool:
    return (
        RUNTIME not in code.co_freevars
        and is_rewritable_file(code.co_filename)
        and code.co_name not in _WITH_PYTHONS_RESULT
        and not (code.co_name.startswith("<") and code.co_name != "<lambda>")
        and (is_generator(code) or not is_told_to_rewrite(code))
        and not _asks(code)
    )


def _asks(code: CodeType) -> bool:
    while code.co_consts and isinstance(code.co_consts[-1], Spliced):
        spliced = code.co_consts[-1]
        if isinstance(spliced, Question) and isinstance(spliced.answer, _Entered):
            return True
        code = spliced.code
    return False


class _Entered:
    """The answer of such a function: what it gives rewritten, in traces that rewrite control flow."""

    def __init__(self, rewritten: Rewritten):
        self._rewritten = rewritten

    def __call__(self, question: Question, values: Values) -> Any:
        if not (open_traces.frames and open_traces.frames[-1].functions.control.is_rewriting):
            return MISS
        args, kwargs = question.arguments(values)
        return self._rewritten(question.function)(*args, **kwargs)


def rewrite_where_entered(function: FunctionType, rewritten: Rewritten) -> None:
    """Let traces that rewrite control flow run a function as `rewritten` makes it, however it is entered."""
    try:
        rewritten(function)
        ask_first(function, _Entered(rewritten))
    except (UnsupportedError, UnknownCodeError):
        tell_to_rewrite(function)
