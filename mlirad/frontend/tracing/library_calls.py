"""Calls of library functions with traced values: what answers those that NumPy's protocols do not pass on.

    linalg.cho_factor(x)             -->  what traces it
    stats.norm.logpdf(x)             -->  the same, of a method
    np.vectorize(f)(x)               -->  the same, of a method `__call__`
    interpolate.CubicSpline(t, x)    -->  the same, of a constructor
    np.dot([x, 1.0], y)              -->  the same; NumPy asks arguments, but not what is in lists

Functions of these libraries that are written in Python ask first (`splicing`), so they are found however they
are reached, and other threads see nothing of it. They are asked to once their module is imported and a
function is traced.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final, TypeAlias

from mlirad.frontend.splicing.insertion import UnknownCodeError
from mlirad.frontend.splicing.questions import Question, Values, ask_first, question_of
from mlirad.frontend.tracing.lessons import Request
from mlirad.frontend.tracing.open_traces import open_traces

Answer: TypeAlias = Callable[[Question, Values], Any]
"""The function that answers a call, from the values of its parameters."""

Finding: TypeAlias = Callable[[ModuleType], Iterator[tuple[FunctionType, Answer]]]
"""The function that finds the functions of a module that ask, and their answers."""

ANSWERED: Final[dict[str, Finding]] = {}
"""The functions that find those of a module, such as `scipy.linalg`, and their answers."""

_listened: Final[set[str]] = set()
"""The modules whose functions ask."""


class LibraryImported(Request):
    """The function being traced has imported a library whose functions do not ask yet."""


def require_listening() -> None:
    """Raise `LibraryImported` if there are such functions."""
    if open_traces.frames and waiting_modules():
        raise LibraryImported


def listen() -> None:
    """Have functions ask, in all modules that have been imported since this was called last."""
    for name in waiting_modules():
        for function, answer in ANSWERED[name](sys.modules[name]):
            try:
                ask_first(function, answer)
            except UnknownCodeError:  # what it is called with then meets the error of a traced value
                continue
        _listened.add(name)


def is_asking(function: FunctionType) -> bool:
    """Return whether a function asks first if something else answers a call of it."""
    return question_of(function) is not None


def waiting_modules() -> list[str]:
    """The modules that are imported, and whose functions do not ask yet."""
    return [name for name in ANSWERED if name not in _listened and _is_imported(name)]


def _is_imported(name: str) -> bool:
    """Return whether a module is there, all of it."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)
