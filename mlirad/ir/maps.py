"""Folding constructors of linear maps: the laws of the algebra that shrink an expression as it is built.

    0 ∘ m = m ∘ 0 = 0      1 ∘ m = m ∘ 1 = m      m + 0 = m      0 × 0 = 0      0 ⋈ 0 = 0      (mᵀ)ᵀ = m
    S(1) = 1   S(0) = 0    π_i ∘ (m_1 × ... × m_n) = m_i         (m_1 ⋈ ... ⋈ m_n) ∘ ι_i = m_i
    S(a) ∘ m + S(b) ∘ m = S(a + b) ∘ m
    π_i ∘ ι_j = 1 or 0     (π_1 ∘ d) × ... × (π_n ∘ d) = d       S(a) ∘ S(b) = S(a b), a or b finite
    m ∘ a + m ∘ b = m ∘ (a + b)     for a composite m, so that m is applied once

Every law leaves fewer ops to apply, so building terminates; distribution, which undoes the last one, is never
done. Names end in `map` where the array language has an op of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import cast

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.linear import MapType
from mlirad.dialects.shapes import Value, components_of, int_lists, integer
from mlirad.ir.builder import yields
from mlirad.ir.indexing import IndexingBuilder


class MapBuilder(IndexingBuilder):
    """Constructors of the ops whose result is a linear map."""

    def __init__(self, block: Block):
        super().__init__(block)
        self._map_types: dict[tuple[int, int], MapType] = {}

    def map_type(self, domain: Attribute, codomain: Attribute) -> MapType:
        """The type of maps between two spaces; hashes neither."""
        known = self._map_types.get((id(domain), id(codomain)))
        if known is None or known.domain is not domain or known.codomain is not codomain:
            known = MapType(domain, codomain)
            self._map_types[id(domain), id(codomain)] = known
        return known

    def map_of(
        self,
        op_class: type[linear.MapOp],
        domain: Attribute,
        codomain: Attribute,
        operands: Sequence[Value] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Value:
        """The map that an op of `op_class` makes, without folding."""
        return self.emit(op_class, operands, self.map_type(domain, codomain), properties, regions)

    def zero_map(self, domain: Attribute, codomain: Attribute) -> Value:
        """x to 0."""
        return self.map_of(linear.ZeroOp, domain, codomain)

    def identity_map(self, space: Attribute) -> Value:
        """x to x."""
        return self.map_of(linear.IdentityOp, space, space)

    def compose(self, outer: Value, inner: Value) -> Value:
        """x to outer(inner(x))."""
        f, g = outer.owner, inner.owner
        if type(f) is linear.IdentityOp:
            return inner
        if type(g) is linear.IdentityOp:
            return outer
        if type(f) is linear.ZeroOp or type(g) is linear.ZeroOp:
            return self.zero_map(domain_of(inner), codomain_of(outer))
        folded = self._composed_parts(f, g) if type(g) in _PARTS else None
        if folded is not None:
            return folded
        return self.map_of(linear.ComposeOp, domain_of(inner), codomain_of(outer), (outer, inner))

    def _composed_parts(self, f: Operation | Block, g: Operation | Block) -> Value | None:
        """Compositions with a tuple of maps, an injection or a scale."""
        match f, g:
            case (linear.ProjectOp(), linear.VcatOp()):
                return g.maps[f.index.value.data]
            case (linear.HcatOp(), linear.InjectOp()):
                return f.maps[g.index.value.data]
            case (linear.ProjectOp(), linear.InjectOp()):
                if f.index == g.index:
                    return self.identity_map(g.domain)
                return self.zero_map(g.domain, f.codomain)
            case (linear.ScaleOp(), linear.ScaleOp()):
                return self._merged_scales(f, g)
            case _:
                return None

    def _merged_scales(self, f: linear.ScaleOp, g: linear.ScaleOp) -> Value | None:
        """S(a) ∘ S(b) -> S(a b), by a product in which 0 absorbs, as it does in each of the two.

        Not where a literal could overflow, or vanish, in the product, but not in the two scalings.
        """
        a, b = f.coefficient, g.coefficient
        if a.type != b.type or not (self.ranges.finite(a) or self.ranges.finite(b)):
            return None
        if self._is_extreme(a) or self._is_extreme(b):
            return None
        return self.scale_map(f.domain, self.absorbing_mul(a, b))

    def _is_extreme(self, coefficient: Value) -> bool:
        """Return whether a literal is so large or small that products of two like it leave the range of
        floats.
        """
        number = self.scalar_of(coefficient)
        if not number or not isfinite(number):
            return False
        highest = 63 if linear.element_of(coefficient.type) == f32 else 511
        return not 2.0**-highest < abs(number) < 2.0**highest

    def add_maps(self, f: Value, g: Value) -> Value:
        """x to f(x) + g(x)."""
        a, b = f.owner, g.owner
        if type(a) is linear.ZeroOp:
            return g
        if type(b) is linear.ZeroOp:
            return f
        if type(a) is linear.ComposeOp and type(b) is linear.ComposeOp:
            outer = a.operands[0]
            if outer is b.operands[0] and not is_local(outer.owner):
                return self.compose(outer, self.add_maps(a.operands[1], b.operands[1]))
            if a.operands[1] is b.operands[1]:
                summed = self._summed_scales(outer.owner, b.operands[0].owner)
                if summed is not None:
                    return self.compose(summed, a.operands[1])
        summed = self._summed_scales(a, b)
        if summed is not None:
            return summed
        return self.emit(linear.AddOp, (f, g), f.type)

    def _summed_scales(self, f: Operation | Block, g: Operation | Block) -> Value | None:
        """S(a) + S(b) -> S(a + b)."""
        if type(f) is not linear.ScaleOp or type(g) is not linear.ScaleOp:
            return None
        a, b = f.operands[0], g.operands[0]
        return self.scale_map(f.domain, self.add(a, b)) if a.type == b.type else None

    def vcat(self, domain: Attribute, maps: Sequence[Value]) -> Value:
        """x to (m1 x, ..., mn x)."""
        codomain = linear.tuple_type([codomain_of(m) for m in maps])
        if all(isinstance(m.owner, linear.ZeroOp) for m in maps):
            return self.zero_map(domain, codomain)
        whole = self._projected(maps, codomain, domain)
        return self.map_of(linear.VcatOp, domain, codomain, maps) if whole is None else whole

    def _projected(self, maps: Sequence[Value], space: Attribute, domain: Attribute) -> Value | None:
        """The d whose components in order are exactly `maps`, if there is one."""
        found: list[Value | None] = []
        for k, m in enumerate(maps):
            op = m.owner
            inner = None
            if isinstance(op, linear.ComposeOp):
                inner, op = op.inner, op.outer.owner
            if not isinstance(op, linear.ProjectOp) or op.index.value.data != k or op.domain != space:
                return None
            found.append(inner)
        if any(d is not found[0] for d in found):
            return None
        return self.identity_map(domain) if found[0] is None else found[0]

    def hcat(self, codomain: Attribute, maps: Sequence[Value]) -> Value:
        """(x1, ..., xn) to m1 x1 + ... + mn xn."""
        domain = linear.tuple_type([domain_of(m) for m in maps])
        if all(isinstance(m.owner, linear.ZeroOp) for m in maps):
            return self.zero_map(domain, codomain)
        injections = [m.owner for m in maps if isinstance(m.owner, linear.InjectOp)]
        if [i.index.value.data for i in injections] == list(range(len(maps))) and domain == codomain:
            return self.identity_map(domain)
        return self.map_of(linear.HcatOp, domain, codomain, maps)

    def project(self, space: Attribute, index: int) -> Value:
        """The component `index` of a tuple space."""
        part = components_of(space)[index]
        return self.map_of(linear.ProjectOp, space, part, (), {"index": integer(index)})

    def inject(self, space: Attribute, index: int) -> Value:
        """x to the element of a tuple space that is x at `index` and 0 elsewhere."""
        part = components_of(space)[index]
        return self.map_of(linear.InjectOp, part, space, (), {"index": integer(index)})

    def transpose_map(self, f: Value) -> Value:
        """The transposed map."""
        op = f.owner
        match op:
            case linear.TransposeOp():
                return op.operand
            case linear.ScaleOp() | linear.MaskOp() | linear.ReverseOp():
                return f
            case linear.IdentityOp():
                return self.identity_map(linear.dual(op.domain))
            case linear.ZeroOp():
                return self.zero_map(linear.dual(op.codomain), linear.dual(op.domain))
            case linear.ProjectOp():
                return self.inject(linear.dual(op.domain), op.index.value.data)
            case linear.InjectOp():
                return self.project(linear.dual(op.codomain), op.index.value.data)
            case _:
                domain, codomain = linear.dual(codomain_of(f)), linear.dual(domain_of(f))
                return self.map_of(linear.TransposeOp, domain, codomain, (f,))

    def scale_map(self, space: Attribute, coefficient: Value) -> Value:
        """x to coefficient * x, 0 to 0. The coefficient is a scalar or has the shape of the space."""
        value = self.scalar_of(coefficient)
        if value == 1:
            return self.identity_map(space)
        if value == 0:
            return self.zero_map(space, space)
        return self.map_of(linear.ScaleOp, space, space, (coefficient,))

    def scale_by(self, space: Attribute, factor: float) -> Value:
        """x to factor * x, for a Python number."""
        return self.scale_map(space, self.constant(factor, linear.element_of(space)))

    def mask_map(self, space: Attribute, condition: Value) -> Value:
        """x to x where the condition holds, to 0 elsewhere."""
        known = self.scalar_of(condition)
        if known is not None:
            return self.identity_map(space) if known else self.zero_map(space, space)
        return self.map_of(linear.MaskOp, space, space, (condition,))

    def build_map(self, domain: Attribute, extents: Sequence[int], body: Callable[..., Value]) -> Value:
        """x to the array of `body(i...)` x; the maps start from `domain`."""
        region = self.index_region(extents, lambda *i: [body(*i)])
        (made,) = yields(region)
        codomain = linear.stacked_space(codomain_of(made), extents)
        return self.map_of(linear.BuildOp, domain, codomain, (), int_lists(extents=extents), (region,))

    def fold_map(self, op: linear.MapOp, o: Sequence[Value]) -> Value | None:
        """The map op with operands `o` through its folding constructor; `None` when it has none."""
        match op:
            case linear.ComposeOp():
                return self.compose(o[0], o[1])
            case linear.AddOp():
                return self.add_maps(o[0], o[1])
            case linear.VcatOp():
                return self.vcat(op.domain, o)
            case linear.HcatOp():
                return self.hcat(op.codomain, o)
            case linear.TransposeOp():
                return self.transpose_map(o[0])
            case linear.ScaleOp():
                return self.scale_map(op.domain, o[0])
            case linear.MaskOp():
                return self.mask_map(op.domain, o[0])
            case _:
                return None


CONSTRUCTED_LAWS = (
    ("units", "1 ∘ m = m ∘ 1 = m, m + 0 = 0 + m = m"),
    ("zero", "0 ∘ m = m ∘ 0 = 0, 0 × 0 = 0, 0 ⋈ 0 = 0"),
    ("double transpose", "(mᵀ)ᵀ = m"),
    ("own transposes", "0ᵀ = 0, 1ᵀ = 1, S(k)ᵀ = S(k), maskᵀ = mask, reverseᵀ = reverse, πᵢᵀ = ιᵢ, ιᵢᵀ = πᵢ"),
    ("literal scales", "S(1) = 1, S(0) = 0"),
    ("sum of scales", "S(a) + S(b) = S(a + b), S(a)∘m + S(b)∘m = S(a + b)∘m"),
    ("scales compose", "S(a) ∘ S(b) = S(a b), where a or b is finite, and no literal is extreme"),
    ("projection of a pair", "πᵢ ∘ (m₁ × ... × mₙ) = mᵢ"),
    ("join of an injection", "(m₁ ⋈ ... ⋈ mₙ) ∘ ιᵢ = mᵢ"),
    ("projection of an injection", "πᵢ ∘ ιⱼ = 1 or 0"),
    ("surjective pairing", "(π₁ ∘ d) × ... × (πₙ ∘ d) = d, ι₁ ⋈ ... ⋈ ιₙ = 1"),
    ("common composite", "m∘a + m∘b = m∘(a + b), for a composite m"),
)
"""The laws that the constructors apply: a name and what it says."""

_PARTS = (linear.VcatOp, linear.InjectOp, linear.ScaleOp)

_LOCAL: frozenset[type[Operation]] = frozenset(
    (
        *linear.PRIMITIVE_OPS,
        *linear.CONTROL_OPS,
        linear.CallOp,
        *linear.CODE_OPS,
        *linear.CALL_MAPS,
        linear.ProjectOp,
        linear.InjectOp,
        linear.IdentityOp,
        linear.ZeroOp,
    )
)


def is_local(op: Operation | Block) -> bool:
    """Return whether a map is known and not made of other maps."""
    return type(op) in _LOCAL


def domain_of(f: Value) -> Attribute:
    """The space a map starts from."""
    return cast(MapType, f.type).domain


def codomain_of(f: Value) -> Attribute:
    """The space a map ends in."""
    return cast(MapType, f.type).codomain
