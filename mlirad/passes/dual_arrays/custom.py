"""D of `array.custom` and `array.checkpoint`.

A custom op stays as it is, and its companions are those of its own derivative. What its body captures is no
argument of that: by captured values, the body is differentiated as it is written, and both are added.

The derivative region is code that is linear in tangents, so its derivative with respect to them is the map.
That it is linear is checked: no coefficient of the map may depend on a tangent.

The map of a checkpoint, `linear.checkpoint`, keeps nothing but what the region captures, or, where that is an
array that a loop around would have to keep, the elements of it that are read.
"""

from __future__ import annotations

from mlirad.dialects import linear
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import Value, is_float, tuple_type
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block, yields
from mlirad.ir.free_values import captures, free_values
from mlirad.ir.locations import location_of
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.steps import trace


def custom(d: DualArrays, op: CustomOp) -> None:
    """Emit the op with the companions that its derivative gives."""
    b, block = d.b, op.derivative.block
    check_rule(d, op)
    count = len(op.inputs)
    tangents: list[Value] = list(block.args[count:])
    b.rebuild_unfolded(op, d.env)
    floats = [x for x in op.inputs if is_float(x)]
    inside = d.inner(d.space, zip(block.args[:count], (d.value(x) for x in op.inputs), strict=True))
    for x, tangent in zip(floats, tangents, strict=True):
        inside.env[tangent] = b.zeros(x.type)
        if x in d.maps:
            inside.enter(tangent, d.maps[x])
    inside.transform(block.ops)
    results = [y for y in op.outputs if is_float(y)]
    by_captures = _by_captures(d, op)
    for y, image in zip(results, yields(op.derivative), strict=True):
        found = [m for m in (inside.maps.get(image), by_captures.get(y)) if m is not None]
        if found:
            d.enter(y, found[0] if len(found) == 1 else b.add_maps(*found))


def _by_captures(d: DualArrays, op: CustomOp) -> dict[Value, Value]:
    """The companions of results by what the body captures, the operands kept fixed."""
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


def check_rule(d: DualArrays, op: CustomOp) -> None:
    """Raise unless the rule is linear in the tangents."""
    _check_linear(d, op, list(op.derivative.block.args[len(op.inputs) :]))


def _check_linear(d: DualArrays, op: CustomOp, tangents: list[Value]) -> None:
    """Raise unless the map of the derivative is the same at all tangents."""
    free = free_values(op)
    types = [v.type for v in (*free, *op.derivative.block.args)]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        outer = DualArrays(b, d.space, d.constructs, dict(zip(free, args, strict=False)))
        step = trace(outer, op.derivative, (), tangents, recompute=True)
        arguments = args[len(free) :]
        known: dict[Value, Value] = dict(zip(step.region.block.args, arguments, strict=True))
        map_ = step.map(b, [(v, known[v]) for v in step.kept], range(len(step.companions)))
        step.discard()
        return [map_]

    function = eliminate_dead_code(new_function("derivative", types, body))
    arguments = function_block(function).args[len(types) - len(tangents) :]
    nonlinear = any(a.first_use is not None for a in arguments)
    function.drop_all_references()
    if nonlinear:
        raise DifferentiationError(
            "the custom derivative is not linear in the tangents",
            location=location_of(op),
            hint="its result must be a sum of tangents times factors that do not depend on tangents",
        )


def checkpoint(d: DualArrays, op: CheckpointOp) -> None:
    """Emit the op with a map that runs its code again."""
    b = d.b
    captured = [v for v in captures(op.body) if v in d.maps]
    step = trace(d, op.body, (), captured, recompute=True, repeats=False)

    def emit() -> list[Value]:
        values, kept = step.values(b, ())
        return [*values, *kept]

    region = b.region((), emit)
    types = [*op.result_types, *(v.type for v in step.kept)]
    results = b.insert(CheckpointOp, (), types, None, (region,)).results
    known = list(zip(step.kept, results[len(op.outputs) :], strict=True))
    d.env.update(zip(op.outputs, results, strict=False))
    wanted = [k for k, m in enumerate(step.companions) if not isinstance(m.owner, linear.ZeroOp)]
    if wanted:
        b.name_hint = None
        codomain = tuple_type([op.outputs[k].type for k in wanted])
        map_region = b.region((), lambda: [step.map(b, known, wanted)])
        companion = b.map_of(linear.CheckpointOp, step.space, codomain, (), None, (map_region,))
        whole = b.compose(companion, b.vcat(d.space, [d.companion(v) for v in captured]))
        for k, place in enumerate(wanted):
            d.enter(op.outputs[place], b.compose(b.project(codomain, k), whole))
    step.discard()
