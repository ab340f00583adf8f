"""Convolutions and correlations of two matrices, as `scipy.signal` has them, with values beyond the edges.

    convolve2d(x, k, mode="same", boundary="symm")      of x mirrored beyond its edges
    correlate2d(x, k)                                   out[i, j] = sum of k[p, q] x[i + p - m, j + q - n]

Linear in both matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Number
from mlirad.frontend.numpy_functions.scipy_functions.filters import Extent
from mlirad.frontend.numpy_functions.signals.windows import windows
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import common, xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error

Beyond = Literal["fill", "pad", "wrap", "circular", "symm", "symmetric"]

_PADDING: Final = {
    "fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap", "symm": "symmetric",
    "symmetric": "symmetric",
}  # fmt: skip
"""The name in `np.pad` of a boundary, by its name in SciPy."""


def _of_planes(
    in1: Array, in2: Array, mode: str, boundary: str, fillvalue: Any, name: str, *, is_flipped: bool
) -> Array:
    x, k = common([in1, in2])
    if x.ndim != 2 or k.ndim != 2 or not x.size or not k.size:
        raise shape_error(f"{name} of shapes {x.shape} and {k.shape}", "give matrices with elements")
    if x.dtype.kind == "b":
        raise unsupported_error(f"{name} of booleans", "write x.astype(int)")
    is_swapped = mode == "valid" and any(m > n for m, n in zip(k.shape, x.shape, strict=True))
    if is_swapped:
        if any(n > m for m, n in zip(k.shape, x.shape, strict=True)):
            raise shape_error(
                f"{name} of shapes {x.shape} and {k.shape} with mode='valid'",
                "one is at least as large as the other in both dimensions",
            )
        x, k = k, x
    widths: list[tuple[int, int]] = []
    for size in k.shape:
        reach = size - 1
        start = reach // 2 if is_flipped else reach - reach // 2
        widths.append({"full": (reach, reach), "same": (reach - start, start), "valid": (0, 0)}[mode])
    constant = {"constant_values": fillvalue} if _PADDING[boundary] == "constant" else {}
    padded = xp.pad(x, widths, mode=_PADDING[boundary], **constant)
    out = tuple(n - m + 1 for n, m in zip(padded.shape, k.shape, strict=True))
    seen = windows(padded, out, k.shape, [1, 1], [1, 1])
    found = xp.tensordot(seen, xp.flip(k) if is_flipped else k, ([2, 3], [0, 1]))
    return xp.flip(found) if is_swapped and not is_flipped else found


def convolve2d(
    in1: ArrayLike, in2: ArrayLike, mode: Extent = "full", boundary: Beyond = "fill", fillvalue: Number = 0
) -> Array:
    """`scipy.signal.convolve2d`."""
    return _of_planes(in1, in2, mode, boundary, fillvalue, "convolve2d", is_flipped=True)


def correlate2d(
    in1: ArrayLike, in2: ArrayLike, mode: Extent = "full", boundary: Beyond = "fill", fillvalue: Number = 0
) -> Array:
    """`scipy.signal.correlate2d`."""
    return _of_planes(in1, in2, mode, boundary, fillvalue, "correlate2d", is_flipped=False)


FUNCTIONS: dict[str, Callable[..., Any]] = {"convolve2d": convolve2d, "correlate2d": correlate2d}
"""The functions that trace those of `scipy.signal`, by their names there."""
