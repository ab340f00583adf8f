"""The structured ops of `linalg` that have names: over which maps they are the generic op of their region.

    matmul               "m k, k n -> m n"
    conv_1d_nwc_wcf      "n x*s+a*d c, a c f -> n x f"

In a map, s, t, u are the strides and d, e, g the dilations of the first, second and third spatial dimension.
A named op has its body in generic syntax; what it computes is not stated here.
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from mlirad.dialects.shapes import shape_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_to_array.affine_maps import identity_maps, maps_of, named_maps
from mlirad.passes.convert_to_array.source_ops import body_of, integers, optional, refusal

BY_ATTRIBUTES = ("generic", "contract", "elementwise", "transpose", "broadcast", "reduce")
"""Ops whose attributes say over which maps they are."""

ELEMENTWISE_NAMES = (
    "abs", "add", "ceil", "copy", "div", "div_unsigned", "elemwise_binary", "elemwise_unary", "erf", "exp",
    "fill", "floor", "log", "map", "max", "min", "mul", "negf", "powf", "reciprocal", "round", "rsqrt",
    "select", "sqrt", "square", "sub", "tanh",
)  # fmt: skip
"""Ops that compute every element of their results from those of the operands at the same position."""

NOTATIONS: dict[str, str] = {
    "dot": "k, k ->",
    "matvec": "m k, k -> m",
    "vecmat": "k, k n -> n",
    "matmul": "m k, k n -> m n",
    "matmul_unsigned": "m k, k n -> m n",
    "matmul_transpose_a": "k m, k n -> m n",
    "matmul_transpose_b": "m k, n k -> m n",
    "mmt4d": "m k p q, n k r q -> m n p r",
    "batch_mmt4d": "b m k p q, b n k r q -> b m n p r",
    "batch_matmul": "b m k, b k n -> b m n",
    "batch_matmul_transpose_a": "b k m, b k n -> b m n",
    "batch_matmul_transpose_b": "b m k, b n k -> b m n",
    "batch_matvec": "b m k, b k -> b m",
    "batch_vecmat": "b k, b k n -> b n",
    "batch_reduce_matmul": "b m k, b k n -> m n",
    "conv_1d": "x+a, a -> x",
    "conv_2d": "x+a y+b, a b -> x y",
    "conv_3d": "x+a y+b z+h, a b h -> x y z",
    "conv_1d_nwc_wcf": "n x*s+a*d c, a c f -> n x f",
    "conv_1d_ncw_fcw": "n c x*s+a*d, f c a -> n f x",
    "conv_2d_nhwc_hwcf": "n x*s+a*d y*t+b*e c, a b c f -> n x y f",
    "conv_2d_nhwc_fhwc": "n x*s+a*d y*t+b*e c, f a b c -> n x y f",
    "conv_2d_nchw_fchw": "n c x*s+a*d y*t+b*e, f c a b -> n f x y",
    "conv_2d_ngchw_fgchw": "n i c x*s+a*d y*t+b*e, f i c a b -> n i f x y",
    "conv_2d_ngchw_gfchw": "n i c x*s+a*d y*t+b*e, i f c a b -> n i f x y",
    "conv_2d_nhwgc_gfhwc": "n x*s+a*d y*t+b*e i c, i f a b c -> n x y i f",
    "conv_3d_ndhwc_dhwcf": "n x*s+a*d y*t+b*e z*u+h*g c, a b h c f -> n x y z f",
    "conv_3d_ncdhw_fcdhw": "n c x*s+a*d y*t+b*e z*u+h*g, f c a b h -> n f x y z",
    "depthwise_conv_1d_ncw_cw": "n c x*s+a*d, c a -> n c x",
    "depthwise_conv_1d_nwc_wc": "n x*s+a*d c, a c -> n x c",
    "depthwise_conv_1d_nwc_wcm": "n x*s+a*d c, a c m -> n x c m",
    "depthwise_conv_2d_nchw_chw": "n c x*s+a*d y*t+b*e, c a b -> n c x y",
    "depthwise_conv_2d_nhwc_hwc": "n x*s+a*d y*t+b*e c, a b c -> n x y c",
    "depthwise_conv_2d_nhwc_hwcm": "n x*s+a*d y*t+b*e c, a b c m -> n x y c m",
    "depthwise_conv_3d_ndhwc_dhwc": "n x*s+a*d y*t+b*e z*u+h*g c, a b h c -> n x y z c",
    "depthwise_conv_3d_ndhwc_dhwcm": "n x*s+a*d y*t+b*e z*u+h*g c, a b h c m -> n x y z c m",
    **{f"pooling_nwc_{kind}": "n x*s+a*d c, a -> n x c" for kind in ("sum", "max", "min")},
    **{f"pooling_ncw_{kind}": "n c x*s+a*d, a -> n c x" for kind in ("sum", "max")},
    **{
        f"pooling_nhwc_{kind}": "n x*s+a*d y*t+b*e c, a b -> n x y c"
        for kind in ("sum", "max", "min", "max_unsigned", "min_unsigned")
    },
    **{f"pooling_nchw_{kind}": "n c x*s+a*d y*t+b*e, a b -> n c x y" for kind in ("sum", "max")},
    **{
        f"pooling_ndhwc_{kind}": "n x*s+a*d y*t+b*e z*u+h*g c, a b h -> n x y z c"
        for kind in ("sum", "max", "min")
    },
}
"""The maps of contractions, convolutions and pooling."""


def maps_of_named(op: Operation, name: str) -> list[AffineMap] | None:
    """The maps over which an op is a generic one, of inputs, then of outputs, if its name is known."""
    stated = optional(op, "indexing_maps")
    ranks = [len(shape_of(v)) for v in own_operands(op)]
    if stated is not None:
        return maps_of(op, stated, len(own_operands(op)))
    if name in ELEMENTWISE_NAMES:
        return identity_maps(ranks)
    if name in NOTATIONS:
        strides = integers(op, "strides", (1, 1, 1))
        dilations = integers(op, "dilations", (1, 1, 1))
        letters = [*zip("stu", strides, strict=False), *zip("deg", dilations, strict=False)]
        return named_maps(NOTATIONS[name], dict(letters))
    match name:
        case "transpose":
            return _transpose_maps(op)
        case "broadcast":
            dims = _dims(op, ranks[-1])
            kept = [d for d in range(ranks[-1]) if d not in dims]
            return [_projection(ranks[-1], kept), AffineMap.identity(ranks[-1])]
        case "reduce":
            dims = _dims(op, ranks[0])
            kept = [d for d in range(ranks[0]) if d not in dims]
            half = len(ranks) // 2
            return [*[AffineMap.identity(ranks[0])] * half, *[_projection(ranks[0], kept)] * half]
        case _:
            return None


def input_count(op: Operation, name: str) -> int:
    """Return how many operands are inputs; the others are what results start from."""
    return len(own_operands(op)) - (
        len(own_operands(op)) // 2 if name == "reduce" else max(len(op.results), 1)
    )


def has_accumulators(op: Operation, inputs: int) -> bool:
    """Return whether the body takes elements of what results start from; that of `linalg.map` need not."""
    return len(body_of(op).args) != inputs


def _transpose_maps(op: Operation) -> list[AffineMap]:
    permutation = integers(op, "permutation")
    rank = len(permutation)
    if sorted(permutation) != list(range(rank)):
        raise refusal(op, f"{list(permutation)} is not a permutation")
    inverse = [permutation.index(d) for d in range(rank)]
    return [_projection(rank, inverse), AffineMap.identity(rank)]


def _projection(rank: int, dims: list[int]) -> AffineMap:
    return AffineMap(rank, 0, tuple(AffineDimExpr(d) for d in dims))


def _dims(op: Operation, rank: int) -> tuple[int, ...]:
    dims = integers(op, "dimensions")
    if any(not 0 <= d < rank for d in dims):
        raise refusal(op, f"'dimensions' names {list(dims)} of an array of rank {rank}")
    return dims
