"""Special functions as ops: what meanings of ufuncs of `scipy.special` are made of.

special(b, "gammainc", a, x)       array.special gammainc
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, element_of, is_float, keyword
from mlirad.ir.arrays import ArrayBuilder

Meaning: TypeAlias = Callable[..., Any]
"""A function of the builder and the operands; a ufunc of several results has a tuple of them."""


def special(b: ArrayBuilder, function: str, *operands: Value) -> Value:
    """`array.special` on operands of one shape; integers become floats."""
    element = next(element_of(o) for o in reversed(operands) if is_float(o))
    floats = [b.convert(o, element) for o in operands]
    return b.apply_elementwise(ew.SpecialOp, floats, {"function": keyword(function)})
