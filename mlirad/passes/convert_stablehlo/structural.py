"""Ops that move elements by a fixed pattern."""

from __future__ import annotations

from mlirad.dialects.shapes import Value, check_reshape, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.convert_stablehlo.converter import Converter, integers, meaning, number
from mlirad.passes.convert_stablehlo.types import language_type


@meaning("stablehlo.iota")
def _iota(c: Converter, op: HloOp, _: list[Value]) -> Value:
    type_ = language_type(op.results[0].type)
    return c.b.convert(c.b.iota(shape_of(type_), number(op, "iota_dimension")), element_of(type_))


@meaning("stablehlo.broadcast_in_dim")
def _broadcast(c: Converter, op: HloOp, o: list[Value]) -> Value:
    """Extents of 1 that become longer are dropped first."""
    shape, dims = shape_of(language_type(op.results[0].type)), integers(op, "broadcast_dimensions", ())
    x = o[0]
    kept = [k for k, d in enumerate(dims) if shape_of(x)[k] == shape[d]]
    x = c.b.reshape(x, [shape_of(x)[k] for k in kept])
    return c.b.broadcast(x, shape, [dims[k] for k in kept])


@meaning("stablehlo.reshape")
def _reshape(c: Converter, op: HloOp, o: list[Value]) -> Value:
    shape = shape_of(language_type(op.results[0].type))
    check_reshape(shape_of(o[0]), shape)
    return c.b.reshape(o[0], shape)


@meaning("stablehlo.transpose")
def _transpose(c: Converter, op: HloOp, o: list[Value]) -> Value:
    return c.b.transpose(o[0], integers(op, "permutation", ()))


@meaning("stablehlo.reverse")
def _reverse(c: Converter, op: HloOp, o: list[Value]) -> Value:
    return c.b.reverse(o[0], integers(op, "dimensions", ()))


@meaning("stablehlo.concatenate")
def _concatenate(c: Converter, op: HloOp, o: list[Value]) -> Value:
    dim = number(op, "dimension")
    parts = [x for x in o if shape_of(x)[dim]]
    return c.b.concatenate(parts or o[:1], dim)


@meaning("stablehlo.slice")
def _slice(c: Converter, op: HloOp, o: list[Value]) -> Value:
    starts, limits, strides = (integers(op, n, ()) for n in ("start_indices", "limit_indices", "strides"))
    return c.b.slice(o[0], starts, limits, strides)


@meaning("stablehlo.pad")
def _pad(c: Converter, op: HloOp, o: list[Value]) -> Value:
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    low, high, interior = (integers(op, name, ()) for name in names)
    return padded(c.b, o[0], o[1], low, high, interior)


def padded(
    b: ArrayBuilder,
    x: Value,
    value: Value,
    low: tuple[int, ...],
    high: tuple[int, ...],
    interior: tuple[int, ...],
) -> Value:
    """`x` padded; negative amounts cut off what interior padding made."""
    if min((*low, *high), default=0) >= 0:
        return b.pad(x, value, low, high, interior)
    whole = b.pad(x, value, [max(n, 0) for n in low], [max(n, 0) for n in high], interior)
    shape = shape_of(whole)
    starts = [max(-n, 0) for n in low]
    limits = [max(e - max(-n, 0), s) for e, n, s in zip(shape, high, starts, strict=True)]
    return b.slice(whole, starts, limits, [1] * len(shape))


@meaning("stablehlo.optimization_barrier")
def _barrier(_: Converter, __: HloOp, o: list[Value]) -> list[Value]:
    return o
