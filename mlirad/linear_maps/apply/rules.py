"""Rules of a user, applied as they are written, and what is said where one is needed the other way round.

linear.rule (%ct) {transposed} {clip %ct}      transposed: the code, on the sum of the cotangents
                                               forward: an error at the op that is not linear
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.regions import Elements, Expressions
from mlirad.linear_maps.elements import Element, accumulated, value_of
from mlirad.linear_maps.transposes import Captured


def rule(
    b: ArrayBuilder, op: linear.RuleOp, captured: Captured, x: Elements, expressions: Expressions
) -> Elements:
    """The image of a tangent."""
    return _computed(b, op, op.forward_code, captured, x, op.domain)


def rule_transposed(
    b: ArrayBuilder,
    op: linear.RuleOp,
    captured: Captured,
    sums: Elements,
    ct: Elements,
    expressions: Expressions,
) -> Elements:
    """The sums with the transposed image of a cotangent added."""
    found = _computed(b, op, op.transposed_code, captured, ct, op.codomain)
    return [accumulated(b, s, image) for s, image in zip(sums, found, strict=True)]


def _computed(
    b: ArrayBuilder,
    op: linear.RuleOp,
    code: Region | None,
    captured: Captured,
    given: Sequence[Element],
    space: Attribute,
) -> Elements:
    """What the code computes, given some components that are not zero."""
    if code is None:
        raise one_way(op.code, op.code.block.args, op.transposed is not None, location_of(op))
    arguments = [value_of(b, e, t) for e, t in zip(given, components_of(space), strict=True)]
    return list(b.inline_region(code, arguments, captured))


def one_way(
    code: Region, vectors: Sequence[Value], is_transposed: bool, location: str | None
) -> DifferentiationError:
    """The error that a rule is needed in the other direction and is not linear in `vectors`."""
    lost = next((d for d in linear.dependences(code, vectors) if not d.is_linear), None)
    found = None if lost is None else lost.op
    why = "" if lost is None or found is None else f": {found.name} {lost.why}"
    what, mode, other, here = (
        ("transposed rule", "forward", "f.rule beside f.transposed_rule", "reverse")
        if is_transposed
        else ("rule", "reverse", "f.transposed_rule beside f.rule", "forward")
    )
    if is_transposed:
        why = why.replace("the tangent", "the cotangent")
    return DifferentiationError(
        f"the {what} is not linear, so it gives no derivative in {mode} mode{why}",
        location=(None if found is None else location_of(found)) or location,
        hint=f"give one for {mode} mode as well ({other}), or differentiate in {here} mode",
    )
