"""Densities, distribution functions and quantiles of `scipy.stats` on traced arrays, by SciPy's names.

    stats.norm.logpdf(x, loc, scale)        stats.gamma(a).cdf(x)        stats.poisson.logpmf(k, mu)

Univariate distributions are made of their standard form (`distributions`) by location and scale: outside of
the support the density is 0, for shapes or scales that the distribution does not have all is NaN. Results are
float64, as SciPy's are. Those of vectors and matrices are in `multivariate.py`. How methods are reached is
said in `mlirad.frontend.tracing.library_calls`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.frontend.numpy_functions.scipy_functions import multivariate
from mlirad.frontend.numpy_functions.scipy_functions.distributions import DISTRIBUTIONS
from mlirad.frontend.numpy_functions.scipy_functions.distributions.methods import Method, methods_of
from mlirad.frontend.numpy_functions.scipy_functions.distributions.refused import REASONS, refused_methods

METHODS: dict[str, dict[str, Method]] = {
    **{name: methods_of(name, d) for name, d in DISTRIBUTIONS.items()},
    **multivariate.METHODS,
}
"""The functions that trace methods of distributions in `scipy.stats`, by the names of both."""

REFUSED: dict[str, dict[str, Callable[[], Any]]] = {name: refused_methods(name) for name in REASONS}
"""The methods of distributions that cannot be traced: each raises an error."""
