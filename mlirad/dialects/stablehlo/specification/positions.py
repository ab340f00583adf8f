"""The rules of gathers and scatters: which dimensions of operands, positions and results belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Operation

from mlirad.dialects.stablehlo.attributes import GatherDimensions, ScatterDimensions
from mlirad.dialects.stablehlo.specification.checks import (
    INTEGER,
    Tensor,
    block_of,
    element,
    extents,
    fit,
    integers,
    operands,
    require,
    require_apart,
    require_dimensions,
    require_elements,
    require_region,
    require_same,
    require_type,
    results,
    rule,
    scalar,
)


@rule("stablehlo.gather")
def _gather(op: Operation) -> None:
    x, at = operands(op, 2)
    (result,) = results(op)
    dims = cast(GatherDimensions, op.properties["dimension_numbers"])
    offsets, collapsed = dims.dims("offset_dims"), dims.dims("collapsed_slice_dims")
    batching = dims.dims("operand_batching_dims")
    shape, out = extents(x), extents(result)
    require_elements("operand 1", at, *INTEGER)
    batch = _batch_extents(
        dims, x, at, "start_index_map", "operand_batching_dims", "start_indices_batching_dims"
    )
    require_dimensions("offset_dims", offsets, len(out), is_sorted=True, of="the result")
    _require_left_out("collapsed_slice_dims", collapsed, "operand_batching_dims", batching, len(shape))
    require(
        len(shape) == len(offsets) + len(collapsed) + len(batching),
        f"operand 0 is {x}: each dimension is one of `offset_dims`, collapsed, or a batching one",
    )
    sizes = integers(op, "slice_sizes", len(shape))
    for d, (size, n) in enumerate(zip(sizes, shape, strict=True)):
        require(size >= 0 and (n < 0 or size <= n), f"dimension {d} of {x} has no {size} elements")
        require(
            size <= 1 or d not in (*collapsed, *batching), f"slices of dimension {d} must have one element"
        )
    slices = [sizes[d] for d in range(len(shape)) if d not in (*collapsed, *batching)]
    require_type("the result", result, _combined(batch, slices, offsets), element(x))


@rule("stablehlo.scatter")
def _scatter(op: Operation) -> None:
    types = operands(op, regions=1)
    count = len(types) // 2
    is_paired = len(types) == 2 * count + 1 and count > 0
    require(is_paired, "takes arrays, positions, and an update for each array")
    xs, at, updates = types[:count], types[count], types[count + 1 :]
    made = results(op, count)
    dims = cast(ScatterDimensions, op.properties["scatter_dimension_numbers"])
    window, inserted = dims.dims("update_window_dims"), dims.dims("inserted_window_dims")
    batching = dims.dims("input_batching_dims")
    x, shape, out = xs[0], extents(xs[0]), extents(updates[0])
    require_elements(f"operand {count}", at, *INTEGER)
    batch = _batch_extents(
        dims, x, at, "scatter_dims_to_operand_dims", "input_batching_dims", "scatter_indices_batching_dims"
    )
    require_dimensions("update_window_dims", window, len(out), is_sorted=True, of="the update")
    _require_left_out("inserted_window_dims", inserted, "input_batching_dims", batching, len(shape))
    require(
        len(shape) == len(window) + len(inserted) + len(batching),
        f"operand 0 is {x}: each dimension is one of `update_window_dims`, inserted, or a batching one",
    )
    room = [shape[d] for d in range(len(shape)) if d not in (*inserted, *batching)]
    sizes = [out[d] for d in window]
    require(
        all(n <= most or most < 0 for n, most in zip(sizes, room, strict=True)),
        f"operand {count + 1} is {updates[0]}, whose windows are larger than {x}",
    )
    for k, (array, update, result) in enumerate(zip(xs, updates, made, strict=True)):
        require_type(f"operand {k}", array, shape, element(array))
        require_type(f"operand {count + 1 + k}", update, _combined(batch, sizes, window), element(array))
        require_same(f"result {k}", result, f"operand {k}", array)
    scalars = [scalar(element(array)) for array in xs]
    block_of(op, 0)
    require_region(op, 0, [*scalars, *scalars], scalars)


def _batch_extents(
    dims: GatherDimensions | ScatterDimensions,
    x: Tensor,
    at: Tensor,
    index_map: str,
    own: str,
    others: str,
) -> list[int]:
    """The extents of the positions without the dimension along which the components of one lie."""
    shape, places, along = extents(x), extents(at), dims.index_vector_dim
    require(0 <= along <= len(places), f"`index_vector_dim` is {along}, and the positions are {at}")
    components = places[along] if along < len(places) else 1
    mapped, batching, given = dims.dims(index_map), dims.dims(own), dims.dims(others)
    require(
        components < 0 or len(mapped) == components,
        f"`{index_map}` is {list(mapped)}, and positions have {components} components",
    )
    require_dimensions(index_map, mapped, len(shape))
    require_apart(index_map, mapped, own, batching)
    require_dimensions(others, given, len(places), of="the array of positions")
    require(along not in given, f"`{others}` has dimension {along}, which is `index_vector_dim`")
    require(
        len(batching) == len(given),
        f"`{own}` is {list(batching)}, and `{others}` {list(given)}: one for each",
    )
    require_dimensions(own, batching, len(shape))
    for a, b in zip(batching, given, strict=True):
        require(fit([shape[a]], [places[b]]), f"dimension {a} of {x} and dimension {b} of {at} differ")
    return [n for d, n in enumerate(places) if d != along]


def _require_left_out(name: str, dims: Sequence[int], other: str, batching: Sequence[int], rank: int) -> None:
    """The dimensions that slices have not, which are told in two lists."""
    require_dimensions(name, dims, rank, is_sorted=True)
    require_dimensions(other, batching, rank, is_sorted=True)
    require_apart(name, dims, other, batching)


def _combined(batch: Sequence[int], slices: Sequence[int], dims: Sequence[int]) -> list[int]:
    """The extents of an array whose dimensions `dims` are of a slice, the others of the batch, in order."""
    rank = len(batch) + len(slices)
    require(all(d < rank for d in dims), f"the dimensions {list(dims)} are of an array of {rank} dimensions")
    around, inside = iter(batch), iter(slices)
    return [next(inside if d in dims else around) for d in range(rank)]
