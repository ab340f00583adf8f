"""Alternatives that errors offer to functions that cannot be traced are run, and give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import mlirad as ad
from mlirad.errors import MliradError
from mlirad.frontend.numpy_functions.calls.alternatives import ALTERNATIVES

NAMES = {
    "x": np.array([0, 3, 0, 1, 3, 5, 1, 0]),
    "y": np.array([5, 7, 3, 3]),
    "u": np.array([2.0, -3.0, 4.0, 1.0, 2.0]),
    "v": np.array([2.0, 1.0, 3.0]),
    "bits": np.arange(16) % 3 == 0,
}
"""The variables that the calls read, all traced."""

STATIC = {"np": np, "ad": ad, "scipy": scipy, "n": 7, "dtype": np.float32, "subscripts": "i,j"}

TRIED: dict[str, tuple[str, str, str]] = {
    "extract": ("np.extract(x > 0, x)", "ad.extract(condition, x, size=n)", "found"),
    "trim_zeros": (
        "np.trim_zeros(x, 'f')", "ad.extract(np.logical_or.accumulate(x != 0), x, size=n)", "found",
    ),
    "unique": ("np.unique(x)", "ad.unique(x, size=n)", "found"),
    "unique_values": ("np.sort(np.unique_values(x))", "ad.unique(x, size=n)", "found"),
    "unique_counts": ("np.unique_counts(x).counts", "ad.unique(x, return_counts=True, size=n)", "found[1]"),
    "unique_inverse": (
        "np.unique_inverse(x).inverse_indices", "ad.unique(x, return_inverse=True, size=n)", "found[1]",
    ),
    "unique_all": ("np.unique_all(x).indices", "ad.unique(x, True, True, True, size=n)", "found[1]"),
    "union1d": ("np.union1d(x, y)", "ad.union1d(x, y, size=n)", "found"),
    "intersect1d": ("np.intersect1d(x, y)", "ad.intersect1d(x, y, size=n)", "found"),
    "setdiff1d": ("np.setdiff1d(x, y)", "ad.setdiff1d(x, y, size=n)", "found"),
    "setxor1d": ("np.setxor1d(x, y)", "ad.setxor1d(x, y, size=n)", "found"),
    "bincount": ("np.bincount(x)", "ad.bincount(x, length=n)", "found"),
    "sort_complex": ("np.sort_complex(x).real", "np.sort(x)", "found"),
    "packbits": ("np.packbits(bits)", "np.reshape(bits, (-1, 8)) @ 2 ** np.arange(7, -1, -1)", "found"),
    "unpackbits": (
        "np.unpackbits(x.astype(np.uint8))", "(x[..., None] >> np.arange(7, -1, -1)) & 1", "found.ravel()",
    ),
    "bitwise_count": (
        "np.bitwise_count(x)", "np.sum((np.abs(x)[..., None] >> np.arange(63)) & 1, axis=-1)", "found",
    ),
    "polydiv": (
        "np.polydiv(u, v)[0]", "scipy.signal.lfilter(u, v, np.eye(1, len(u) - len(v) + 1)[0])", "found",
    ),
    "min_scalar_type": ("np.min_scalar_type(x) == x.dtype", "x.dtype", "found is not None"),
    "einsum_path": (
        "np.einsum_path(subscripts, x, y)[0] == ['einsum_path', (0, 1)]",
        "np.einsum_path(subscripts, np.empty(x.shape), np.empty(y.shape))",
        "found[0] == ['einsum_path', (0, 1)]",
    ),
    "array2string": ("0", 'ad.debug_print("{}", x)', "0"),
    "array_repr": ("0", 'ad.debug_print("{}", x)', "0"),
    "array_str": ("0", 'ad.debug_print("{}", x)', "0"),
    "ix_": (
        "np.outer(u, v)[np.ix_(range(3), range(2))]", "x[np.arange(m)[:, None], np.arange(n)]", "found",
    ),
}  # fmt: skip
"""The call of NumPy's, the text of the hint, and the part of that to be equal or to begin so, by the
function.
"""


@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
@pytest.mark.parametrize("name", TRIED)
def test_hints_give_what_numpy_gives(name) -> None:
    """Results of a static size begin as NumPy's, and are filled."""
    theirs, hint, compared = TRIED[name]
    assert hint in ALTERNATIVES[name]
    expected = np.asarray(eval(theirs, STATIC | NAMES))

    def function(names):
        seen = {**STATIC, **names, "condition": names["x"] > 0}
        if name == "ix_":
            seen |= {"x": np.outer(names["u"], names["v"]), "m": 3, "n": 2}
        return eval(compared, seen | {"found": eval(hint, seen)})

    found = np.asarray(ad.jit(function, interpret=True)(NAMES))
    np.testing.assert_allclose(found[: len(expected)] if expected.ndim else found, expected)


def test_all_hints_that_hold_code_are_tried() -> None:
    """All but those that say to call the function outside."""
    assert {name for name, hint in ALTERNATIVES.items() if "outside" not in hint} <= TRIED.keys()


@pytest.mark.parametrize("name", ["unique", "bincount", "unique_counts"])
def test_errors_say_the_hint(name) -> None:
    with pytest.raises(MliradError) as caught:
        ad.jit(getattr(np, name))(NAMES["x"])
    assert caught.value.hint == ALTERNATIVES[name]
