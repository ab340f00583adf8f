"""Maps over index spaces that are one map of arrays.

    𝓑(i. index[e i]) = gather e            𝓑′(i. one_hot[e i]) = scatter e
    𝓑(i. S(k i) ∘ m i) = S(build k) ∘ 𝓑(i. m i)

Measure: the number of map ops in regions over index spaces, then the number of such regions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.array.elementwise import CompareOp
from mlirad.dialects.shapes import Value, components_of, ints, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.control import is_outside
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.linear_maps.laws.law import (
    composed,
    emitted,
    factors,
    is_scalar_code,
    law,
    lifted,
    made,
    pair_law,
    part_domain,
)

# What does not depend on the position ----------------------------------------------------------------


@law("zero at every position", "𝓑(i. 0) = 0, 𝓑′(i. 0) = 0", linear.BuildOp, linear.BuildTransposeOp)
def _zero(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    if 0 in op.space or isinstance(made(op).owner, linear.ZeroOp):
        return b.zero_map(op.domain, op.codomain)
    return None


def _spread(b: ArrayBuilder, op: linear.IndexedMapOp, space: Attribute) -> Value:
    """From an element of an array space to copies of it at all positions."""
    rank = len(op.space)
    dims = ints(tuple(range(rank, rank + len(shape_of(space)))))
    return b.map_of(linear.BroadcastOp, space, linear.stacked_space(space, op.space), (), {"dims": dims})


def _summed(b: ArrayBuilder, op: linear.IndexedMapOp, space: Attribute) -> Value:
    """From an element at each position to their sum."""
    dims = ints(tuple(range(len(op.space))))
    return b.map_of(linear.SumOp, linear.stacked_space(space, op.space), space, (), {"dims": dims})


def _is_array(space: Attribute) -> bool:
    return components_of(space) == (space,) and linear.is_plain(space)


@law("the same map at every position", "𝓑(i. m) = broadcast ∘ m", linear.BuildOp)
def _constant_build(b: ArrayBuilder, op: linear.BuildOp) -> Value | None:
    m = made(op)
    if isinstance(m.owner, linear.IdentityOp) and _is_array(op.domain):
        return _spread(b, op, op.domain)
    if not _is_array(codomain_of(m)):
        return None
    constant = lifted(b, op.body, m)
    return None if constant is None else b.compose(_spread(b, op, codomain_of(m)), constant)


@law("the sum of one map", "𝓑′(i. m) = m ∘ sum", linear.BuildTransposeOp)
def _constant_sum(b: ArrayBuilder, op: linear.BuildTransposeOp) -> Value | None:
    m = made(op)
    if isinstance(m.owner, linear.IdentityOp) and _is_array(op.codomain):
        return _summed(b, op, op.codomain)
    if not _is_array(domain_of(m)):
        return None
    constant = lifted(b, op.body, m)
    return None if constant is None else b.compose(constant, _summed(b, op, domain_of(m)))


@law("build after a map", "𝓑(i. mᵢ ∘ n) = 𝓑(i. mᵢ) ∘ n", linear.BuildOp)
def _inner_constant(b: ArrayBuilder, op: linear.BuildOp) -> Value | None:
    """The last factor is the same at every position: it is applied once. Functions stay where they may be
    evaluated.
    """
    *inside, last = factors(made(op), op.body)
    if not inside or isinstance(last.owner, linear.FunctionOp):
        return None
    constant = lifted(b, op.body, last)
    if constant is None:
        return None
    middle = codomain_of(last)
    build = b.map_of(linear.BuildOp, middle, op.codomain, (), op.properties, (_over(b, op, inside),))
    return b.compose(build, constant)


@law("map after a sum", "𝓑′(i. n ∘ mᵢ) = n ∘ 𝓑′(i. mᵢ)", linear.BuildTransposeOp)
def _outer_constant(b: ArrayBuilder, op: linear.BuildTransposeOp) -> Value | None:
    """The first factor is the same at every position: it is applied to the sum. Pairs stay where they may
    be eliminated.
    """
    first, *rest = factors(made(op), op.body)
    if not rest or isinstance(first.owner, linear.EliminateOp):
        return None
    constant = lifted(b, op.body, first)
    if constant is None:
        return None
    region, middle = _over(b, op, rest), domain_of(first)
    total = b.map_of(linear.BuildTransposeOp, op.domain, middle, (), op.properties, (region,))
    return b.compose(constant, total)


def _over(b: ArrayBuilder, op: linear.IndexedMapOp, maps: Sequence[Value]) -> Region:
    """The region rebuilt to make the composition of some of its maps instead."""

    def body(*i: Value) -> list[Value]:
        return [composed(b, emitted(b, op.body, i, maps), domain_of(maps[-1]))]

    return b.index_region(op.space, body)


# What depends on it only in positions and coefficients -----------------------------------------------


@law("build of reads", "𝓑(i. index[e i]) = gather e", linear.BuildOp)
def _gather(b: ArrayBuilder, op: linear.BuildOp) -> Value | None:
    m = made(op).owner
    if not isinstance(m, linear.IndexOp) or not is_scalar_code(op.body, m.positions):
        return None
    region = b.index_region(op.space, lambda *i: emitted(b, op.body, i, m.positions))
    return b.map_of(linear.GatherOp, op.domain, op.codomain, (), None, (region,))


@law("sum of one-hots", "𝓑′(i. one_hot[e i]) = scatter e", linear.BuildTransposeOp)
def _scatter(b: ArrayBuilder, op: linear.BuildTransposeOp) -> Value | None:
    m = made(op).owner
    if not isinstance(m, linear.OneHotOp) or not is_scalar_code(op.body, m.positions):
        return None
    region = b.index_region(op.space, lambda *i: emitted(b, op.body, i, m.positions))
    return b.map_of(linear.ScatterOp, op.domain, op.codomain, (), None, (region,))


def _sole_position(op: linear.IndexedMapOp) -> Value | None:
    """The e of `mask (i == e)`, where e does not depend on the position i."""
    m = made(op).owner
    if not isinstance(m, linear.MaskOp) or len(op.space) != 1 or not _is_array(part_domain(op)):
        return None
    test, (index,) = m.condition.owner, op.body.block.args
    if not isinstance(test, CompareOp) or test.predicate.data != "eq" or shape_of(m.condition):
        return None
    for this, other in ((test.lhs, test.rhs), (test.rhs, test.lhs)):
        if this is index and is_outside(other, op.body.block):
            return other
    return None


def _inside(b: ArrayBuilder, position: Value, extent: int) -> Value:
    return b.inside([position], (extent,))


@law("one position of a build", "𝓑(i. mask (i = e)) = one_hot[e] ∘ mask (0 ≤ e < n)", linear.BuildOp)
def _one_hot(b: ArrayBuilder, op: linear.BuildOp) -> Value | None:
    e = _sole_position(op)
    if e is None:
        return None
    guard = b.mask_map(op.domain, _inside(b, e, op.space[0]))
    return b.compose(b.map_of(linear.OneHotOp, op.domain, op.codomain, (e,)), guard)


@law("one position of a sum", "𝓑′(i. mask (i = e)) = mask (0 ≤ e < n) ∘ index[e]", linear.BuildTransposeOp)
def _index(b: ArrayBuilder, op: linear.BuildTransposeOp) -> Value | None:
    e = _sole_position(op)
    if e is None:
        return None
    guard = b.mask_map(op.codomain, _inside(b, e, op.space[0]))
    return b.compose(guard, b.map_of(linear.IndexOp, op.domain, op.codomain, (e,)))


def _coefficients(b: ArrayBuilder, op: linear.IndexedMapOp, factor: Value, space: Attribute) -> Value:
    """`scale` or `mask` of arrays over the index space by the values that a factor has at all positions."""
    m = factor.owner
    assert isinstance(m, linear.ScaleOp | linear.MaskOp)
    (value,) = own_operands(m)
    array = b.build(op.space, lambda *i: emitted(b, op.body, i, [value])[0])
    whole = linear.stacked_space(space, op.space)
    full = b.broadcast(array, shape_of(whole), range(len(shape_of(array))))
    return b.scale_map(whole, full) if isinstance(m, linear.ScaleOp) else b.mask_map(whole, full)


_POINTWISE = (linear.ScaleOp, linear.MaskOp)


@law("build of scales", "𝓑(i. S(kᵢ) ∘ mᵢ) = S(build k) ∘ 𝓑(i. mᵢ); mask likewise", linear.BuildOp)
def _outer_scale(b: ArrayBuilder, op: linear.BuildOp) -> Value | None:
    first, *rest = factors(made(op), op.body)
    if not isinstance(first.owner, _POINTWISE) or is_outside(first, op.body.block):
        return None
    space = codomain_of(first)
    if rest:
        region = _over(b, op, rest)
        inner = b.map_of(linear.BuildOp, op.domain, op.codomain, (), op.properties, (region,))
    else:
        inner = _spread(b, op, space)
    return b.compose(_coefficients(b, op, first, space), inner)


@law("sum of scales at positions", "𝓑′(i. mᵢ ∘ S(kᵢ)) = 𝓑′(i. mᵢ) ∘ S(build k)", linear.BuildTransposeOp)
def _inner_scale(b: ArrayBuilder, op: linear.BuildTransposeOp) -> Value | None:
    *rest, last = factors(made(op), op.body)
    if not isinstance(last.owner, _POINTWISE) or is_outside(last, op.body.block):
        return None
    space = domain_of(last)
    if rest:
        region = _over(b, op, rest)
        outer = b.map_of(linear.BuildTransposeOp, op.domain, op.codomain, (), op.properties, (region,))
    else:
        outer = _summed(b, op, space)
    return b.compose(outer, _coefficients(b, op, last, space))


# Pairs and sums --------------------------------------------------------------------------------------


def _parts(b: ArrayBuilder, op: linear.IndexedMapOp, op_class: type[linear.MapOp]) -> list[Value] | None:
    """The map over the index space of each operand of what is yielded, if none is such a map still."""
    m = made(op)
    if not isinstance(m.owner, op_class) or is_outside(m, op.body.block):
        return None
    parts: list[Value] = []
    for part in own_operands(m.owner):
        domain, codomain = domain_of(part), codomain_of(part)
        if isinstance(op, linear.BuildOp):
            codomain = linear.stacked_space(codomain, op.space)
        else:
            domain = linear.stacked_space(domain, op.space)
        region = _over(b, op, [part])
        parts.append(b.map_of(type(op), domain, codomain, (), op.properties, (region,)))
        if any(isinstance(f.owner, type(op)) for f in factors(parts[-1])):
            return None
    return parts


@law("build of pairs", "𝓑(i. mᵢ × nᵢ) = 𝓑(i. mᵢ) × 𝓑(i. nᵢ), where both become smaller", linear.BuildOp)
def _pairs(b: ArrayBuilder, op: linear.BuildOp) -> Value | None:
    parts = _parts(b, op, linear.VcatOp)
    return None if parts is None else b.vcat(op.domain, parts)


@law(
    "sum of joins",
    "𝓑′(i. mᵢ ⋈ nᵢ) = 𝓑′(i. mᵢ) ⋈ 𝓑′(i. nᵢ), where both become smaller",
    linear.BuildTransposeOp,
)
def _joins(b: ArrayBuilder, op: linear.BuildTransposeOp) -> Value | None:
    parts = _parts(b, op, linear.HcatOp)
    return None if parts is None else b.hcat(op.codomain, parts)


@law(
    "build of sums",
    "𝓑(i. mᵢ + nᵢ) = 𝓑(i. mᵢ) + 𝓑(i. nᵢ), where both become smaller",
    linear.BuildOp,
    linear.BuildTransposeOp,
)
def _sums(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    parts = _parts(b, op, linear.AddOp)
    return None if parts is None else b.add_maps(parts[0], parts[1])


@pair_law(
    "sum of compositions",
    "𝓑′(i. mᵢ) ∘ 𝓑(i. nᵢ) = Σᵢ mᵢ∘nᵢ, which is 𝓑′(i. mᵢ∘nᵢ) ∘ broadcast",
    linear.BuildTransposeOp,
    linear.BuildOp,
)
def _sum_of_compositions(b: ArrayBuilder, f: linear.BuildTransposeOp, g: linear.BuildOp) -> Value | None:
    """Where what goes in is no larger than what is in the middle, which is then never made."""
    space = g.domain
    if f.space != g.space or not _is_array(space) or size_of(space) > _size(part_domain(f)):
        return None

    def body(*i: Value) -> list[Value]:
        outer, inner = (b.inline_region(op.body, i, {})[0] for op in (f, g))
        return [b.compose(outer, inner)]

    region = b.index_region(f.space, body)
    domain = linear.stacked_space(space, f.space)
    total = b.map_of(linear.BuildTransposeOp, domain, f.codomain, (), f.properties, (region,))
    return b.compose(total, _spread(b, g, space))


def _size(space: Attribute) -> int:
    parts: Sequence[Attribute] = components_of(space)
    return size_of(space) if _is_array(space) else sum(_size(p) for p in parts)


INDEX_SPACE_LAWS = (
    _zero,
    _constant_build,
    _constant_sum,
    _inner_constant,
    _outer_constant,
    _gather,
    _scatter,
    _one_hot,
    _index,
    _outer_scale,
    _inner_scale,
    _pairs,
    _joins,
    _sums,
)

INDEX_SPACE_PAIRS = (_sum_of_compositions,)
