"""Reads from a user's line how it uses a traced value without elements, to suggest a replacement.

sorted(x)               np.sort(x)                      np.random.normal(x)      ad.random.normal(key)
x in values             np.any(values == x)             a[x]                     ad.asarray(a)[x]

Python and NumPy ask a value for its truth, or its elements, without saying what for. The expression that the
user's code is computing says it.
"""

from __future__ import annotations

import ast
import linecache
from types import CodeType, FrameType
from typing import Final

import numpy as np

from mlirad.frontend.tracing.source import user_frame

RUNTIME: Final = "ad__"
"""The variable of a rewritten function that holds what its control flow calls."""

STATE_READ: Final = "ad_get"
STATE_WRITTEN: Final = "ad_set"
"""The functions in a rewritten one that only read, and write, the variables of a statement."""

_CHOICES = (
    "write np.where(condition, a, b) for a choice between values, ad.cond(condition, f, g) for one between "
    "computations, ad.while_loop(condition, body, init) for `while`, np.logical_and for `and`"
)
_TRUTH = f"{_CHOICES}; shapes and other static things may steer Python code"
_CHOSEN_FROM_A_LIST = "to choose from functions by a number write ad.switch(k, [f, g])"
_REWRITE = '; or have the source rewritten: ad.jit(f, control="rewrite")'
_REWRITTEN = (
    f"{_CHOICES}; generators that have no end, or are sent values, operands that assign by `:=`, and code "
    "without source, are not rewritten"
)
_ASSERTION = (
    'have the source rewritten: with ad.jit(f, control="rewrite") it is checked when the program runs; or '
    "return the condition, and check it outside"
)

_TRUTH_OF_CALLS = {
    "sorted": "write np.sort(x) for sorted(x), and x[np.argsort(key(x))] for sorted(x, key=key)",
    "min": "write np.min(x) or np.minimum(a, b), and x[np.argmin(key(x))] for min(x, key=key)",
    "max": "write np.max(x) or np.maximum(a, b), and x[np.argmax(key(x))] for max(x, key=key)",
    "any": "write np.any(x)",
    "all": "write np.all(x)",
    "bool": "write x.astype(bool)",
    "filter": "write x[x > 0] if it is reduced or assigned, or ad.extract(x > 0, x, size=n)",
}
"""The hints for functions of Python that ask for the truth of an argument."""

_TRUTH_OF_NOT = "write np.logical_not(x) for `not x`"
_MEMBERSHIP = "write np.any(values == x) for `x in values`"

_ELEMENTS = (
    "write it by functions of NumPy and SciPy that can be traced (docs/numpy.md), which take traced values "
    "and lists of them, or compute it outside and pass the result"
)
_INDEXED = "make the array traced: ad.asarray(a)[i]"
_DRAWN = (
    "pass a key, and write mean + scale * ad.random.normal(key, shape) for normal(mean, scale, shape); or "
    "draw outside, and pass the numbers"
)

_ELEMENTS_OF_CALLS = {
    "as_strided": "write np.lib.stride_tricks.sliding_window_view(x, n) for windows, x[::k] for every k-th",
    "arange": "lengths are static: write start + step * np.arange(n)",
}
_ELEMENTS_OF_MODULES = {
    "random": _DRAWN,
    "ma": "write np.where(mask, other, x), and np.mean(x, where=~mask) for the mean of a masked array",
    "testing": "return the values, and compare them outside",
}


def truth_hint() -> str:
    """Return what to write instead of what asks for the truth of a traced value."""
    frame = user_frame()
    node = None if frame is None else _expression(frame)
    if _is_membership(node):
        return _MEMBERSHIP
    if isinstance(node, ast.UnaryOp):
        return _TRUTH_OF_NOT
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Subscript) and isinstance(called.value, ast.List | ast.Tuple):
        return _CHOSEN_FROM_A_LIST + _REWRITE
    for call in () if node is None else ast.walk(node):  # a `filter` is read by the call around it
        name = _called(call)
        if len(name) == 1 and name[0] in _TRUTH_OF_CALLS:
            return _TRUTH_OF_CALLS[name[0]]
    if _is_rewritten(frame):
        return _REWRITTEN
    return _ASSERTION if _line(frame).startswith("assert") else _TRUTH + _REWRITE


