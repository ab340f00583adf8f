"""A user's rules, applied as they are written, and the error where one is needed in the other direction.

linear.rule (%ct) {transposed} {clip %ct}      transposed: the code, on the sum of the cotangents
                                               forward: an error at the op that is not linear

A custom rule is the user's word on the derivative; people write iterations to convergence and clipped
gradients. So its code runs in the direction it is written for, and is never linearised. A rule that is linear
op by op becomes a map expression, with both directions and a sparsity pattern; any other stays code
(`linear.rule`), and the other direction is an error at the op that is not linear. Linearising it at 0, like a
transposed function, would silently give wrong numbers: a loop would make as many iterations as 0 needs. A
constant part is refused in either direction: a cotangent that is known to be 0 is not propagated, so the
result would depend on what the compiler knows. A forgotten factor also looks like a constant part.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.errors import DifferentiationError
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.regions import Application
from mlirad.linear_maps.elements import Elements, accumulated, value_of


def rule(m: Application, op: linear.RuleOp, x: Elements, sums: Elements) -> Elements:
    """The sums with what the code computes added, given some components that are not zero."""
    code = op.transposed_code if m.transposed else op.forward_code
    if code is None:
        raise one_way(op.code, op.code.block.args, op.transposed is not None, location_of(op))
    spaces = components_of(op.codomain if m.transposed else op.domain)
    arguments = [value_of(m.b, e, t) for e, t in zip(x, spaces, strict=True)]
    found = m.b.inline_region(code, arguments, m.captured)
    return [accumulated(m.b, s, image) for s, image in zip(sums, found, strict=True)]


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
