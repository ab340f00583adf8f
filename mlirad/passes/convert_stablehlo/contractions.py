"""Contractions and convolutions. A convolution is one contraction of its kernel with the elements under
it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import cast

from xdsl.dialects.builtin import i1

from mlirad.dialects.shapes import FLOATS, Value, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.dialects.stablehlo.attributes import ConvolutionDimensions, DotDimensions
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.convert_stablehlo.converter import Converter, integers, meaning, number, pairs
from mlirad.passes.convert_stablehlo.reductions import MOST_SHIFTS, shifted
from mlirad.passes.convert_stablehlo.structural import padded
from mlirad.passes.convert_stablehlo.types import language_element, language_type


@meaning("stablehlo.dot_general")
def _dot_general(c: Converter, op: HloOp, o: list[Value]) -> Value:
    dims = cast(DotDimensions, op.properties["dot_dimension_numbers"])
    groups = [dims.dims(name) for name in DotDimensions.LISTS]
    element = language_element(element_of(op.results[0].type))
    x, y = (c.b.convert(v, element) for v in o)
    if element in FLOATS:
        return c.b.dot(x, y, *groups)
    if element == i1:
        raise c.refuse(op, "booleans are not contracted")
    return _integer_dot(c.b, x, y, groups)


def _integer_dot(b: ArrayBuilder, x: Value, y: Value, groups: Sequence[Sequence[int]]) -> Value:
    """The sum of products over all dimensions, batch first, then free ones, contracted ones last."""
    lhs_batch, rhs_batch, lhs_contract, rhs_contract = groups
    lhs_free = [d for d in range(len(shape_of(x))) if d not in (*lhs_batch, *lhs_contract)]
    rhs_free = [d for d in range(len(shape_of(y))) if d not in (*rhs_batch, *rhs_contract)]
    lhs, rhs = shape_of(x), shape_of(y)
    shape = [lhs[d] for d in (*lhs_batch, *lhs_free)] + [rhs[d] for d in rhs_free]
    rank = len(shape)
    shape += [lhs[d] for d in lhs_contract]
    place = [0] * len(lhs)
    for k, d in enumerate((*lhs_batch, *lhs_free)):
        place[d] = k
    for k, d in enumerate(lhs_contract):
        place[d] = rank + k
    other = [0] * len(rhs)
    for k, d in enumerate(rhs_batch):
        other[d] = k
    for k, d in enumerate(rhs_free):
        other[d] = len(lhs_batch) + len(lhs_free) + k
    for k, d in enumerate(rhs_contract):
        other[d] = rank + k
    products = b.mul(b.broadcast(x, shape, place), b.broadcast(y, shape, other))
    return b.sum(products, range(rank, len(shape)))


@meaning("stablehlo.convolution")
def _convolution(c: Converter, op: HloOp, o: list[Value]) -> Value:
    """Input as (batch, feature, space...), kernel as (out, in, space...), both cut into groups."""
    b, (x, kernel) = c.b, o
    declared = language_type(op.results[0].type)
    if 0 in (*shape_of(x), *shape_of(kernel), *shape_of(declared)):
        return b.zeros(declared)
    lhs, rhs, out = cast(ConvolutionDimensions, op.properties["dimension_numbers"]).data
    space = len(lhs) - 2
    ones = [1] * space
    strides = integers(op, "window_strides", ones)
    padding = pairs(op, "padding", space)
    lhs_dilation, rhs_dilation = integers(op, "lhs_dilation", ones), integers(op, "rhs_dilation", ones)
    reversal = integers(op, "window_reversal", [0] * space)
    numbered = [str(d) for d in range(space)]
    x = b.transpose(x, [lhs.index(k) for k in ("b", "f", *numbered)])
    kernel = b.transpose(kernel, [rhs.index(k) for k in ("o", "i", *numbered)])
    kernel = b.reverse(kernel, [2 + d for d in range(space) if reversal[d]])
    low = (0, 0, *(p[0] for p in padding))
    high = (0, 0, *(p[1] for p in padding))
    x = padded(b, x, b.zeros(element_of(x)), low, high, (0, 0, *(n - 1 for n in lhs_dilation)))
    sizes = shape_of(kernel)[2:]
    result = shape_of(declared)
    extents = tuple(result[out.index(k)] for k in numbered)
    patches = _patches(b, x, extents, sizes, strides, rhs_dilation)
    made = _contracted(
        b, patches, kernel, number(op, "feature_group_count", 1), number(op, "batch_group_count", 1), space
    )
    labels = ("b", "f", *numbered)
    return b.transpose(made, [labels.index(k) for k in out])


def _patches(
    b: ArrayBuilder,
    x: Value,
    extents: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Value:
    """The elements under the kernel: (taps, batch, feature, space...)."""
    batch, features = shape_of(x)[:2]
    taps = prod(sizes)
    if taps <= MOST_SHIFTS:
        out = (batch, features, *extents)
        parts = [
            shifted(b, x, (0, 0, *tap), out, (1, 1, *strides), (1, 1, *dilations))
            for tap in product(*map(range, sizes))
        ]
        return b.stack(parts, 0)
    space = len(extents)

    def positions(*i: Value) -> list[Value]:
        taps_at, (image, feature), at = i[:space], i[space : space + 2], i[space + 2 :]
        found = [image, feature]
        for d in range(space):
            start = b.mul(at[d], b.index_constant(strides[d]))
            found.append(b.add(start, b.mul(taps_at[d], b.index_constant(dilations[d]))))
        return found

    read = b.gather(x, (*sizes, batch, features, *extents), positions)
    return b.reshape(read, (taps, batch, features, *extents))


def _contracted(
    b: ArrayBuilder, patches: Value, kernel: Value, feature_groups: int, batch_groups: int, space: int
) -> Value:
    """The sum over taps and features of a group: (batch, out, space...)."""
    taps, batch, features, *extents = shape_of(patches)
    outs, ins = shape_of(kernel)[:2]
    kernel = b.reshape(kernel, (outs, ins, taps))
    groups = max(feature_groups, batch_groups)
    if groups == 1:
        made = b.dot(patches, kernel, [], [], [0, 2], [2, 1])
        # (batch, space..., out)
        return b.transpose(made, [0, 1 + space, *range(1, 1 + space)])
    kernel = b.reshape(kernel, (groups, outs // groups, ins, taps))
    if feature_groups > 1:
        patches = b.reshape(patches, (taps, batch, groups, features // groups, *extents))
        made = b.dot(patches, kernel, [2], [0], [0, 3], [3, 2])
    else:
        batch //= groups
        patches = b.reshape(patches, (taps, groups, batch, features, *extents))
        made = b.dot(patches, kernel, [1], [0], [0, 3], [3, 2])
    # (group, batch, space..., out of the group)
    made = b.transpose(made, [1, 0, 2 + space, *range(2, 2 + space)])
    return b.reshape(made, (batch, outs, *extents))
