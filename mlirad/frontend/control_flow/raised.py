"""`raise` under a traced condition: the program raises the exception when it runs.

    if x < 0:                                   report exception %x_is_negative
        raise ValueError("x is negative")           {message = "builtins.ValueError: x is negative"}
    return np.sqrt(x)                           sqrt of x, whether or not x is negative

A branch that ends by a `raise` has no values, so the program goes on with the other one. So it is with what
Python itself raises there whatever the values are, such as an `IndexError` of a list. Where both branches end
so, the `if` ends by what says both. An `except` around it that would catch the exception changes what the
program computes: where it is raised, the program raises an `UnsupportedError` in its place.

An exception under a condition is data. A branch that ends by `raise` has no values to choose from, so the
program goes on with the other branch, and a report makes the call fail, as for `assert`. Text of a program
holds the name of the class; only classes of Python and those that a trace has noted are made from it. An
`except` changes the result, so for values that lead there the program raises another error; to refuse the
code would refuse all other values too. A loop that only the exception may end carries whether there was one,
through the branches in its body; it is traced again to do so.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final

from mlirad.errors import MliradError, is_from_signal
from mlirad.frontend.constructs.loops import flag_of
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.numpy_functions.protocols import asked_calls
from mlirad.frontend.tracing.code_reads import is_scipy_code
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.source import is_user_file


class RaisingSide(Exception):
    """A branch, by its number, ends by raising an exception."""

    def __init__(self, side: int, error: Exception):
        self.side = side
        self.error = error


@contextmanager
def trying(kinds: Callable[[], tuple[Any, ...]]) -> Generator[None]:
    """The body of a `try`, around handlers of these kinds of exceptions."""
    if not is_tracing():
        yield
        return
    tries = current_frame().functions.tries
    tries.append(kinds)
    try:
        yield
    finally:
        tries.pop()


def exception(make: Callable[[], Any], kind: Callable[[], Any], shown: str) -> Any:
    """Return what `raise` is given. One that needs elements of traced values says what its source says."""
    if not is_tracing():
        return make()
    try:
        return make()
    except MliradError:
        known = kind()
        if not isinstance(known, type) or not issubclass(known, Exception):
            raise
        found: Exception = known.__new__(known, shown)  # whatever else the class wants
        return found


@contextmanager
def raising_as(side: int) -> Generator[None]:
    """Raise `RaisingSide` for an exception that the traced code raises in the `with` block as Python does.

    Reports that the block adds to the program are lost with the branch, so the exception says that, too.
    """
    later = current_frame().functions.later
    count = len(later)
    try:
        yield
    except Exception as error:
        if is_from_signal(error) or not is_pythons(error):
            raise
        found = functools.reduce(_one_of, (*later[count:], error))
        del later[count:]
        raise RaisingSide(side, found.with_traceback(error.__traceback__)) from error


@contextmanager
def also_raising(first: Exception) -> Generator[None]:
    """Raise what stands for both exceptions where the `with` block raises another one than `first`."""
    try:
        yield
    except Exception as error:
        if is_from_signal(error) or not is_pythons(error):
            raise
        later = current_frame().functions.later
        later[:] = [known for known in later if known is not first]
        raise _one_of(first, error).with_traceback(error.__traceback__) from error


def _one_of(first: Exception, second: Exception) -> Exception:
    """The exception of an `if` whose branches raise different ones."""
    if type(first) is type(second) and str(first) == str(second):
        return second
    kind = next(cls for cls in type(first).__mro__ if isinstance(second, cls))
    texts = [str(error) for error in (first, second)]
    if type(first) is not type(second):
        texts = [f"{type(error).__name__}: {error}" for error in (first, second)]
    found: Any = kind.__new__(kind, " or ".join(texts))
    return found


def raise_later(test: Any, raising: RaisingSide) -> None:
    """Have the program raise what one branch raises, where the test chooses that branch."""
    flag = flag_of(test, "`if`")
    raise_where(xp.logical_not(flag) if raising.side else flag, raising.error)
    current_frame().functions.later.append(raising.error)


_OF_PLACES: Final = (LookupError, ArithmeticError)
"""The exceptions that Python raises for known positions, keys and numbers."""


def is_pythons(error: Exception) -> bool:
    """Tell whether Python raises the same error in this code without a trace.

    It does so for those of a `raise` outside mlirad, NumPy and compiled code, and for those of known values.
    """
    if isinstance(error, MliradError):
        return False
    entries: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_globals.get("__name__") != asked_calls.__name__:  # in the place of the code
            entries.append(entry)
        entry = entry.tb_next
    last = entries[-1]
    code = last.tb_frame.f_code
    if not is_user_file(code.co_filename) and not is_scipy_code(code.co_filename):
        return False
    is_statement = dis.opname[code.co_code[last.tb_lasti]] == "RAISE_VARARGS"
    return is_statement or isinstance(error, _OF_PLACES)
