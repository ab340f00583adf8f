"""Chains of scalings in a backward region become one scaling, so that one residual is kept, not several.

    %b = absorbing_mul %s, %ct                     forward     %p = absorbing_mul %t, %s
    %c = absorbing_mul %t, %b          -->         backward    %c = absorbing_mul %p, %ct

Nobody else reads %b; %s and %t are of the forward code. A negation in a chain is a scaling, too. The chains
to be merged are chosen as for the maps of dual arrays (`mlirad.passes.dual_arrays.scales`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import own_operands
from mlirad.passes.dual_arrays.availability import is_inside
from mlirad.passes.dual_arrays.residuals import Residuals
from mlirad.passes.dual_arrays.scales import keeps_less, product


def merge_scales(b: ArrayBuilder, backward: Region, plan: Callable[[], Residuals]) -> None:
    """Merge the chains of a backward region behind the block under construction, which gets the products.

    `plan` makes the residuals of the region as it is; it is called only if there is a chain.
    """
    forward = b.block
    planned = cache(plan)
    erase_unused(backward.block)
    for op in list(backward.block.ops):
        chain = _chain(op, forward)
        if len(chain) < 2:
            continue

        def is_other(reader: Operation, chain: list[Operation] = chain) -> bool:
            return reader not in chain and (reader in planned().recomputed or backward.is_ancestor(reader))

        scalings = [link for link in chain if not isinstance(link, ew.NegOp)]
        coefficients = [_coefficient(link, forward) for link in scalings]
        if keeps_less(coefficients, planned(), is_other):
            b.location = chain[-1].location
            scale = product(b, coefficients)
            is_negative = (len(chain) - len(scalings)) % 2
            _replace(chain, b.neg(scale) if is_negative else scale, _cotangent(chain[0], forward))


def _chain(op: Operation, forward: Block) -> list[Operation]:
    """The scalings down to `op`, the last; each is read by the next alone."""
    if not _is_scaling(op, forward) or _goes_on(op, forward):
        return []
    chain = [op]
    while True:
        before = _cotangent(chain[0], forward).owner
        if not (isinstance(before, Operation) and _is_scaling(before, forward) and _goes_on(before, forward)):
            return chain
        chain.insert(0, before)


def _is_scaling(op: Operation, forward: Block) -> bool:
    """Return whether an op of a backward region multiplies a cotangent by a value of the forward code, or by
    -1.
    """
    match op:
        case ew.NegOp():
            return op.parent is not forward
        case ew.AbsorbingMulOp():
            return op.parent is not forward and sum(is_inside(v, forward) for v in own_operands(op)) == 1
        case _:
            return False


def _goes_on(op: Operation, forward: Block) -> bool:
    """Return whether the only reader of a scaling is a scaling of the same block."""
    if not op.results[0].has_one_use():
        return False
    (use,) = op.results[0].uses
    return use.operation.parent is op.parent and _is_scaling(use.operation, forward)


def _coefficient(op: Operation, forward: Block) -> Value:
    return next(v for v in own_operands(op) if is_inside(v, forward))


def _cotangent(op: Operation, forward: Block) -> Value:
    return next(v for v in own_operands(op) if not is_inside(v, forward))


def _replace(chain: list[Operation], coefficient: Value, cotangent: Value) -> None:
    """Put one scaling in the place of the last of a chain."""
    last = chain[-1]
    scaled = ew.AbsorbingMulOp.create(
        operands=[coefficient, cotangent], result_types=[cotangent.type], location=last.location
    )
    assert last.parent is not None
    last.parent.insert_op_before(scaled, last)
    last.results[0].replace_all_uses_with(scaled.results[0])
    for op in reversed(chain):
        op.detach()
        op.erase()
