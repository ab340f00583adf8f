"""Functions that are told to ask, because a traced value came to where it has no say.

    def f(x):                       NumPy's `array` is in C and wants elements of x. So the trace ends by
        return array([x, 1.0])      `Unasked`, f is told to ask (`splicing.call_sites`), and it begins again

A function stays told. It is the same object, with another code, so it asks however it is called: as an
operator, by a library, from a table. Whoever compares codes compares the plain ones.
"""

from __future__ import annotations

import dis
import gc
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

from mlirad.frontend.splicing.insertion import UnknownCodeError
from mlirad.frontend.splicing.plain import Hooks, Spliced, Told, plain_code
from mlirad.frontend.tracing.code_reads import is_rewritable_file, is_scipy_code
from mlirad.frontend.tracing.lessons import Lessons, Request, Running
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.source import is_own_frame, is_user_file
from mlirad.frontend.tracing.usage_hints import RUNTIME, STATE_READ, STATE_WRITTEN, is_showing
from mlirad.jit.forking import CompileLock
from mlirad.jit.object_layout import running_function
from mlirad.packages import folder_of


class Unasked(Request):
    """The function being traced runs codes that are to ask, and all that they call if it `tells_all`."""

    def __init__(self, running: Running, *, tells_all: bool = False):
        super().__init__()
        self.running = running
        self.tells_all = tells_all


_NUMPY: Final = f"{Path(folder_of('numpy'))}/"


class _Telling:
    """The functions that are told to call hooks."""

    hooks: Hooks
    rewriting: Hooks
    """The same, and what is called is rewritten where the trace rewrites control flow."""
    lock: Final = CompileLock()


_telling: Final = _Telling()

BEGINNING: Final = "call_for_values"
"""The function that calls what is traced."""


def bind_hooks(hooks: Hooks, rewriting: Hooks) -> None:
    """Say what functions call that ask; done once."""
    _telling.hooks, _telling.rewriting = hooks, rewriting


def is_told(code: CodeType) -> bool:
    """Return whether a code asks at its calls."""
    while code.co_consts and isinstance(code.co_consts[-1], Spliced):
        if isinstance(code.co_consts[-1], Told):
            return True
        code = code.co_consts[-1].code
    return False


def is_told_to_rewrite(code: CodeType) -> bool:
    """Tell whether a code rewrites what it calls."""
    return is_told(code) and any(constant is _telling.rewriting.called for constant in code.co_consts)


