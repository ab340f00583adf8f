"""Random linear map expressions.

The module of `random_map` has two functions on the same expression, over the same captured values:

    @apply(captures..., x...)              --> the components of the image m x
    @apply_transpose(captures..., ct...)   --> the components of the image of ct under the transpose

with the number of captures as the integer attribute `captures` of each. In spine form every map goes out of
one space: identities, zeros, sums, pairs, and compositions with a primitive on the left. The general form
also has joins, transposes, injections and compositions of arbitrary maps.
"""

from __future__ import annotations

import random

from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, TupleType, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.linear import MapType, carried
from mlirad.dialects.shapes import (
    UNIT,
    Value,
    components_of,
    element_of,
    integer,
    ints,
    shape_of,
    tuple_type,
)
from tests.generators.map_builds import BUILD_MAKERS
from tests.generators.map_control import CONTROL_MAP_MAKERS
from tests.generators.map_functions import FUNCTION_MAKERS
from tests.generators.map_primitives import PRIMITIVE_MAKERS, MapBuilder

ARRAY_MAKERS = {**PRIMITIVE_MAKERS, **CONTROL_MAP_MAKERS, **BUILD_MAKERS}
"""Makers of every local map between spaces of arrays."""

MAP_MAKERS = {**ARRAY_MAKERS, **FUNCTION_MAKERS}
"""Makers of every local map."""


def domain_of(m: Value) -> Attribute:
    """The domain of a map."""
    assert isinstance(m.type, MapType)
    return m.type.domain


def codomain_of(m: Value) -> Attribute:
    """The codomain of a map."""
    assert isinstance(m.type, MapType)
    return m.type.codomain


def compose(b: MapBuilder, outer: Value, inner: Value) -> Value:
    """`outer` after `inner`."""
    return b.emit(linear.ComposeOp, [outer, inner], domain_of(inner), codomain_of(outer))


def primitive(b: MapBuilder, domain: Attribute) -> Value:
    """A local map out of a space."""
    if isinstance(domain, TupleType):
        if not domain.types.data:
            return b.emit(linear.ZeroOp, [], domain, b.array(f64))
        k = b.rng.randrange(len(domain.types.data))
        return b.emit(linear.ProjectOp, [], domain, domain.types.data[k], {"index": integer(k)})
    while True:
        made = b.rng.choice(list((MAP_MAKERS if b.functions else ARRAY_MAKERS).values()))(b, domain)
        if made is not None:
            return made


def reach(b: MapBuilder, source: Attribute, target: Attribute) -> Value:
    """Some map between two given spaces, zero only where a unit leaves no other."""
    if source == target and b.rng.random() < 0.7:
        return b.emit(linear.IdentityOp, [], source, target)
    if UNIT in (source, target):
        return b.emit(linear.ZeroOp, [], source, target)
    if isinstance(source, TupleType):
        return b.emit(linear.HcatOp, [reach(b, s, target) for s in source.types.data], source, target)
    if isinstance(target, TupleType):
        return b.emit(linear.VcatOp, [reach(b, source, t) for t in target.types.data], source, target)
    dims = tuple(range(len(shape_of(source))))
    total = b.emit(linear.SumOp, [], source, element_of(source), {"dims": ints(dims)})
    if element_of(source) != element_of(target):
        converted = b.emit(linear.ConvertOp, [], element_of(source), element_of(target))
        total = compose(b, converted, total)
    if not shape_of(target):
        return total
    spread = b.emit(linear.BroadcastOp, [], element_of(target), target, {"dims": ints(())})
    return compose(b, spread, total)


def spine(b: MapBuilder, domain: Attribute, size: int) -> Value:
    """A map in spine form: every node goes out of `domain`."""
    nodes = [b.emit(linear.IdentityOp, [], domain, domain)]
    for _ in range(size):
        node = b.rng.choice(nodes[-3:])
        alike = [n for n in nodes if n.type == node.type]
        choice = b.rng.random()
        if choice < 0.15:
            nodes.append(b.emit(linear.AddOp, [node, b.rng.choice(alike)], domain, codomain_of(node)))
        elif choice < 0.3 and not isinstance(codomain_of(node), TupleType):
            parts = [node, *b.rng.sample(nodes, min(len(nodes), b.rng.randint(0, 2)))]
            codomain = tuple_type([codomain_of(p) for p in parts])
            nodes.append(b.emit(linear.VcatOp, parts, domain, codomain))
        elif choice < 0.35:
            nodes.append(b.emit(linear.ZeroOp, [], domain, b.array(f64)))
        else:
            nodes.append(composed_with_primitive(b, node))
    return nodes[-1]


