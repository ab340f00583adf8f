"""NumPy's functions of nests of lists and tuples that hold traced values.

    np.mean([x, y])     np.linalg.norm((x, 1.0))     np.dot([x, y], [y, 1])     np.r_[x, 0.0]

NumPy asks arguments whether they trace a function, but not what lists of them hold. So while a function is
traced, NumPy's names stand for functions that look, as SciPy's do (`tracing.library_names`). They do so for
calls in users' files alone, of every function that can be traced; all other calls are NumPy's. Ufuncs stay as
they are: what else than a call is asked of them, such as `np.add.reduce`, needs the ufunc itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.arrays.creation import OF_NESTS
from mlirad.frontend.numpy_functions.arrays.elementwise import vectorized
from mlirad.frontend.numpy_functions.protocols.classes import CONSTRUCTORS, IN_C
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from mlirad.frontend.numpy_functions.protocols.index_tricks import INDEX_TRICKS
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.library_names import TRACED, TRACED_METHODS, Handing, MethodHanding
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.source import is_user_file

MODULES = ("numpy", "numpy.linalg", "numpy.fft")
"""The modules whose names stand for others."""

Own = Callable[..., Any]


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for part in cast("list[object]", value):
            yield from _leaves(part)
    else:
        yield value


def _is_users() -> bool:
    """Whether a function of a user is being traced, and has made the call of what asks."""
    return is_tracing() and is_user_file(sys._getframe(3).f_code.co_filename)  # pyright: ignore[reportPrivateUsage]


def _of_nests(own: Own, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy, which asks a traced value in a nest where there is one."""
    nests = [cast(object, value) for value in (*args, *kwargs.values()) if isinstance(value, list | tuple)]
    if nests and _is_users():
        leaves = list(_leaves(nests))
        traced = next((leaf for leaf in leaves if isinstance(leaf, Array | ComplexArray)), None)
        if traced is not None and not any(map(_is_foreign, leaves)):
            return traced.__array_function__(own, (), args, kwargs)
    return own(*args, **kwargs)


def _is_foreign(leaf: object) -> bool:
    """Whether a value answers for itself which functions it takes, and is no array."""
    is_array = isinstance(leaf, Array | ComplexArray | np.ndarray | np.generic)
    return not is_array and hasattr(cast("type[Any]", type(leaf)), "__array_function__")


def _names(module: str) -> dict[str, Handing]:
    members = cast("dict[str, object]", vars(sys.modules[module]))
    return {
        name: _of_nests
        for name, member in members.items()
        if callable(member) and not isinstance(member, type) and member in FUNCTIONS
    }


def bind() -> None:
    """Let NumPy's names stand for these functions in all traces, and for those of `creation`; called once."""
    TRACED.update({module: _names(module) for module in MODULES})
    TRACED["numpy"].update(OF_NESTS | IN_C)
    methods: dict[str, dict[str, MethodHanding]] = {
        name: {"__getitem__": getitem} for name, getitem in INDEX_TRICKS.items()
    }
    methods |= CONSTRUCTORS
    methods["vectorize"] = {"__call__": vectorized}
    TRACED_METHODS["numpy"] = lambda: methods
