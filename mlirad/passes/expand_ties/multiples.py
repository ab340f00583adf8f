"""Squares of kinks as polynomials, by which kinks that are multiples of one another are found.

    |x|, |3 x|, sqrt(x x / 4)                                   x^2 times 1, 9, 1 / 4
    norm(x), sqrt(x @ x), hypot(x[0], x[1])                     x[0]^2 + x[1]^2
    std(x)                                                      (x[0]^2 - 2 x[0] x[1] + x[1]^2) / 4

Of kinks with one element the polynomial is in the elements of what they are computed of, as long as there
are few of these. Of others it is in elements at equal positions, and sums over dimensions are numbers by
themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from math import prod, sqrt
from typing import Final, TypeAlias

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    StackOp,
)
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Shape, Value, is_float, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.smooth_identities.roots import guarded_radicand, is_inner, magnitude_of

Position: TypeAlias = tuple[int, ...] | None
"""The position of an element in its array; `None` is that of the element that is asked for."""

Form: TypeAlias = dict[Hashable, float]
"""A polynomial: the coefficients of its terms."""

_CONSTANT: Final = None
"""The constant term of linear forms."""

MOST_ELEMENTS: Final = 64
"""Sums over more elements are numbers by themselves."""

_MOST_STEPS: Final = 8192
"""Polynomials that take more values and products to find are not looked at."""

_DEPTH = 6
"""The depth to which values are compared op by op; beyond it, by identity."""

_DIGITS = 12
"""The number of digits, relative to the largest coefficient, to which equal coefficients agree."""


@dataclass(frozen=True)
class Multiple:
    """A kink as a positive number times one that all kinks with equal `kind` are multiples of."""

    factor: float
    kind: Hashable

    @staticmethod
    def of(square: Form) -> Multiple | None:
        """The root of a polynomial; `None` if that is 0 everywhere."""
        scale = max(map(abs, square.values()), default=0.0)
        if not scale:
            return None
        shares = {term: float(f"{c / scale:.{_DIGITS}f}") for term, c in square.items()}
        return Multiple(sqrt(scale), frozenset((term, share) for term, share in shares.items() if share))


class _UnknownError(Exception):
    """A value that is no such polynomial, or one of too many terms."""


@dataclass
class Forms:
    """The polynomials of the values of one function."""

    _numbers: dict[Hashable, int] = field(default_factory=dict)
    _inside: dict[Value, Value] = field(default_factory=dict)
    """The operands that arguments of regions stand for."""
    _left: int = _MOST_STEPS

    def of_distance(self, size: Value, x: Value | None, y: Value | None) -> Multiple | None:
        """The kink |x - y|, which `size` is."""

        def square(at: Position) -> Form:
            distance = [self._linear(v, at) if v is not None else {} for v in (x, y)]
            return self._squared(_combined(distance, (1.0, -1.0)))

        return self._found(size, square)

    def of_radius(self, size: Value) -> Multiple | None:
        """A kink that is the root of a sum of squares."""
        return self._found(size, lambda at: self._squared_radius(size, at))

    def of_extremum(self, size: Value) -> Multiple | None:
        """A kink that is the largest or the smallest of magnitudes."""
        op = size.owner
        inside = magnitude_of(op.operand) if isinstance(op, ReduceOp) else None
        if not isinstance(op, ReduceOp) or inside is None:
            return None
        each = self._found(op.operand, lambda at: self._squared(self._linear(inside, at)))
        return None if each is None else Multiple(each.factor, (op.kind.data, values_of(op.dims), each.kind))

    def _found(self, size: Value, square: Callable[[Position], Form]) -> Multiple | None:
        shape = shape_of(size)
        positions: list[Position] = [(0,) * len(shape), None] if set(shape) <= {1} else [None]
        for at in positions:
            self._left = _MOST_STEPS
            try:
                return Multiple.of(square(at))
            except _UnknownError:
                pass
        return None

    # Squares -----------------------------------------------------------------------------------------

    def _squared_radius(self, size: Value, at: Position) -> Form:
        op = size.owner
        match op:
            case ew.HypotOp():
                return _combined([self._squared(self._linear(v, at)) for v in (op.lhs, op.rhs)], (1.0, 1.0))
            case ew.SqrtOp():
                return self._square(op.operand, at)
            case ew.SelectOp():
                s = guarded_radicand(op)
                if s is None:
                    raise _UnknownError
                return self._square(s, at)
            case CustomOp():
                self._inside.update(zip(op.body.block.args, own_operands(op), strict=True))
                return self._square(yields(op.body)[1], at)
            case _:
                raise _UnknownError

    def _square(self, value: Value, at: Position) -> Form:
        """A polynomial of degree 2."""
        self._count(1)
        if scalar_of(value) == 0:
            return {}
        op = value.owner
        match op:
            case ew.MulOp():
                for number, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                    c = scalar_of(number)
                    if c is not None:
                        return _combined([self._square(other, at)], (float(c),))
                return self._product(self._linear(op.lhs, at), self._linear(op.rhs, at))
            case ew.DivOp():
                return _combined([self._square(op.lhs, at)], (1 / self._number(op.rhs),))
            case ew.AddOp() | ew.SubOp():
                parts = [self._square(v, at) for v in (op.lhs, op.rhs)]
                return _combined(parts, (1.0, 1.0 if isinstance(op, ew.AddOp) else -1.0))
            case ew.ConvertOp() if is_float(op.operand):
                return self._square(op.operand, at)
            case SumOp():
                return self._sum(op.operand, values_of(op.dims), at, lambda p: self._square(op.operand, p))
            case DotOp() if is_inner(op):

                def product(p: Position) -> Form:
                    return self._product(self._linear(op.lhs, p), self._linear(op.rhs, p))

                return self._sum(op.lhs, op.contract[0], at, product)
            case _:
                operand, inner = self._source(value, at)
                if operand is value:
                    raise _UnknownError
                return self._square(operand, inner)

    def _sum(
        self, operand: Value, dims: tuple[int, ...], at: Position, of: Callable[[Position], Form]
    ) -> Form:
        """The sum over dimensions of the forms of an array's elements."""
        places = None if at is None else _summed(shape_of(operand), dims, at)
        if places is not None:
            return _combined([of(p) for p in places], itertools.repeat(1.0))
        if at:
            raise _UnknownError
        return {("sum", dims, term): c for term, c in of(None).items()}

    def _product(self, x: Form, y: Form) -> Form:
        self._count(len(x) * len(y))
        found: Form = {}
        for (one, c), (other, d) in itertools.product(x.items(), y.items()):
            term = frozenset((one, other))
            found[term] = found.get(term, 0.0) + c * d
        return found

    def _count(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise _UnknownError

    def _squared(self, form: Form) -> Form:
        return self._product(form, form)

    # Linear forms ------------------------------------------------------------------------------------

    def _linear(self, value: Value, at: Position) -> Form:
        """A polynomial of degree 1: any value is one, of itself if of nothing else."""
        self._count(1)
        number = scalar_of(value)
        if number is not None:
            return {_CONSTANT: float(number)}
        op = value.owner
        match op:
            case ew.NegOp():
                return _combined([self._linear(op.operand, at)], (-1.0,))
            case ew.AddOp() | ew.SubOp():
                parts = [self._linear(v, at) for v in (op.lhs, op.rhs)]
                return _combined(parts, (1.0, 1.0 if isinstance(op, ew.AddOp) else -1.0))
            case ew.MulOp():
                for factor, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                    c = scalar_of(factor)
                    if c is not None:
                        return _combined([self._linear(other, at)], (float(c),))
            case ew.DivOp() if scalar_of(op.rhs) is not None:
                return _combined([self._linear(op.lhs, at)], (1 / self._number(op.rhs),))
            case ew.ConvertOp() if is_float(op.operand):
                return self._linear(op.operand, at)
            case SumOp() if at is not None:
                places = _summed(shape_of(op.operand), values_of(op.dims), at)
                if places is not None:
                    return _combined([self._linear(op.operand, p) for p in places], itertools.repeat(1.0))
            case _:
                pass
        operand, inner = self._source(value, at)
        if operand is not value:
            return self._linear(operand, inner)
        return {(self._identity(value, _DEPTH), at): 1.0}

    def _number(self, value: Value) -> float:
        number = scalar_of(value)
        if not number:
            raise _UnknownError
        return float(number)

    # Elements ----------------------------------------------------------------------------------------

    def _source(self, value: Value, at: Position) -> tuple[Value, Position]:
        """The array that an element of a value is taken from, and its position there; itself, if none is."""
        if value in self._inside:
            return self._inside[value], at
        op = value.owner
        if not isinstance(op, Operation) or not all(
            is_static(e) for v in own_operands(op) for e in shape_of(v)
        ):
            return value, at
        if at is None:
            return same_order(value)
        match op:
            case BroadcastOp():
                return op.operand, tuple(at[d] for d in values_of(op.dims))
            case ReshapeOp():
                flat = np.ravel_multi_index(at, shape_of(value)) if at else 0
                return op.operand, tuple(int(k) for k in np.unravel_index(flat, shape_of(op.operand)))
            case SliceOp():
                steps = zip(at, values_of(op.starts), values_of(op.strides), strict=True)
                return op.operand, tuple(start + k * stride for k, start, stride in steps)
            case ReverseOp():
                dims, shape = values_of(op.dims), shape_of(value)
                return op.operand, tuple(shape[d] - 1 - k if d in dims else k for d, k in enumerate(at))
            case StackOp():
                dim = op.dim.value.data
                return op.parts[at[dim]], (*at[:dim], *at[dim + 1 :])
            case ConcatenateOp():
                dim, k = op.dim.value.data, at[op.dim.value.data]
                for part in op.parts:
                    extent = shape_of(part)[dim]
                    if k < extent:
                        return part, (*at[:dim], k, *at[dim + 1 :])
                    k -= extent
                return value, at
            case IndexOp():
                positions = [scalar_of(p) for p in op.positions]
                if any(p is None for p in positions):
                    return value, at
                shape = shape_of(op.operand)
                found = [min(max(int(p or 0), 0), e - 1) for p, e in zip(positions, shape, strict=False)]
                return op.operand, (*found, *at)
            case _:
                return value, at

    def _identity(self, value: Value, depth: int) -> int:
        """A number that values have in common if they are computed alike."""
        op = value.owner
        key: Hashable = value
        if isinstance(op, Operation) and not op.regions and depth:
            properties = tuple(sorted((name, p) for name, p in op.properties.items()))
            given = tuple(self._identity(self._inside.get(o, o), depth - 1) for o in own_operands(op))
            key = (op.name, properties, value.type, op.results.index(value), given)
        return self._numbers.setdefault(key, len(self._numbers))


def same_order(value: Value) -> tuple[Value, Position]:
    """The array whose elements a value has in the same order, or the scalar that all of them equal; else the
    value itself. Dimensions of extent 1 do not count.
    """
    op = value.owner
    if isinstance(op, BroadcastOp) and not shape_of(op.operand):
        return op.operand, ()
    if isinstance(op, BroadcastOp | ReshapeOp) and _long(shape_of(op.operand)) == _long(shape_of(value)):
        long = (
            [d for d, e in zip(values_of(op.dims), shape_of(op.operand), strict=True) if e != 1]
            if (isinstance(op, BroadcastOp))
            else []
        )
        return (op.operand, None) if long == sorted(long) else (value, None)
    return value, None


def _long(shape: Shape) -> list[int]:
    return [e for e in shape if e != 1]


def _summed(shape: Shape, dims: Sequence[int], at: tuple[int, ...]) -> list[tuple[int, ...]] | None:
    """The positions of the elements that an element of a sum is made of; `None` if these are too many."""
    extents = [shape[d] for d in dims]
    if not all(is_static(e) for e in extents) or prod(extents) > MOST_ELEMENTS:
        return None
    rest = [d for d in range(len(shape)) if d not in dims]
    found: list[tuple[int, ...]] = []
    for place in itertools.product(*(range(e) for e in extents)):
        whole = dict(zip((*dims, *rest), (*place, *at), strict=True))
        found.append(tuple(whole[d] for d in range(len(shape))))
    return found


def _combined(forms: Iterable[Mapping[Hashable, float]], factors: Iterable[float]) -> Form:
    found: Form = {}
    for form, factor in zip(forms, factors, strict=False):
        for term, c in form.items():
            found[term] = found.get(term, 0.0) + factor * c
    return found
