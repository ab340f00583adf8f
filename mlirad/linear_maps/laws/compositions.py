"""Compositions and sums of primitive maps and of pairs that equal something smaller.

Measure: the number of map ops that are applied, then the dimension of the spaces in the middle of
compositions. Distribution is applied only where another law makes each part of it smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from mlirad.dialects import linear
from mlirad.dialects.shapes import Shape, Value, element_of, ints, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.builder import yields
from mlirad.ir.control import is_outside
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.laws.law import PairLaw, law, pair_law

_ANY_LOCAL = (*linear.ARRAY_MAP_OPS, linear.ProjectOp, linear.InjectOp)
"""Maps that a distribution may reduce."""

# Pairs and joins -------------------------------------------------------------------------------------


@pair_law("join of a pair", "(m₁ ⋈ m₂) ∘ (n₁ × n₂) = m₁∘n₁ + m₂∘n₂", linear.HcatOp, linear.VcatOp)
def _join_of_pair(b: ArrayBuilder, f: linear.HcatOp, g: linear.VcatOp) -> Value | None:
    if not f.maps:
        return None
    total = b.zero_map(g.domain, f.codomain)
    for m, n in zip(f.maps, g.maps, strict=True):
        total = b.add_maps(total, b.compose(m, n))
    return total


@pair_law(
    "distribution over a join",
    "m ∘ (n₁ ⋈ n₂) = (m∘n₁) ⋈ (m∘n₂), where each m∘nᵢ is one map",
    _ANY_LOCAL,
    linear.HcatOp,
)
def _over_join(b: ArrayBuilder, f: linear.MapOp, g: linear.HcatOp) -> Value | None:
    parts = [b.compose(f.result, n) for n in g.maps]
    if not parts or any(isinstance(p.owner, linear.ComposeOp) for p in parts):
        return None
    return b.hcat(f.codomain, parts)


# Sums ------------------------------------------------------------------------------------------------


@law("sum of scaled maps", "d + S(b)∘d = S(1 + b)∘d", linear.AddOp)
def _sum_of_scaled(b: ArrayBuilder, op: linear.AddOp) -> Value | None:
    """S(a) d + S(b) d for coefficients of different shapes, d alone counting as S(1) d."""
    (j, d), (k, e) = (_scaled(b, m) for m in own_operands(op))
    if d is not e or (j is None and k is None):
        return None
    space = linear.map_type(d.type, "map").codomain
    one = b.constant(1.0, element_of(space))
    j, k = one if j is None else j, one if k is None else k
    if j.type != k.type:
        j, k = (b.broadcast(c, shape_of(space), ()) if c.type != space else c for c in (j, k))
    return b.compose(b.scale_map(space, b.add(j, k)), d)


def _scaled(b: ArrayBuilder, m: Value) -> tuple[Value | None, Value]:
    owner = m.owner
    if isinstance(owner, linear.ComposeOp):
        outer, inner = own_operands(owner)
        if isinstance(outer.owner, linear.ScaleOp):
            return outer.owner.coefficient, inner
    return None, m


@law("common outer map", "m∘a + m∘b = m∘(a + b)", linear.AddOp)
def _common_outer(b: ArrayBuilder, op: linear.AddOp) -> Value | None:
    f, g = (m.owner for m in own_operands(op))
    if not isinstance(f, linear.ComposeOp) or not isinstance(g, linear.ComposeOp):
        return None
    (m, a), (n, c) = own_operands(f), own_operands(g)
    if m is not n or isinstance(m.owner, linear.ProjectOp):
        return None
    return b.compose(m, b.add_maps(a, c))


# Movements of elements -------------------------------------------------------------------------------


@pair_law(
    "broadcasts compose",
    "broadcast d ∘ broadcast e = broadcast (d ∘ e); permutations are such",
    linear.BroadcastOp,
    linear.BroadcastOp,
)
def _broadcasts(b: ArrayBuilder, f: linear.BroadcastOp, g: linear.BroadcastOp) -> Value | None:
    outer, inner = values_of(f.dims), values_of(g.dims)
    dims = tuple(outer[d] for d in inner)
    if g.domain == f.codomain and dims == tuple(range(len(dims))):
        return b.identity_map(g.domain)
    return b.map_of(linear.BroadcastOp, g.domain, f.codomain, (), {"dims": ints(dims)})


@pair_law("sums compose", "sum ∘ sum = sum over both", linear.SumOp, linear.SumOp)
def _sums(b: ArrayBuilder, f: linear.SumOp, g: linear.SumOp) -> Value | None:
    first = values_of(g.dims)
    left = [d for d in range(len(shape_of(g.domain))) if d not in first]
    dims = tuple(sorted([*first, *(left[d] for d in values_of(f.dims))]))
    return b.map_of(linear.SumOp, g.domain, f.codomain, (), {"dims": ints(dims)})


@pair_law(
    "sum of a broadcast", "sum ∘ broadcast = S(extent), over new dimensions", linear.SumOp, linear.BroadcastOp
)
def _sum_of_broadcast(b: ArrayBuilder, f: linear.SumOp, g: linear.BroadcastOp) -> Value | None:
    """Every summed dimension is new: the sum repeats the element."""
    dims, source, shape = values_of(f.dims), values_of(g.dims), shape_of(g.codomain)
    if any(d in source for d in dims):
        return None
    left = [d for d in range(len(shape)) if d not in dims]
    kept = tuple(left.index(d) for d in source)
    spread = b.map_of(linear.BroadcastOp, g.domain, f.codomain, (), {"dims": ints(kept)})
    if g.domain == f.codomain and kept == tuple(range(len(kept))):
        spread = b.identity_map(g.domain)
    return b.compose(spread, b.scale_by(g.domain, float(prod(shape[d] for d in dims))))


@pair_law("reshapes compose", "reshape ∘ reshape = reshape", linear.ReshapeOp, linear.ReshapeOp)
def _reshapes(b: ArrayBuilder, f: linear.ReshapeOp, g: linear.ReshapeOp) -> Value | None:
    if g.domain == f.codomain:
        return b.identity_map(g.domain)
    return b.map_of(linear.ReshapeOp, g.domain, f.codomain)


@pair_law("reverses compose", "reverse D ∘ reverse E = reverse (D xor E)", linear.ReverseOp, linear.ReverseOp)
def _reverses(b: ArrayBuilder, f: linear.ReverseOp, g: linear.ReverseOp) -> Value | None:
    dims = tuple(sorted({*values_of(f.dims)} ^ {*values_of(g.dims)}))
    if not dims:
        return b.identity_map(f.domain)
    return b.map_of(linear.ReverseOp, f.domain, f.codomain, (), {"dims": ints(dims)})


@pair_law("masks compose", "mask p ∘ mask q = mask (p and q)", linear.MaskOp, linear.MaskOp)
def _masks(b: ArrayBuilder, f: linear.MaskOp, g: linear.MaskOp) -> Value | None:
    p, q = f.condition, g.condition
    return b.mask_map(f.domain, b.logical_and(p, q)) if p.type == q.type else None


def _inverse(b: ArrayBuilder, f: linear.MapOp, g: linear.MapOp) -> Value | None:
    """Pieces put together as they were cut, or cut as they were put together."""
    if f.codomain != g.domain or f.properties != g.properties:
        return None
    return b.identity_map(g.domain)


@pair_law(
    "slice of a pad",
    "slice ∘ pad = 1, for the slice that takes the operand out again",
    linear.SliceOp,
    linear.PadOp,
)
def _slice_of_pad(b: ArrayBuilder, f: linear.SliceOp, g: linear.PadOp) -> Value | None:
    """The slice that takes the operand of a pad out again."""
    low, interior, shape = values_of(g.low), values_of(g.interior), shape_of(g.domain)
    strides = tuple(i + 1 for i in interior)
    if f.codomain != g.domain or values_of(f.starts) != low:
        return None
    matters = [k for k, e in enumerate(shape) if e > 1]
    if any(values_of(f.strides)[k] != strides[k] for k in matters):
        return None
    return b.identity_map(g.domain)


@pair_law("index of a one-hot", "index[e] ∘ one_hot[e] = 1", linear.IndexOp, linear.OneHotOp)
def _index_of_one_hot(b: ArrayBuilder, f: linear.IndexOp, g: linear.OneHotOp) -> Value | None:
    if tuple(f.positions) != tuple(g.positions) or 0 in shape_of(f.domain):
        return None
    return b.identity_map(g.domain)


# Positions -------------------------------------------------------------------------------------------

_READS = (linear.IndexOp, linear.GatherOp)
_WRITES = (linear.OneHotOp, linear.ScatterOp)


def _extents(op: linear.MapOp) -> Shape:
    """The index space that positions are a function of."""
    return extents_of(op) if op.regions else ()


def _positions(b: ArrayBuilder, op: linear.MapOp, args: list[Value]) -> list[Value]:
    """The positions at a point of the index space."""
    if isinstance(op, linear.GatherOp | linear.ScatterOp):
        return b.inline_region(op.body, args, {})
    return list(op.operands)


def _count(op: linear.MapOp) -> int:
    return len(yields(op.regions[0])) if op.regions else len(op.operands)


def _through(
    b: ArrayBuilder, first: linear.MapOp, then: linear.MapOp, middle: Shape
) -> tuple[Shape, Callable[..., list[Value]]]:
    """The index space and the positions of `then` at the clamped positions of `first` in the middle array.

    Positions that `first` has too many index what `then` leaves; arguments that it has too few are new.
    """
    count, arguments = _count(first), len(_extents(then))
    own = _extents(first)
    more = _extents(then)[count:]

    def positions(*args: Value) -> list[Value]:
        where = _positions(b, first, list(args[: len(own)]))
        clamped = [b.clamp(p, e) for p, e in zip(where, middle, strict=False)]
        reached = [*clamped[:arguments], *args[len(own) :]]
        return [*_positions(b, then, reached), *clamped[arguments:]]

    return (*own, *more), positions


def _moves(b: ArrayBuilder, f: linear.MapOp, g: linear.MapOp) -> Value | None:
    """Two reads, or two writes, as one. Without an index space it is at a single position."""
    middle, is_read = shape_of(g.codomain), isinstance(f, _READS)
    if 0 in middle:
        return b.zero_map(g.domain, f.codomain)
    space, positions = _through(b, f, g, middle) if is_read else _through(b, g, f, middle)
    single, general = _READS if is_read else _WRITES
    if not space:
        return b.map_of(single, g.domain, f.codomain, positions())
    return b.map_of(general, g.domain, f.codomain, (), None, (b.index_region(space, positions),))


# Branches --------------------------------------------------------------------------------------------


@law("known branch", "if true m n = m", linear.IfOp)
def _known_branch(b: ArrayBuilder, op: linear.IfOp) -> Value | None:
    known = b.scalar_of(op.condition)
    if known is None:
        return None
    return b.inline_region(op.then if known else op.otherwise, (), {})[0]


@law("same branches", "if p m m = m", linear.IfOp, linear.SwitchOp)
def _same_branches(b: ArrayBuilder, op: linear.IfOp | linear.SwitchOp) -> Value | None:
    made = [yields(region)[0] for region in op.regions]
    if len(made) == 1:
        return b.inline_region(op.regions[0], (), {})[0]
    outside = is_outside(made[0], op.regions[0].block)
    return made[0] if outside and all(m is made[0] for m in made) else None


COMPOSITION_LAWS = (
    _join_of_pair,
    _over_join,
    _broadcasts,
    _sums,
    _sum_of_broadcast,
    _reshapes,
    _reverses,
    _masks,
    PairLaw(
        "pieces put together",
        "concatenate ∘ split = 1, stack ∘ unstack = 1",
        (linear.ConcatenateOp, linear.StackOp),
        (linear.SplitOp, linear.UnstackOp),
        _inverse,
    ),
    PairLaw(
        "what was put together, cut",
        "split ∘ concatenate = 1, unstack ∘ stack = 1",
        (linear.SplitOp, linear.UnstackOp),
        (linear.ConcatenateOp, linear.StackOp),
        _inverse,
    ),
    _slice_of_pad,
    _index_of_one_hot,
    PairLaw(
        "gathers compose",
        "gather f ∘ gather g = gather (g ∘ clamp ∘ f); index is a gather at one place",
        _READS,
        _READS,
        _moves,
    ),
    PairLaw(
        "scatters compose",
        "scatter g ∘ scatter f = scatter (g ∘ clamp ∘ f); one_hot is a scatter from one place",
        _WRITES,
        _WRITES,
        _moves,
    ),
)

SUM_LAWS = (_sum_of_scaled, _common_outer, _known_branch, _same_branches)
