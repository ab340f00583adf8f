"""mlirad as a plugin of xDSL: stock `xdsl-opt` finds the dialects and passes through this entry point.

xdsl-opt -p 'bulk-operations,linearize' program.mlir
"""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.universe import Universe

from mlirad.registry import ALL_PASSES


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


MLIRAD_UNIVERSE = Universe(
    all_dialects={
        "array": _array,
        "function": _function,
        "linear": _linear,
        "kernel": _kernel,
        "stablehlo": _stablehlo,
        "chlo": _chlo,
    },
    all_passes=ALL_PASSES,
)
"""The dialects and passes, loaded when they are used."""
