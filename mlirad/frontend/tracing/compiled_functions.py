"""Functions that Numba compiled, and the Python functions that they were made from.

@numba.njit
def step(x): ...            python_function(step)      the function that reads as above

Their machine code takes elements in memory, which traced values do not have. Other parts that Numba keeps in
them change with every compilation, and decide nothing.
"""

from __future__ import annotations

import sys
from types import FrameType, FunctionType
from typing import Any, cast

from mlirad.frontend.tracing.source import is_own_frame


def is_numbas(kind: type[Any]) -> bool:
    """Tell whether a class is one of Numba's."""
    return kind.__module__.partition(".")[0] == "numba"


def python_function(value: Any) -> FunctionType | None:
    """The Python function behind what `njit`, `vectorize`, `guvectorize` or `cfunc` made; else `None`."""
    if not is_numbas(cast("type[Any]", type(value))):
        return None
    for holder in (value, getattr(value, "_dispatcher", None)):
        for name in ("py_func", "_pyfunc"):
            found = getattr(holder, name, None)
            if isinstance(found, FunctionType):
                return found
    return None


def calling(ufunc: Any) -> Any:
    """The object of Numba's that calls a ufunc of NumPy's which it holds; `None` if none does."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and is_own_frame(frame):
        frame = frame.f_back
    owner = None if frame is None else frame.f_locals.get("self")
    is_calling = is_numbas(cast("type[Any]", type(owner))) and getattr(owner, "ufunc", None) is ufunc
    return owner if is_calling else None
