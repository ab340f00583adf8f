"""Rules of ops that make, move and join elements.

stablehlo.pad %x, %v, low = [1], high = [0], interior = [2] : (tensor<3xf64>, tensor<f64>) -> tensor<8xf64>
"""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import Operation

from mlirad.dialects.stablehlo.specification.checks import (
    COMPLEX,
    FLOAT,
    INTEGER,
    Tensor,
    element,
    extents,
    integers,
    number,
    operands,
    refuse,
    require,
    require_dimensions,
    require_elements,
    require_same,
    require_scalar,
    require_type,
    results,
    rule,
)


@rule("stablehlo.constant")
def _constant(op: Operation) -> None:
    operands(op, 0)
    value = cast(DenseIntOrFPElementsAttr, op.properties["value"])
    require_same("the result", results(op)[0], "`value`", cast("Tensor", value.get_type()))


@rule("stablehlo.iota")
def _iota(op: Operation) -> None:
    operands(op, 0)
    (result,) = results(op)
    require_elements("the result", result, *INTEGER, FLOAT, COMPLEX)
    dims = [number(op, "iota_dimension")]
    require_dimensions("iota_dimension", dims, len(extents(result)), of="the result")


@rule("stablehlo.reshape")
def _reshape(op: Operation) -> None:
    (x,), (result,) = operands(op, 1), results(op)
    require_type("the result", result, extents(result), element(x))
    known = -1 not in (*extents(x), *extents(result))
    if known and prod(extents(x)) != prod(extents(result)):
        refuse(f"operand 0 is {x}, and the result {result}, which has another number of elements")


@rule("stablehlo.broadcast_in_dim")
def _broadcast_in_dim(op: Operation) -> None:
    (x,), (result,) = operands(op, 1), results(op)
    shape, out = extents(x), extents(result)
    dims = integers(op, "broadcast_dimensions", len(shape))
    require_dimensions("broadcast_dimensions", dims, len(out), of="the result")
    for k, d in enumerate(dims):
        if shape[k] not in (1, -1, out[d]) and out[d] != -1:
            refuse(f"dimension {k} of {x} does not become dimension {d} of {result}")
    require_type("the result", result, out, element(x))


@rule("stablehlo.transpose")
def _transpose(op: Operation) -> None:
    (x,), (result,) = operands(op, 1), results(op)
    shape = extents(x)
    order = integers(op, "permutation", len(shape))
    require_dimensions("permutation", order, len(shape))
    require_type("the result", result, [shape[d] for d in order], element(x))


@rule("stablehlo.reverse")
def _reverse(op: Operation) -> None:
    (x,) = operands(op, 1)
    require_dimensions("dimensions", integers(op, "dimensions"), len(extents(x)))
    require_same("the result", results(op)[0], "operand 0", x)


@rule("stablehlo.pad")
def _pad(op: Operation) -> None:
    x, value = operands(op, 2)
    shape = extents(x)
    require_scalar("operand 1", value, element(x))
    low = integers(op, "edge_padding_low", len(shape))
    high = integers(op, "edge_padding_high", len(shape))
    interior = integers(op, "interior_padding", len(shape))
    holds = all(n >= 0 for n in interior)
    require(holds, f"`interior_padding` is {list(interior)}, and must not be negative")
    wide = [
        -1 if n < 0 else a + n + max(n - 1, 0) * i + b
        for a, n, i, b in zip(low, shape, interior, high, strict=True)
    ]
    cut = [d for d, n in enumerate(shape) if n >= 0 and wide[d] < 0]
    require(not cut, f"`edge_padding_low` and `edge_padding_high` cut off more than {x} has")
    require_type("the result", results(op)[0], wide, element(x))


@rule("stablehlo.concatenate")
def _concatenate(op: Operation) -> None:
    xs = operands(op)
    require(bool(xs), "takes at least one operand")
    d, first = number(op, "dimension"), extents(xs[0])
    require_dimensions("dimension", [d], len(first))
    total = 0
    for k, x in enumerate(xs):
        shape = extents(x)
        expected = (*first[:d], shape[d] if d < len(shape) else 0, *first[d + 1 :])
        require_type(f"operand {k}", x, expected, element(xs[0]))
        total = -1 if -1 in (total, shape[d]) else total + shape[d]
    require_type("the result", results(op)[0], (*first[:d], total, *first[d + 1 :]), element(xs[0]))


@rule("stablehlo.slice")
def _slice(op: Operation) -> None:
    (x,) = operands(op, 1)
    shape = extents(x)
    starts, limits, strides = (
        integers(op, name, len(shape)) for name in ("start_indices", "limit_indices", "strides")
    )
    require(all(by > 0 for by in strides), f"`strides` is {list(strides)}, and must be positive")
    for d, (start, limit, n) in enumerate(zip(starts, limits, shape, strict=True)):
        require(
            0 <= start <= limit and (n < 0 or limit <= n),
            f"dimension {d} of {x} has no elements from {start} to {limit}",
        )
    out = [-(-(e - s) // by) for s, e, by in zip(starts, limits, strides, strict=True)]
    require_type("the result", results(op)[0], out, element(x))


@rule("stablehlo.dynamic_slice")
def _dynamic_slice(op: Operation) -> None:
    x, *at = operands(op)
    sizes = integers(op, "slice_sizes", len(extents(x)))
    require(all(n >= 0 for n in sizes), f"`slice_sizes` is {list(sizes)}, and must not be negative")
    _require_positions(x, at, 1)
    _require_within(x, sizes)
    require_type("the result", results(op)[0], sizes, element(x))


@rule("stablehlo.dynamic_update_slice")
def _dynamic_update_slice(op: Operation) -> None:
    types = operands(op)
    require(len(types) >= 2, "takes an operand and an update")
    x, update, *at = types
    _require_positions(x, at, 2)
    require(
        element(update) == element(x) and len(extents(update)) == len(extents(x)),
        f"operand 1 is {update}, which is not part of {x}",
    )
    _require_within(x, extents(update))
    require_same("the result", results(op)[0], "operand 0", x)


def _require_positions(x: Tensor, at: list[Tensor], first: int) -> None:
    """Require an integer of one type for each dimension."""
    rank = len(extents(x))
    require(len(at) == rank, f"has {len(at)} positions for the {rank} dimensions of {x}")
    for k, type_ in enumerate(at):
        require_scalar(f"operand {first + k}", type_)
        require_elements(f"operand {first + k}", type_, *INTEGER)
        require_same(f"operand {first + k}", type_, f"operand {first}", at[0])


def _require_within(x: Tensor, sizes: tuple[int, ...]) -> None:
    for d, (size, n) in enumerate(zip(sizes, extents(x), strict=True)):
        require(0 <= size <= n or -1 in (size, n), f"dimension {d} of {x} has no {size} elements")


@rule("chlo.top_k")
def _top_k(op: Operation) -> None:
    (x,) = operands(op, 1)
    values, places = results(op, 2)
    shape, k = extents(x), number(op, "k")
    require_elements("operand 0", x, *INTEGER, FLOAT)
    require(bool(shape), f"operand 0 is {x}, and must have a dimension")
    has_all = shape[-1] < 0 or k <= shape[-1]
    require(k >= 0 and has_all, f"`k` is {k}, and the last dimension of {x} has fewer")
    require_type("result 0", values, (*shape[:-1], k), element(x))
    require_type("result 1", places, (*shape[:-1], k), IntegerType(32))
