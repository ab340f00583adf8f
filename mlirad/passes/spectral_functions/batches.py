"""Factorisations without the dimensions of their batch that have extent 1.

    %v = array.eigh vectors %a : tensor<1x3x3xf64>   -->   of (array.reshape %a : tensor<3x3xf64>), reshaped

Reshapes and broadcasts that lose and add such a dimension are merged, so one that is kept track of would be
lost among the moves of vectors.
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.factorisations import EighOp, SvdOp
from mlirad.dialects.array.structural import SliceOp
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.regions import nested_ops
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.spectral_functions.sources import FRAMES, NESTING, complex_part, frame_of


def without_single_batches(function: FuncOp) -> FuncOp:
    """The function with factorisations of batches without dimensions of extent 1."""
    if not any(isinstance(op, FRAMES) and _single(op) for op in nested_ops(function.body)):
        return function
    inner: dict[Value, Value] = {}

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, NESTING):
            visit_regions(b, op, env, visit)
            return
        if isinstance(op, FRAMES) and _single(op):
            single, shape = _single(op), shape_of(op.operand)
            matrix = b.reshape(env[op.operand], _without(shape, single))
            make = b.eigh if isinstance(op, EighOp) else b.svd
            found = make(op.part.data, matrix, is_complex=op.complex is not None)
            inner[op.result], env[op.result] = found, b.reshape(found, shape_of(op.result))
        elif isinstance(op, SliceOp) and op.operand in inner and complex_part(op) is not None:
            # A part of complex vectors is read from these.
            source = op.operand.owner
            assert isinstance(source, FRAMES)
            bounds = [_without(values_of(v), _single(source)) for v in (op.starts, op.limits, op.strides)]
            env[op.result] = b.reshape(b.slice(inner[op.operand], *bounds), shape_of(op.result))
        else:
            b.rebuild(op, env)

    return rebuild_function(function, visit)


def _single(op: EighOp | SvdOp) -> list[int]:
    """The dimensions of the batch that have extent 1."""
    return [d for d in range(frame_of(op).batch) if shape_of(op.operand)[d] == 1]


def _without(numbers: tuple[int, ...], dims: list[int]) -> list[int]:
    return [n for d, n in enumerate(numbers) if d not in dims]
