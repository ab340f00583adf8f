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
    "bincount histogram histogram2d histogramdd histogram_bin_edges": _BINS,
    "geomspace": "write np.exp(np.linspace(np.log(start), np.log(stop), num))",
    "i0": "write its power series, the sum of (x / 2)**(2 * k) / factorial(k)**2",
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
    "special.gamma": "write np.exp(special.gammaln(x)), the absolute value of it",
    "special.rgamma": "write np.exp(-special.gammaln(x)), the absolute value of it",
    "special.loggamma": "write special.gammaln(x), for positive x",
    "special.beta": "write np.exp(special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b))",
    "special.betaln": "write special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)",
    "special.binom": "with lg = special.gammaln write np.exp(lg(n + 1) - lg(k + 1) - lg(n - k + 1))",
    "special.poch": "write np.exp(special.gammaln(z + m) - special.gammaln(z))",
    "special.kl_div": "write special.rel_entr(x, y) - x + y",
    "special.boxcox": "write np.expm1(lmbda * np.log(x)) / lmbda, and np.log(x) for lmbda 0",
    "special.boxcox1p": "write np.expm1(lmbda * np.log1p(x)) / lmbda, and np.log1p(x) for lmbda 0",
    "special.inv_boxcox": "write np.exp(np.log1p(lmbda * y) / lmbda), and np.exp(y) for lmbda 0",
    "special.inv_boxcox1p": "write np.expm1(np.log1p(lmbda * y) / lmbda), and np.expm1(y) for lmbda 0",
    "special.log_ndtr": "write np.log(special.ndtr(x)), for x above -30",
    "special.ndtri": "write np.sqrt(2) * special.erfinv(2 * p - 1)",
    "special.erfcinv": "write special.erfinv(1 - x)",
    "special.erfcx": "write np.exp(x * x) * special.erfc(x), for x below 26",
    "special.exprel": "write np.where(x == 0, 1, np.expm1(x) / np.where(x == 0, 1, x))",
    "special.cosm1": "write -2 * np.sin(x / 2) ** 2",
    "special.powm1": "write np.expm1(y * np.log(x))",
    "special.radian": "write np.deg2rad(d + m / 60 + s / 3600)",
    "special.sindg": "write np.sin(np.deg2rad(x))",
    "special.cosdg": "write np.cos(np.deg2rad(x))",
    "special.tandg": "write np.tan(np.deg2rad(x))",
    "special.cotdg": "write 1 / np.tan(np.deg2rad(x))",
    "special.round": "write np.rint(x)",
    "special.agm": "iterate a, b = (a + b) / 2, np.sqrt(a * b) in ad.fori_loop",
    "special.zetac": "write the series with np.sum(np.arange(2, n) ** -x), or compute it outside",
    "bitwise_count": "write np.sum((x[..., None] >> np.arange(64)) & 1, axis=-1)",
}

ALTERNATIVES = {name: hint for names, hint in _BY_NAMES.items() for name in names.split()}
"""By the name of the function, without `np.`."""


def alternative_to(name: str) -> str:
    """What to write instead of a function of NumPy's."""
    return ALTERNATIVES.get(name, f"write it with functions that can be traced, or {_OUTSIDE}")
