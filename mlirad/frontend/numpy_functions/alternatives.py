"""What to write instead of the functions of NumPy and SciPy that cannot be traced.

alternative_to("linalg.solve")     the hint of the error that np.linalg.solve raises
"""

from __future__ import annotations

_SHAPE = "the shape of the result would depend on elements: "
_COMPLEX = "there are no complex numbers in the language: "
_OUTSIDE = "compute it outside of the traced function, on NumPy arrays"
_FOURIER = _COMPLEX + (
    "with w = 2 * np.pi * np.outer(np.arange(n), np.arange(n)) / n its real part is np.cos(w) @ x, and its "
    "imaginary part -np.sin(w) @ x"
)
_DATES = "there are no dates in the language: " + _OUTSIDE
_SETS = _SHAPE + "sort instead, np.sort(x), and mark where neighbours differ: np.diff(np.sort(x)) != 0"
_BINS = (
    "count with ad.asarray(np.zeros(n)).at[k].add(w) at positions k = np.searchsorted(edges, x, 'right') - 1"
)

_BY_NAMES = {
    "linalg.eig linalg.eigvals": _COMPLEX
    + "np.linalg.eigh and np.linalg.eigvalsh are for symmetric matrices",
    "roots": _COMPLEX + _OUTSIDE,
    "polyfit": "write np.linalg.lstsq(np.vander(x, deg + 1), y)[0]",
    "polydiv": "divide in a loop over the coefficients with ad.fori_loop",
    "fft.fft fft.ifft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfft2 fft.irfft2 "
    "fft.rfftn fft.irfftn fft.hfft fft.ihfft": _FOURIER,
    "sort_complex": _COMPLEX + "np.sort(x)",
    "nonzero argwhere flatnonzero": _SHAPE + "write np.where(condition, a, b)",
    "extract trim_zeros": _SHAPE + "write np.where(condition, x, 0)",
    "ix_": "write x[np.arange(m)[:, None], np.arange(n)]",
    "unique unique_all unique_counts unique_inverse unique_values union1d intersect1d setdiff1d "
    "setxor1d": _SETS,
    "bincount histogram2d histogramdd": _BINS,
    "geomspace": "write np.exp(np.linspace(np.log(start), np.log(stop), num))",
    "packbits": "there are no arrays of uint8: sum bits times powers of 2",
    "unpackbits": "there are no arrays of uint8: write (x >> np.arange(8)) & 1",
    "array2string array_repr array_str": "print(x) shows its type; return the value and format it outside",
    "save savez savez_compressed savetxt": "return the value, and write the file outside",
    "can_cast min_scalar_type": "ask it of x.dtype",
    "common_type": "ask it of x.dtype, with np.result_type",
    "may_share_memory shares_memory": "traced arrays have no memory: they never share any",
    "einsum_path": "contractions go from left to right: write np.einsum calls in the order that is wanted",
    "busday_count busday_offset is_busday datetime_as_string isnat": _DATES,
    "ldexp": "write x * np.exp2(n)",
    "frexp": "n = np.floor(np.log2(np.abs(x))) + 1 is the exponent, and x / np.exp2(n) the fraction",
    "nextafter": "write x + e, with e the spacing of the numbers that is wanted",
    "spacing": "write np.finfo(x.dtype).eps * np.exp2(np.floor(np.log2(np.abs(x))))",
    "gcd": "write Euclid's algorithm in ad.while_loop",
    "lcm": "write Euclid's algorithm in ad.while_loop; the multiple is x * y / gcd",
    "bitwise_count": "write np.sum((x[..., None] >> np.arange(64)) & 1, axis=-1)",
}

ALTERNATIVES = {name: hint for names, hint in _BY_NAMES.items() for name in names.split()}
"""By the name of the function, without `np.`."""


def alternative_to(name: str) -> str:
    """What to write instead of a function of NumPy's."""
    return ALTERNATIVES.get(name, f"write it with functions that can be traced, or {_OUTSIDE}")
