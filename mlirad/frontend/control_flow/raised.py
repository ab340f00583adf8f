"""`raise` under a traced condition: the program raises the exception when it runs.

    if x < 0:                                   report exception %x_is_negative
        raise ValueError("x is negative")           {message = "builtins.ValueError: x is negative"}
    return np.sqrt(x)                           sqrt of x, whether or not x is negative

A branch that ends by a `raise` has no values, so the program goes on with the other one. An exception that an
`except` around it would catch changes what the program computes, so it cannot wait: that is refused.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from mlirad.errors import MliradError, UnsupportedError, is_from_signal
from mlirad.frontend.constructs.loops import flag_of
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.source import is_user_file, traceback_line


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
    """What `raise` is given. One that needs elements of traced values says what its source says."""
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
    """Raise `RaisingSide` for an exception that a `raise` of the traced code makes in the `with` block."""
    try:
        yield
    except Exception as error:
        if is_from_signal(error) or not _is_raised_by_statement(error):
            raise
        raise RaisingSide(side, error) from error


@contextmanager
def not_raising() -> Generator[None]:
    """Refuse an exception that a `raise` makes in the `with` block, which the other branch does, too."""
    try:
        yield
    except Exception as error:
        if is_from_signal(error) or not _is_raised_by_statement(error):
            raise
        raise UnsupportedError(
            f"both branches of an `if` with a traced condition raise: here it is {type(error).__name__}",
            location=traceback_line(error),
            hint="raise one exception there, with a message that says both, by one `if`",
        ) from error


def raise_later(test: Any, raising: RaisingSide) -> None:
    """Have the program raise what one branch raises, where the test chooses that branch."""
    flag = flag_of(test, "`if`")
    raise_where(xp.logical_not(flag) if raising.side else flag, raising.error)


def _is_raised_by_statement(error: Exception) -> bool:
    """Whether a `raise` statement made an error, in code that is neither mlirad's, NumPy's nor SciPy's."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    code = traceback.tb_frame.f_code
    is_statement = dis.opname[code.co_code[traceback.tb_lasti]] == "RAISE_VARARGS"
    return is_statement and is_user_file(code.co_filename)
