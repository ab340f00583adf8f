"""Maps of calls as ops that name derived functions.

    derivative of f at x      forward: push, a call of (f; wrt)         transposed: pull of f
    curvature of f at x, ct   forward: pull of (f; by) on ct            transposed: pull of (f; wrt) on ct

The last line is the symmetry of second derivatives: both are blocks of the Hessian of <ct, f>, taken forward
in what is given and in reverse in what is wanted. So no reverse sweep is ever differentiated.

Structural zeros are left out: a tangent that is zero is not among those along which is derived, a cotangent
that is zero not among the results. Sums of cotangents are operands of a pull, to be added to in place; so are
arrays of them of the function that applies the transpose of a map which another makes (`linear.call`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import SymbolRefAttr, TupleType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import UNIT, Shape, Value, components_of, shape_of
from mlirad.errors import CompileError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.primitives import APPLY_TRANSPOSE, ONTO
from mlirad.linear_maps.elements import Element, accumulated, as_value, assembled, to_values, value_of
from mlirad.linear_maps.transposes import Captured

Elements = list[Element]


def apply_call(b: ArrayBuilder, op: linear.MapOp, captured: Captured, x: Elements) -> Elements:
    """The components of the image of x."""
    match op:
        case linear.DerivativeOp() if op.transposed is None:
            return _push(b, op, captured, x)
        case linear.DerivativeOp():
            return _pull_of(b, op, captured, [None] * len(op.positions("wrt")), x)
        case linear.CurvatureOp():
            by, wrt = op.positions("by"), op.positions("wrt")
            return _curved(b, op, captured, by, wrt, [None] * len(wrt), x)
        case _:
            raise CompileError("the map of a recorded call is not applied forward", location=location_of(op))


def accumulate_call(
    b: ArrayBuilder, op: linear.MapOp, captured: Captured, sums: Elements, ct: Elements
) -> Elements:
    """The sums with the components of the transposed image of ct added."""
    match op:
        case linear.DerivativeOp() if op.transposed is not None:
            images = _push(b, op, captured, ct)
            return [accumulated(b, s, t) for s, t in zip(sums, images, strict=True)]
        case linear.DerivativeOp():
            return _pull_of(b, op, captured, sums, ct)
        case linear.CurvatureOp():
            return _curved(b, op, captured, op.positions("wrt"), op.positions("by"), sums, ct)
        case linear.RecordedOp():
            return _unwound(b, op, captured, sums, ct)
        case linear.CallOp():
            return _called_onto(b, op, captured, sums, ct)
        case _:
            raise AssertionError(op.name)


def _living(elements: Elements) -> list[tuple[int, Value]]:
    """The components that are not zero, by number."""
    return [(k, as_value(e)) for k, e in enumerate(elements) if e is not None]


def _push(b: ArrayBuilder, op: linear.DerivativeOp, captured: Captured, x: Elements) -> Elements:
    """The images of tangents of the operands in `wrt`."""
    wrt, living = op.positions("wrt"), _living(x)
    group = tuple(wrt[k] for k, _ in living)
    operands = [*(captured.get(v, v) for v in op.operands), *(v for _, v in living)]
    tangents = tuple(2 * p + 1 for p in op.positions("results"))
    properties = linear.derived_properties(op, (*op.groups, group), tangents)
    types = components_of(op.codomain if op.transposed is None else op.domain)
    return list(b.insert(linear.PushOp, operands, types, properties).results)


def _pull_of(
    b: ArrayBuilder, op: linear.DerivativeOp, captured: Captured, sums: Elements, ct: Elements
) -> Elements:
    """The sums with the transposed image of cotangents of the results added."""
    results, living = op.positions("results"), _living(ct)
    alive = tuple(results[k] for k, _ in living)
    properties = linear.derived_properties(op, op.groups, alive, wrt=op.positions("wrt"))
    return _pull(b, op.primals, op.positions("wrt"), properties, captured, [v for _, v in living], sums)


def _curved(
    b: ArrayBuilder,
    op: linear.CurvatureOp,
    captured: Captured,
    given: Shape,
    wanted: Shape,
    sums: Elements,
    x: Elements,
) -> Elements:
    """The block of the Hessian from the operands `given` to those `wanted`, applied to x and added."""
    living = _living(x)
    group = tuple(given[k] for k, _ in living)
    tangents = tuple(2 * p + 1 for p in op.positions("results"))
    properties = linear.derived_properties(op, (*op.groups, group), tangents, wrt=wanted)
    primals = [*op.primals, *(v for _, v in living)]
    cotangents = [captured.get(v, v) for v in op.extra]
    return _pull(b, primals, wanted, properties, captured, cotangents, sums)


def _pull(
    b: ArrayBuilder,
    primals: Sequence[Value],
    wrt: Shape,
    properties: dict[str, Attribute],
    captured: Captured,
    cotangents: Sequence[Value],
    sums: Elements,
) -> Elements:
    operands = [captured.get(v, v) for v in primals]
    types = [operands[k].type for k in wrt]
    before = [value_of(b, s, t) for s, t in zip(sums, types, strict=True)]
    return list(b.insert(linear.PullOp, [*operands, *cotangents, *before], types, properties).results)


def _unwound(
    b: ArrayBuilder, op: linear.RecordedOp, captured: Captured, sums: Elements, ct: Elements
) -> Elements:
    """The reverse sweep of a recorded call, which adds to the sums in place."""
    types = components_of(op.domain)
    given = [value_of(b, c, t) for c, t in zip(ct, components_of(op.codomain), strict=True)]
    before = [value_of(b, sums[k], types[k]) for k in op.summed]
    operands = [*(captured.get(v, v) for v in own_operands(op)), *given, *before]
    made = b.insert(CallOp, operands, types, {"callee": op.callee}).results
    return [v if k in op.summed else accumulated(b, sums[k], v) for k, v in enumerate(made)]


def _called_onto(
    b: ArrayBuilder, op: linear.CallOp, captured: Captured, sums: Elements, ct: Elements
) -> Elements:
    """The sums with the transposed image under a map that a function makes added.

    Arrays that have begun are handed over, so that what reads one element of an array adds to one. What is a
    scalar or has not begun is not.
    """
    spaces = components_of(op.domain)
    carrying = [k for k, space in enumerate(spaces) if space != UNIT]
    begun = [n for n, k in enumerate(carrying) if _is_array(spaces[k]) and sums[k] is not None]
    onto = "".join(f"_{n}" for n in begun)
    callee = SymbolRefAttr(f"{op.callee_name}{APPLY_TRANSPOSE}{ONTO + onto if begun else ''}")
    given = to_values(b, assembled(list(ct), op.codomain), op.codomain)
    operands = [*(captured.get(v, v) for v in op.arguments), *given]
    operands += [as_value(sums[carrying[n]]) for n in begun]
    made = b.insert(CallOp, operands, linear.carried(op.domain), {"callee": callee}).results
    result = list(sums)
    for n, (k, value) in enumerate(zip(carrying, made, strict=True)):
        result[k] = value if n in begun else accumulated(b, sums[k], value)
    return result


def _is_array(space: Attribute) -> bool:
    return not isinstance(space, TupleType) and bool(shape_of(space))
