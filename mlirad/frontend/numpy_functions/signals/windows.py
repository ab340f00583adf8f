"""Windows, and convolutions: `np.convolve`, `np.correlate`, and `convolution` over several dimensions.

All gather the windows of the input, at affine positions, and contract them with the kernel:

    out[p] = sum_w x[p + w] k[w]        gather(x, (n, m), lambda p, w: (p + w,)) @ k
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from mlirad.dialects.shapes import Shape, Value
from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.carries import in_trace
from mlirad.frontend.indexing.views import read_only
from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, AxisList, Flag, ShapeLike
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.argument_kinds import checked_choice, checked_integer
from mlirad.frontend.tracing.array import Array, made, strides_in_bytes, strides_of
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.operations import as_array, common, operand_of, xp
from mlirad.frontend.tracing.raising import shape_error, tracing_error
from mlirad.frontend.tracing.shapes import listed, one_axis
from mlirad.frontend.tracing.strides import Strides, row_major
from mlirad.frontend.tracing.tracebacks import plain_errors


@plain_errors
def convolution(
    x: Any,
    kernel: Any,
    strides: int | Sequence[int] = 1,
    padding: str | int | Sequence[Any] = "valid",
    dilation: int | Sequence[int] = 1,
) -> Array:
    """The convolution of neural networks: windows of x [n, c, *space] with a kernel [o, c, *window].

    The result is [n, o, *out]. The kernel is not flipped. `padding` adds zeros around the space: none for
    "valid", as many as make `out` equal to `space`, without strides, for "same", else a number for all
    dimensions, or for each a number or a pair. `strides` are the distances between windows, `dilation` those
    between the elements of one.

        >>> x, kernel = np.arange(6.0).reshape(1, 1, 6), np.array([[[-1.0, 1.0, 0.0]]])
        >>> ad.convolution(x, kernel)
        array([[[1., 1., 1., 1.]]])
        >>> ad.convolution(x, kernel, padding="same", strides=2).shape
        (1, 1, 3)
    """

    def convolved(x: Any, kernel: Any) -> Array:
        return _convolution(x, kernel, strides, padding, dilation)

    return in_trace(lambda: convolved(x, kernel), lambda: eager.interpreted(convolved, x, kernel))


def _convolution(
    x: Any,
    kernel: Any,
    strides: int | Sequence[int],
    padding: str | int | Sequence[Any],
    dilation: int | Sequence[int],
) -> Array:
    source, weights = common([operand_of(x), operand_of(kernel)])
    rank = source.ndim - 2
    if rank < 0 or weights.ndim != source.ndim or source.shape[1] != weights.shape[1]:
        raise shape_error(
            f"convolution of {source.shape} with {weights.shape}",
            "the input is [batch, channels, *space], the kernel [channels out, channels, *window]",
        )
    window = weights.shape[2:]
    steps, gaps = _per_dimension(strides, rank, "strides"), _per_dimension(dilation, rank, "dilation")
    reach = [(w - 1) * g + 1 for w, g in zip(window, gaps, strict=True)]
    low, high = _padding(padding, source.shape[2:], reach, steps)
    padded = xp.pad(source, [(0, 0), (0, 0), *zip(low, high, strict=True)])
    space = padded.shape[2:]
    out = tuple(max((e - r) // s + 1, 0) for e, r, s in zip(space, reach, steps, strict=True))
    leading = xp.moveaxis(padded, (0, 1), (rank, rank + 1))
    views = windows(leading, out, window, steps, gaps)
    axes = [*range(rank, 2 * rank), 2 * rank + 1], [*range(2, 2 + rank), 1]
    product = xp.tensordot(views, weights, axes)
    return xp.moveaxis(product, (rank, rank + 1), (0, 1))


Mode = Literal["full", "same", "valid"]


def convolve(a: ArrayLike, v: ArrayLike, mode: Mode = "full") -> Array:
    """`np.convolve`."""
    x, k = _two_vectors(a, v, "convolve")
    if k.size > x.size:
        x, k = k, x
    return _correlation(x, xp.flip(k), mode)


def correlate(a: ArrayLike, v: ArrayLike, mode: Mode = "valid") -> Array:
    """`np.correlate`."""
    if not a.ndim or not v.ndim:
        raise shape_error("correlate needs two vectors", "np.atleast_1d")
    x, k = _two_vectors(a, v, "correlate")
    return xp.flip(_correlation(k, x, mode)) if k.size > x.size else _correlation(x, k, mode)


def _two_vectors(a: Any, v: Any, what: str) -> list[Array]:
    parts = [xp.reshape(p, (1,)) if not p.ndim else p for p in common([a, v])]
    if any(p.ndim != 1 or not p.size for p in parts):
        raise shape_error(
            f"{what} needs two vectors with elements, got {parts[0].shape} and {parts[1].shape}",
            "ad.convolution works on several dimensions",
        )
    return parts


def _correlation(x: Array, k: Array, mode: str) -> Array:
    """The products of `k` with the windows of `x`, which is not shorter."""
    count = k.size - 1
    before = {"full": count, "same": count - (count // 2), "valid": 0}[mode]
    after = {"full": count, "same": count // 2, "valid": 0}[mode]
    padded = xp.pad(x, (before, after))
    views = windows(padded, (padded.size - count,), (k.size,), [1], [1])
    return xp.matmul(views, k)


def sliding_window_view(
    x: ArrayLike,
    window_shape: ShapeLike,
    axis: AxisList | None = None,
    *,
    writeable: Flag = False,
) -> Array:
    """`np.lib.stride_tricks.sliding_window_view`: a view that can be read only, `writeable` or not."""
    axes = range(x.ndim) if axis is None else [one_axis(k, x.ndim) for k in listed(axis)]
    if len(axes) != len(window_shape):
        raise shape_error(
            f"a window of shape {window_shape} does not fit {len(axes)} dimensions",
            "give one extent for each axis of `axis`, or, without it, for each dimension",
        )
    counts = list(x.shape)
    for dim, width in zip(axes, window_shape, strict=True):
        if width < 0 or counts[dim] - width + 1 < 1:
            raise shape_error(
                f"a window of {width} elements does not fit dimension {dim} of shape {x.shape}",
                "a window has at most as many elements as the dimension",
            )
        counts[dim] -= width - 1

    def read(value: Value) -> Value:
        found = made(value)
        for dim, width in zip(axes, window_shape, strict=True):
            count = found.shape[dim] - width + 1
            found = windows(xp.moveaxis(found, dim, 0), (count,), (width,), [1], [1])
            found = xp.moveaxis(xp.moveaxis(found, 1, -1), 0, dim)
        return found.value

    def spread(strides: Strides) -> Strides:
        return (*strides, *(strides[dim] for dim in axes))

    return read_only(x, read, "a view of windows", spread)


def as_strided(
    x: Array,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
) -> Array:
    """`np.lib.stride_tricks.as_strided`: a view that can be read only, of elements of `x` alone.

    Raises `TracingError` where the elements of `x` do not lie in row-major order, or others were seen.
    """
    steps = strides_in_bytes(x) if strides is None else tuple(strides)
    found = x.shape if shape is None else tuple(shape)
    size = x.dtype.itemsize
    places = np.zeros(found, np.int64)
    for dim, (extent, step) in enumerate(zip(found, steps, strict=True)):
        places += (np.arange(extent) * step).reshape([-1 if d == dim else 1 for d in range(len(found))])
    inside = places.min(initial=0) >= 0 and places.max(initial=0) < max(x.size, 1) * size
    if strides_of(x) != row_major(x.shape) or np.any(places % size) or not inside:
        raise tracing_error(
            f"as_strided reads other memory than the elements of {x!r}, or these in another order than NumPy",
            "write np.lib.stride_tricks.sliding_window_view(x, n), or x[::k]",
        )

    def read(value: Value) -> Value:
        return xp.take(xp.ravel(made(value)), places // size).value

    return read_only(x, read, "what as_strided gives", lambda _: tuple(step // size for step in steps))


def windows(x: Array, out: Shape, window: Shape, steps: Sequence[int], gaps: Sequence[int]) -> Array:
    """All windows of the leading dimensions of x, as an array [*out, *window, ...]."""
    b, rank = emitting(), len(out)
    if not prod(out) or not prod(window):
        return as_array(xp.zeros((*out, *window, *x.shape[rank:]), x.dtype))

    def positions(*at: Any) -> list[Any]:
        return [
            b.add(b.mul(p, b.index_constant(s)), b.mul(w, b.index_constant(g)))
            for p, w, s, g in zip(at[:rank], at[rank:], steps, gaps, strict=True)
        ]

    region = current_frame().region((*out, *window), positions)
    return made(b.gather(x.value, (*out, *window), region))


def _per_dimension(given: int | Sequence[int], rank: int, what: str) -> list[int]:
    found = given if isinstance(given, list | tuple) else [given] * rank
    hint = f"write {what}=1, or a list of {rank} positive integers"
    if len(found) != rank:
        raise shape_error(f"convolution: {what} are {len(found)} for {rank} dimensions", hint)
    return [checked_integer(one, f"convolution: one of {what}", 1, hint) for one in found]


def _padding(
    padding: str | int | Sequence[Any], space: Shape, reach: Sequence[int], steps: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The zeros before and after each dimension."""
    rank = len(space)
    if isinstance(padding, str) and checked_choice(padding, "padding", ("valid", "same")) == "valid":
        return [0] * rank, [0] * rank
    if isinstance(padding, str):
        total = [max((-(-e // s) - 1) * s + r - e, 0) for e, r, s in zip(space, reach, steps, strict=True)]
        return [t // 2 for t in total], [t - t // 2 for t in total]
    listed = padding if isinstance(padding, list | tuple) else [padding] * rank
    pairs: list[Sequence[Any]] = [p if isinstance(p, list | tuple) else (p, p) for p in listed]
    hint = f"write 'same', a number of zeros, or a list of {rank} numbers or pairs of them"
    if len(pairs) != rank or any(len(p) != 2 for p in pairs):
        raise shape_error(f"convolution: padding must be given for {rank} dimensions, got {padding!r}", hint)
    low, high = ([checked_integer(p[k], "convolution: padding", 0, hint) for p in pairs] for k in (0, 1))
    return low, high


FUNCTIONS = tracings(convolve, correlate, sliding_window_view)
"""The functions that this file traces."""
