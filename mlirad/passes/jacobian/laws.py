"""Simplification of map expressions by the laws of real numbers, and transposition by the laws of figure 5.

    (m1 ⋈ m2) ∘ (n1 × n2) = (m1 ∘ n1) ⊕ (m2 ∘ n2)     (f ∘ g) ∘ h = f ∘ (g ∘ h)
    S(a) ∘ S(b) = S(a b)     S(a) ∘ m ⊕ S(b) ∘ m = S(a + b) ∘ m     1 ⊕ S(b) = S(1 + b)
    (f ∘ g)ᵀ = gᵀ ∘ fᵀ     (f × g)ᵀ = fᵀ ⋈ gᵀ     (f ⋈ g)ᵀ = fᵀ × gᵀ     (f ⊕ g)ᵀ = fᵀ ⊕ gᵀ

The laws of scalings hold up to rounding, where the factors are finite. They are for reading an expression;
what is compiled keeps to those in `mlirad.ir.maps`, which hold always. Each leaves fewer maps, or moves a
composition to the right, so building terminates.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects.func import FuncOp, ReturnOp

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, element_of, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.passes.dce import eliminate_dead_code
from mlirad.rules.transposes import TRANSPOSES, transpose_primitive


def simplified(function: FuncOp) -> FuncOp:
    """The function with the maps in it simplified, and without what nothing reads."""
    source = function_block(function)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(source.args, args, strict=True))
        for op in source.ops:
            if not isinstance(op, ReturnOp):
                b.rebuild(op, env)
        return [env.get(v, v) for v in returned(function)]

    visibility = None if function.sym_visibility is None else function.sym_visibility.data
    hints = [a.name_hint for a in source.args]
    name, types = function.sym_name.data, source.arg_types
    return eliminate_dead_code(new_function(name, types, body, visibility, hints, SimplifyingBuilder))


class SimplifyingBuilder(ArrayBuilder):
    """A builder that applies the laws of real numbers to maps as it makes them."""

    def compose(self, outer: Value, inner: Value) -> Value:
        """x to outer(inner(x))."""
        f, g = outer.owner, inner.owner
        match f, g:
            case linear.ComposeOp(), _:
                return self.compose(f.outer, self.compose(f.inner, inner))
            case linear.HcatOp(), linear.VcatOp():
                total = self.zero_map(domain_of(inner), codomain_of(outer))
                for m, n in zip(f.maps, g.maps, strict=True):
                    total = self.add_maps(total, self.compose(m, n))
                return total
            case linear.ScaleOp(), linear.ScaleOp():
                return self.scale_map(f.domain, self._product(f, g))
            case linear.ScaleOp(), linear.ComposeOp() if isinstance(g.outer.owner, linear.ScaleOp):
                factor = self._product(f, g.outer.owner)
                return self.compose(self.scale_map(f.domain, factor), g.inner)
            case _:
                return super().compose(outer, inner)

    def _product(self, f: linear.ScaleOp, g: linear.ScaleOp) -> Value:
        with self._unnamed():
            return self.mul(*self._of_one_type(f.coefficient, g.coefficient))

    @contextmanager
    def _unnamed(self) -> Generator[None]:
        """Factors do not have the name of the map that they are computed for."""
        hint, self.name_hint = self.name_hint, None
        try:
            yield
        finally:
            self.name_hint = hint

    def add_maps(self, f: Value, g: Value) -> Value:
        """x to f(x) + g(x)."""
        if isinstance(f.owner, linear.AddOp):
            left, right = own_operands(f.owner)
            for first, second in ((left, right), (right, left)):
                merged = self._merged(second, g)
                if merged is not None:
                    return self.add_maps(first, merged)
        merged = self._merged(f, g)
        return super().add_maps(f, g) if merged is None else merged

    def _merged(self, f: Value, g: Value) -> Value | None:
        """The sum of two multiples of one map; None if they are none."""
        a, m = _multiple(f)
        b, n = _multiple(g)
        if m is not n or (a is None and b is None and m is not None):
            return None
        space = codomain_of(f)
        if linear.carried(space) != (space,) or (m is None and domain_of(f) != space):
            return None
        with self._unnamed():
            factors = [self.constant(1.0, element_of(space)) if c is None else c for c in (a, b)]
            factor = self.add(*self._of_one_type(*factors))
        scale = self.scale_map(space, factor)
        return scale if m is None else self.compose(scale, m)

    def _of_one_type(self, a: Value, b: Value) -> tuple[Value, Value]:
        if a.type == b.type:
            return a, b
        if shape_of(a):
            return a, self.broadcast(b, shape_of(a), ())
        return self.broadcast(a, shape_of(b), ()), b


def _multiple(m: Value) -> tuple[Value | None, Value | None]:
    """A map as factor and map: None is the factor 1, or the identity."""
    match m.owner:
        case linear.IdentityOp():
            return None, None
        case linear.ScaleOp() as op:
            return op.coefficient, None
        case linear.ComposeOp() as op if isinstance(op.outer.owner, linear.ScaleOp):
            return op.outer.owner.coefficient, op.inner
        case _:
            return None, m


def transposed(b: ArrayBuilder, m: Value) -> Value:
    """The transpose of a map, moved to its parts; of a map whose parts are not known here, as such."""
    made: dict[Value, Value] = {}
    pending = [m]
    while pending:
        node = pending[-1]
        waiting = [o for o in _parts(node) if o not in made]
        if node in made or not waiting:
            pending.pop()
            if node not in made:
                made[node] = _transposed(b, node, [made[o] for o in _parts(node)])
        else:
            pending += waiting
    return made[m]


def _parts(m: Value) -> Sequence[Value]:
    if isinstance(m.owner, linear.ComposeOp | linear.AddOp | linear.VcatOp | linear.HcatOp):
        return own_operands(m.owner)
    return ()


def _transposed(b: ArrayBuilder, m: Value, parts: Sequence[Value]) -> Value:
    match m.owner:
        case linear.ComposeOp():
            return b.compose(parts[1], parts[0])
        case linear.AddOp():
            return b.add_maps(parts[0], parts[1])
        case linear.VcatOp():
            return b.hcat(domain_of(m), parts)
        case linear.HcatOp():
            return b.vcat(codomain_of(m), parts)
        case linear.PrimitiveMapOp() as op if type(op) in TRANSPOSES:
            return transpose_primitive(b, op, {})
        case _:
            return b.transpose_map(m)
