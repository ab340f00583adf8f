"""mlirad: automatic differentiation of NumPy programs by a compiler.

import mlirad as ad
g = ad.grad(loss)(w, x)
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

# Before all others: it notes what their files are before they are loaded.
from mlirad.disk_cache import sources as _sources  # noqa: F401  # pyright: ignore[reportUnusedImport]
from mlirad.errors import (
    AbsorbedPoleError,
    ArgumentError,
    AssertionFailedError,
    CacheWarning,
    CallDepthError,
    CaptureWarning,
    ClusterError,
    CompileError,
    ControlFlowWarning,
    ConvergenceError,
    DerivativeCheckError,
    DifferentiationError,
    DonationWarning,
    DroppedRuleWarning,
    DtypeError,
    IntegerOverflowError,
    InterpreterError,
    LinearAlgebraError,
    MliradError,
    NotANumberError,
    OutOfMemoryError,
    ParseError,
    PicklingError,
    PositionError,
    ProgramError,
    RecompileWarning,
    ShapeError,
    SplitError,
    SwallowedErrorWarning,
    TimeLimitError,
    TracingError,
    UnrolledLoopWarning,
    UnsupportedError,
    VerifyError,
)
from mlirad.packages import load as _load

if TYPE_CHECKING:
    from mlirad import distributed, numpy, optimize, random, scipy, tree
    from mlirad.bridges import from_jax, from_stablehlo, to_jax, to_torch
    from mlirad.explorer import explore
    from mlirad.frontend.constructs.associative import associative_scan
    from mlirad.frontend.constructs.result_shapes import ShapeDtype, eval_shape
    from mlirad.frontend.differentiation.checks import check_derivatives
    from mlirad.frontend.differentiation.jets import jet
    from mlirad.frontend.differentiation.sweep_instances import Instance
    from mlirad.frontend.differentiation.sweeps import sweep
    from mlirad.frontend.exporting import export
    from mlirad.frontend.interface import (
        Array,
        Closure,
        LinearMap,
        Sum,
        asarray,
        bincount,
        build,
        callback,
        case,
        checkpoint,
        cond,
        config,
        convolution,
        custom_derivative,
        debug_callback,
        debug_print,
        extract,
        fold,
        fori_loop,
        function,
        gather,
        grad,
        hessian,
        hvp,
        index,
        intersect1d,
        itself,
        jacfwd,
        jacobian,
        jacrev,
        jit,
        jvp,
        lambda_,
        left,
        linearize,
        map,
        nonzero,
        register,
        rewritten,
        right,
        scan,
        scatter,
        setdiff1d,
        setxor1d,
        stack,
        stop_gradient,
        sum_of,
        switch,
        trace,
        union1d,
        unique,
        value_and_grad,
        vjp,
        vmap,
        where,
        while_loop,
    )
    from mlirad.frontend.numpy_functions.protocols.numbered_segments import (
        segment_max,
        segment_min,
        segment_prod,
        segment_sum,
    )
    from mlirad.frontend.solvers import fixed_point, linear_solve, minimize, odeint, root
    from mlirad.tools.demo import demo

__version__ = "0.1.0"

__all__ = [
    "AbsorbedPoleError",
    "ArgumentError",
    "Array",
    "AssertionFailedError",
    "CacheWarning",
    "CallDepthError",
    "CaptureWarning",
    "Closure",
    "ClusterError",
    "CompileError",
    "ControlFlowWarning",
    "ConvergenceError",
    "DerivativeCheckError",
    "DifferentiationError",
    "DonationWarning",
    "DroppedRuleWarning",
    "DtypeError",
    "Instance",
    "IntegerOverflowError",
    "InterpreterError",
    "LinearAlgebraError",
    "LinearMap",
    "MliradError",
    "NotANumberError",
    "OutOfMemoryError",
    "ParseError",
    "PicklingError",
    "PositionError",
    "ProgramError",
    "RecompileWarning",
    "ShapeDtype",
    "ShapeError",
    "SplitError",
    "Sum",
    "SwallowedErrorWarning",
    "TimeLimitError",
    "TracingError",
    "UnrolledLoopWarning",
    "UnsupportedError",
    "VerifyError",
    "asarray",
    "associative_scan",
    "bincount",
    "build",
    "callback",
    "case",
    "check_derivatives",
    "checkpoint",
    "cond",
    "config",
    "convolution",
    "custom_derivative",
    "debug_callback",
    "debug_print",
    "demo",
    "distributed",
    "eval_shape",
    "explore",
    "export",
    "extract",
    "fixed_point",
    "fold",
    "fori_loop",
    "from_jax",
    "from_stablehlo",
    "function",
    "gather",
    "grad",
    "hessian",
    "hvp",
    "index",
    "intersect1d",
    "itself",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jet",
    "jit",
    "jvp",
    "lambda_",
    "left",
    "linear_solve",
    "linearize",
    "map",
    "minimize",
    "nonzero",
    "numpy",
    "odeint",
    "optimize",
    "random",
    "register",
    "rewritten",
    "right",
    "root",
    "scan",
    "scatter",
    "scipy",
    "segment_max",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "setdiff1d",
    "setxor1d",
    "stack",
    "stop_gradient",
    "sum_of",
    "sweep",
    "switch",
    "to_jax",
    "to_torch",
    "trace",
    "tree",
    "union1d",
    "unique",
    "value_and_grad",
    "vjp",
    "vmap",
    "where",
    "while_loop",
]

_ROOMS = ("distributed", "numpy", "optimize", "random", "scipy", "tree")
"""The public modules."""

_ELSEWHERE = {
    "check_derivatives": "mlirad.frontend.differentiation.checks",
    "demo": "mlirad.tools.demo",
    "explore": "mlirad.explorer",
    "export": "mlirad.frontend.exporting",
    "jet": "mlirad.frontend.differentiation.jets",
    "Instance": "mlirad.frontend.differentiation.sweep_instances",
    "sweep": "mlirad.frontend.differentiation.sweeps",
    **dict.fromkeys(
        ("segment_max", "segment_min", "segment_prod", "segment_sum"),
        "mlirad.frontend.numpy_functions.protocols.numbered_segments",
    ),
    "associative_scan": "mlirad.frontend.constructs.associative",
    **dict.fromkeys(("ShapeDtype", "eval_shape"), "mlirad.frontend.constructs.result_shapes"),
    **dict.fromkeys(("from_jax", "from_stablehlo", "to_jax", "to_torch"), "mlirad.bridges"),
    **dict.fromkeys(("fixed_point", "linear_solve", "minimize", "odeint", "root"), "mlirad.frontend.solvers"),
}
"""The modules of functions that few programs use; each is imported when it is asked for."""

_WITHOUT_TRACER = (
    "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jit", "jvp", "value_and_grad", "vmap",
)  # fmt: skip
"""The transformations, which come without the tracer: a program that is on the disk runs without xDSL."""

# The room that has the name of a function: once it is imported, importing more of it does not bind the name.
_load("mlirad.jit")
del jit


def __getattr__(name: str) -> Any:
    """Return what `__all__` names, imported when it is asked for: all but the transformations brings xDSL
    along.
    """
    if name not in __all__:
        # `from mlirad import pipelines` asks first, in importlib, whether the module is there.
        if sys._getframe(1).f_code.co_filename.startswith("<frozen importlib"):  # pyright: ignore[reportPrivateUsage]
            raise AttributeError(name)
        from mlirad.neighbours import unknown_name

        raise unknown_name(__name__, name, __all__)
    from mlirad.float_modes import standard_floats

    return standard_floats(_imported)(name)  # modules compute constants as they are loaded


def _imported(name: str) -> Any:
    if name in _ROOMS:
        return _load(f"mlirad.{name}")
    if name in _ELSEWHERE:
        found = getattr(_load(_ELSEWHERE[name]), name)
        _know_of_chunks()
        return found
    if name in _WITHOUT_TRACER:
        module, names = _load("mlirad.frontend.transformations"), _WITHOUT_TRACER
    else:
        module = _load("mlirad.frontend.interface")
        names = [public for public in __all__ if hasattr(module, public)]
    _know_of_chunks()
    globals().update({public: getattr(module, public) for public in names})
    return globals()[name]


def _know_of_chunks() -> None:
    """Tell the frontend what runs calls with arrays in chunks, once it is there."""
    frontend = sys.modules.get("mlirad.frontend.compiling.transformed")
    if frontend is not None:
        frontend.Transformed.split_calls = "mlirad.distributed.hooks"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
