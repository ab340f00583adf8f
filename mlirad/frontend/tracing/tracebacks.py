"""Errors as their readers need them: the traceback of a mistake shows the user's frames, not the compiler's.

    @plain_errors
    def linearize(...): ...

An error that mlirad raises on purpose says which line it is about and what to do. How tracing, passes and
NumPy's protocols were called on the way there is left out of its traceback, and so are the errors it was made
from. Set the environment variable MLIRAD_FULL_TRACEBACK to see all of it, as one who works on mlirad does.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import FunctionType, TracebackType
from typing import ParamSpec, TypeVar, cast

from mlirad.errors import MliradError
from mlirad.frontend.tracing.source import is_user_file
from mlirad.jit.switches import is_off

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

FULL = "MLIRAD_FULL_TRACEBACK"
"""The environment variable that keeps tracebacks as they are."""


def plain_errors(function: Callable[P, R]) -> Callable[P, R]:
    """A function users call, whose errors show the users' frames only.

    A call with arguments that it does not take raises `ArgumentError`.
    """

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except MliradError as error:
            hide_frames(error)
            raise
        except TypeError as error:
            raise_if_not_entered(error, function)
            raise

    return called


def raise_if_not_entered(error: TypeError, function: Callable[..., object]) -> None:
    """Raise `ArgumentError` for a call whose arguments the function does not take.

    It is Python's error of the call itself: none of its frames is inside of the function.
    """
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return
    name = function.__name__
    from mlirad.frontend.tracing.wrong_calls import wrong_call

    raise wrong_call(function, str(error).replace(f"{name}()", f"{name.rstrip('_')}()")) from None


def plain_methods(cls: type[C]) -> type[C]:
    """A class whose methods, except private ones, are `plain_errors`."""
    for name, member in list(vars(cls).items()):
        if (name.startswith("_") and not name.endswith("__")) or name in ("__init__", "__repr__"):
            continue
        if isinstance(member, staticmethod):
            setattr(cls, name, staticmethod(plain_errors(cast(Callable[..., object], member.__func__))))
        elif isinstance(member, FunctionType):
            setattr(cls, name, plain_errors(member))
    return cls


def hide_frames(error: MliradError) -> None:
    """Take the compiler's and NumPy's frames out of an error's traceback, and what it was made from."""
    if is_off(os.environ.get(FULL, "")):
        error.__cause__ = None  # which also stops Python from showing the context
        error.__traceback__ = _user_frames(error.__traceback__)


def _user_frames(traceback: TracebackType | None) -> TracebackType | None:
    """The chain of the frames that are the user's own."""
    chain: list[TracebackType] = []
    while traceback is not None:
        if is_user_file(traceback.tb_frame.f_code.co_filename):
            chain.append(traceback)
        traceback = traceback.tb_next
    kept: TracebackType | None = None
    for entry in reversed(chain):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept
