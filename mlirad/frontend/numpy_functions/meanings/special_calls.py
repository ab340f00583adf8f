"""Ufuncs of `scipy.special` by their names, on traced arrays: `scipy.special` itself is not imported."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from mlirad.frontend.numpy_functions.meanings.special import SPECIAL_MEANINGS
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import Operand, as_array, common, inexact, operand_of, xp


def special(ufunc: str, *operands: Any) -> Any:
    """A ufunc with one result, of operands that are broadcast, in floats of one dtype."""
    floats = [inexact(as_array(o)) if isinstance(o, Array) else o for o in operands]
    arrays = xp.broadcast_arrays(*map(inexact, common([operand_of(x) for x in floats])))
    return made(SPECIAL_MEANINGS[ufunc](emitting(), *(a.value for a in arrays)))


def wofz(x: Operand) -> ComplexArray:
    """`scipy.special.wofz` of real numbers: e^(-x^2) + 2i / sqrt(pi) dawsn(x)."""
    real = inexact(as_array(x))
    return ComplexArray(xp.exp(-real * real), special("dawsn", real) * (2 / sqrt(pi)))
