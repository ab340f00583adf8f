"""Maps of calls as ops that name derived functions.

    derivative of f at x      forward: push, a call of (f; wrt)         transposed: pull of f
    curvature of f at x, ct   forward: pull of (f; by) on ct            transposed: pull of (f; wrt) on ct

The last line is the symmetry of second derivatives: both are blocks of the Hessian of <ct, f>, taken forward
in what is given and in reverse in what is wanted. So no reverse sweep is ever differentiated.

Structural zeros are left out: pushes are along nonzero tangents only, and pulls have nonzero cotangents only.
Sums of cotangents are operands of a pull, to be added to in place; so are arrays of them of the function that
applies the transpose of a map which another makes (`linear.call`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import SymbolRefAttr, TupleType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import UNIT, Shape, Value, components_of, shape_of
from mlirad.errors import CompileError
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.regions import Application
from mlirad.linear_maps.elements import (
    Elements,
    accumulated,
    as_value,
    assembled,
    components,
    from_leaves,
    leaves,
    value_of,
)

APPLY, APPLY_TRANSPOSE = "_apply", "_apply_transpose"
"""The suffixes for functions that apply a map, after the name of the function that makes it."""

ONTO = "_onto"
"""The suffix after that, with the numbers of the components whose sums are the last parameters."""


def derivative(m: Application, op: linear.DerivativeOp, x: Elements, sums: Elements) -> Elements:
    """A push along the tangents that are not zero, or a pull of the cotangents that are not."""
    places, given = _nonzero(x)
    results, wrt = op.positions("results"), op.positions("wrt")
    if (op.transposed is None) == m.transposed:
        numbers = tuple(results[k] for k in places)
        properties = linear.derived_properties(op, op.groups, numbers, wrt=wrt)
        return _pull(m, op.primals, wrt, properties, given, sums)
    group = tuple(wrt[k] for k in places)
    properties = linear.derived_properties(op, (*op.groups, group), tuple(2 * p + 1 for p in results))
    types = components_of(m.directed(op.domain, op.codomain)[1])
    images = m.b.insert(linear.PushOp, [*m.own(op.operands), *given], types, properties).results
    return [accumulated(m.b, s, t) for s, t in zip(sums, images, strict=True)]


def curvature(m: Application, op: linear.CurvatureOp, x: Elements, sums: Elements) -> Elements:
    """A block of the Hessian, from the operands that x belongs to, to those of the sums."""
    from_, to = op.positions("by"), op.positions("wrt")
    if m.transposed:
        from_, to = to, from_
    places, given = _nonzero(x)
    group = tuple(from_[k] for k in places)
    tangents = tuple(2 * p + 1 for p in op.positions("results"))
    properties = linear.derived_properties(op, (*op.groups, group), tangents, wrt=to)
    return _pull(m, [*op.primals, *given], to, properties, m.own(op.extra), sums)


def _nonzero(elements: Elements) -> tuple[list[int], list[Value]]:
    """The components that are not zero: their numbers, and what they are."""
    places = [k for k, e in enumerate(elements) if e is not None]
    return places, [as_value(elements[k]) for k in places]


def _pull(
    m: Application,
    primals: Sequence[Value],
    wrt: Shape,
    properties: dict[str, Attribute],
    cotangents: Sequence[Value],
    sums: Elements,
) -> Elements:
    operands = m.own(primals)
    types = [operands[k].type for k in wrt]
    before = [value_of(m.b, s, t) for s, t in zip(sums, types, strict=True)]
    return list(m.b.insert(linear.PullOp, [*operands, *cotangents, *before], types, properties).results)


def recorded(m: Application, op: linear.RecordedOp, x: Elements, sums: Elements) -> Elements:
    """The reverse sweep of a recorded call, which adds to the sums in place, or its tangents."""
    types, count = components_of(op.domain), op.primal_count
    arguments = m.own(own_operands(op))
    if not m.transposed:
        if op.forward is None:
            raise CompileError("the map of a recorded call is not applied forward", location=location_of(op))
        tangents = [value_of(m.b, e, t) for e, t in zip(x, types, strict=True)]
        images = m.b.insert(
            CallOp, [*arguments[:count], *tangents], components_of(op.codomain), {"callee": op.forward}
        ).results
        return [accumulated(m.b, s, t) for s, t in zip(sums, images, strict=True)]
    given = [value_of(m.b, c, t) for c, t in zip(x, components_of(op.codomain), strict=True)]
    before = [value_of(m.b, sums[k], types[k]) for k in op.summed]
    operands = [*arguments[count:], *given, *before]
    made = m.b.insert(CallOp, operands, types, {"callee": op.callee}).results
    return [v if k in op.summed else accumulated(m.b, sums[k], v) for k, v in enumerate(made)]


def called(m: Application, op: linear.CallOp, x: Elements, sums: Elements) -> Elements:
    """The sums with the image added, by a call of the function that applies the map which another makes.

    Applied transposed, sums of arrays that have begun are passed to the call, so that what reads one element
    of an array adds to one. Scalar sums and those that have not begun are not.
    """
    source, target = (op.codomain, op.domain) if m.transposed else (op.domain, op.codomain)
    spaces = components_of(target)
    carrying = [k for k, space in enumerate(spaces) if space != UNIT]
    begun = [n for n, k in enumerate(carrying) if _is_array(spaces[k]) and sums[k] is not None]
    name = op.callee_name + (APPLY_TRANSPOSE if m.transposed else APPLY)
    name += ONTO + "".join(f"_{n}" for n in begun) if begun else ""
    operands = [*m.own(op.arguments), *leaves(m.b, assembled(list(x), source), source)]
    operands += [as_value(sums[carrying[n]]) for n in begun]
    properties = {"callee": SymbolRefAttr(name)}
    made = m.b.insert(CallOp, operands, linear.carried(target), properties).results
    image = components(from_leaves(target, made), target)
    handed = {carrying[n] for n in begun}
    return [x if k in handed else accumulated(m.b, sums[k], x) for k, x in enumerate(image)]


def _is_array(space: Attribute) -> bool:
    return not isinstance(space, TupleType) and bool(shape_of(space))
