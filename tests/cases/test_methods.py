"""Reference cases by the other methods, in both modes, against dual arrays: a sample each."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

from .case import assert_agree, drawn_like
from .test_cases import CASES


def sample(method, start):
    return [pytest.param(method, case, id=f"{method}-{case.id}") for case in CASES[start::16]]


@pytest.mark.parametrize(("method", "case"), [*sample("jacobian", 0), *sample("chad", 8)])
def test_methods_agree(method, case):
    check(method, case)


@pytest.mark.fuzz
@pytest.mark.parametrize("method", ["jacobian", "chad"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_methods_agree_on_all_cases(method, case):
    check(method, case)


def check(other, case):
    found = []
    for method in (other, "dual-arrays"):
        value, pullback = ad.vjp(case.function, *case.arguments, interpret=True, method=method)
        cotangent = drawn_like(value, np.random.default_rng(0)) if case.cotangent is None else case.cotangent
        tangents = drawn_like(case.arguments, np.random.default_rng(1))
        _, image = ad.jvp(case.function, case.arguments, tangents, interpret=True, method=method)
        found.append((value, pullback(cotangent), image))
    for x, y in zip(*found, strict=True):
        assert_agree(x, y, 1e-9)
