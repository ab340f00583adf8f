"""`Size`: what a traced function gets for an extent that is not known before the program runs.

    n = x.shape[0]
    total / n                    traced
    x.reshape(n * 10)            extents of results
    n >= 2                       True: it holds for all sizes
    if n > 100                   SizeNeeded

It is not an integer. Code that needs the number raises `SizeNeeded`, which becomes an error at the user's
line: that says what the line does with the size, and what to write instead.

Sizes are numbers of a whole program. Each function could have sizes of its own, stated by every call. But
functions that pull back often have none of the arguments that the sizes are read from, every pass that makes
functions would have to pass sizes on, and callees are traced for each type anyway. An unknown order raises.
Extents could be integers that remember their formula, or compare at a nominal size; a pass that forgets about
sizes would then make wrong programs, and as it is, it fails.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any, Final, cast

import numpy as np

from mlirad.dialects.extents import Extent, made, same
from mlirad.dialects.shapes import Shape
from mlirad.errors import SizeNeeded, TracingError
from mlirad.frontend.tracing.source import is_user_file
from mlirad.frontend.tracing.told_functions import require_asking


class Size(Extent):
    """An extent in a traced function. Arithmetic with integers and sizes makes sizes, all other is traced."""

    __slots__ = ()
    __array_priority__ = 900

    def _made(self, terms: Any) -> Any:
        return sized(made(terms))

    def __hash__(self) -> int:
        if _is_users_call():
            raise SizeNeeded(f"{self} is needed as a key of a table", self)
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) or (_is_users_call() and self._equals(other))

    def __ne__(self, other: object) -> bool:
        return not (super().__eq__(other) or (_is_users_call() and self._equals(other)))

    def _equals(self, other: object) -> bool:
        """Return whether this is another extent, whose form differs, for all sizes or for none."""
        if not isinstance(other, int | Extent):
            return False
        answer = same(cast(int, self), cast(int, other))
        if answer is None:
            raise SizeNeeded(f"whether {self} and {other} are equal depends on the size", self)
        return answer

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(_traced, inputs), **options)

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        require_asking()
        raise SizeNeeded(f"{self} is needed as an array of NumPy, whose elements are numbers", self)


def _operator(name: str) -> Callable[..., Any]:
    """An operator that makes a size where it can, and is traced where it cannot."""
    own = getattr(Extent, name, None)

    def operator(self: Size, other: Any) -> Any:
        if own is not None and isinstance(other, int | Extent):
            found = own(self, other)
            if found is not NotImplemented:
                return found
        if not isinstance(other, int | float | Extent | np.generic | np.ndarray):
            return NotImplemented
        return getattr(_traced(self), name)(_traced(other))

    return operator


_ARITHMETIC: Final = (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod",
    "rmod", "pow", "rpow",
)  # fmt: skip

for _name in _ARITHMETIC:
    setattr(Size, f"__{_name}__", _operator(f"__{_name}__"))


class _Tracing:
    """Makes traced values of sizes."""

    as_array: Callable[[Any], Any]


_tracing = _Tracing()


def bind_tracing(as_array: Callable[[Any], Any]) -> None:
    """Say what makes traced values of sizes; called once, when the package is imported."""
    _tracing.as_array = as_array


def _traced(value: Any) -> Any:
    return _tracing.as_array(value) if isinstance(value, Extent) else value


def _is_users_call() -> bool:
    """Return whether an operator of `Size` is used by other code than mlirad's, which compares forms."""
    names = sys._getframe(2).f_globals  # pyright: ignore[reportPrivateUsage]
    return str(names.get("__name__")).partition(".")[0] != "mlirad"


def sized(extent: int) -> int:
    """An extent as users see it."""
    return cast(int, Size(cast(Extent, extent).terms)) if isinstance(cast(object, extent), Extent) else extent


