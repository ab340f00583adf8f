"""FFTs get the layout that their code takes: planes where they are compiled, else rows of pairs.

    %y = array.fft forward %z : tensor<64x2xf64>
      -->  %t = array.broadcast %z {dims = [1, 0]};  %u = array.fft forward %t {dim = 0, pairs = 0};  and back

Compiled ones go along any dimension, of real and of imaginary parts that lie apart. The library takes rows of
pairs. Values that have to be moved are read by the kernels before and after, unless they are stored anyway.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.transforms import Axes, FftOp, number_rank
from mlirad.dialects.shapes import array_type, element_of, shape_of, transpose_shape
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.transform_plans import is_written_out
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions


@dataclass(frozen=True)
class AssignFftLayoutsPass(FunctionPass):
    """Transpose operands of FFTs to the layout that their code takes."""

    name = "assign-fft-layouts"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function with the operands and results of some transforms transposed."""
        return rebuild_function(function, _visit) if holds(function, FftOp) else function


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if isinstance(op, FftOp) and 0 not in shape_of(op.operand):
        _lay_out(b, op, env)
    else:
        visit_regions(b, op, env, _visit)


def _lay_out(b: ArrayBuilder, op: FftOp, env: Environment) -> None:
    kind, axes = op.kind.data, op.axes
    rank = number_rank(kind, op.operand.type)
    is_complex = kind in ("forward", "backward")
    signal = shape_of(op.result if kind == "half" else op.operand)
    numbers = axes.complex_shape(signal) if is_complex else signal

    def writes(candidate: Axes) -> bool:
        return is_written_out(kind, candidate, candidate.pair_shape(numbers) if is_complex else signal)

    order, new = list(range(rank)), axes
    if not writes(axes):
        if writes(Axes(axes.dim, 0)):
            new = Axes(axes.dim, 0)
        else:
            order, new = [d for d in order if d != axes.dim] + [axes.dim], Axes(rank - 1, rank)

    def moved(has_pairs: bool) -> list[int]:
        """For each dimension of the new array, that of the old one."""
        if not has_pairs:
            return order
        places = [d + (d >= axes.pairs) for d in order]
        return [*places[: new.pairs], axes.pairs, *places[new.pairs :]]

    b.location, b.name_hint = op.location, op.result.name_hint
    x = b.transpose(env.get(op.operand, op.operand), moved(kind != "real"))
    back = moved(kind != "half")
    shape = transpose_shape(shape_of(op.result), back)
    found = b.fft(kind, x, array_type(shape, element_of(op.result)), new)
    env[op.result] = b.transpose(found, [back.index(d) for d in range(len(back))])
