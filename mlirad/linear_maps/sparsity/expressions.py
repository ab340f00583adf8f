"""Patterns through map expressions: the pattern of the image of every node, from the inputs on.

    image(place, %map, x)       the patterns of the image of an element with the patterns x

A node's image is complete when the node is reached, because nodes are taken in topological order; a composite
left operand is walked anew where it is applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Block

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.errors import UnsupportedError
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.linear_maps.sparsity.control import CONTROL_PATTERNS
from mlirad.linear_maps.sparsity.elements import (
    Element,
    coordinates,
    everything,
    is_zero,
    matrix,
    parts_of,
    plus,
    related,
)
from mlirad.linear_maps.sparsity.primitives import PRIMITIVE_PATTERNS, Place
from mlirad.linear_maps.sparsity.relations import relation

MAX_CALLS = 1000
"""How many calls of functions are followed; what those beyond return depends on all that they are given."""


def image(m: Place, root: Value, x: Element, given: Mapping[Value, Element] | None = None) -> Element:
    """The patterns of the image of x; `given` are images of nodes to take as they are."""
    images: dict[Value, Element] = dict(given or {})
    for node in _order(root):
        if node in images:
            continue
        op = node.owner
        assert isinstance(op, linear.MapOp)
        match op:
            case linear.ComposeOp():
                outer, inner = own_operands(op)
                found = _through(m, outer, images[inner])
            case linear.AddOp():
                left, right = own_operands(op)
                found = plus(images[left], images[right])
            case linear.VcatOp():
                found = [images[part] for part in own_operands(op)]
            case _:
                found = _through(m, node, x)
        images[node] = None if is_zero(found) else found
    return images[root]


def _through(m: Place, map_: Value, x: Element) -> Element:
    """The image under a map that is not of the spine of what it is applied to."""
    op = map_.owner
    if x is None:
        return None
    assert isinstance(op, linear.MapOp)
    rule = PRIMITIVE_PATTERNS.get(type(op))
    if rule is not None:
        return rule(m, op, x)
    control = CONTROL_PATTERNS.get(type(op))
    if control is not None:
        return control(m, op, x, image)
    match op:
        case linear.PointMapOp() | linear.PointwiseMapOp():
            raise UnsupportedError(
                f"{op.name} has no structure: a space of functions has no coordinates",
                location=location_of(op),
                hint="run simplify-maps before: where functions are evaluated, they are eliminated",
            )
        case linear.IdentityOp():
            return x
        case linear.ZeroOp():
            return None
        case linear.ProjectOp():
            return parts_of(x, len(components_of(op.domain)))[op.index.value.data]
        case linear.CallOp():
            return _called(m, op, x)
        case linear.InjectOp():
            parts: list[Element] = [None] * len(components_of(op.codomain))
            parts[op.index.value.data] = x
            return parts
        case linear.HcatOp():
            total: Element = None
            for part, part_map in zip(parts_of(x, len(op.maps)), op.maps, strict=True):
                total = plus(total, image(m, part_map, part))
            return total
        case linear.TransposeOp():
            return _transposed(m, op.operand, x)
        case linear.ComposeOp() | linear.AddOp() | linear.VcatOp():
            return image(m, map_, x)
        case _:
            # Derivatives of functions that call themselves, and linear code that was not expanded.
            return everything(m.batch, x, op.domain, op.codomain)


def _order(root: Value) -> list[Value]:
    """The nodes that share the root's domain, operands before users."""
    order: dict[Value, None] = {}
    pending = [root]
    while pending:
        node = pending[-1]
        waiting = [] if node in order else [o for o in _same_domain(node) if o not in order]
        if waiting:
            pending += waiting
        else:
            order[node] = None
            pending.pop()
    return list(order)


def _same_domain(node: Value) -> Sequence[Value]:
    match node.owner:
        case linear.ComposeOp() as op:
            return [own_operands(op)[1]]
        case linear.AddOp() | linear.VcatOp() as op:
            return own_operands(op)
        case linear.MapOp():
            return []
        case owner:
            raise UnsupportedError(
                "the structure of a map that is made elsewhere was asked for",
                location=None if isinstance(owner, Block) else location_of(owner),
            )


def _transposed(m: Place, map_: Value, x: Element) -> Element:
    """The image under the transposed map, by the pairs of the map; those of all batch positions together."""
    domain, codomain = domain_of(map_), codomain_of(map_)
    pairs = matrix(m.batch, image(m, map_, coordinates(m.batch, domain)), codomain)
    return related(m.batch, x, codomain, domain, relation(pairs.offsets, pairs.rows))


def _called(m: Place, op: linear.CallOp, x: Element) -> Element:
    """The image under the map that a function makes; calls beyond the limit give a superset."""
    maker = m.known.functions.get(op.callee_name)
    m.known.calls += 1
    if maker is None or m.known.calls > MAX_CALLS:
        return everything(m.batch, x, op.domain, op.codomain)
    values = [m.value(a) for a in own_operands(op)]
    inside = Place(m.known, m.scope.called(dict(zip(function_block(maker).args, values, strict=True))))
    return image(inside, returned(maker)[0], x)