def sized_shape(shape: Shape) -> Shape:
    """A shape as users see it."""
    for extent in shape:
        if isinstance(cast(object, extent), Extent):
            return tuple(map(sized, shape))
    return shape


# Errors ------------------------------------------------------------------------------------------

LEAVE_OUT: Final = "leave the dimension out of dynamic: a program for each size knows the number"

SAME_SIZE: Final = (
    "extents that are known when the program runs must be equal for all sizes; where two dimensions of "
    'arguments have one size, name them in one string: dynamic="x:0 y:0"'
)
"""The hint for shapes that meet."""

LOOPS: Final = 'write ad.fori_loop or ad.scan; with control="rewrite" `for` becomes one by itself'

MAKERS: Final = ("zeros", "ones", "empty", "full", "arange", "eye", "identity")
"""NumPy's functions that make arrays of a size, which rewritten code calls for sizes of programs."""

_HINTS: Final = {
    "len": "write x.shape[0] for len(x), which has to be an integer of Python",
    "range": LOOPS,
    "int": "use the size as it is: arithmetic with it is traced",
    "float": "use the size as it is: arithmetic with it is traced",
    **{name: f"write ad.numpy.{name}(n), which makes a traced array" for name in MAKERS},
    "split": "write np.split(x[: n // 3 * 3], 3): the rows that are left over are cut off first",
    "sqrt": "write np.sqrt(n), which is traced",
    "log": "write np.log(n), which is traced",
}
"""The code to write instead of a call, by the name of the function."""


def explained(error: SizeNeeded) -> TracingError:
    """The error at the user's line, with what to write instead of what stands there."""
    last = None
    traceback = error.__traceback__
    while traceback is not None:
        if is_user_file(traceback.tb_frame.f_code.co_filename):
            last = traceback
        traceback = traceback.tb_next
    location = None if last is None else f"{last.tb_frame.f_code.co_filename}:{last.tb_lineno}"
    expression = None if last is None else _expression_at(last)
    name = None if last is None else _called(expression, last)
    hint = error.hint or _hint_for(expression, name)
    message = f"{error.message}, which is known when the program runs"
    made = TracingError(message, location=location, hint=hint)
    made.asks_size = True
    made.makes_array = name in MAKERS
    return made


def _called(expression: ast.expr | None, place: TracebackType) -> str | None:
    """The name of the function that an expression calls, None where it calls none.

    A function of NumPy's has its own name, whatever the program calls it.
    """
    if not isinstance(expression, ast.Call):
        return None
    called = expression.func
    found = _looked_up(called, place)
    for name in MAKERS:
        if found is getattr(np, name):
            return name
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _looked_up(expression: ast.expr, place: TracebackType) -> object:
    """The value of a name, or of an attribute of a module, at a place; None for any other expression."""
    frame = place.tb_frame
    if isinstance(expression, ast.Name):
        name = expression.id
        return frame.f_locals.get(name, frame.f_globals.get(name))
    if isinstance(expression, ast.Attribute):
        module = _looked_up(expression.value, place)
        return getattr(module, expression.attr, None) if isinstance(module, ModuleType) else None
    return None


def _hint_for(expression: ast.expr | None, name: str | None) -> str:
    """Return what to write instead of an expression, which calls the function `name`."""
    if isinstance(expression, ast.Compare | ast.BoolOp):
        return f"write ad.cond(np.greater(n, 100), f, g) for a choice between computations, or {LEAVE_OUT}"
    return LEAVE_OUT if name is None else _HINTS.get(name, LEAVE_OUT)


def _expression_at(place: TracebackType) -> ast.expr | None:
    """The expression that is evaluated, None where its text is not known."""
    code = place.tb_frame.f_code
    positions = list(code.co_positions())
    first, last, start, end = positions[place.tb_lasti // 2]
    if first is None or last is None or start is None or end is None:
        return None
    lines = [linecache.getline(code.co_filename, k).encode() for k in range(first, last + 1)]
    if not all(lines):
        return None
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        return ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return None
