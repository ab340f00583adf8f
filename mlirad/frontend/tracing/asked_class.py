"""The class that a traced value answers code outside of mlirad with: that of the NumPy value in its place.

    isinstance(x, np.ndarray)       True for an array, in code of the program and of packages
    isinstance(x, float)            True for a scalar of float64, as for np.float64(1.0)
    type(x)                         mlirad's own class, which says what x is

`isinstance` asks an object of another class for its attribute `__class__`. mlirad, NumPy and SciPy, which
look at what arrays hold in memory, and Python's library, which copies and pickles by it, get the class
itself.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final

import numpy as np

from mlirad.frontend.tracing.dtypes import PYTHON_TYPES
from mlirad.frontend.tracing.source import LIBRARIES

_ASKING_FOR_OTHERS: Final = frozenset(("abc", "_py_abc", "typing", "functools", "numbers"))
"""Modules of Python that ask in the name of their callers."""

_ANSWERED: Final = frozenset(("isscalar", "iterable"))
"""Functions of NumPy that ask what an argument is, and nothing else."""

_own: dict[str, bool] = {}
"""True if a module gets the class itself, by its name."""


def asks_for_numpys(*, by_functions_of_mlirad: bool = False) -> bool:
    """Return whether the code that asks a traced value for its class is to see the class of a NumPy value.

    That code may be called `by_functions_of_mlirad` that stand for Python's, as `list` of a `map` calls it.
    """
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        name: Any = frame.f_globals.get("__name__")
        is_standing = by_functions_of_mlirad and isinstance(name, str) and name.startswith("mlirad.")
        if name not in _ASKING_FOR_OTHERS and not is_standing:
            break
        frame = frame.f_back
    else:
        return False
    is_own = _own.get(name)
    if is_own is None:
        is_own = _own[name] = (
            isinstance(name, str)
            and name.partition(".")[0] in _SEEING_OWN
            and (
                not name.startswith("numpy.polynomial.")  # which is traced as code of packages is
            )
        )
    return not is_own or (frame.f_code.co_name in _ANSWERED and name.startswith("numpy."))


_SEEING_OWN: Final = frozenset((*sys.stdlib_module_names, "mlirad", *LIBRARIES))


def class_of(dtype: np.dtype[Any], *, is_array: bool, weak: bool) -> type[Any]:
    """The class of the NumPy array, NumPy scalar or Python number that a traced value stands for."""
    if is_array:
        return np.ndarray
    return PYTHON_TYPES.get(dtype.kind, complex) if weak else dtype.type