def require_asking() -> None:
    """Raise `Unasked` if the function that is running does not ask and can be told to.

    A method of a traced value calls this, which the function has called, or one in C or of NumPy's that it
    has called.
    """
    if open_traces.frames:
        frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
        while frame is not None and _is_of_numpy(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None and can_be_told(frame.f_code, lessons().untold):
            raise Unasked(_running(frame))


def _is_of_numpy(file: str) -> bool:
    """Tell whether a file of NumPy has functions that cannot be told."""
    return file.startswith(_NUMPY) and not is_scipy_code(file)


def require_asking_to_store() -> None:
    """The same where the function assigns to an item: NumPy asks for the truth of what is put among flags."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    operation = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    if open_traces.frames and operation.startswith("STORE") and can_be_told(frame.f_code, lessons().untold):
        raise Unasked(_running(frame))


_TEXT_MAKING: Final = ("FORMAT", "CONVERT_VALUE", "BINARY_OP", "CALL", "PRECALL")
"""The beginnings of names of instructions that make texts of values."""


def require_asking_for_texts(frame: FrameType) -> None:
    """Raise `Unasked` if a frame makes a text, not only to show it, and its function can be told.

    Or one that calls it can: Python may have asked it for the text, to put it among others.
    """
    code = frame.f_code
    if not open_traces.frames or not is_rewritable_file(code.co_filename):
        return
    operation = dis.opname[code.co_code[frame.f_lasti]]
    if operation.startswith(_TEXT_MAKING) and not _is_rewritten(code) and not is_showing(frame):
        running = _running(frame)
        if id(code) not in running:
            running = {key: found for key, found in running.items() if not _is_rewritten(found[0])}
        if running:
            raise Unasked(running)


def _is_rewritten(code: CodeType) -> bool:
    return RUNTIME in (*code.co_freevars, *code.co_names)


def require_telling_all() -> None:
    """Raise `Unasked` unless all functions that are called in the trace are told to ask."""
    running = _running(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
    if running or not lessons().tells_all:
        raise Unasked(running, tells_all=True)


_INSISTING: Final = re.compile(r"must be numpy\.ndarray, not (Array|Rows|ComplexArray)\b")
"""The message by which a function in C refuses a traced value that it asks nothing, by the names of its
classes.
"""


def handing_traced(error: BaseException, known: Lessons) -> Running:
    """The functions that ran where one in C refused a traced value, if one in the program called it.

    The trace has ended by the error.
    """
    if not isinstance(error, TypeError) or _INSISTING.search(str(error)) is None:
        return {}
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    while frames and is_own_frame(frames[-1]):
        frames.pop()
    if not frames or not can_be_told(frames[-1].f_code, known.untold):
        return {}
    begun = [k for k, frame in enumerate(frames) if frame.f_code.co_name == BEGINNING]
    running = [f for f in frames[max(begun, default=-1) + 1 :] if can_be_told(f.f_code, known.untold)]
    return {id(frame.f_code): (frame.f_code, running_function(frame)) for frame in running}


def called_by_trace(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function in C, or a part of a call of one, as it is called where functions ask."""
    return _telling.hooks.called(function)


def lessons() -> Lessons:
    """Return what the trace that is under way knows from those before."""
    return open_traces.frames[-1].functions.lessons


def _running(frame: FrameType | None) -> Running:
    """The functions that run in the trace, from this one outwards, which do not ask and can be told to."""
    untold = lessons().untold
    running: Running = {}
    while frame is not None and frame.f_code.co_name != BEGINNING:
        if can_be_told(frame.f_code, untold):
            running[id(frame.f_code)] = frame.f_code, running_function(frame)
        frame = frame.f_back
    return running


def can_be_told(code: CodeType, untold: Running) -> bool:
    """Return whether a code of the program, a package or SciPy does not ask yet, and may be able to."""
    is_code = is_user_file(code.co_filename) or is_scipy_code(code.co_filename)
    return is_code and not is_told(code) and id(code) not in untold


def tell_running(running: Running, known: Lessons) -> None:
    """Tell functions to ask, and note those that cannot be told.

    A code that runs again although its function was told is that of functions which others define again and
    again: these are told. One that runs even then is given up.
    """
    for key, (code, function) in running.items():
        times = known.told.get(key, 0)
        known.told[key] = times + 1
        is_told_now = times < 1 and function is not None and tell(function)
        if not is_told_now and not (times < 2 and _tell_definitions(code)):
            known.untold[key] = code, function


def _tell_definitions(code: CodeType) -> bool:
    """Tell the functions that have a code, or define a function that has; whether there are any."""
    functions = [f for f in gc.get_objects() if type(f) is FunctionType]
    near = [f for f in functions if f.__code__.co_filename == code.co_filename and not is_told(f.__code__)]
    found = [f for f in near if any(code is inner for inner in codes_in(f.__code__))]
    return bool([f for f in found if tell(f)])


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code, and those of the functions that it defines."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def tell(function: FunctionType) -> bool:
    """Tell a function to ask, if it does not yet; whether it does now."""
    with _telling.lock:
        if not is_told(function.__code__):
            function.__code__ = asking_code(function.__code__)
    return is_told(function.__code__)


def tell_to_rewrite(function: FunctionType) -> None:
    """Tell a function that cannot be rewritten itself to ask for rewritten functions where it calls."""
    with _telling.lock:
        function.__code__ = asking_code(plain_code(function.__code__), _telling.rewriting)


def asking_code(code: CodeType, hooks: Hooks | None = None) -> CodeType:
    """A code that asks and is like this one, or this one if it is of a form that is not known."""
    from mlirad.frontend.splicing.call_sites import asking  # which most programs do without

    try:
        return asking(code, _telling.hooks if hooks is None else hooks, (STATE_READ, STATE_WRITTEN))
    except UnknownCodeError:
        return code
