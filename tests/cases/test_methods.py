"""Reference cases by the method `jacobian`: every fourth, in both modes, against dual arrays."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

from .case import assert_agree, drawn_like
from .test_cases import CASES


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case.id)
def test_methods_agree(case):
    found = []
    for method in ("jacobian", "dual-arrays"):
        value, pullback = ad.vjp(case.function, *case.arguments, interpret=True, method=method)
        cotangent = drawn_like(value, np.random.default_rng(0)) if case.cotangent is None else case.cotangent
        tangents = drawn_like(case.arguments, np.random.default_rng(1))
        _, image = ad.jvp(case.function, case.arguments, tangents, interpret=True, method=method)
        found.append((value, pullback(cotangent), image))
    for x, y in zip(*found, strict=True):
        assert_agree(x, y, 1e-9)
