"""Why a test of the suite fails where it does not fail with NumPy, if that is meant to be.

difference("test_special_cases.py::test_unary[exp(real(x_i) is -infinity ...")     the reason, or None
"""

from __future__ import annotations

import re

_DIFFERENCES = {
    "complex functions at infinities and NaN: no rules of C's annex G": (
        r"test_special_cases.*::test_unary\[\w+\(\(?real\(x_i\)|test_special_cases.*::test_unary\[\w+\(isfinite\(real"
    ),
    "an axis that there is not is an ad.ShapeError, which is a ValueError and no IndexError": (
        r"TestExpandDims::test_expand_dims"
    ),
}
"""Patterns of names of tests, by reasons."""


def difference(test: str) -> str | None:
    """The reason why a test fails that is deliberate."""
    for reason, pattern in _DIFFERENCES.items():
        if re.search(pattern, test):
            return reason
    return None
