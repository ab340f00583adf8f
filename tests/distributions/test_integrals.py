"""Shares that are integrals of a density: against SciPy, the density, and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import mlirad as ad

CASES: list[tuple[str, tuple[float, ...], tuple[float, ...]]] = [
    ("geninvgauss", (2.3, 1.5), (0.3, 1.0, 2.5, 7.0)),
    ("geninvgauss", (-0.7, 0.2), (0.01, 0.3, 1.0, 7.0)),
    ("geninvgauss", (12.0, 30.0), (0.3, 1.0, 2.5, 4.0)),
    ("genhyperbolic", (0.5, 1.5, -0.5), (-30.0, -1.0, 0.4, 9.0)),
    ("genhyperbolic", (-2.0, 1.2, 0.3), (-9.0, -1.0, 0.4, 9.0)),
    ("nct", (14.0, 0.24), (-8.0, -0.5, 0.7, 12.0)),
    ("nct", (1.5, -2.0), (-300.0, -0.5, 0.7, 40.0)),
    ("nct", (50.0, 6.0), (3.0, 5.0, 6.5, 12.0)),
    ("landau", (), (-2.0, -1.0, 0.5, 0.9, 1.3, 5.0, 40.0, 1e4)),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_shares_are_those_of_the_density(case: Any) -> None:
    name, shapes, at = case
    owner, x = getattr(stats, name), np.array(at)

    def values(x: Any, shapes: Any) -> Any:
        return owner.logpdf(x, *shapes), owner.cdf(x, *shapes), owner.sf(x, *shapes)

    (log_density, below, above), slopes = ad.jit(
        lambda x: ad.jvp(lambda x: values(x, shapes), (x,), (x * 0 + 1,))
    )(x)
    np.testing.assert_allclose(below, owner.cdf(x, *shapes), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(above, owner.sf(x, *shapes), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(slopes[1], np.exp(log_density), rtol=1e-11)
    np.testing.assert_allclose(slopes[2], -np.exp(log_density), rtol=1e-11)
    for k, step in enumerate(1e-4 * np.eye(len(shapes))):
        given = np.array(shapes)
        exact = (
            ad.jit(lambda s, x=x, step=step: ad.jvp(lambda s: values(x, s)[1], (s,), (step,))[1])(given) * 1e4
        )
        found = np.array([owner.cdf(x, *(given + j * step)) for j in (-2, -1, 1, 2)]) * 1e4
        np.testing.assert_allclose(
            exact, (found[0] - 8 * found[1] + 8 * found[2] - found[3]) / 12, atol=1e-8, err_msg=str(k)
        )


def test_density_of_landau() -> None:
    at = np.array([-3.0, -1.0, 0.3, 2.0, 40.0, 1e6])
    found = ad.jit(stats.landau.pdf)(at)
    np.testing.assert_allclose(found, stats.landau.pdf(at), rtol=1e-12)
    ad.check_derivatives(stats.landau.logpdf, at[:4])
