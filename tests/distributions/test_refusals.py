"""Distributions that cannot be traced say why, and what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import mlirad as ad
from mlirad.errors import UnsupportedError
from mlirad.frontend.numpy_functions.scipy_functions.distributions.refused import REASONS

SHAPES = {
    "levy_stable": (1.5, 0.5),
    "studentized_range": (3.0, 10.0),
    "gausshyper": (2.0, 3.0, 1.5, 0.7),
    "ksone": (20,),
    "kstwo": (20,),
    "nchypergeom_fisher": (20, 7, 12, 0.5),
    "nchypergeom_wallenius": (20, 7, 12, 0.5),
}


@pytest.mark.parametrize("name", REASONS)
def test_a_distribution_without_formulas_says_why_and_a_way_out(name: str) -> None:
    owner, shapes = getattr(stats, name), SHAPES[name]
    density = "pmf" if isinstance(owner, stats.rv_discrete) else "pdf"

    def refused(call: Any, method: str) -> str:
        with pytest.raises(
            UnsupportedError, match=rf"{name}\.{method} cannot be traced: .*(integral|sum)"
        ) as e:
            ad.trace(call, 2.0)
        return str(e.value)

    assert "hint: " in refused(lambda x: getattr(owner, density)(x, *shapes), density)
    assert "hint: " in refused(lambda x: owner(*shapes).logcdf(x), "logcdf")
    refused(lambda s: owner.ppf(0.3, *shapes[:-1], s), "ppf")
    refused(lambda s: owner.mean(*shapes[:-1], s), "mean")
    frozen = owner(*shapes)
    np.testing.assert_allclose(ad.jit(lambda x: x * frozen.cdf(2.0))(3.0), 3.0 * frozen.cdf(2.0))


def test_ways_out_compute_the_same() -> None:
    x = np.linspace(-2.0, 3.0, 5)
    normal = ad.jit(lambda x: stats.norm(scale=2**0.5).pdf(x))(x)
    np.testing.assert_allclose(normal, stats.levy_stable.pdf(x, 2.0, 0.0), rtol=1e-8)

    def called(x: Any) -> Any:
        return ad.callback(lambda x: stats.studentized_range.cdf(x, 3.0, 10.0), x, x, vectorized=True)

    np.testing.assert_allclose(ad.jit(called)(x[3:]), stats.studentized_range.cdf(x[3:], 3.0, 10.0))

    u = np.linspace(0.1, 0.9, 5)

    def density(x: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
        scale = special.beta(a, b) * special.hyp2f1(c, a, a + b, -z)
        return x ** (a - 1) * (1 - x) ** (b - 1) * (1 + z * x) ** -c / scale

    shapes = SHAPES["gausshyper"]
    np.testing.assert_allclose(ad.jit(density)(u, *shapes), stats.gausshyper.pdf(u, *shapes), rtol=1e-12)
    ad.check_derivatives(lambda s: density(u, s[0], s[1], s[2], s[3]), np.array(shapes))
    n, x = 20, 0.31
    j = np.arange(int(n * (1 - x)) + 1.0)
    total = np.sum(special.binom(n, j) * x * (x + j / n) ** (j - 1) * (1 - x - j / n) ** (n - j))
    np.testing.assert_allclose(total, stats.ksone.sf(x, n), rtol=1e-12)
