"""The Python side: tracing, NumPy's protocols, and the transformations that users call."""

from mlirad.frontend import indexing, numpy_functions, ufuncs
from mlirad.frontend.functions import trace
from mlirad.frontend.linear_maps import LinearMap, linearize, vjp
from mlirad.frontend.structure import asarray, build, gather, index, scatter, stack, stop_gradient, where
from mlirad.frontend.structure import map_ as map
from mlirad.frontend.tracer import Array
from mlirad.frontend.transformations import grad, jit, jvp, value_and_grad

__all__ = [
    "Array",
    "LinearMap",
    "asarray",
    "build",
    "gather",
    "grad",
    "index",
    "indexing",
    "jit",
    "jvp",
    "linearize",
    "map",
    "numpy_functions",
    "scatter",
    "stack",
    "stop_gradient",
    "trace",
    "ufuncs",
    "value_and_grad",
    "vjp",
    "where",
]
