"""mlirad: automatic differentiation of NumPy programs by a compiler.

import mlirad as ad
g = ad.grad(loss)(w, x)
"""

from mlirad.errors import (
    CompileError,
    DifferentiationError,
    DtypeError,
    InterpreterError,
    MliradError,
    ParseError,
    PositionError,
    ShapeError,
    TracingError,
    UnsupportedError,
    VerifyError,
)
from mlirad.frontend import (
    Array,
    LinearMap,
    asarray,
    build,
    gather,
    grad,
    index,
    jit,
    jvp,
    linearize,
    map,  # noqa: A004
    scatter,
    stack,
    stop_gradient,
    trace,
    value_and_grad,
    vjp,
    where,
)

__all__ = [
    "Array",
    "CompileError",
    "DifferentiationError",
    "DtypeError",
    "InterpreterError",
    "LinearMap",
    "MliradError",
    "ParseError",
    "PositionError",
    "ShapeError",
    "TracingError",
    "UnsupportedError",
    "VerifyError",
    "asarray",
    "build",
    "gather",
    "grad",
    "index",
    "jit",
    "jvp",
    "linearize",
    "map",
    "scatter",
    "stack",
    "stop_gradient",
    "trace",
    "value_and_grad",
    "vjp",
    "where",
]
