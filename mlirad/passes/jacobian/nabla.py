"""The transformation ∇: the derivative of a program as a closed expression of linear maps.

    ∇[k] = 0    ∇[x] = ∂x    ∇[(e1, e2)] = ∇e1 × ∇e2    ∇[f(e)] = ∂f(e) ∘ ∇e
    ∇[let x = e in b] = let ∂x = ∇e in ∇b

∂f comes from the derivative table, ∂(+) = 1 ⋈ 1 and ∂(*)(x, y) = S(y) ⋈ S(x), or is a call of the derivative
of a user's function. ∇'s maps are brought to spine form by (m1 ⋈ m2) ∘ (n1 × n2) = (m1 ∘ n1) + (m2 ∘ n2) as
they are built, so it has the tangent maps of dual arrays for straight code, and shares the maps of loops and
branches with them. With `LiteralBuilder` no law is applied, and the expression is what the rules above say
(linear-map notes, figures 6 and 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.rules.derivatives import Partial


class LiteralBuilder(ArrayBuilder):
    """A builder that writes maps made of maps as they are asked for: no law of the algebra is applied."""

    def insert(
        self,
        op_class: type[Operation],
        operands: Sequence[Value] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:
        """The op with these parts. Identities are not shared: one may be ∂x, another a partial derivative."""
        if op_class is linear.IdentityOp:
            op = op_class.create(result_types=result_types, location=self.location)
            self.block.add_op(op)
            return op
        return super().insert(op_class, operands, result_types, properties, regions)

    def compose(self, outer: Value, inner: Value) -> Value:
        """x to outer(inner(x))."""
        return self.map_of(linear.ComposeOp, domain_of(inner), codomain_of(outer), (outer, inner))

    def add_maps(self, f: Value, g: Value) -> Value:
        """x to f(x) + g(x)."""
        return self.emit(linear.AddOp, (f, g), f.type)

    def vcat(self, domain: Attribute, maps: Sequence[Value]) -> Value:
        """x to (m1 x, ..., mn x)."""
        codomain = linear.tuple_type([codomain_of(m) for m in maps])
        return self.map_of(linear.VcatOp, domain, codomain, maps)

    def hcat(self, codomain: Attribute, maps: Sequence[Value]) -> Value:
        """(x1, ..., xn) to m1 x1 + ... + mn xn."""
        domain = linear.tuple_type([domain_of(m) for m in maps])
        return self.map_of(linear.HcatOp, domain, codomain, maps)

    def transpose_map(self, f: Value) -> Value:
        """The transposed map."""
        return self.map_of(linear.TransposeOp, codomain_of(f), domain_of(f), (f,))


@dataclass
class Nabla(DualArrays):
    """∇ in progress; `is_literal` says that what it writes is not brought to spine form."""

    is_literal: bool = False

    def chained(
        self, op: Operation, rule: Sequence[Partial | None], operands: Sequence[Value]
    ) -> Value | None:
        """∂f ∘ ∇e, with ∂f the join of the partial derivatives and ∇e the tuple of what the operands have."""
        if not self.is_literal:
            return super().chained(op, rule, operands)
        b, result = self.b, op.results[0]
        partials: list[Value] = []
        inner: list[Value] = []
        for partial, operand in zip(rule, operands, strict=False):
            if is_float(operand):
                zero = partial is None
                partials.append(b.zero_map(operand.type, result.type) if zero else partial(b, op))
                inner.append(self.tangent_map(operand))
        if len(partials) == 1:
            return b.compose(partials[0], inner[0])
        return b.compose(b.hcat(result.type, partials), b.vcat(self.space, inner))

    def after(self, outer: Value, inner: Value) -> Value:
        """`outer` after `inner`."""
        return self.b.compose(outer, inner) if self.is_literal else super().after(outer, inner)
