"""Raises contractions: a sum of products of broadcast arrays becomes `array.dot`.

    %x = array.broadcast %a {dims = [0, 2]} : tensor<3x4xf64> -> tensor<3x5x4xf64>
    %y = array.broadcast %b {dims = [2, 1]} : tensor<4x5xf64> -> tensor<3x5x4xf64>
    %z = array.mul %x, %y
    %s = array.sum %z {dims = [2]}

    -->  %s = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}

Each dimension of the product must come from a, from b, or from both. It is then

    summed, of both         contracted
    kept, of both           a batch dimension
    kept, of one            a free dimension of that one

and the result is transposed where its dimensions come in another order. A dimension that is summed and comes
from one operand alone is not recognised: summing it first, `(sum a) * b`, gives another result where b is
infinite. So the dot is the same sum of the same products. Nothing is gained by a dot that contracts nothing
or reuses nothing (both arrays have every dimension); such sums stay, to be fused with their operands.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.elementwise import MulOp
from mlirad.dialects.array.reductions import SumOp
from mlirad.dialects.array.structural import BroadcastOp, TransposeOp
from mlirad.dialects.shapes import Shape, Value, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.dead_code import erase_unused
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass


@dataclass(frozen=True)
class RaiseContractionsPass(FunctionPass):
    """Turn sums of products of broadcast arrays into contractions."""

    name = "raise-contractions"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """As `raise_contractions`."""
        return raise_contractions(function)


def raise_contractions(function: FuncOp) -> FuncOp:
    """The function with `array.dot` for every sum of products that is a contraction; else itself."""
    if not any(_contraction(op) for op in function_block(function).ops):
        return function

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        found = _contraction(op)
        if found is None:
            b.rebuild(op, env)
        else:
            env[op.results[0]] = found.emit(b, env)

    new = rebuild_function(function, visit)
    erase_unused(function_block(new))
    return new


@dataclass
class _Contraction:
    """Operands with the dimension of the product that each of theirs becomes; summed and kept ones."""

    lhs: Value
    rhs: Value
    lhs_dims: Shape
    rhs_dims: Shape
    contracted: list[int]
    kept: list[int]

    def emit(self, b: ArrayBuilder, env: Environment) -> Value:
        """The dot, its dimensions in the order of the sum's result."""
        batch = [d for d in self.kept if d in self.lhs_dims and d in self.rhs_dims]
        sides = [(self.lhs, self.lhs_dims), (self.rhs, self.rhs_dims)]
        if _result_dims(sides, batch, self.kept) != self.kept:
            sides.reverse()
        (lhs, lhs_dims), (rhs, rhs_dims) = sides
        value = b.dot(
            env.get(lhs, lhs),
            env.get(rhs, rhs),
            [lhs_dims.index(d) for d in batch],
            [rhs_dims.index(d) for d in batch],
            [lhs_dims.index(d) for d in self.contracted],
            [rhs_dims.index(d) for d in self.contracted],
        )
        order = _result_dims(sides, batch, self.kept)
        return b.transpose(value, [order.index(d) for d in self.kept])


def _result_dims(sides: Sequence[tuple[Value, Shape]], batch: list[int], kept: list[int]) -> list[int]:
    """The dimensions of a dot's result: batch, free in the left operand, free in the right."""
    return [*batch, *(d for _, dims in sides for d in dims if d in kept and d not in batch)]


def _contraction(op: Operation) -> _Contraction | None:
    """The contraction that a sum is, if it is one."""
    if not isinstance(op, SumOp) or not is_float(op.operand) or not op.operand.has_one_use():
        return None
    product = op.operand.owner
    if not isinstance(product, MulOp):
        return None
    (lhs, lhs_dims), (rhs, rhs_dims) = _unbroadcast(product.lhs), _unbroadcast(product.rhs)
    summed = values_of(op.dims)
    shared = [d for d in lhs_dims if d in rhs_dims]
    rank = len(shape_of(product.result))
    if len({*lhs_dims, *rhs_dims}) < rank or not summed or any(d not in shared for d in summed):
        return None
    if len(shared) == rank:
        return None
    kept = [d for d in range(rank) if d not in summed]
    return _Contraction(lhs, rhs, lhs_dims, rhs_dims, list(summed), kept)


def _unbroadcast(x: Value) -> tuple[Value, Shape]:
    """Return what is broadcast or transposed to x, and the dimension of x that each of its dimensions
    becomes.
    """
    owner = x.owner
    match owner:
        case BroadcastOp():
            return owner.operand, values_of(owner.dims)
        case TransposeOp():
            permutation = values_of(owner.permutation)
            return owner.operand, tuple(permutation.index(d) for d in range(len(permutation)))
        case _:
            return x, tuple(range(len(shape_of(x))))
