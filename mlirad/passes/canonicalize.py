"""Canonicalisation: the function rebuilt through the folding builder, without its dead code.

    %y = array.mul %x, %one : f64                                       -->   %x
    %t = linear.transpose %slice : map<A, B> -> map<B, A>               -->   linear.pad ...

The folds stand with the constructors in `mlirad.ir`; they also share equal ops.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.transposes import transpose_primitive
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import FunctionPass


@dataclass(frozen=True)
class CanonicalizePass(FunctionPass):
    """Folds, shares and removes dead code."""

    name = "mlirad-canonicalize"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The canonical function."""
        return canonicalize(function)


def canonicalize(function: FuncOp) -> FuncOp:
    """The function through the folding constructors, dead code removed."""
    return eliminate_dead_code(rebuild_function(function, _visit))


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if isinstance(op, linear.TransposeOp):
        primitive = env.get(op.operand, op.operand).owner
        if isinstance(primitive, linear.PrimitiveMapOp):
            env[op.result] = transpose_primitive(b, primitive, {})
            return
    b.rebuild(op, env)
