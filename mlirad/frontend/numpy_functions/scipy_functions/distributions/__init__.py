"""The distributions of `scipy.stats`, by families: a few formulas each, made methods by `methods.py`.

A distribution is a few formulas in standard form, in the file of its family. `distribution.py` derives the
functions that are not given from others; `methods.py` adds location and scale. `shared_formulas.py` has
formulas that families share, `quantiles.py` those of quantiles near shares of 1. A new distribution needs its
exact form in `tests/distributions/exact.py`, which tests values and derivatives over its whole range.
"""

from __future__ import annotations

from typing import Final

from mlirad.frontend.numpy_functions.scipy_functions.distributions import (
    beta,
    bounded,
    cauchy,
    circular,
    discrete,
    draws,
    exponential,
    gamma,
    generalized,
    landau,
    logistic,
    mixtures,
    noncentral,
    normal,
    normal_sums,
    pearson,
    student,
    sums,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution

DISTRIBUTIONS: Final[dict[str, Distribution]] = {
    name: distribution
    for family in (
        normal,
        normal_sums,
        mixtures,
        exponential,
        logistic,
        gamma,
        pearson,
        beta,
        noncentral,
        bounded,
        cauchy,
        circular,
        discrete,
        draws,
        sums,
        generalized,
        student,
        landau,
    )
    for name, distribution in family.DISTRIBUTIONS.items()
}
"""The distributions, by their names in `scipy.stats`."""
