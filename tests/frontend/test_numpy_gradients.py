"""Derivatives through NumPy's functions with their options: in both modes, compiled and interpreted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.frontend.numpy_functions.meanings.ufuncs import all_meanings
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from mlirad.frontend.numpy_functions.protocols.ufuncs import SPECIAL

RNG = np.random.default_rng(7)
A = RNG.normal(size=(3, 4))
B = RNG.normal(size=(4, 3))
C = RNG.normal(size=(2, 3, 4))
V = RNG.normal(size=4)
POSITIVE = RNG.uniform(0.5, 2.0, size=(3, 4))
UNIT = RNG.uniform(-0.9, 0.9, size=(3, 4))

ELEMENTWISE = {
    name: (getattr(np, name), x)
    for x, names in (
        (A, "negative positive absolute square exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh"),
        (A, "deg2rad rad2deg degrees radians fabs cbrt reciprocal"),
        (POSITIVE, "sqrt log log2 log10 log1p"),
        (POSITIVE + 1, "arccosh"),
        (UNIT, "arcsin arccos arctanh"),
    )
    for name in names.split()
} | {
    f"scipy-{name}": (getattr(special, name), x)
    for x, names in (
        (A, "erf erfc expit log_expit exp2 expm1 cbrt"),
        (POSITIVE, "gammaln psi log1p"),
        (UNIT, "erfinv"),
        (POSITIVE / 3, "logit"),
    )
    for name in names.split()
}

OF_TWO = "add subtract multiply divide maximum minimum fmax fmin hypot arctan2 logaddexp logaddexp2"

PAIRS = {name: (getattr(np, name), 1.2 + A, POSITIVE) for name in OF_TWO.split()} | {
    "copysign": (lambda x, y: np.copysign(x, y) * y, A, POSITIVE),
    "power": (np.power, POSITIVE, A),
    "power-static": (lambda x, y: x**3 * y**0.5 + x**-2, A, POSITIVE),
    "float_power": (np.float_power, POSITIVE, A),
    "remainder": (lambda x, y: x % y, 5 * A, POSITIVE),
    "fmod": (np.fmod, 5 * A, POSITIVE),
    "heaviside": (lambda x, y: np.heaviside(x, 0.5) * x + y, A, POSITIVE),
    "xlogy": (special.xlogy, A, POSITIVE),
    "xlog1py": (special.xlog1py, A, POSITIVE),
    "broadcasting": (lambda x, y: x[:, None] * y[None, :, :1] + x[0, 0], A, POSITIVE),
}

REDUCTIONS = {
    f"{name}-axis={axis}-keepdims={keepdims}": (
        lambda x, name=name, axis=axis, keepdims=keepdims: getattr(np, name)(x, axis=axis, keepdims=keepdims),
        C,
    )
    for name in ("sum", "mean", "max", "min", "prod", "var", "std")
    for axis in (None, 0, -1, (0, 2))
    for keepdims in (False, True)
} | {
    "var-ddof": (lambda x: np.var(x, axis=1, ddof=1), A),
    "std-ddof": (lambda x: np.std(x, axis=0, ddof=2, keepdims=True), A),
    "sum-where": (lambda x: np.sum(x, axis=1, where=A > 0), A),
    "mean-where": (lambda x: np.mean(x, where=A > 0), A),
    "prod-initial": (lambda x: np.prod(x, axis=0, initial=2.0), A),
    "max-initial": (lambda x: np.max(x, axis=1, initial=0.3), A),
    "ptp": (lambda x: np.ptp(x, axis=1), A),
    "average": (lambda x: np.average(x, axis=1, weights=np.abs(x) + 1), A),
    "nansum": (lambda x: np.nansum(np.where(A > 0, x, np.nan)), A),
    "nanmean": (lambda x: np.nanmean(np.where(A > 0, x, np.nan), axis=0), np.abs(A)),
    "median": (lambda x: np.median(x, axis=1), A),
    "quantile": (lambda x: np.quantile(x, [0.2, 0.7], axis=0), A),
    "logaddexp-reduce": (lambda x: np.logaddexp.reduce(x, axis=1), A),
    "count_nonzero": (lambda x: x * np.count_nonzero(x > 0), A),
    "argmax": (lambda x: x[np.argmax(x, axis=0), np.arange(4)], A),
    "argmin": (lambda x: np.take_along_axis(x, np.argmin(x, axis=1)[:, None], axis=1), A),
}

NORMS = {
    f"norm-{options}": (lambda x, options=options: np.linalg.norm(x, **options), A)
    for options in (
        {},
        {"axis": 0},
        {"axis": 1, "keepdims": True},
        {"ord": 1, "axis": 0},
        {"ord": 3, "axis": 1},
        {"ord": np.inf, "axis": 1},
        {"ord": -np.inf, "axis": 0},
        {"ord": "fro"},
        {"ord": 1},
        {"ord": np.inf, "axis": (0, 1)},
    )
}

ORDERED = {
    "sort": (lambda x: np.sort(x, axis=0) * np.arange(12.0).reshape(3, 4), A),
    "sort-flat": (lambda x: np.sort(x, axis=None) * np.arange(12.0), A),
    "argsort": (lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1) * np.arange(4.0), A),
    "partition": (lambda x: np.partition(x, 2, axis=1)[:, 2], A),
    "cumsum": (lambda x: np.cumsum(x, axis=1) ** 2, A),
    "cumsum-flat": (lambda x: np.cumsum(x) ** 2, A),
    "cumprod": (lambda x: np.cumprod(x, axis=0), A),
    "maximum-accumulate": (lambda x: np.maximum.accumulate(x, axis=1), A),
    "diff": (lambda x: np.diff(x, axis=0) ** 2, A),
    "diff-2": (lambda x: np.diff(x, n=2, axis=1) ** 2, A),
    "searchsorted": (lambda x: x[0, np.searchsorted(np.sort(x[1]), 0.0) % 4], A),
    "interp": (lambda x: np.interp(x, np.array([-1.0, 0.1, 2.0]), np.array([0.0, 3.0, 1.0])), UNIT),
    "trapezoid": (lambda x: np.trapezoid(x**2, axis=1, dx=0.5), A),
}

PRODUCTS = {
    "matmul": (np.matmul, A, B),
    "matmul-vector": (lambda x, y: x @ y, A, V),
    "matmul-batched": (lambda x, y: x @ y, C, B),
    "dot": (np.dot, A, V),
    "dot-high-rank": (np.dot, C, B),
    "inner": (np.inner, A, V),
    "outer": (np.outer, A, V),
    "vdot": (np.vdot, A, B),
    "tensordot": (lambda x, y: np.tensordot(x, y, axes=([2, 1], [1, 0])), C, A),
    "tensordot-0": (lambda x, y: np.tensordot(x, y, 0), V, A),
    "einsum": (lambda x, y: np.einsum("bij,jk->bki", x, y), C, B),
    "einsum-diagonal": (lambda x, y: np.einsum("ii,i->i", x[:, :3], y[:3]), A, V),
    "einsum-three": (lambda x, y: np.einsum("i,ij,j->", x[:, 0], x, y), A, V),
    "einsum-ellipsis": (lambda x, y: np.einsum("...ij,...jk->...ik", x, y), C, B),
    "kron": (np.kron, A, V),
    "cross": (lambda x, y: np.cross(x.T, y), A, B),
    "multi_dot": (lambda x, y: np.linalg.multi_dot([x, y, x]), A, B),
    "matrix_power": (lambda x, y: np.linalg.matrix_power(x @ y, 3), A, B),
    "convolve": (lambda x, y: np.convolve(x[0], y, "same"), A, V),
    "convolution": (
        lambda x, y: ad.convolution(x[None], y[None, :, None, None] * x[:, :2, :2], padding="same"),
        C,
        RNG.normal(size=2),
    ),
}

SHAPES = {
    "reshape": (lambda x: x.reshape(2, -1) ** 2, A),
    "ravel": (lambda x: np.ravel(x) ** 2, A),
    "transpose": (lambda x: np.transpose(x, (2, 0, 1)) ** 2, C),
    "moveaxis": (lambda x: np.moveaxis(x, 0, -1) ** 2, C),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 2) ** 2, C),
    "expand-squeeze": (lambda x: np.squeeze(np.expand_dims(x, 1) ** 2, 1), A),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 3, 4)) * C, A),
    "concatenate": (lambda x: np.concatenate([x, 2 * x[:1], x[::-1]]) ** 2, A),
    "stack": (lambda x: np.stack([x, x**2], axis=1), A),
    "hstack": (lambda x: np.hstack([x, x**2]), A),
    "vstack": (lambda x: np.vstack([x, x**2]), A),
    "split": (lambda x: np.split(x**2, 2, axis=1)[1], A),
    "tile": (lambda x: np.tile(x, (2, 1, 2)) ** 2, A),
    "repeat": (lambda x: np.repeat(x, 3, axis=1) ** 2, A),
    "pad": (lambda x: np.pad(x**2, ((1, 0), (0, 2))), A),
    "pad-reflect": (lambda x: np.pad(x, 1, mode="reflect") ** 2, A),
    "flip": (lambda x: np.flip(x, 0) * A, A),
    "roll": (lambda x: np.roll(x, 1, axis=1) * A, A),
    "tril": (lambda x: np.tril(x, 1) ** 2, A),
    "triu": (lambda x: np.triu(x, -1) ** 2, A),
    "diag-of-vector": (lambda x: np.diag(x[0] ** 2, 1), A),
    "diag-of-matrix": (lambda x: np.diag(x, -1) ** 2, A),
    "diagonal": (lambda x: np.diagonal(x, 1) ** 2, A),
    "trace": (lambda x: np.trace(x**2, offset=1), A),
    "take": (lambda x: np.take(x, np.array([2, 0, 2]), axis=1) ** 2, A),
    "take-flat": (lambda x: np.take(x, np.array([[5, 5], [1, 0]])) ** 2, A),
    "where": (lambda x: np.where(A > 0, x**2, np.sin(x)), A),
    "select": (lambda x: np.select([A > 1, A > 0], [x, x**2], x**3), A),
    "clip": (lambda x: np.clip(x, -0.5, 0.5) * x, A),
    "clip-by-arrays": (lambda x: np.clip(x[0], x[1] - 1, x[1] + 1), A),
    "nan_to_num": (lambda x: np.nan_to_num(np.where(A > 0, x, np.nan)) * x, A),
    "astype": (lambda x: x.astype(np.int64) * x + (x > 0).astype(np.float64) * x, 3 * A),
    "slices": (lambda x: x[::-2, 1:3] ** 2, A),
    "positions": (lambda x: x[np.array([0, 2, 0]), 1] ** 2, A),
    "mask": (lambda x: x[A > 0] ** 2, A),
    "set": (lambda x: x.at[1, 1:].set(x[0, 1:] ** 2) ** 2, A),
    "add-at": (lambda x: x.at[np.array([0, 0, 2])].add(x**2), A),
    "linspace": (lambda x: np.linspace(x[0], x[1] ** 2, 5), A),
    "meshgrid": (lambda x: np.multiply(*np.meshgrid(x[0], x[:, 0])), A),
    "polyval": (lambda x: np.polyval(x[0], x[1]), A),
    "append": (lambda x: np.append(x, x[0] ** 2), A),
    "atleast": (lambda x: np.atleast_1d(x[0, 0]) * np.atleast_2d(x[0]) * np.atleast_3d(x), A),
    "array_split": (lambda x: np.array_split(x**2, 3, axis=1)[0], A),
    "broadcast_arrays": (lambda x: np.broadcast_arrays(x[0] ** 2, x)[0] * A, A),
    "column_stack": (lambda x: np.column_stack([x[0], x[1] ** 2]), A),
    "copy": (lambda x: np.copy(x) ** 2, A),
    "dstack": (lambda x: np.dstack([x, x**2]), A),
    "fliplr-flipud": (lambda x: np.fliplr(x) * np.flipud(x), A),
    "full_like": (lambda x: np.full_like(x, x[0, 0]) * x, A),
    "ones-zeros-empty": (lambda x: x**2 * (np.ones_like(x) + np.zeros_like(x) + 0 * np.empty_like(x)), A),
    "hsplit-vsplit": (lambda x: np.hsplit(x, 2)[1] * np.vsplit(x, 3)[0][:, :2], A),
    "matrix_transpose": (lambda x: np.matrix_transpose(x) ** 2, A),
    "real-conjugate": (lambda x: np.real(x) * np.conjugate(x), A),
    "sizes": (lambda x: x**2 / np.size(x) * np.ndim(x) + np.shape(x)[0], A),
}


def written(write: Callable[[Any], object]) -> Callable[[Any], Any]:
    """The result of a copy after a function that writes its argument."""

    def function(x: Any) -> Any:
        y = x**2
        write(y)
        return y

    return function


IN_PLACE = {
    "copyto": (written(lambda y: np.copyto(y[0], y[1])), A),
    "put": (written(lambda y: np.put(y, [0, 5], y[2, :2])), A),
    "putmask": (written(lambda y: np.putmask(y, A > 0, y[0])), A),
    "place": (written(lambda y: np.place(y, A > 0, y[0])), A),
    "fill_diagonal": (written(lambda y: np.fill_diagonal(y, y[0, 1])), A),
    "put_along_axis": (written(lambda y: np.put_along_axis(y, np.array([[0], [1], [1]]), y[:, 3:], 1)), A),
    "out": (written(lambda y: np.sin(y[0], out=y[1])), A),
    "multiply-at": (written(lambda y: np.multiply.at(y, [0, 0, 2], y[1])), A),
}

OTHER_NAMES = {
    "rot90-rollaxis": (lambda x: np.rot90(x**2) * np.rollaxis(x, 1) * np.real_if_close(x).T, A),
    "imag": (lambda x: x + np.imag(x), A),
    "amax-amin": (lambda x: np.amax(x, axis=0) * np.amin(x, axis=0), A),
    "nanmax-nanmin": (lambda x: np.nanmax(x, axis=0) * np.nanmin(np.where(A > 1, np.nan, x)), A),
    "nanprod": (lambda x: np.nanprod(np.where(A > 0, x, np.nan), axis=1), np.abs(A)),
    "percentile": (lambda x: np.percentile(x, 30, axis=1), A),
    "matrix_norm": (lambda x: np.linalg.matrix_norm(x, ord=1), A),
    "vector_norm": (lambda x: np.linalg.vector_norm(x, axis=1, ord=3), A),
    "correlate": (lambda x: np.correlate(x[0], x[1, :2], "full"), A),
    "cumulative": (lambda x: np.cumulative_sum(x[0]) * np.cumulative_prod(x[1]), A),
    "unravel_index": (lambda x: x[np.unravel_index(np.argmax(x), x.shape)] ** 2, A),
    "ravel_multi_index": (lambda x: x.ravel()[np.ravel_multi_index((1, 2), (3, 4))] ** 2, A),
    "divmod": (lambda x, y: x * np.divmod(x, y)[0] + np.divmod(x, y)[1], 5 * A, POSITIVE),
}

WITH_NAN = np.where(A > -0.5, A, np.nan)
KEPT = np.isnan(WITH_NAN)


def spoiled(x):
    """`x` with NaN where it does not count."""
    return np.where(KEPT, np.nan, x)


COMPOSITIONS = {
    "block": (lambda x: np.block([[x, x**2], [x[:1], x[1:2]]]), A),
    "unstack": (lambda x: np.unstack(x, axis=1)[1] * np.unstack(x, axis=1)[2], A),
    "ediff1d": (lambda x: np.ediff1d(x, to_end=x[0, 0]) ** 2, A),
    "lexsort": (lambda x: x[0, np.lexsort((x[1], np.array([0, 0, 1, 1])))] ** 2 * np.arange(4.0), A),
    "fftshift": (lambda x: np.fft.fftshift(x) * np.fft.ifftshift(x, axes=1), A),
    "insert-delete": (lambda x: np.insert(x, 1, x[0] ** 2, axis=0)[:3] * np.delete(x, 0, axis=1)[:, :1], A),
    "apply_along_axis": (lambda x: np.apply_along_axis(lambda v: np.sort(v)[:2] ** 2, 1, x), A),
    "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x**2, (0, 1)), A),
    "nancumsum-nancumprod": (lambda x: np.nancumsum(spoiled(x)) * np.nancumprod(spoiled(x)), A),
    "nanvar-nanstd": (lambda x: np.nanvar(spoiled(x), axis=0) * np.nanstd(spoiled(x)), A),
    "nanmedian": (lambda x: np.nanmedian(spoiled(x), axis=1), A),
    "nanquantile": (lambda x: np.nanquantile(spoiled(x), [0.2, 0.7], axis=1), A),
    "nanpercentile": (lambda x: np.nanpercentile(spoiled(x), 30), A),
    "nanargmax-nanargmin": (lambda x: x[0, np.nanargmax(x[0])] * x[1, np.nanargmin(x[1])], A),
    "polynomials": (lambda x: np.polymul(np.polyadd(x[0], x[1]), np.polysub(x[2], x[1, :2])), A),
    "polyder-polyint": (lambda x: np.polyder(x[0], 2)[0] * np.polyint(x[1], 2), A),
    "poly": (lambda x: np.poly(x[0]), A),
    "roots": (lambda x: parts(np.roots(x[0])), A),
    "logn": (lambda x: parts(np.emath.logn(2.0, x)), A),
    "vander": (lambda x: np.vander(x[0], 3) ** 2, A),
    "real": (lambda x: np.real_if_close(x) * np.isreal(x) + np.imag(x) * np.iscomplex(x) * x, A),
    "rollaxis-rot90": (lambda x: np.rollaxis(x, 2)[0] * np.rot90(x[0] + 0 * x[1], 2)[:2, :3], C),
    "compress": (lambda x: np.compress([True, False, True], x, axis=0) ** 2, A),
    "cov": (lambda x: np.cov(x), A),
    "corrcoef": (lambda x: np.corrcoef(x)[0], A),
    "diagflat": (lambda x: np.diagflat(x**2, -1), A),
    "unwrap": (lambda x: np.unwrap(9 * x, axis=1) ** 2, A),
    "gradient": (lambda x: np.gradient(x**2, np.array([0.0, 1.0, 3.0, 4.0]), axis=1, edge_order=2), A),
    "vecdot": (lambda x: np.linalg.vecdot(x, x[0]), A),
    "dsplit": (lambda x: np.dsplit(x**2, 2)[1], C),
    "angle-fix": (lambda x: x**2 * (np.angle(x) + np.fix(3 * x)), A),
    "sinc": (lambda x: np.sinc(x), A),
    "logspace": (lambda x: np.logspace(x[0], x[1], 3), A),
    "resize": (lambda x: np.resize(x**2, (4, 5)), A),
    "choose": (lambda x: np.choose(np.array([0, 1, 2, 1]), [x[0] ** 2, x[1], np.sin(x[2])]), A),
    "piecewise": (lambda x: np.piecewise(x, [A < 0, A > 1], [np.sin, 2.0, np.square]), A),
    "argpartition": (lambda x: x[0, np.argpartition(x[0], 1)] ** 2 * np.arange(4.0), A),
    "pad-statistics": (
        lambda x: np.pad(x, 1, mode="mean") * np.pad(x**2, 1, mode="maximum", stat_length=2),
        A,
    ),
    "pad-ramp": (lambda x: np.pad(x, (2, 1), mode="linear_ramp", end_values=(1, 2)), A),
    "pad-odd": (lambda x: np.pad(x, ((4, 3), (1, 5)), mode="reflect", reflect_type="odd") ** 2, A),
    "modf": (lambda x: np.modf(5 * x)[0] * np.modf(5 * x)[1], A),
    "exp10": (special.exp10, A),
    "entr": (special.entr, POSITIVE),
    "rel_entr": (lambda x: special.rel_entr(x, x[0]), POSITIVE),
    "huber": (lambda x: special.huber(0.7, x), A),
    "pseudo_huber": (lambda x: special.pseudo_huber(0.7, x), A),
    "ndtr": (special.ndtr, A),
    "fold": (lambda x: np.arctan2.reduce(x, axis=1) * np.hypot.accumulate(x, axis=1)[:, -1], POSITIVE),
    "reduceat": (lambda x: np.add.reduceat(x**2, [0, 2, 1], axis=1), A),
}

REGULAR = B @ A + 3 * np.eye(4)
DEFINITE = B @ B.T + np.diag([1.0, 2.0, 3.0, 5.0])


def parts(z: Any) -> Any:
    return np.concatenate([z.real, z.imag])


MATRICES = {
    "solve": (np.linalg.solve, REGULAR, B),
    "inv": (np.linalg.inv, REGULAR),
    "det": (np.linalg.det, REGULAR),
    "slogdet": (lambda x: np.linalg.slogdet(x)[1], REGULAR),
    "cholesky": (np.linalg.cholesky, DEFINITE),
    "qr": (lambda x: np.linalg.qr(x)[0] @ np.linalg.qr(x)[1] ** 2, REGULAR),
    "eigh": (lambda x: np.linalg.eigh(x)[1] ** 2, DEFINITE),
    "eig": (lambda x: parts(np.linalg.eig(x)[1] ** 2), REGULAR),
    "eigvals": (lambda x: parts(np.linalg.eigvals(x)), REGULAR),
    "eigvalsh": (np.linalg.eigvalsh, DEFINITE),
    "svd": (lambda x: np.linalg.svd(x)[0] ** 2, REGULAR),
    "svdvals": (np.linalg.svdvals, A),
    "pinv": (np.linalg.pinv, A),
    "lstsq": (lambda x, y: np.linalg.lstsq(x, y)[0], B, V),
    "cond": (np.linalg.cond, REGULAR),
    "tensorsolve": (lambda x, y: np.linalg.tensorsolve(np.reshape(x, (2, 2, 4)), y[:2, :2]), REGULAR, B),
    "tensorinv": (lambda x: np.linalg.tensorinv(np.reshape(x, (2, 2, 4))), REGULAR),
}

SPECTRA = {
    name: (lambda x, name=name: parts(getattr(np.fft, name)(x)), A)
    for name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "rfft2", "rfftn", "ihfft")
} | {
    name: (lambda x, name=name: getattr(np.fft, name)(x + 1j * x[::-1] ** 2), A)
    for name in ("irfft", "irfft2", "irfftn", "hfft")
}

FITS = {
    "polyfit": (lambda x: np.polyfit(x[0], x[1] ** 2, 2), A),
    "geomspace": (lambda x: np.geomspace(x[0], x[1], 4), POSITIVE),
    "bincount": (lambda x: np.bincount(np.array([0, 2, 2, 1]), weights=x[0] ** 2, minlength=4), A),
    "histogram": (lambda x: np.histogram(A, 3, weights=x**2)[0], A),
    "histogram-density": (lambda x: np.histogram(x, 3, density=True)[0], A),
    "histogram2d": (lambda x: np.histogram2d(A.ravel(), A.ravel()[::-1], 3, weights=x.ravel() ** 2)[0], A),
    "histogramdd": (
        lambda x: np.histogramdd(np.stack([A.ravel(), A.ravel()[::-1]], 1), 3, weights=x.ravel() ** 2)[0],
        A,
    ),
    "histogram_bin_edges": (lambda x: np.histogram_bin_edges(x, 3), A),
    "frexp-ldexp": (lambda x: np.ldexp(np.frexp(3 * x)[0] ** 2, 3), A),
    "nextafter": (lambda x: np.nextafter(x, 9.0) ** 2, A),
    "sliding_window_view": (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 1) ** 2, A),
    "triangles": (lambda x: x[np.triu_indices_from(x)] * x[np.tril_indices_from(x)], REGULAR),
    "diag_indices_from": (lambda x: x[np.diag_indices_from(x)] ** 2, REGULAR),
}

WITHOUT_DERIVATIVE = """
all allclose any argwhere around array_equal array_equiv bitwise_and bitwise_or bitwise_xor can_cast ceil
common_type digitize equal fix flatnonzero floor floor_divide gcd greater greater_equal invert isin isneginf
isposinf isclose iscomplex isreal iscomplexobj isfinite isinf isnan isrealobj lcm left_shift less less_equal
logical_and logical_not logical_or logical_xor matrix_rank may_share_memory nonzero not_equal result_type
right_shift rint round shares_memory sign signbit spacing trunc"""
"""Functions with results that are not floats, or piecewise constant."""

CASES: dict[str, tuple[Any, ...]] = {
    **ELEMENTWISE,
    **PAIRS,
    **REDUCTIONS,
    **NORMS,
    **ORDERED,
    **PRODUCTS,
    **MATRICES,
    **SPECTRA,
    **FITS,
    **SHAPES,
    **OTHER_NAMES,
    **COMPOSITIONS,
    **IN_PLACE,
}


def by_finite_differences(function, *arguments):
    """The interpreted derivatives."""
    ad.check_derivatives(function, *arguments, step=1e-4, interpret=True)


def by_the_interpreter(function, *arguments):
    """The compiled value and derivative."""
    value, pullback = ad.vjp(function, *arguments)
    expected, reference = ad.vjp(function, *arguments, interpret=True)
    np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-13)
    cotangent = np.cos(np.arange(np.size(value))).reshape(np.shape(value))
    for got, want in zip(pullback(cotangent), reference(cotangent), strict=True):
        assert np.any(want), "a derivative that is zero everywhere tests nothing"
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("check", [by_finite_differences, by_the_interpreter], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", CASES)
def test_derivatives(name, check):
    check(*CASES[name])


def test_every_function_is_here():
    """Each function that can be traced has a case, or no derivative."""
    others = ("test_scipy_functions.py", "test_complex_error_functions.py")
    files = (Path(__file__), *(Path(__file__).with_name(name) for name in others))
    named = {name for file in files for name in re.findall(r"\w+", file.read_text())}
    named |= {
        function.ufunc for function in SPECIAL_FUNCTIONS.values()
    }  # tests/rules/test_special_derivatives.py
    traced = {f.__name__ for f in (*FUNCTIONS, *all_meanings(), *SPECIAL)}
    assert traced - named == set()
    assert traced >= set(WITHOUT_DERIVATIVE.split())


@pytest.mark.parametrize(
    "name", ["ceil", "floor", "rint", "round", "around", "sign", "trunc", "floor_divide"]
)
def test_piecewise_constant_functions_have_derivative_zero(name):
    function = getattr(np, name)
    arguments = (A, POSITIVE) if name == "floor_divide" else (A,)
    _, pullback = ad.vjp(function, *arguments)
    for gradient in pullback(np.ones((3, 4))):
        np.testing.assert_array_equal(gradient, 0)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian"])
@pytest.mark.parametrize("function", [np.std, np.nanstd, lambda x: np.linalg.norm(x - np.mean(x))])
def test_deviations_that_are_zero_are_constant(function, method):
    x = np.full(3, 2.0)
    assert ad.grad(function, method=method, interpret=True)(x).tolist() == [0, 0, 0]
    assert not ad.hessian(function, method=method, interpret=True)(x).any()
