"""The Python side: tracing, NumPy's protocols, and the transformations that users call."""

from mlirad.frontend import numpy_functions, ufuncs, writes
from mlirad.frontend.branches import cond, switch
from mlirad.frontend.checks import check_derivatives
from mlirad.frontend.custom import checkpoint, custom_derivative
from mlirad.frontend.functions import trace
from mlirad.frontend.linear_maps import LinearMap
from mlirad.frontend.linearization import linearize, vjp
from mlirad.frontend.loops import fold, fori_loop, scan, while_loop
from mlirad.frontend.numpy_functions.windows import convolution
from mlirad.frontend.recursion import function
from mlirad.frontend.reports import debug_print
from mlirad.frontend.structure import asarray, build, gather, index, scatter, stack, stop_gradient, where
from mlirad.frontend.structure import map_ as map
from mlirad.frontend.tracer import Array
from mlirad.frontend.transformations import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    value_and_grad,
    vmap,
)

__all__ = [
    "Array",
    "LinearMap",
    "asarray",
    "build",
    "check_derivatives",
    "checkpoint",
    "cond",
    "convolution",
    "custom_derivative",
    "debug_print",
    "fold",
    "fori_loop",
    "function",
    "gather",
    "grad",
    "hessian",
    "hvp",
    "index",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "linearize",
    "map",
    "numpy_functions",
    "scan",
    "scatter",
    "stack",
    "stop_gradient",
    "switch",
    "trace",
    "ufuncs",
    "value_and_grad",
    "vjp",
    "vmap",
    "where",
    "while_loop",
    "writes",
]