def composed_with_primitive(b: MapBuilder, node: Value) -> Value:
    """A primitive after a spine node; structure inside the primitive is laid out along the spine."""

    def lay_out(outer: Value, inner: Value) -> Value:
        owner = outer.owner
        match owner:
            case linear.ComposeOp():
                return lay_out(owner.outer, lay_out(owner.inner, inner))
            case linear.IdentityOp():
                return inner
            case linear.VcatOp():
                parts = [lay_out(m, inner) for m in owner.maps]
                return b.emit(linear.VcatOp, parts, domain_of(inner), codomain_of(outer))
            case _:
                return compose(b, outer, inner)

    return lay_out(primitive(b, codomain_of(node)), node)


def general(b: MapBuilder, domain: Attribute, depth: int) -> Value:
    """An arbitrary map expression out of a space."""
    if depth == 0:
        return primitive(b, domain)
    choice = b.rng.randrange(7)
    if choice == 0:
        return spine(b, domain, depth)
    if choice == 1:
        first = general(b, domain, depth - 1)
        other = general(b, domain, depth - 1)
        back = reach(b, codomain_of(other), codomain_of(first))
        return b.emit(linear.AddOp, [first, compose(b, back, other)], domain, codomain_of(first))
    if choice == 2:
        parts = [general(b, domain, depth - 1) for _ in range(b.rng.randint(1, 2))]
        return b.emit(linear.VcatOp, parts, domain, tuple_type([codomain_of(p) for p in parts]))
    if choice == 3 and isinstance(domain, TupleType) and domain.types.data:
        target = b.array(f64)
        parts = [general(b, s, depth - 1) for s in domain.types.data]
        ends = [compose(b, reach(b, codomain_of(p), target), p) for p in parts]
        return b.emit(linear.HcatOp, ends, domain, target)
    if choice == 4:
        there = general(b, b.space(), depth - 1)
        to_domain = compose(b, reach(b, codomain_of(there), domain), there)
        return b.emit(linear.TransposeOp, [to_domain], domain, domain_of(to_domain))
    if choice == 5:
        parts = [b.array(f64), domain, UNIT][: b.rng.randint(2, 3)]
        space = tuple_type(parts)
        injected = b.emit(linear.InjectOp, [], domain, space, {"index": integer(1)})
        return compose(b, general(b, space, depth - 1), injected)
    inner = general(b, domain, depth - 1)
    return compose(b, general(b, codomain_of(inner), depth - 1), inner)


def flattened(b: MapBuilder, m: Value) -> Value:
    """The same map into a tuple of arrays and units, for application takes and returns arrays."""

    def leaves(m: Value) -> list[Value]:
        space = codomain_of(m)
        if not isinstance(space, TupleType) or space == UNIT:
            return [m]
        projections = [
            b.emit(linear.ProjectOp, [], space, t, {"index": integer(k)})
            for k, t in enumerate(space.types.data)
        ]
        return [leaf for p in projections for leaf in leaves(compose(b, p, m))]

    if all(c == UNIT or not isinstance(c, TupleType) for c in components_of(codomain_of(m))):
        return m
    parts = leaves(m)
    return b.emit(linear.VcatOp, parts, domain_of(m), tuple_type([codomain_of(p) for p in parts]))


def random_map(
    seed: int,
    size: int = 6,
    form: str = "spine",
    *,
    only: type[Operation] | None = None,
    functions: bool = False,
) -> ModuleOp:
    """A module with a random map applied, and applied transposed; `form` is spine or general.

    `only` asks for a single primitive of the given class instead (with the structure it needs around it);
    `functions` allows maps through spaces of functions.
    """
    made = [_function(seed, size, form, only, functions, transposed) for transposed in (False, True)]
    return ModuleOp([*made])


def _function(
    seed: int, size: int, form: str, only: type[Operation] | None, functions: bool, transposed: bool
) -> FuncOp:
    block = Block()
    b = MapBuilder(random.Random(seed), block, functions)
    if only is not None:
        made = None
        while made is None:
            made = MAP_MAKERS[only](b, b.array())
        m = made
    elif form == "spine":
        m = spine(b, b.space(), size)
    else:
        m = general(b, b.space(), min(size, 3))
    m = flattened(b, m)
    captures = len(block.args)
    source, target = domain_of(m), codomain_of(m)
    op_class = linear.ApplyTransposeOp if transposed else linear.ApplyOp
    if transposed:
        source, target = target, source
    arguments = [block.insert_arg(t, len(block.args)) for t in carried(source)]
    applied = op_class.create(operands=[m, *arguments], result_types=carried(target))
    block.add_op(applied)
    block.add_op(ReturnOp.create(operands=applied.results))
    name = "apply_transpose" if transposed else "apply"
    types = [a.type for a in block.args], [r.type for r in applied.results]
    function = FuncOp(name, types, Region(block))
    function.attributes["captures"] = integer(captures)
    return function


@st.composite
def maps(draw: st.DrawFn, max_size: int = 8, form: str = "general") -> ModuleOp:
    """Modules of `random_map`; shrinks towards fewer nodes."""
    size = draw(st.integers(1, max_size))
    return random_map(draw(st.integers(0, 2**32 - 1)), size, form)
