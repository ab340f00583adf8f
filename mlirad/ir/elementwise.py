"""Folding constructors of elementwise ops.

Folds keep IEEE arithmetic: `x * 1 -> x`, `x - 0 -> x` and `x + (-y) -> x - y` hold for every x; `x + 0 -> x`
and `x * 0 -> 0` do not and are made for integers only. An op on operands that are all broadcast alike is
computed before the broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i1
from xdsl.ir import Attribute

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import (
    Shape,
    Value,
    array_type,
    element_of,
    is_boolean,
    is_float,
    is_integer,
    keyword,
    shape_of,
    values_of,
)
from mlirad.ir.structural import StructuralBuilder

_LITERALS = (ConstantOp, BroadcastOp)

_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


class ElementwiseBuilder(StructuralBuilder):
    """Constructors of elementwise ops."""

    def elementwise(
        self,
        op_class: type[ew.ElementwiseOp],
        operands: Sequence[Value],
        element: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> Value:
        """An elementwise op whose result has element type `element`: constants and broadcasts folded."""
        shape = shape_of(operands[-1])
        folded = self._fold_constants(op_class, operands, element, properties)
        if folded is not None:
            return folded
        common = self._common_broadcast(operands, shape)
        if common is not None:
            small, dims = common
            inner = [self._before_broadcast(o, small) for o in operands]
            return self.broadcast(self.apply_elementwise(op_class, inner, properties, element), shape, dims)
        return self.emit(op_class, operands, array_type(shape, element), properties)

    def apply_elementwise(
        self,
        op_class: type[ew.ElementwiseOp],
        operands: Sequence[Value],
        properties: Mapping[str, Attribute] | None = None,
        element: Attribute | None = None,
    ) -> Value:
        """An elementwise op through its folding constructor. `element` is needed by `convert` alone."""
        if op_class is ew.CompareOp:
            assert properties is not None
            return self.compare(cast(StringAttr, properties["predicate"]).data, *operands)
        if op_class is ew.SelectOp:
            return self.select(*operands)
        if op_class is ew.ConvertOp:
            assert element is not None
            return self.convert(operands[0], element)
        fold = _FOLDS.get(op_class)
        if fold is not None:
            folded = fold(self, *operands)
            if folded is not None:
                return folded
        elif issubclass(op_class, ew.FloatTestOp):
            return self.elementwise(op_class, operands, i1, properties)
        return self.elementwise(op_class, operands, element_of(operands[0]), properties)

    def unary(self, op_class: type[ew.UnaryOp], x: Value) -> Value:
        """`op_class(x)`."""
        return self.apply_elementwise(op_class, (x,))

    def binary(self, op_class: type[ew.BinaryOp], x: Value, y: Value) -> Value:
        """`op_class(x, y)`, operands of one type."""
        return self.apply_elementwise(op_class, (x, y))

    def neg(self, x: Value) -> Value:
        """-x."""
        return self.unary(ew.NegOp, x)

    def add(self, x: Value, y: Value) -> Value:
        """x + y."""
        return self.binary(ew.AddOp, x, y)

    def sub(self, x: Value, y: Value) -> Value:
        """x - y."""
        return self.binary(ew.SubOp, x, y)

    def mul(self, x: Value, y: Value) -> Value:
        """x * y."""
        return self.binary(ew.MulOp, x, y)

    def div(self, x: Value, y: Value) -> Value:
        """x / y."""
        return self.binary(ew.DivOp, x, y)

    def absorbing_mul(self, k: Value, dx: Value) -> Value:
        """k * dx, 0 where either is 0; a plain product where 0 provably meets finite values only."""
        return self.binary(ew.AbsorbingMulOp, k, dx)

    def scaled(self, x: Value, factor: float) -> Value:
        """`factor * x` for a Python number."""
        return self.mul(self.splat(factor, x.type), x)

    def logical_not(self, x: Value) -> Value:
        """The complement of booleans."""
        return self.unary(ew.NotOp, x)

    def logical_and(self, x: Value, y: Value) -> Value:
        """The conjunction of booleans."""
        return self.binary(ew.AndOp, x, y)

    def compare(self, predicate: str, x: Value, y: Value) -> Value:
        """A comparison; decided at once where intervals of integers allow it."""
        if is_integer(x):
            decided = self._decide(predicate, x, y)
            if decided is not None:
                return self.splat(decided, array_type(shape_of(x), i1))
        return self.elementwise(ew.CompareOp, (x, y), i1, {"predicate": keyword(predicate)})

    def select(self, condition: Value, on_true: Value, on_false: Value) -> Value:
        """`on_true` where the condition holds, else `on_false`; in a branch by the condition, one of them."""
        one = _spread_scalar(condition)
        known = self.decided.get(one, self.scalar_of(condition))
        if known is not None:
            return on_true if known else on_false
        if on_true is on_false:
            return on_true
        if isinstance(condition.owner, ew.NotOp):
            return self.select(condition.owner.operand, on_false, on_true)
        if shape_of(on_true) == shape_of(condition) and is_boolean(on_true):
            if self.scalar_of(on_false) is False:
                return self.logical_and(condition, on_true)
            if self.scalar_of(on_true) is True:
                return self.binary(ew.OrOp, condition, on_false)
        return self.elementwise(ew.SelectOp, (one, on_true, on_false), element_of(on_true))

    def convert(self, x: Value, element: Attribute) -> Value:
        """Conversion to another element type; to its own it is `x`."""
        if element_of(x) == element:
            return x
        if element == i1:
            return self.compare("ne", x, self.zeros(x.type))
        return self.elementwise(ew.ConvertOp, (x,), element)

    def clamp(self, position: Value, extent: int) -> Value:
        """`min(max(position, 0), extent - 1)`, dropped where the position is provably inside."""
        if self.ranges.inside(position, extent):
            return position
        low = self.binary(ew.MaxOp, position, self.splat(0, position.type))
        return self.binary(ew.MinOp, low, self.splat(extent - 1, position.type))

    # Folds shared by all ops ---------------------------------------------------------------------

    def _fold_constants(
        self,
        op_class: type[ew.ElementwiseOp],
        operands: Sequence[Value],
        element: Attribute,
        properties: Mapping[str, Attribute] | None,
    ) -> Value | None:
        if not all(type(o.owner) in _LITERALS for o in operands):
            return None
        shape = shape_of(operands[-1])
        scalars = [self.scalar_of(o) for o in operands]
        options: dict[str, object] = {}
        for name, attribute in (properties or {}).items():
            if isinstance(attribute, StringAttr):
                options[name] = attribute.data
            elif isinstance(attribute, IntegerAttr):
                options[name] = attribute.value.data
        if issubclass(op_class, ew.ConvertOp):
            options["dtype"] = numpy_dtype(element)
        function = SCALARS[op_class.name.removeprefix("array.")]
        if all(s is not None for s in scalars):
            values = [np.asarray(s, numpy_dtype(o.type)) for s, o in zip(scalars, operands, strict=True)]
            return self.splat(np.asarray(function(*values, **options)), array_type(shape, element))
        literals = [self.literal_of(o) for o in operands]
        if all(v is not None for v in literals):
            return self.constant(np.asarray(function(*literals, **options)), element)
        return None

    def _common_broadcast(self, operands: Sequence[Value], shape: Shape) -> tuple[Shape, Shape] | None:
        """Shape and dims of what is broadcast, if all operands are broadcast alike or uniform."""
        if not shape:
            return None
        common: tuple[Shape, Shape] | None = None
        for operand in operands:
            owner = operand.owner
            if not shape_of(operand):
                continue
            if not isinstance(owner, BroadcastOp):
                return None
            if shape_of(owner.operand):
                mine = (shape_of(owner.operand), values_of(owner.dims))
                if common not in (None, mine):
                    return None
                common = mine
        return ((), ()) if common is None else common

    def _before_broadcast(self, operand: Value, small: Shape) -> Value:
        owner = operand.owner
        if isinstance(owner, BroadcastOp):
            if shape_of(owner.operand) == small:
                return owner.operand
            return self.broadcast(owner.operand, small, ())
        return operand

    def _decide(self, predicate: str, x: Value, y: Value) -> bool | None:
        a, b = self.ranges.interval(x), self.ranges.interval(y)
        if a is None or b is None:
            return None
        match predicate:
            case "lt" | "ge":
                known = True if a[1] < b[0] else False if a[0] >= b[1] else None
                return known if predicate == "lt" or known is None else not known
            case "gt" | "le":
                return self._decide(_SWAPPED[predicate], y, x)
            case _:
                apart = a[1] < b[0] or b[1] < a[0]
                equal = a[0] == a[1] == b[0] == b[1]
                if not (apart or equal):
                    return None
                return equal if predicate == "eq" else apart


# Folds of one op each ----------------------------------------------------------------------------


def _fold_neg(b: ElementwiseBuilder, x: Value) -> Value | None:
    """-(-x) -> x."""
    return x.owner.operand if isinstance(x.owner, ew.NegOp) else None


def _fold_not(b: ElementwiseBuilder, x: Value) -> Value | None:
    """not (not x) -> x."""
    return x.owner.operand if isinstance(x.owner, ew.NotOp) else None


def _is_zero(b: ElementwiseBuilder, x: Value, *, negative: bool) -> bool:
    """Return whether x is the integer 0, or the float 0 of the given sign."""
    value = b.scalar_of(x)
    if value is None or value != 0:
        return False
    return not is_float(x) or bool(np.signbit(value)) == negative


def _fold_add(b: ElementwiseBuilder, x: Value, y: Value) -> Value | None:
    """x + (-0.0) -> x;  x + (-y) -> x - y."""
    if _is_zero(b, y, negative=True):
        return x
    if _is_zero(b, x, negative=True):
        return y
    if isinstance(y.owner, ew.NegOp):
        return b.sub(x, y.owner.operand)
    if isinstance(x.owner, ew.NegOp):
        return b.sub(y, x.owner.operand)
    return None


def _fold_sub(b: ElementwiseBuilder, x: Value, y: Value) -> Value | None:
    """x - 0.0 -> x;  x - (-y) -> x + y;  -0.0 - y -> -y."""
    if _is_zero(b, y, negative=False):
        return x
    if isinstance(y.owner, ew.NegOp):
        return b.add(x, y.owner.operand)
    if _is_zero(b, x, negative=True):
        return b.neg(y)
    if x is y and is_integer(x):
        return b.zeros(x.type)
    return None


def _fold_mul(b: ElementwiseBuilder, x: Value, y: Value) -> Value | None:
    """x * 1 -> x;  x * (-1) -> -x;  (-x) * y -> -(x * y); 0 of integers absorbs."""
    for one, other in ((x, y), (y, x)):
        value = b.scalar_of(one)
        if value == 1:
            return other
        if value == -1:
            return b.neg(other)
        if value == 0 and is_integer(x):
            return one
    if isinstance(x.owner, ew.NegOp) and isinstance(y.owner, ew.NegOp):
        return b.mul(x.owner.operand, y.owner.operand)
    for one, other in ((x, y), (y, x)):
        if isinstance(one.owner, ew.NegOp) and b.scalar_of(other) is None:
            return b.neg(b.mul(one.owner.operand, other))
        if isinstance(one.owner, ew.NegOp):
            return b.mul(one.owner.operand, b.neg(other))
    return None


def _fold_absorbing_mul(b: ElementwiseBuilder, k: Value, dx: Value) -> Value | None:
    """A plain product where 0 cannot meet what is not finite; a literal 1 gives the other, 0 gives 0.

    A mask selects what it is multiplied with;  negations move outside.
    """
    for one, other in ((dx, k), (k, dx)):
        value = b.scalar_of(one)
        if value == 1:
            return other
        if value == 0:
            return b.zeros(dx.type)
        if value is not None and value - value == 0:
            return b.mul(k, dx)
    if b.ranges.finite(k) and b.ranges.finite(dx):
        return b.mul(k, dx)
    for one, other in ((dx, k), (k, dx)):
        masked = _masked(b, one, other) if isinstance(one.owner, ew.SelectOp) else None
        if masked is not None:
            return masked
    if isinstance(k.owner, ew.NegOp):
        return b.neg(b.absorbing_mul(k.owner.operand, dx))
    if isinstance(dx.owner, ew.NegOp):
        return b.neg(b.absorbing_mul(k, dx.owner.operand))
    return None


def _masked(b: ElementwiseBuilder, mask: Value, x: Value) -> Value | None:
    """The product with a mask: 1, 0, `select c 1 0`, and masks selected instead of one of these numbers."""
    value = b.scalar_of(mask)
    if value is not None:
        return x if value == 1 else b.zeros(x.type) if value == 0 else None
    if not isinstance(mask.owner, ew.SelectOp):
        return None
    both = mask.owner.on_true, mask.owner.on_false
    if all(b.scalar_of(v) is None for v in both):
        return None
    on_true, on_false = (_masked(b, v, x) for v in both)
    return None if on_true is None or on_false is None else b.select(mask.owner.condition, on_true, on_false)


def _fold_div(b: ElementwiseBuilder, x: Value, y: Value) -> Value | None:
    """x / 1 -> x;  x / c -> x * (1/c) for powers of two, where that is exact."""
    value = b.scalar_of(y)
    if value == 1:
        return x
    if value is not None and is_float(x) and value != 0 and value - value == 0:
        mantissa, exponent = np.frexp(value)
        if abs(mantissa) == 0.5 and abs(exponent) < 100:
            return b.mul(x, b.splat(1.0 / value, y.type))
    return None


def _fold_logical(b: ElementwiseBuilder, x: Value, y: Value, *, absorbing: bool) -> Value | None:
    """x op x -> x;  for booleans: x op absorbing -> absorbing;  x op (not absorbing) -> x."""
    if x is y:
        return x
    if is_boolean(x):
        for one, other in ((x, y), (y, x)):
            value = b.scalar_of(one)
            if value is not None:
                return one if bool(value) == absorbing else other
    return None


def _fold_extremum(b: ElementwiseBuilder, x: Value, y: Value, *, largest: bool) -> Value | None:
    """max(x, x) -> x;  max(max(x, c), d) -> max(x, max(c, d));  decided by intervals of integers.

    Likewise min. Of floats c and d differ: at x = c = d the derivative is a fourth, and half after the fold.
    """
    if x is y:
        return x
    kind = ew.MaxOp if largest else ew.MinOp
    if isinstance(x.owner, kind):
        inner, outer = b.scalar_of(x.owner.rhs), b.scalar_of(y)
        if inner is not None and outer is not None and (inner != outer or not is_float(x)):
            return b.binary(kind, x.owner.lhs, b.binary(kind, x.owner.rhs, y))
    a, c = b.ranges.interval(x), b.ranges.interval(y)
    if a is None or c is None:
        return None
    upper, lower = (x, y) if a[0] >= c[1] else (y, x) if c[0] >= a[1] else (None, None)
    return upper if largest else lower


def _spread_scalar(x: Value) -> Value:
    """The scalar that an array has in all places, if that is how it is made, else the array."""
    owner = x.owner
    return owner.operand if isinstance(owner, BroadcastOp) and not shape_of(owner.operand) else x


_FOLDS: dict[type[ew.ElementwiseOp], Callable[..., Value | None]] = {
    ew.NegOp: _fold_neg,
    ew.NotOp: _fold_not,
    ew.AddOp: _fold_add,
    ew.SubOp: _fold_sub,
    ew.MulOp: _fold_mul,
    ew.AbsorbingMulOp: _fold_absorbing_mul,
    ew.DivOp: _fold_div,
    ew.AndOp: partial(_fold_logical, absorbing=False),
    ew.OrOp: partial(_fold_logical, absorbing=True),
    ew.MaxOp: partial(_fold_extremum, largest=True),
    ew.MinOp: partial(_fold_extremum, largest=False),
}
