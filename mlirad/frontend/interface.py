"""All that users call of the frontend, complete: the names of `mlirad` except for those of other rooms.

from mlirad.frontend.interface import grad, where

Whatever traces a function imports this first, by `tracing.open_traces.complete`.

Parts that a program does not use are not imported. A module costs a third of a millisecond whatever is in it,
and a first call that compiles spends nine tenths of its time on imports. So passes first look whether there
is an op for them and then import the rewriting code; the code of kinds of kernels, methods of
differentiation, tables of SciPy's functions (once that module of SciPy is imported) and the interpreter
likewise. The rest of 0.5 seconds: xDSL, whose dataclasses and ops take 0.14, LLVM with 0.06, the first
collection of all imports with 0.04, and 640 modules of mlirad. A process that finds its program on the disk
imports no xDSL, and takes 0.1.
"""
# ruff: noqa: F401
# pyright: reportUnusedImport=false

from mlirad.frontend.bound_methods import bind_methods
from mlirad.frontend.compiling.configuration import config
from mlirad.frontend.constructs.branches import cond, switch
from mlirad.frontend.constructs.build import (
    asarray,
    build,
    gather,
    index,
    scatter,
    stack,
    stop_gradient,
    where,
)
from mlirad.frontend.constructs.build import map_ as map
from mlirad.frontend.constructs.callbacks import callback, debug_callback
from mlirad.frontend.constructs.closures import Closure, lambda_
from mlirad.frontend.constructs.loops import fold, fori_loop, scan, while_loop
from mlirad.frontend.constructs.printing import debug_print
from mlirad.frontend.constructs.recursion import function
from mlirad.frontend.constructs.sums import Sum, case, itself, left, right, sum_of
from mlirad.frontend.differentiation.checkpoints import checkpoint
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.linearization import linearize, vjp
from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.numpy_functions.arrays.static_sizes import (
    bincount,
    extract,
    intersect1d,
    nonzero,
    setdiff1d,
    setxor1d,
    union1d,
    unique,
)
from mlirad.frontend.numpy_functions.signals.windows import convolution
from mlirad.frontend.rewritten import rewritten
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.functions import trace
from mlirad.frontend.tracing.registration import register
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

bind_methods()
