"""NumPy's functions of nests of lists and tuples that hold traced values, and of traced options.

    np.mean([x, y])     np.linalg.norm((x, 1.0))     np.dot([x, y], [y, 1])     np.take(table, k)

NumPy asks arguments whether they trace a function, but not what lists of them hold. Functions of Python, one
for each of NumPy's, say which arguments are asked. In threads that trace, these name traced values in lists
too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

from mlirad.frontend.numpy_functions.arrays.creation import CREATING
from mlirad.frontend.numpy_functions.arrays.vectorizing import vectorized
from mlirad.frontend.numpy_functions.calls.answers import MethodHanding, functions_called, methods_called
from mlirad.frontend.numpy_functions.protocols.classes import CONSTRUCTORS
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from mlirad.frontend.numpy_functions.protocols.index_tricks import INDEX_TRICKS
from mlirad.frontend.splicing.questions import MISS, Question, Values
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.library_calls import ANSWERED, Answer
from mlirad.jit.object_layout import asked_arguments

_METHODS: Final[dict[str, dict[str, MethodHanding]]] = {
    **{name: {"__getitem__": getitem} for name, getitem in INDEX_TRICKS.items()},
    **CONSTRUCTORS,
    "vectorize": {"__call__": vectorized},
}
"""The methods of a class of NumPy, or of an object of one, by its name."""


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for part in cast("list[object]", value):
            yield from _leaves(part)
    else:
        yield value


def _asked(question: Question, values: Values) -> Any:
    """The argument that NumPy asks, of a function that is given a traced value, wherever that is."""
    leaves = list(_leaves(list(question.given(values))))
    traced = next((leaf for leaf in leaves if isinstance(leaf, Array | ComplexArray)), None)
    if traced is None or any(map(_is_foreign, leaves)):
        return MISS
    return traced if question.is_generator else (traced,)


def _is_foreign(leaf: object) -> bool:
    """Return whether a value answers for itself which functions it takes, and is not an array."""
    is_array = isinstance(leaf, Array | ComplexArray | np.ndarray | np.generic)
    return not is_array and hasattr(cast("type[Any]", type(leaf)), "__array_function__")


_MADE: Final = ("full", "require", "asarray_chkfinite")
"""Functions of Python that make arrays."""


def _made(name: str, own: Callable[..., Any], args: Values, kwargs: dict[str, Any]) -> Any:
    return CREATING[name](*args, **kwargs)


def _numpy(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    for function in FUNCTIONS:
        names_arguments = asked_arguments(function)
        if names_arguments is not None:
            yield names_arguments, _asked
    yield from functions_called({name: partial(_made, name) for name in _MADE})(module)
    yield from methods_called(lambda: _METHODS)(module)


def _masked(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    from mlirad.frontend.numpy_functions.protocols.unmasked import (
        FINDING,
    )  # most programs have no masked arrays

    return FINDING(module)


def _series(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    from mlirad.frontend.numpy_functions.protocols.polynomial_series import series_functions  # the same

    return series_functions(module)


def bind() -> None:
    """Have NumPy's functions of Python ask in all traces; called once."""
    ANSWERED["numpy"] = _numpy
    ANSWERED["numpy.ma"] = _masked
    ANSWERED["numpy.polynomial.polyutils"] = _series
