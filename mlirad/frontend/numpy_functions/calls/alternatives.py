"""Replacements to suggest for functions of NumPy and SciPy that cannot be traced.

alternative_to("linalg.solve")     the hint of the error that np.linalg.solve raises
"""

from __future__ import annotations

_SHAPE = "the shape of the result would depend on elements: "
_OUTSIDE = "compute it outside of the traced function, on NumPy arrays"
_DATES = "there are no dates in the language: " + _OUTSIDE
_SPHEROIDAL = "SciPy's loops in single precision do not end: " + _OUTSIDE
_ROOTS = "it is a root without a formula: " + _OUTSIDE
_SUMS = "it is a sum of as many terms as n: " + _OUTSIDE

_BY_NAMES = {
    "polydiv": "write q = scipy.signal.lfilter(u, v, np.eye(1, len(u) - len(v) + 1)[0]), and as remainder "
    "u - np.convolve(v, q), whose leading zeros stay",
    "sort_complex": "write np.sort(x)",
    "extract": _SHAPE
    + "write ad.extract(condition, x, size=n), or x[condition] if it is reduced or assigned",
    "trim_zeros": _SHAPE
    + "write ad.extract(np.logical_or.accumulate(x != 0), x, size=n), for those in front",
    "ix_": "write x[np.arange(m)[:, None], np.arange(n)]",
    "unique unique_values": _SHAPE + "write ad.unique(x, size=n)",
    "unique_counts": _SHAPE + "write ad.unique(x, return_counts=True, size=n)",
    "unique_inverse": _SHAPE + "write ad.unique(x, return_inverse=True, size=n)",
    "unique_all": _SHAPE + "write ad.unique(x, True, True, True, size=n)",
    "union1d": _SHAPE + "write ad.union1d(x, y, size=n)",
    "intersect1d": _SHAPE + "write ad.intersect1d(x, y, size=n)",
    "setdiff1d": _SHAPE + "write ad.setdiff1d(x, y, size=n)",
    "setxor1d": _SHAPE + "write ad.setxor1d(x, y, size=n)",
    "bincount": _SHAPE + "write ad.bincount(x, length=n)",
    "packbits": "there are no arrays of uint8: write np.reshape(bits, (-1, 8)) @ 2 ** np.arange(7, -1, -1)",
    "unpackbits": "there are no arrays of uint8: write (x[..., None] >> np.arange(7, -1, -1)) & 1",
    "array2string array_repr array_str": 'write ad.debug_print("{}", x) to see the elements when it runs, '
    "or return the value and format it outside",
    "save savez savez_compressed savetxt": "return the value, and write the file outside",
    "min_scalar_type": "write x.dtype",
    "einsum_path": "it needs shapes only: write "
    "np.einsum_path(subscripts, np.empty(x.shape), np.empty(y.shape))",
    **dict.fromkeys(
        (
            f"special.{kind}_{name}"
            for kind in ("pro", "obl")
            for name in ("cv", "ang1", "rad1", "rad2", "ang1_cv", "rad1_cv", "rad2_cv")
        ),
        _SPHEROIDAL,
    ),
    "special.smirnov special.smirnovi": _SUMS,
    "special.chndtridf special.chndtrinc special.nctdtridf special.nctdtrinc": _ROOTS,
    "special.ncfdtridfd special.ncfdtridfn special.ncfdtrinc": _ROOTS,
    "busday_count busday_offset is_busday datetime_as_string isnat": _DATES,
    "bitwise_count": "there are no arrays of uint8: "
    "write np.sum((np.abs(x)[..., None] >> np.arange(63)) & 1, axis=-1)",
}

ALTERNATIVES = {name: hint for names, hint in _BY_NAMES.items() for name in names.split()}
"""The hints by the name of the function, without `np.` and `scipy.`."""

_TRACED_ARGUMENTS = {
    ("np.compress", "condition"): _SHAPE
    + "write x[condition] if it is reduced or assigned, or ad.extract(condition, x, size=n)",
    ("np.delete", "obj"): _SHAPE
    + "for a mask write x[~mask] if it is reduced or assigned, or ad.extract(~mask, x, size=n)",
}


def for_traced(function: str, parameter: str) -> str:
    """Return what to write instead of a traced value where a function of NumPy's needs one that is known."""
    known = "list the argument that it comes from in static_argnames, or write the value itself"
    return _TRACED_ARGUMENTS.get((function, parameter), known)


def alternative_to(name: str) -> str:
    """Return what to write instead of a function of NumPy's."""
    return ALTERNATIVES.get(name, f"write it with functions that can be traced, or {_OUTSIDE}")
