"""Terms that make a value smooth at ties of a kink a: f''(0) / 2 a^2, where a is 0.

%e = array.exp (-%a)     -->     select (%a == 0), %x * %x / 2, -0
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type, element_of, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.moves import moved, sources
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.code_jets import Polynomial, polynomials
from mlirad.passes.expand_ties.cones import Cone, Route
from mlirad.passes.expand_ties.moving import rests


@dataclass
class Terms:
    """The terms added to values at ties of a kink a: c a^2, and l a where a is a root; -0 elsewhere."""

    b: ArrayBuilder
    cone: Cone
    ops: Sequence[Operation]
    """The ops that make the values of the kink."""
    values: Sequence[Value]
    known: Environment
    """The values that these ops read instead."""
    of_kink: Environment
    """The replacements of the kink, and of the operands of its square."""
    is_last: bool
    """Tell if l and c need no derivative, as a^2 and its derivative are 0."""

    def made(self) -> list[Value | None]:
        """A term for each of the values; `None` for those that need none."""
        b, cone = self.b, self.cone
        if not cone.mixed.isdisjoint(self.values):
            return list(self._by_elements())
        is_tie = cone.kink.is_tie(b, self.of_kink)
        if cone.is_alone and any(inner.regions or any(map(shape_of, inner.results)) for inner in self.ops):
            otherwise = [_nothing(b, v) for v in self.values]
            made = b.if_(b.reshape(is_tie, ()), lambda: self._at_tie(otherwise), lambda: otherwise)
            return [None if scalar_of(v) == 0 else v for v in made]
        found = polynomials(b, self.ops, self.values, cone.kink.symbols, self.known)
        return [self._chosen(is_tie, f, v) for f, v in zip(found, self.values, strict=True)]

    def _at_tie(self, otherwise: Sequence[Value]) -> list[Value]:
        found = polynomials(self.b, self.ops, self.values, self.cone.kink.symbols, self.known)
        sums = [self._sum(f, v) for f, v in zip(found, self.values, strict=True)]
        return [nothing if s is None else s for s, nothing in zip(sums, otherwise, strict=True)]

    def _chosen(self, is_tie: Value, f: Polynomial, value: Value) -> Value | None:
        found = self._sum(f, value)
        if found is None:
            return None
        return self.b.select(self._in_place(is_tie, value), found, _nothing(self.b, value))

    def _sum(self, f: Polynomial, value: Value) -> Value | None:
        """The terms of a polynomial that the value does not have, or `None`."""
        b, kink, found = self.b, self.cone.kink, None
        factors = ((f.linear if self.cone.is_root else None, kink.a), (f.quadratic, kink.square))
        for factor, power in factors:
            if factor is not None:
                term = self._term(factor, self._in_place(power(b, self.of_kink), value))
                found = term if found is None else b.add(found, term)
        return found

    def _in_place(self, x: Value, value: Value) -> Value:
        """The elements of a value at the positions of the kink's elements."""
        b = self.b
        x = _placed(b, self.cone.routes[value], x, self.known)
        return b.convert(x, element_of(value)) if is_float(x) else x

    def _by_elements(self) -> list[Value]:
        """The sums of the terms of all elements of the kink that are 0, each with its own coefficients."""
        b, kink, shape = self.b, self.cone.kink, shape_of(self.cone.kink.size)
        none = [_nothing(b, v) for v in self.values]
        is_tie = kink.is_tie(b, self.of_kink)
        at_rest = rests(b, kink, self.of_kink)
        if at_rest is not None:
            is_tie = b.logical_and(is_tie, b.logical_not(at_rest))

        def flat(x: Value) -> Value:
            return b.reshape(x, (prod(shape),))

        def sums() -> list[Value]:
            ties, squares = flat(is_tie), flat(kink.square(b, self.of_kink))
            sizes = flat(kink.a(b, self.of_kink)) if self.cone.is_root else None

            def add(index: Value, before: list[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
                def added() -> list[Value]:
                    powers = [None if x is None else b.index(x, [index]) for x in (sizes, squares)]
                    found = self._along(index)
                    return [self._added(x, f, powers) for x, f in zip(before, found, strict=True)]

                return b.if_(b.index(ties, [index]), added, lambda: before), []

            return b.scan(none, [], prod(shape), add)[0]

        return b.if_(b.reduce("or", is_tie, range(len(shape))), sums, lambda: none)

    def _along(self, index: Value) -> list[Polynomial]:
        """The polynomials in one element of the kink."""
        b, kink = self.b, self.cone.kink
        shape, element = shape_of(kink.size), element_of(kink.size)
        is_here = b.compare("eq", b.iota((prod(shape),), 0), b.broadcast(index, (prod(shape),), ()))
        direction = b.reshape(b.convert(is_here, element), shape)
        size = self.known.get(kink.size, kink.size)
        line = size if kink.sign > 0 else b.neg(size), direction
        return polynomials(b, self.ops, self.values, kink.symbols, self.known, line=line)

    def _added(self, before: Value, f: Polynomial, powers: Sequence[Value | None]) -> Value:
        """A sum with the terms of one element more; `powers` are that element and its square."""
        b = self.b
        for factor, power in zip((f.linear, f.quadratic), powers, strict=True):
            if factor is not None and power is not None:
                spread = b.broadcast(b.convert(power, element_of(before)), shape_of(before), ())
                before = b.add(before, self._term(factor, spread))
        return before

    def _term(self, factor: Value, power: Value) -> Value:
        b = self.b
        return b.absorbing_mul(b.unary(ew.StopGradientOp, factor) if self.is_last else factor, power)


def _nothing(b: ArrayBuilder, value: Value) -> Value:
    """The neutral element of addition: -0."""
    return b.splat(-0.0, value.type)


def _placed(b: ArrayBuilder, route: Route, x: Value, env: Environment) -> Value:
    """Elements of the shape of a kink where the route has those of the kink, and 0 elsewhere."""
    if route.shape is not None:
        return b.broadcast(b.reshape(x, ()), route.shape, ())
    if route.op is None:
        return x
    zeros = (b.zeros(array_type(shape_of(v), element_of(x))) for v in sources(route.op))
    parts = [
        nothing if inner is None else _placed(b, inner, x, env)
        for inner, nothing in zip(route.sources, zeros, strict=True)
    ]
    return moved(b, route.op, parts, env)
