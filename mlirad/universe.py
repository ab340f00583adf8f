"""mlirad as a plugin of xDSL: stock `xdsl-opt` finds the dialects and passes through this entry point.

xdsl-opt -p 'bulk-operations,linearize' program.mlir
"""

from __future__ import annotations

from functools import partial

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from mlirad.packages import load
from mlirad.registry import PASS_MODULES, load_pass


def _array() -> Dialect:
    from mlirad.dialects.array import Array

    return Array


def _function() -> Dialect:
    from mlirad.dialects.function import Function

    return Function


def _linear() -> Dialect:
    from mlirad.dialects.linear import Linear

    return Linear


def _kernel() -> Dialect:
    from mlirad.dialects.kernel import Kernel

    return Kernel


def _stablehlo() -> Dialect:
    from mlirad.dialects.stablehlo import StableHlo

    return StableHlo


def _chlo() -> Dialect:
    from mlirad.dialects.stablehlo import Chlo

    return Chlo


def _pass(name: str) -> type[ModulePass]:
    """Import a pass, and before it the pipelines that passes run."""
    load("mlirad.pipelines")
    return load_pass(name)


MLIRAD_UNIVERSE = Universe(
    all_dialects={
        "array": _array,
        "function": _function,
        "linear": _linear,
        "kernel": _kernel,
        "stablehlo": _stablehlo,
        "chlo": _chlo,
    },
    all_passes={name: partial(_pass, name) for name in PASS_MODULES},
)
"""The dialects and passes, loaded when they are used."""
