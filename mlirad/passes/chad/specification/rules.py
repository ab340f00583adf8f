"""CHAD of code with a rule of its own, and of checkpoints, which here are code like any other.

A rule that is linear in its tangents is a map given by code, transposed where the mode asks for it. One that
is not, as `array.custom` allows, is `linear.rule`, which is applied in its own direction only.
"""

from __future__ import annotations

from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import FLAG, Value, is_float, tuple_type
from mlirad.errors import DifferentiationError
from mlirad.ir.free_values import captures
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of
from mlirad.linear_maps.elements import components
from mlirad.passes.chad.specification.derivation import Derivation, Sweep


def checkpoint(d: Derivation, op: CheckpointOp) -> None:
    """Emit the code of the region in place."""
    block = op.body.block
    made = d.block(block)
    d.enter(op.outputs, d.values(made))
    if d.active_of(made):
        d.activate(op.outputs)
        d.step(op, lambda sweep: sweep.same(made, op.outputs))


def custom(d: Derivation, op: CustomOp) -> None:
    """Emit the code of the op, with the derivative that its rules give and that by what it captures."""
    block = op.body.block
    captured = d.active_of(captures(op.body))
    inner = d.inner(zip(block.args, d.values(op.inputs), strict=True), captured)
    made = inner.block(block)
    d.enter(op.outputs, inner.values(made))
    sources = [x for x in op.inputs if is_float(x)]
    results = [y for y in op.outputs if is_float(y)]
    by_rule = bool(d.active_of(sources))
    if not by_rule and not captured:
        return
    d.activate(results)
    if captured:
        by_captures = inner.map([captured], made)
        d.step(op, lambda sweep: sweep.through(by_captures, [captured], op.outputs))
    if by_rule:
        spaces = (tuple_type([v.type for v in sources]), tuple_type([v.type for v in results]))

        def step(sweep: Sweep) -> None:
            map_ = _rule_map(d, op, *spaces)
            known = [sweep.of(v) for v in (results if sweep.types.is_reverse else sources)]
            image = sweep.apply(map_, known)
            targets = sources if sweep.types.is_reverse else results
            for target, x in zip(targets, components(image, codomain_of(map_)), strict=True):
                sweep.add(target, x)

        d.step(op, step)


def _rule_map(d: Derivation, op: CustomOp, domain: Attribute, codomain: Attribute) -> Value:
    """The map of the rules in the direction of the mode."""
    own, other = op.forward_rule, op.transposed_rule
    if d.types.is_reverse:
        own, other, domain, codomain = other, own, codomain, domain
    if own is not None:
        if _is_linear(op, own):
            return d.b.map_of(linear.LambdaOp, domain, codomain, (), None, (_code(d, op, own),))
        if not d.types.is_reverse:
            return d.b.map_of(linear.RuleOp, domain, codomain, (), None, (_code(d, op, own),))
        rule = d.b.map_of(linear.RuleOp, codomain, domain, (), {"transposed": FLAG}, (_code(d, op, own),))
        return d.b.transpose_map(rule)
    assert other is not None
    if not _is_linear(op, other):
        raise DifferentiationError(
            "the rule is not linear, so its code cannot be transposed",
            location=location_of(op),
            hint="give the other direction too, or differentiate in the mode of the rule",
        )
    return d.b.transpose_map(d.b.map_of(linear.LambdaOp, codomain, domain, (), None, (_code(d, op, other),)))


def _code(d: Derivation, op: CustomOp, rule: Region) -> Region:
    """The code of a rule as a function of the tangents, or cotangents, alone."""
    known = d.values(op.known)
    vectors = [v.type for v in rule.block.args[len(known) :]]
    return d.b.region(vectors, lambda *given: d.inlined(rule, [*known, *given]))


def _is_linear(op: CustomOp, rule: Region) -> bool:
    found = linear.dependences(rule, rule.block.args[len(op.known) :])
    return all(d.is_linear for d in found)
