"""Attributes that traced arrays do not have, and what to write for them.

x.tobytes()        a traced array has no memory
x.backward()       derivatives are of functions
x.exp()            np.exp(x)
"""

from __future__ import annotations

import sys

import numpy as np

from mlirad.errors import MissingAttributeError
from mlirad.frontend.tracing.raising import noted
from mlirad.frontend.tracing.source import user_line

_MEMORY = frozenset(
    [
        "base",
        "ctypes",
        "data",
        "setflags",
        "getfield",
        "setfield",
        "byteswap",
        "newbyteorder",
        "tobytes",
        "tofile",
        "tostring",
        "dump",
        "dumps",
    ]
)


def missing_attribute(what: str, name: str, otherwise: str) -> MissingAttributeError:
    """Return the error at the user's line that an array, called `what`, has no such attribute."""
    message = f"{what} has no attribute {name!r}"
    hint = _hint(name) or otherwise
    if name not in _MEMORY:
        from mlirad.neighbours import method_said

        said = method_said(name)
        if said is not None:
            message, hint = f"{message}: {said[0]}", said[1]
    error = MissingAttributeError(message, location=user_line(), hint=hint)
    return noted(error) if hasattr(np.ndarray, name) else error


def _hint(name: str) -> str | None:
    if name in _MEMORY:
        known = "shape, dtype, ndim and size are known"
        return f"a traced array has no memory; {known}. Ask for this outside of the traced function"
    if name == "itemset":
        return "write x[i] = v"
    for module in (np, np.linalg, sys.modules.get("scipy.special")):
        function = vars(module).get(name) if module is not None else None
        if isinstance(function, np.ufunc) or hasattr(function, "__wrapped__"):
            return f"write {str(getattr(module, '__name__', '')).replace('numpy', 'np')}.{name}(x)"
    return None
