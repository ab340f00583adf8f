"""D of `array.custom` and `array.checkpoint`.

A custom op stays as it is, and its tangent maps are those that its rules give. Captured values of its body
are not arguments of these: with respect to them, the body is differentiated as it is written, and both
derivatives are added.

A rule that is linear in its tangents is its own derivative, so the map is what D makes of it, at any tangent;
a transposed rule that is linear is transposed first. A rule that is not linear stays code, in `linear.rule`,
which runs as it is written in its own direction. So do two rules, one for each direction. Values that do not
depend on the tangent are computed with the primal values.

The map of a checkpoint, `linear.checkpoint`, keeps only what the region captures, or, where that is an
array that an enclosing loop would have to keep, the elements of it that are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import FLAG, Value, is_float, tuple_type
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import handed_over, yields
from mlirad.ir.free_values import captures, free_values
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import Elements, value_of
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.duals import Construct, DualArrays
from mlirad.passes.dual_arrays.traced_regions import trace


def custom(d: DualArrays, op: CustomOp) -> None:
    """Emit the op with the tangent maps that its rules give."""
    d.b.rebuild_unfolded(op, d.env)
    forward = linear_rule(op, d.constructs)
    if forward is None:
        _by_code(d, op)
    else:
        code, free = forward
        _by_map(d, op, code, free)
    by_captures = _by_captures(d, op)
    for y, tangent_map in by_captures.items():
        found = d.maps.get(y)
        d.enter(y, tangent_map if found is None else d.b.add_maps(found, tangent_map))


def linear_rule(
    op: CustomOp, constructs: Mapping[type[Operation], Construct]
) -> tuple[Region, Sequence[Value]] | None:
    """The code of the forward derivative, which is linear, and the outer values that are its first arguments.

    `None` where a rule is to be applied as it is written. Raises for a rule with a part that does not go away
    with the tangents.
    """
    count = len(op.known)
    is_linear = True
    for rule in op.rules:
        found = linear.dependences(rule, rule.block.args[count:])
        for d in found:
            if d.has_fixed_part:
                raise DifferentiationError(
                    "the rule is not linear: what it returns is not 0 where the "
                    f"{'cotangents' if rule is op.transposed_rule else 'tangents'} are 0",
                    location=location_of(op) if d.op is None else location_of(d.op),
                    hint="return a sum of tangents or cotangents times factors, without a constant part",
                )
        is_linear = is_linear and all(d.is_linear for d in found)
    if len(op.rules) > 1 or not is_linear:
        return None
    if op.forward_rule is not None:
        return op.forward_rule, ()
    return _transposed(op, constructs)


def _transposed(
    op: CustomOp, constructs: Mapping[type[Operation], Construct]
) -> tuple[Region, Sequence[Value]]:
    """The forward derivative as a function: a transposed rule, which is linear, transposed."""
    (rule,) = op.rules
    count, block = len(op.known), rule.block
    free = captures(rule)
    cotangents = block.args[count:]
    space = tuple_type([v.type for v in cotangents])
    types = [v.type for v in (*free, *op.known)]
    tangents = [x.type for x in op.inputs if is_float(x)]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        known = zip((*free, *block.args[:count]), args[: len(types)], strict=True)
        inside = DualArrays(b, space, constructs, dict(known))
        b.location = op.location
        for k, cotangent in enumerate(cotangents):
            inside.env[cotangent] = b.zeros(cotangent.type)
            inside.enter(cotangent, b.project(space, k))
        inside.transform(block.ops)
        map_ = b.vcat(space, [inside.tangent_map(v) for v in yields(rule)])
        given: Elements = list(args[len(types) :])
        image = MapEvaluator(b, op, {}).transposed_onto({}, map_, given, [None] * len(cotangents))
        return [value_of(b, e, v.type) for e, v in zip(image, cotangents, strict=True)]

    function = eliminate_dead_code(new_function("rule", [*types, *tangents], body))
    return function.body, free


def _by_map(d: DualArrays, op: CustomOp, code: Region, free: Sequence[Value]) -> None:
    """Enter the tangent maps of the results by D of linear code."""
    b, block = d.b, code.block
    given = [d.value(v) for v in (*free, *op.known)]
    tangents = block.args[len(given) :]
    inside = d.inner(d.space, zip(block.args, given, strict=False))
    for x, tangent in zip((x for x in op.inputs if is_float(x)), tangents, strict=True):
        inside.env[tangent] = b.zeros(x.type)
        if x in d.maps:
            inside.enter(tangent, d.maps[x])
    inside.transform(block.ops)
    results = [y for y in op.outputs if is_float(y)]
    for y, image in zip(results, handed_over(code), strict=True):
        if image in inside.maps:
            d.enter(y, inside.maps[image])
    if isinstance(code.parent, Operation) and code.parent is not op:
        code.parent.drop_all_references()


def _by_code(d: DualArrays, op: CustomOp) -> None:
    """Enter the tangent maps of the results by the code of the rules as it is."""
    b = d.b
    inputs = [x for x in op.inputs if is_float(x)]
    results = [y for y in op.outputs if is_float(y)]
    if not any(x in d.maps for x in inputs):
        return
    regions = [_application(d, op, rule) for rule in op.rules]
    properties: dict[str, Attribute] = {} if op.transposed is None else {"transposed": FLAG}
    domain, codomain = (tuple_type([v.type for v in values]) for values in (inputs, results))
    b.location, b.name_hint = op.location, None
    map_ = b.map_of(linear.RuleOp, domain, codomain, (), properties, regions)
    d.enter_image(results, map_, inputs)


def _application(d: DualArrays, op: CustomOp, rule: Region) -> Region:
    """The code of a rule that depends on its tangents; the rest of it is emitted here."""
    b, count = d.b, len(op.known)
    vectors = rule.block.args[count:]
    env: Environment = dict(d.env)
    env.update(zip(rule.block.args, (d.value(x) for x in op.known), strict=False))
    last = rule.block.last_op
    varying: set[Value] = set(vectors)
    inside: list[Operation] = []
    for o in rule.block.ops:
        if any(v in varying for v in free_values(o)):
            varying.update(o.results)
            inside.append(o)
        elif o is not last:
            b.rebuild(o, env)

    def body(*args: Value) -> list[Value]:
        inner = dict(env)
        inner.update(zip(vectors, args, strict=True))
        for o in inside:
            if o is not last:
                b.rebuild(o, inner)
        return [inner.get(v, v) for v in yields(rule)]

    return b.region([v.type for v in vectors], body)


def _by_captures(d: DualArrays, op: CustomOp) -> dict[Value, Value]:
    """The tangent maps of results by what the body captures, the operands kept fixed."""
    captured = [v for v in captures(op.body) if v in d.maps]
    if not captured:
        return {}
    arguments = zip(op.body.block.args, (d.value(x) for x in op.inputs), strict=True)
    inside = d.inner(d.space, arguments)
    for value in captured:
        inside.maps[value] = d.maps[value]
    inside.transform(op.body.block.ops)
    made = zip(op.outputs, yields(op.body), strict=True)
    return {y: inside.maps[value] for y, value in made if value in inside.maps}


def checkpoint(d: DualArrays, op: CheckpointOp) -> None:
    """Emit the op with a map that recomputes its code."""
    b = d.b
    captured = [v for v in captures(op.body) if v in d.maps]
    step = trace(d, op.body, (), captured, recompute=True, repeats=False)

    def emit() -> list[Value]:
        values, kept = step.values(b, ())
        return [*values, *kept]

    results = b.choose(None, [emit])
    known = list(zip(step.kept, results[len(op.outputs) :], strict=True))
    d.env.update(zip(op.outputs, results, strict=False))
    wanted = [k for k, m in enumerate(step.tangent_maps) if not isinstance(m.owner, linear.ZeroOp)]
    if wanted:
        b.name_hint = None
        codomain = tuple_type([op.outputs[k].type for k in wanted])
        map_region = b.region((), lambda: [step.map(b, known, wanted)])
        tangent_map = b.map_of(linear.CheckpointOp, step.space, codomain, (), None, (map_region,))
        d.enter_image([op.outputs[k] for k in wanted], tangent_map, captured)
    step.discard()
