"""Series of `numpy.polynomial`: NumPy's own Python code is recorded, except for the trimming of coefficients.

Polynomial(c)(x)                  as NumPy computes it, by Horner's rule
(p * Chebyshev(c)).coef           has as many coefficients as for numbers without a result of 0
Polynomial(c).trim()              refused: how many are left would depend on their values
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from mlirad.frontend.splicing.questions import MISS, Question, Values
from mlirad.frontend.tracing.array import Array, known_number
from mlirad.frontend.tracing.library_calls import Answer
from mlirad.frontend.tracing.operations import contains_traced
from mlirad.frontend.tracing.raising import unsupported_error


def series_functions(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """The functions of `numpy.polynomial.polyutils` that leave coefficients of 0 out."""
    for name, answer in (("trimseq", _kept), ("trimcoef", _refused)):
        function = getattr(module, name, None)
        if isinstance(function, FunctionType):
            yield function, answer


def _kept(question: Question, values: Values) -> Any:
    """The coefficients without those at the end that are 0 whatever the traced values are."""
    (series,) = values
    if not isinstance(series, Array):
        return MISS
    size = series.shape[0]
    while size > 1 and known_number(series[size - 1]) == 0:
        size -= 1
    return series[:size]


def _refused(question: Question, values: Values) -> Any:
    if not contains_traced(values[0]):
        return MISS
    raise unsupported_error(
        "how many coefficients `trim` leaves depends on traced values",
        "write p.truncate(n) for n of them, or p.cutdeg(n)",
    )
