"""Errors about the user's line: that of the innermost call outside mlirad and NumPy.

raise shape_error("matmul of a scalar", "write x * y")      model.py:12: matmul of a scalar
                                                              hint: write x * y
"""

from __future__ import annotations

from typing import Generic, TypeVar

from mlirad.errors import (
    ArgumentError,
    DtypeError,
    MliradError,
    PositionError,
    ShapeError,
    TracingError,
    UnsupportedError,
)
from mlirad.frontend.tracing.source import user_line

E = TypeVar("E", bound=MliradError)


class Located(Generic[E]):
    """Makes errors of a class: from what is wrong, and a hint what to do about it."""

    def __init__(self, kind: type[E]):
        self._kind = kind

    def __call__(self, message: str, hint: str | None = None) -> E:
        return self._kind(message, location=user_line(), hint=hint)


argument_error = Located(ArgumentError)
dtype_error = Located(DtypeError)
position_error = Located(PositionError)
shape_error = Located(ShapeError)
tracing_error = Located(TracingError)
unsupported_error = Located(UnsupportedError)
