"""The bodies of named `linalg` ops, which MLIR prints in generic syntax alone.

body_of("matmul", [f64, f64], [f64])      ^bb0(%x, %y, %o): yield %o + %x * %y
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, IntegerType, i1
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

Formula: TypeAlias = "Callable[[_Body, Sequence[SSAValue]], SSAValue]"


class _Body:
    """A block, and how ops are put into it."""

    def __init__(self, types: Sequence[Attribute]):
        self.block = Block(arg_types=types)

    def op(self, op_class: Callable[..., Operation], *arguments: Any) -> SSAValue:
        """The result of an op."""
        op = op_class(*arguments)
        self.block.add_op(op)
        return op.results[0]

    def by_kind(self, floats: Any, integers: Any, *values: SSAValue) -> SSAValue:
        """The op on floats or on integers."""
        return self.op(integers if _is_integer(values[0].type) else floats, *values)

    def cast(self, x: SSAValue, type_: Attribute) -> SSAValue:
        """A value as one of another type, of signed integers."""
        if x.type == type_:
            return x
        if _is_integer(x.type):
            if not _is_integer(type_):
                return self.op(arith.SIToFPOp, x, type_)
            return self.op(arith.ExtSIOp if _width(type_) > _width(x.type) else arith.TruncIOp, x, type_)
        if _is_integer(type_):
            return self.op(arith.FPToSIOp, x, type_)
        return self.op(arith.ExtFOp if _width(type_) > _width(x.type) else arith.TruncFOp, x, type_)


def _is_integer(type_: Attribute) -> bool:
    return isinstance(type_, IntegerType | IndexType)


def _width(type_: Attribute) -> int:
    return cast(Any, type_).bitwidth if not isinstance(type_, IndexType) else 64


def _binary(floats: Any, integers: Any) -> Formula:
    return lambda b, x: b.by_kind(floats, integers, *(b.cast(v, x[-1].type) for v in x[:2]))


def _unary(op_class: Any) -> Formula:
    return lambda b, x: b.op(op_class, x[0])


def _sum_of_products(b: _Body, x: Sequence[SSAValue]) -> SSAValue:
    out = x[-1]
    factors = [b.cast(v, out.type) for v in x[:2]]
    if out.type == i1:
        return b.op(arith.OrIOp, out, b.op(arith.AndIOp, *factors))
    return b.by_kind(arith.AddfOp, arith.AddiOp, out, b.by_kind(arith.MulfOp, arith.MuliOp, *factors))


def _pooling(floats: Any, integers: Any) -> Formula:
    return lambda b, x: b.by_kind(floats, integers, x[-1], b.cast(x[0], x[-1].type))


def _square(b: _Body, x: Sequence[SSAValue]) -> SSAValue:
    return b.op(arith.MulfOp, x[0], x[0])


def _reciprocal(b: _Body, x: Sequence[SSAValue]) -> SSAValue:
    from xdsl.dialects.builtin import FloatAttr

    one = b.op(arith.ConstantOp, FloatAttr(1.0, cast(Any, x[0].type)))
    return b.op(arith.DivfOp, one, x[0])


_ELEMENTWISE: dict[str, Formula] = {
    "add": _binary(arith.AddfOp, arith.AddiOp),
    "sub": _binary(arith.SubfOp, arith.SubiOp),
    "mul": _binary(arith.MulfOp, arith.MuliOp),
    "div": _binary(arith.DivfOp, arith.DivSIOp),
    "max": _binary(arith.MaximumfOp, arith.MaxSIOp),
    "min": _binary(arith.MinimumfOp, arith.MinSIOp),
    "powf": _binary(math.PowFOp, math.IPowIOp),
    "abs": _unary(math.AbsFOp),
    "ceil": _unary(math.CeilOp),
    "erf": _unary(math.ErfOp),
    "exp": _unary(math.ExpOp),
    "floor": _unary(math.FloorOp),
    "log": _unary(math.LogOp),
    "negf": _unary(arith.NegfOp),
    "reciprocal": _reciprocal,
    "round": _unary(math.RoundOp),
    "rsqrt": _unary(math.RsqrtOp),
    "sqrt": _unary(math.SqrtOp),
    "square": _square,
    "tanh": _unary(math.TanhOp),
    "select": lambda b, x: b.op(arith.SelectOp, *x[:3]),
    "copy": lambda b, x: b.cast(x[0], x[-1].type),
    "fill": lambda b, x: b.cast(x[0], x[-1].type),
    "broadcast": lambda b, x: x[0],
    "transpose": lambda b, x: x[0],
}

_POOLING: dict[str, Formula] = {
    "sum": _pooling(arith.AddfOp, arith.AddiOp),
    "max": _pooling(arith.MaximumfOp, arith.MaxSIOp),
    "min": _pooling(arith.MinimumfOp, arith.MinSIOp),
}

_CONTRACTIONS = ("matmul", "matvec", "vecmat", "dot", "mmt4d", "conv")


def body_of(name: str, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> Region | None:
    """The body of the op on elements of these types; `None` if it is not known.

    Bodies on unsigned integers are not.
    """
    formula = _ELEMENTWISE.get(name)
    if formula is None and name.startswith("pooling_"):
        formula = _POOLING.get(name.rpartition("_")[2])
    elif formula is None and any(part in name for part in _CONTRACTIONS) and "unsigned" not in name:
        formula = _sum_of_products
    if formula is None:
        return None
    body = _Body([*inputs, *outputs])
    body.block.add_op(YieldOp(formula(body, body.block.args)))
    return Region(body.block)
