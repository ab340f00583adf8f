"""Maps over index spaces that are one map of arrays.

    𝓑(i. index[e i]) = gather e            𝓑′(i. one_hot[e i]) = scatter e
    𝓑(i. S(k i) ∘ m i) = S(build k) ∘ 𝓑(i. m i)

Measure: the number of map ops in regions over index spaces, then the number of such regions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.array.elementwise import CompareOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, components_of, ints, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.control import is_outside
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.linear_maps.laws.law import (
    Law,
    Rewrite,
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


def _duals(build: tuple[str, str], total: tuple[str, str]) -> Callable[[Rewrite], tuple[Law, Law]]:
    """The laws of builds and of their transposes that the function below rewrites by."""
    return lambda rewrite: (
        Law(*build, (linear.BuildOp,), rewrite),
        Law(*total, (linear.BuildTransposeOp,), rewrite),
    )


def _chained(b: ArrayBuilder, op: linear.IndexedMapOp, last: Value, first: Value) -> Value:
    """`last ∘ first` for a build; for a transposed build, in which all goes backwards, `first ∘ last`."""
    return b.compose(last, first) if isinstance(op, linear.BuildOp) else b.compose(first, last)


# Parts that do not depend on the position ---------------------------------------------------------


@law("zero at every position", "𝓑(i. 0) = 0, 𝓑′(i. 0) = 0", linear.BuildOp, linear.BuildTransposeOp)
def _zero(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    if 0 in op.space or isinstance(made(op).owner, linear.ZeroOp):
        return b.zero_map(op.domain, op.codomain)
    return None


def _everywhere(b: ArrayBuilder, op: linear.IndexedMapOp, space: Attribute) -> Value:
    """From an element of an array space to copies of it at all positions; back, from these to their sum."""
    rank, whole = len(op.space), linear.stacked_space(space, op.space)
    if isinstance(op, linear.BuildOp):
        dims = ints(tuple(range(rank, rank + len(shape_of(space)))))
        return b.map_of(linear.BroadcastOp, space, whole, (), {"dims": dims})
    return b.map_of(linear.SumOp, whole, space, (), {"dims": ints(tuple(range(rank)))})


def _is_array(space: Attribute) -> bool:
    return components_of(space) == (space,) and linear.is_plain(space)


@_duals(
    ("the same map at every position", "𝓑(i. m) = broadcast ∘ m"),
    ("the sum of one map", "𝓑′(i. m) = m ∘ sum"),
)
def _constant(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    m, is_build = made(op), isinstance(op, linear.BuildOp)
    own = op.domain if is_build else op.codomain
    if isinstance(m.owner, linear.IdentityOp) and _is_array(own):
        return _everywhere(b, op, own)
    space = codomain_of(m) if is_build else domain_of(m)
    constant = lifted(b, op.body, m) if _is_array(space) else None
    return None if constant is None else _chained(b, op, _everywhere(b, op, space), constant)


@_duals(
    ("build after a map", "𝓑(i. mᵢ ∘ n) = 𝓑(i. mᵢ) ∘ n"),
    ("map after a sum", "𝓑′(i. n ∘ mᵢ) = n ∘ 𝓑′(i. mᵢ)"),
)
def _constant_factor(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    """The factor at the end is the same at every position: it is applied once. Functions stay where they may
    be evaluated, and pairs where they may be eliminated.
    """
    maps, is_build = factors(made(op), op.body), isinstance(op, linear.BuildOp)
    end, rest = (maps[-1], maps[:-1]) if is_build else (maps[0], maps[1:])
    if not rest or isinstance(end.owner, linear.FunctionOp if is_build else linear.EliminateOp):
        return None
    constant = lifted(b, op.body, end)
    if constant is None:
        return None
    ends = (codomain_of(end), op.codomain) if is_build else (op.domain, domain_of(end))
    region = _over(b, op, rest)
    return _chained(b, op, b.map_of(type(op), *ends, (), op.properties, (region,)), constant)


def _over(b: ArrayBuilder, op: linear.IndexedMapOp, maps: Sequence[Value]) -> Region:
    """The region rebuilt to make the composition of some of its maps instead."""

    def body(*i: Value) -> list[Value]:
        return [composed(b, emitted(b, op.body, i, maps), domain_of(maps[-1]))]

    return b.index_region(op.space, body)


# Maps that depend on it only in positions and coefficients ----------------------------------------


@_duals(
    ("build of reads", "𝓑(i. index[e i]) = gather e"), ("sum of one-hots", "𝓑′(i. one_hot[e i]) = scatter e")
)
def _moves(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    m, is_build = made(op).owner, isinstance(op, linear.BuildOp)
    if not isinstance(m, linear.IndexOp if is_build else linear.OneHotOp):
        return None
    if not is_scalar_code(op.body, m.positions):
        return None
    region = b.index_region(op.space, lambda *i: emitted(b, op.body, i, m.positions))
    kind = linear.GatherOp if is_build else linear.ScatterOp
    return b.map_of(kind, op.domain, op.codomain, (), None, (region,))


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


@_duals(
    ("one position of a build", "𝓑(i. mask (i = e)) = one_hot[e] ∘ mask (0 ≤ e < n)"),
    ("one position of a sum", "𝓑′(i. mask (i = e)) = mask (0 ≤ e < n) ∘ index[e]"),
)
def _one_position(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    e = _sole_position(op)
    if e is None:
        return None
    is_build = isinstance(op, linear.BuildOp)
    guard = b.mask_map(op.domain if is_build else op.codomain, b.inside([e], op.space))
    kind = linear.OneHotOp if is_build else linear.IndexOp
    return _chained(b, op, b.map_of(kind, op.domain, op.codomain, (e,)), guard)


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


@_duals(
    ("build of scales", "𝓑(i. S(kᵢ) ∘ mᵢ) = S(build k) ∘ 𝓑(i. mᵢ); mask likewise"),
    ("sum of scales at positions", "𝓑′(i. mᵢ ∘ S(kᵢ)) = 𝓑′(i. mᵢ) ∘ S(build k)"),
)
def _scales(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    maps, is_build = factors(made(op), op.body), isinstance(op, linear.BuildOp)
    end, rest = (maps[0], maps[1:]) if is_build else (maps[-1], maps[:-1])
    if not isinstance(end.owner, _POINTWISE) or is_outside(end, op.body.block):
        return None
    space = codomain_of(end) if is_build else domain_of(end)
    if rest:
        region = _over(b, op, rest)
        others = b.map_of(type(op), op.domain, op.codomain, (), op.properties, (region,))
    else:
        others = _everywhere(b, op, space)
    return _chained(b, op, _coefficients(b, op, end, space), others)


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


@_duals(
    ("build of pairs", "𝓑(i. mᵢ × nᵢ) = 𝓑(i. mᵢ) × 𝓑(i. nᵢ), where both become smaller"),
    ("sum of joins", "𝓑′(i. mᵢ ⋈ nᵢ) = 𝓑′(i. mᵢ) ⋈ 𝓑′(i. nᵢ), where both become smaller"),
)
def _pairs(b: ArrayBuilder, op: linear.IndexedMapOp) -> Value | None:
    is_build = isinstance(op, linear.BuildOp)
    parts = _parts(b, op, linear.VcatOp if is_build else linear.HcatOp)
    if parts is None:
        return None
    return b.vcat(op.domain, parts) if is_build else b.hcat(op.codomain, parts)


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
    """Return where what goes in is no larger than what is in the middle, which is then never made."""
    space = g.domain
    if f.space != g.space or not _is_array(space):
        return None
    if nominal(size_of(space)) > nominal(_size(part_domain(f))):
        return None

    def body(*i: Value) -> list[Value]:
        outer, inner = (b.inline_region(op.body, i, {})[0] for op in (f, g))
        return [b.compose(outer, inner)]

    region = b.index_region(f.space, body)
    domain = linear.stacked_space(space, f.space)
    total = b.map_of(linear.BuildTransposeOp, domain, f.codomain, (), f.properties, (region,))
    return b.compose(total, _everywhere(b, g, space))


def _size(space: Attribute) -> int:
    parts: Sequence[Attribute] = components_of(space)
    return size_of(space) if _is_array(space) else sum(_size(p) for p in parts)


INDEX_SPACE_LAWS = (
    _zero,
    *_constant,
    *_constant_factor,
    *_moves,
    *_one_position,
    *_scales,
    *_pairs,
    _sums,
)

INDEX_SPACE_PAIRS = (_sum_of_compositions,)
