"""A float array, or scalar, with the Delta terms of its elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Shape
from mlirad.interpreter.deltas.delta_terms import ZERO, Delta, Terms, Zero
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Dual:
    """A value, and a term per element in row-major order."""

    value: Any
    terms: Terms

    def __getitem__(self, i: int) -> Any:
        """Slice number i along dimension 0, with its terms."""
        row = self.value[i]
        size = np.size(row)
        return with_terms(row, self.terms[i * size : (i + 1) * size])


def with_terms(value: Any, terms: Terms) -> Any:
    """A value with its terms, which is the value alone where all of them are zero."""
    return value if all(isinstance(term, Zero) for term in terms) else Dual(value, terms)


def plain(value: Any) -> Any:
    """A value without terms; what is not an array stays as it is."""
    return value.value if isinstance(value, Dual) else value


def terms_of(value: Any) -> Terms:
    """The terms of an array or scalar, which are zero where it depends on no input."""
    return value.terms if isinstance(value, Dual) else [ZERO] * np.size(value)


def joined(parts: Sequence[Any], shape: Shape, type_: Attribute) -> Any:
    """The array of a shape that has the elements of the parts, one after another, as elements of a type."""
    values = np.array([plain(part) for part in parts], numpy_dtype(type_)).reshape(shape)
    if not any(isinstance(part, Dual) for part in parts):
        return values
    terms: list[Delta] = [term for part in parts for term in terms_of(part)]
    assert len(terms) == prod(shape)
    return Dual(values, terms)
