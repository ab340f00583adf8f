"""Verification of where elements that are not arrays stand: in the code of a `linear.lambda` alone.

    %m = linear.lambda (%c : !linear.copower<f64, f64>) : -> !linear.map<!linear.copower<f64, f64>, f64> {
      %x = linear.apply %e, %c : !linear.map<!linear.copower<f64, f64>, f64>, !linear.copower<f64, f64> -> f64
      array.yield %x : f64
    }

There they are made, added and used by few ops. So nothing can see the order of the pairs of a collection,
or whether equal points were merged, and no program has to store one.
"""

from __future__ import annotations

from xdsl.ir import Operation

from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.linear import ELEMENT_OPS, ApplyOp, ElementSpace, LambdaOp
from mlirad.ir.locations import name_of
from mlirad.ir.verification.errors import error_at

_ELEMENT_OPS = (ApplyOp, *ELEMENT_OPS)

_RULE = "in the code of a linear.lambda they are made by linear.apply, plus, nothing, roll and unroll"


def check_elements(op: Operation) -> None:
    """Require an op that makes or reads elements that are not arrays to be one that may."""
    for operand in op.operands:
        if isinstance(operand.type, ElementSpace) and not isinstance(op, _ELEMENT_OPS):
            if isinstance(op, YieldOp) and isinstance(op.parent_op(), LambdaOp):
                continue
            raise error_at(
                op,
                f"reads {name_of(operand)}, an element of {operand.type}, which only linear.apply, "
                "plus, roll and unroll can",
            )
    for k, result in enumerate(op.results):
        if isinstance(result.type, ElementSpace) and not (isinstance(op, _ELEMENT_OPS) and _in_code(op)):
            raise error_at(op, f"result {k} is an element of {result.type}", _RULE)
    if isinstance(op, LambdaOp):
        return
    for block in (block for region in op.regions for block in region.blocks):
        for k, argument in enumerate(block.args):
            if isinstance(argument.type, ElementSpace):
                raise error_at(op, f"region argument {k} is an element of {argument.type}", _RULE)


def _in_code(op: Operation) -> bool:
    """Return whether an op stands in the code of a map."""
    around = op.parent_op()
    while around is not None and not isinstance(around, LambdaOp):
        around = around.parent_op()
    return around is not None
