"""Simplification of map expressions for readers: all laws of maps, and those of real numbers for scalings.

    S(a) ∘ S(b) = S(a b)     S(a) ∘ m ⊕ S(b) ∘ m = S(a + b) ∘ m     1 ⊕ S(b) = S(1 + b)

These hold up to rounding, where the factors are finite; what is compiled keeps to `mlirad.linear_maps.laws`,
which hold always. Each leaves fewer maps, so building terminates as it does there.

S(a) after S(b) = S(a b) changes rounding, and is wrong where a is infinite and b is 0: a reader wants it,
compiled code does not.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import Value, element_of, shape_of
from mlirad.ir.arrays import rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.linear_maps.laws import LawBuilder
from mlirad.passes.bulk_operations import bulk_function
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import holds


def simplified(function: FuncOp) -> FuncOp:
    """The function with the maps in it simplified, and without what nothing reads.

    Builds that coefficients have become are made bulk.
    """
    made = rebuild_function(function, builder_class=SimplifyingBuilder)
    if holds(made, BuildOp):
        made = rebuild_function(bulk_function(made), builder_class=SimplifyingBuilder)
    return eliminate_dead_code(made)


class SimplifyingBuilder(LawBuilder):
    """A builder that applies the laws of maps and of real numbers to maps as it makes them."""

    def emit(
        self,
        op_class: type[Operation],
        operands: Sequence[Value],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Value:
        """The single result of `insert`, or what the laws make of it."""
        if issubclass(op_class, linear.GatherOp | linear.ScatterOp) and _moves_nothing(
            regions[0], result_type
        ):
            return self.identity_map(linear.map_type(result_type, "map").domain)
        return super().emit(op_class, operands, result_type, properties, regions)

    def compose(self, outer: Value, inner: Value) -> Value:
        """x to outer(inner(x))."""
        f, g = outer.owner, inner.owner
        match f, g:
            case linear.ComposeOp(), _:
                return self.compose(f.outer, self.compose(f.inner, inner))
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
        """The sum of two multiples of one map; None for other maps."""
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


def _moves_nothing(region: Region, type_: Attribute) -> bool:
    """Return whether each position is read from, or written to, itself."""
    map_type = linear.map_type(type_, "map")
    return map_type.domain == map_type.codomain and yields(region) == list(region.block.args)


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
