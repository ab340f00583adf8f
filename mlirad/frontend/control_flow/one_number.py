"""Traced arrays as the numbers that functions of Python take, where arrays of NumPy of their shapes are such.

    float(x), math.sin(x)      of x: float64[3], a TypeError as of an array of NumPy
    max(x, y), sorted([x, y])  the same, as the truth of x < y is ambiguous

So code that asks whether it has a number, by `try: float(x)  except TypeError`, goes on as with NumPy.
"""

from __future__ import annotations

from typing import Any

from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.tracing.array import Array, is_number
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import contains_traced


def number(value: Any) -> Any:
    """A value that a function makes a number of, as a scalar. Raises what `float` raises of another one."""
    if isinstance(value, Array) and is_number(value):
        return value.reshape(()) if value.ndim else value
    if isinstance(value, ComplexArray) and not value.ndim:
        return value
    return float(value) if contains_traced(value) or isinstance(value, MaskedElements) else value


def compared(value: Any) -> Any:
    """A value that a function compares with others, as a scalar. Raises for an array without just one."""
    if not isinstance(value, Array) or not value.ndim:
        return value
    if value.size != 1:
        bool(value)
    return value.reshape(())
