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
from mlirad.frontend.tracing.open_traces import Asking, open_traces
from mlirad.frontend.tracing.source import user_frame, user_line

E = TypeVar("E", bound=MliradError)


class Located(Generic[E]):
    """Makes errors of a class: from what is wrong, and a hint what to do about it.

    `of_numpy` says that NumPy raises one in such a case too, so that code may catch it.
    """

    def __init__(self, kind: type[E], *, of_numpy: bool = False):
        self._kind = kind
        self._is_about_traces = not of_numpy and issubclass(kind, TracingError | UnsupportedError)

    def __call__(self, message: str, hint: str | None = None) -> E:
        error = self._kind(message, location=user_line(), hint=hint)
        if self._is_about_traces and open_traces.raised is not None:
            noted(error)
        return error


def noted(error: E) -> E:
    """The error, noted as one that there is in traces alone."""
    frame = user_frame()
    if open_traces.raised is not None:
        open_traces.raised.append((error, None if frame is None else Asking(frame, frame.f_lineno)))
    return error


argument_error = Located(ArgumentError)
dtype_error = Located(DtypeError)
position_error = Located(PositionError)
shape_error = Located(ShapeError)
no_scalar_error = Located(TracingError, of_numpy=True)
tracing_error = Located(TracingError)
unsupported_error = Located(UnsupportedError)
