"""Arrays whose dimensions have names: formulas, products and sums by names, in whatever order dimensions are.

    n = NamedArrays(b, {"a": 4, "i": 3, "j": 3})
    v, m, w = n.named(v, "a", "i"), n.named(m, "i", "j"), n.named(w, "i")
    (v * w).contract(m, ("a", "j"))                                            (V * w) @ M

An array is repeated along the dimensions that another one has and it lacks. Matrices of complex numbers are
`Number`s, pairs of named arrays; the imaginary part of real ones is `None`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TypeAlias

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.lazy_dataclass import dataclass

Name: TypeAlias = Hashable
Names: TypeAlias = tuple[Name, ...]


@dataclass(frozen=True, eq=False)
class NamedArrays:
    """The builder of named arrays, and the extent of each name."""

    b: ArrayBuilder
    sizes: dict[Name, int]
    unknown: list[tuple[int, Named]] = field(default_factory=list[tuple[int, "Named"]])
    """The masks of NaN for derivatives that do not exist, with the lowest order of each."""

    def shape(self, names: Sequence[Name]) -> tuple[int, ...]:
        """The extents of dimensions of these names."""
        return tuple(self.sizes[n] for n in names)

    def named(self, value: Value, *names: Name) -> Named:
        """A value with names for its dimensions."""
        return Named(self, value, names)

    def map(self, f: Callable[..., Value], *xs: Named) -> Named:
        """An elementwise function of arrays, each repeated along the dimensions that it lacks."""
        names = tuple(dict.fromkeys(n for x in xs for n in x.names))
        return Named(self, f(*(x.aligned(names) for x in xs)), names)


@dataclass(frozen=True, eq=False)
class Named:
    """A value with a name for each dimension."""

    n: NamedArrays
    value: Value
    names: Names

    def renamed(self, names: Mapping[Name, Name]) -> Named:
        """The same value with other names for some dimensions."""
        return Named(self.n, self.value, tuple(names.get(n, n) for n in self.names))

    def aligned(self, names: Sequence[Name]) -> Value:
        """The value with its dimensions in this order, repeated along those that it lacks."""
        if self.names == tuple(names):
            return self.value
        order = list(names)
        return self.n.b.broadcast(self.value, self.n.shape(names), [order.index(n) for n in self.names])

    def unary(self, op: type[ew.UnaryOp]) -> Named:
        """An elementwise function of one operand."""
        return Named(self.n, self.n.b.unary(op, self.value), self.names)

    def _like(self, other: Named | float) -> Named:
        if isinstance(other, Named):
            return other
        return Named(self.n, self.n.b.splat(other, self.value.type), self.names)

    def _binary(self, op: type[ew.BinaryOp], x: Named | float, y: Named | float) -> Named:
        return self.n.map(partial(self.n.b.binary, op), self._like(x), self._like(y))

    def __neg__(self) -> Named:
        return self.unary(ew.NegOp)

    def __abs__(self) -> Named:
        return self.unary(ew.AbsOp)

    def __add__(self, other: Named | float) -> Named:
        return self._binary(ew.AddOp, self, other)

    def __sub__(self, other: Named | float) -> Named:
        return self._binary(ew.SubOp, self, other)

    def __mul__(self, other: Named | float) -> Named:
        return self._binary(ew.MulOp, self, other)

    def __truediv__(self, other: Named) -> Named:
        return self._binary(ew.DivOp, self, other)

    def __rtruediv__(self, other: float) -> Named:
        return self._binary(ew.DivOp, other, self)

    def __and__(self, other: Named) -> Named:
        return self._binary(ew.AndOp, self, other)

    def __or__(self, other: Named) -> Named:
        return self._binary(ew.OrOp, self, other)

    def __invert__(self) -> Named:
        return self.unary(ew.NotOp)

    def at_most(self, other: Named) -> Named:
        """Return where this is less than another array, or equal."""
        return self.n.map(partial(self.n.b.compare, "le"), self, other)

    def less(self, other: Named) -> Named:
        """Return where this is less than another array."""
        return self.n.map(partial(self.n.b.compare, "lt"), self, other)

    def absorbing(self, other: Named) -> Named:
        """The product in which 0 absorbs."""
        return self._binary(ew.AbsorbingMulOp, self, other)

    def choose(self, on_true: Named, on_false: Named) -> Named:
        """One array where this holds, and another one elsewhere."""
        return self.n.map(self.n.b.select, self, on_true, on_false)

    def keep(self, x: Named) -> Named:
        """An array where this holds, and 0 elsewhere."""
        return self.choose(x, x.zeros())

    def unknown(self, x: Named, order: int) -> Named:
        """NaN where this holds, and an array elsewhere: derivatives from an order on do not exist there."""
        self.n.unknown.append((order, self))
        return self.choose(x._like(np.nan), x)

    def zeros(self) -> Named:
        """Zeros in the place of all elements."""
        return Named(self.n, self.n.b.zeros(self.value.type), self.names)

    def total(self, kept: Sequence[Name]) -> Named:
        """The sum over all names but those that are kept."""
        summed = [d for d, n in enumerate(self.names) if n not in kept]
        names = tuple(n for n in self.names if n in kept)
        return Named(self.n, self.n.b.sum(self.value, summed), names)

    def reduced(self, kind: str, name: Name) -> Named:
        """The reduction along one dimension."""
        names = tuple(n for n in self.names if n != name)
        return Named(self.n, self.n.b.reduce(kind, self.value, [self.names.index(name)]), names)

    def anywhere(self, kept: Sequence[Name] = ()) -> Value:
        """Tell whether this holds for any element, for each one along the names that are kept."""
        names = tuple(n for n in self.names if n in kept)
        dims = [d for d, n in enumerate(self.names) if n not in kept]
        return Named(self.n, self.n.b.reduce("or", self.value, dims), names).aligned(kept)

    def contract(self, other: Named, kept: Sequence[Name]) -> Named:
        """The sum of products over all names that are not kept."""
        x = self.total([*other.names, *kept])
        y = other.total([*x.names, *kept])
        shared = [n for n in x.names if n in y.names]
        batch = [n for n in shared if n in kept]
        over = [n for n in shared if n not in kept]
        if not over:
            return x * y
        groups = [[z.names.index(n) for n in names] for names in (batch, over) for z in (x, y)]
        free = [n for z in (x, y) for n in z.names if n not in shared]
        return Named(self.n, self.n.b.dot(x.value, y.value, *groups), (*batch, *free))


@dataclass(frozen=True, eq=False)
class Number:
    """A real array, or the real and the imaginary part of a complex one."""

    re: Named
    im: Named | None = None

    @property
    def names(self) -> Names:
        """The names of the dimensions."""
        return self.re.names

    def each(self, f: Callable[[Named], Named]) -> Number:
        """A real linear function of both parts."""
        return Number(f(self.re), None if self.im is None else f(self.im))

    def renamed(self, names: Mapping[Name, Name]) -> Number:
        """The same numbers with other names for some dimensions."""
        return self.each(lambda part: part.renamed(names))

    def conjugate(self) -> Number:
        """Complex conjugates."""
        return Number(self.re, None if self.im is None else -self.im)

    def turned(self) -> Number:
        """Complex numbers times i."""
        assert self.im is not None
        return Number(-self.im, self.re)

    def __add__(self, other: Number) -> Number:
        im = None if self.im is None or other.im is None else self.im + other.im
        return Number(self.re + other.re, im)

    def __sub__(self, other: Number) -> Number:
        im = None if self.im is None or other.im is None else self.im - other.im
        return Number(self.re - other.re, im)

    def __mul__(self, factor: float) -> Number:
        return self.each(lambda part: part * factor)

    def weighted(self, weights: Named) -> Number:
        """Numbers times real weights, by products in which 0 absorbs."""
        return self.each(weights.absorbing)

    def product(self, other: Number, kept: Sequence[Name]) -> Number:
        """The sum of products of numbers of one kind over all names that are not kept."""
        re = self.re.contract(other.re, kept)
        if self.im is None or other.im is None:
            return Number(re)
        im = self.re.contract(other.im, kept) + self.im.contract(other.re, kept)
        return Number(re - self.im.contract(other.im, kept), im)

    def squares(self) -> Named:
        """The squares of moduli."""
        return self.re * self.re if self.im is None else self.re * self.re + self.im * self.im

    def values(self, names: Sequence[Name]) -> list[Value]:
        """The parts as values, with their dimensions in this order."""
        return [part.aligned(names) for part in (self.re, self.im) if part is not None]
