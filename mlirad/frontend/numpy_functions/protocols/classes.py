"""NumPy's classes that are made of arrays, which NumPy does not dispatch.

np.ndenumerate(x)      ((0, 0), x[0, 0]), ((0, 1), x[0, 1]), ...
np.poly1d(c)           an error: how many coefficients it has depends on them
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import as_array, contains_traced
from mlirad.frontend.tracing.raising import unsupported_error


class _Elements:
    """The elements of a traced array as `np.ndenumerate` reads them: with the position of the next one."""

    def __init__(self, array: Array):
        self._array = array
        self._positions = list(np.ndindex(array.shape))
        self._count = 0

    @property
    def coords(self) -> tuple[int, ...] | None:
        """The position of the next element, `None` after the last one."""
        return self._positions[self._count] if self._count < len(self._positions) else None

    def __next__(self) -> Array:
        position = self.coords
        if position is None:
            raise StopIteration
        self._count += 1
        return self._array[position]


def _ndenumerate(own: Any, plain: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    given = [*args, *kwargs.values()]
    if len(given) == 1 and contains_traced(given[0]):
        own.iter = _Elements(as_array(given[0]))
    else:
        plain(*args, **kwargs)


def _poly1d(own: Any, plain: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if contains_traced([*args, *kwargs.values()]):
        raise unsupported_error("np.poly1d cannot be traced", "write np.polyval(c, x) for np.poly1d(c)(x)")
    plain(*args, **kwargs)


CONSTRUCTORS = {"ndenumerate": {"__init__": _ndenumerate}, "poly1d": {"__init__": _poly1d}}
"""The methods that stand for a class's constructor while a function is traced, by the class."""
