"""Code with a derivative of its own becomes plain code where no derivative is taken of it.

array.custom %x (%a) {t} derivative (...) {...}        -->        t, with %x for %a

`drop-unused-rules` does so before differentiation, where it can tell: a rule of a function that is
differentiated once is itself not differentiated, so the ops in it need no rules. A library function has
rules whose code calls further library functions, each with its rules, so most of a program may be such code.
`lower-custom-derivatives` replaces what is left, once nothing is left to differentiate.

`array.checkpoint` likewise stays apart from other code until `lower-checkpoints`; with these two the
expansion ends.
"""

from __future__ import annotations

from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlirad.dialects.array.custom import CustomOp
from mlirad.ir.call_graph import derivative_orders, functions_by_name, functions_of
from mlirad.ir.first_order import higher_order_op
from mlirad.ir.free_values import free_values, own_operands
from mlirad.lazy_dataclass import dataclass

_MANY: Final = 8
"""The order from which on every rule may be needed."""


@dataclass(frozen=True)
class LowerCustomDerivativesPass(ModulePass):
    """Replaces code with a derivative of its own by the code."""

    name = "lower-custom-derivatives"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite all functions in place."""
        for function in functions_of(op):
            _drop_rules(function.body, 0)


@dataclass(frozen=True)
class DropUnusedRulesPass(ModulePass):
    """Replaces code with a derivative of its own by the code where the derivatives taken need no rule."""

    name = "drop-unused-rules"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite all functions in place, unless functions are values: their callers are not known."""
        if higher_order_op(op) is not None:
            return
        functions = functions_by_name(op)
        for name, order in derivative_orders(functions, _MANY).items():
            if order < _MANY:
                # Terms for ties take the derivatives of rules to one order more.
                _drop_rules(functions[name].body, order + (order > 1))


def _drop_rules(region: Region, order: int, tangents: frozenset[SSAValue] = frozenset()) -> None:
    """Keep the rules that `order` derivatives use, and those of ops on tangents, which are transposed."""
    moved = set(tangents)
    for block in region.blocks:
        for op in list(block.ops):
            if op.regions or moved:
                _visit(op, order, moved)


def _visit(op: Operation, order: int, moved: set[SSAValue]) -> None:
    is_moved = bool(moved) and not moved.isdisjoint(free_values(op))
    if is_moved:
        moved.update(op.results)
    if not isinstance(op, CustomOp):
        for region in op.regions:
            inner = moved | {a for block in region.blocks for a in block.args} if is_moved else moved
            _drop_rules(region, order, frozenset(inner))
        return
    if order == 0 and not is_moved:
        _drop_rules(op.body, 0)
        _inline(op)
        return
    _drop_rules(op.body, order, frozenset({*moved, *op.body.block.args} if is_moved else moved))
    for rule in op.rules:
        given = rule.block.args
        linear = given if is_moved else given[len(op.known) :]
        _drop_rules(rule, max(order - 1, 0), frozenset({*moved, *linear}))


def _inline(op: CustomOp) -> None:
    """Put the code of an op in its place."""
    block = op.body.block
    for argument, value in zip(block.args, op.inputs, strict=True):
        argument.replace_all_uses_with(value)
    last = block.last_op
    assert last is not None
    made = own_operands(last)
    last.detach()
    last.erase()
    Rewriter.insert_op([inner.detach() or inner for inner in list(block.ops)], InsertPoint.before(op))
    for result, value in zip(op.outputs, made, strict=True):
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()
