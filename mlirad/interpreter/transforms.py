"""Fourier transforms on NumPy arrays: those of `numpy.fft`, not normalised.

transformed("real", np.ones(4), (3, 2))      [[4, 0], [0, 0], [0, 0]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array.transforms import Axes, FftOp
from mlirad.dialects.shapes import Shape, shape_of
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.machine import Frame, Meaning


def transformed(kind: str, x: Array, shape: Shape, axes: Axes | None = None) -> Array:
    """The transform along one dimension, of the shape that it has."""
    if not x.size:
        return np.zeros(shape, x.dtype)
    if axes is None:
        return _transformed_rows(kind, x, shape)
    if kind != "real":
        x = np.moveaxis(x, axes.pairs, -1)
    x = np.moveaxis(x, axes.dim, -1 if kind == "real" else -2)
    length = shape[axes.dim] if kind == "half" else 0
    found = _transformed_rows(kind, x, (length,))
    found = np.moveaxis(found, -1 if kind == "half" else -2, axes.dim)
    if kind != "half":
        found = np.moveaxis(found, -1, axes.pairs)
    return np.ascontiguousarray(found)


def _transformed_rows(kind: str, x: Array, shape: Shape) -> Array:
    """The transform of every row; its shape tells how long the result of `half` is."""
    if kind == "real":
        return _pairs(np.fft.rfft(x), x.dtype)
    z = np.empty(x.shape[:-1], np.result_type(x.dtype, np.complex64))
    z.real, z.imag = x[..., 0], x[..., 1]  # 1j times infinity would be NaN in its real part
    if kind == "forward":
        return _pairs(np.fft.fft(z), x.dtype)
    if kind == "backward":
        return _pairs(np.fft.ifft(z, norm="forward"), x.dtype)
    length = shape[-1]
    z[..., 1 : (length + 1) // 2] /= 2
    return np.fft.irfft(z, length, norm="forward").astype(x.dtype)


def _pairs(z: Any, dtype: np.dtype[Any]) -> Array:
    """Complex numbers as pairs along a new last dimension."""
    return np.stack([z.real, z.imag], -1).astype(dtype)


def _fft(op: FftOp, operands: Sequence[Array], frame: Frame) -> Array:
    return transformed(op.kind.data, np.asarray(operands[0]), shape_of(op.result), op.axes)


TRANSFORM_MEANINGS: dict[type[Operation], Meaning] = {FftOp: _fft}
"""From the class of an op to its meaning."""