def elements_hint() -> str:
    """Return what to write instead of what asks for the elements of a traced value."""
    frame = user_frame()
    node = None if frame is None else _expression(frame)
    if isinstance(node, ast.Subscript):
        return _INDEXED
    if _is_membership(node):
        return _MEMBERSHIP
    name = _called(node)
    for part in name[1:-1]:
        if part in _ELEMENTS_OF_MODULES:
            return _ELEMENTS_OF_MODULES[part]
    last = name[-1] if name else ""
    if last in _ELEMENTS_OF_CALLS:
        return _ELEMENTS_OF_CALLS[last]
    if hasattr(np.random.Generator, last) and not hasattr(np, last):
        return _DRAWN
    is_dtype = isinstance(getattr(np, last, None), type) and issubclass(getattr(np, last), np.generic)
    return f"write x.astype(np.{last}) for np.{last}(x)" if is_dtype else _ELEMENTS


_SHOWING: Final = frozenset((
    "IPython", "_pytest", "bdb", "debugpy", "ipykernel", "logging", "loguru", "pdb", "pprint", "pudb",
    "pydevd", "reprlib", "rich", "structlog", "traceback", "unittest", "warnings",
))  # fmt: skip
"""Modules and packages that make texts for people."""


def is_for_people(frame: FrameType) -> bool:
    """Tell whether a frame runs code whose texts are only shown."""
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _SHOWING


def is_showing(frame: FrameType) -> bool:
    """Tell whether a frame only prints, or raises an error, in its line."""
    if is_for_people(frame):
        return True
    if _called(_expression(frame)) == ["print"]:
        return True
    try:
        (statement,) = ast.parse(_line(frame)).body
    except (SyntaxError, ValueError):
        return False
    is_print = isinstance(statement, ast.Expr) and _called(statement.value) == ["print"]
    return is_print or isinstance(statement, ast.Raise)


def _is_membership(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)


def _called(node: ast.AST | None) -> list[str]:
    """The name of the function of a call, in parts: np, random, normal."""
    parts: list[str] = []
    if isinstance(node, ast.Call):
        function = node.func
        while isinstance(function, ast.Attribute):
            parts.insert(0, function.attr)
            function = function.value
        parts.insert(0, function.id if isinstance(function, ast.Name) else "")
    return parts


def _expression(frame: FrameType) -> ast.expr | None:
    """The expression that a frame is computing, `None` if its source is not known."""
    place = _position(frame.f_code, frame.f_lasti)
    if place is None:
        return None
    first, last, start, end = place
    lines = [line.encode() for line in linecache.getlines(frame.f_code.co_filename, frame.f_globals)]
    found = lines[first - 1 : last]
    if len(found) != last - first + 1:
        return None
    found[-1] = found[-1][:end]
    found[0] = found[0][start:]
    try:
        return ast.parse(f"({b''.join(found).decode()})", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _position(code: CodeType, instruction: int) -> tuple[int, int, int, int] | None:
    """First and last line of an instruction, and the columns, in bytes, where it starts and ends there."""
    places = list(code.co_positions())
    found = places[instruction // 2] if 0 <= instruction // 2 < len(places) else (None,) * 4
    first, last, start, end = found
    return None if None in found else (int(first or 0), int(last or 0), int(start or 0), int(end or 0))


def _line(frame: FrameType | None) -> str:
    return "" if frame is None else linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip()


def _is_rewritten(frame: FrameType | None) -> bool:
    """Return whether a frame, or one of those that called it, runs a rewritten function."""
    while frame is not None:
        code = frame.f_code
        if RUNTIME in code.co_names or RUNTIME in code.co_freevars:
            return True
        frame = frame.f_back
    return False
