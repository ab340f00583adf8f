"""Random numbers of explicit keys, in a trace and outside.

    key = ad.random.key(0)
    key, own = ad.random.split(key)
    noise = ad.random.normal(own, (3, 4))

A key and what is asked of it decide the numbers: on every machine, compiled or interpreted, in whatever
order and however often they are drawn. So two draws from one key are the same numbers, or related ones;
`split` makes keys whose numbers are independent. All functions are written in the language that users
write, and are differentiable in their float parameters.
"""

from typing import Any

from mlirad.random.continuous import (
    cauchy,
    exponential,
    gumbel,
    laplace,
    logistic,
    lognormal,
    multivariate_normal,
    normal,
    pareto,
    rayleigh,
    triangular,
    truncated_normal,
    uniform,
    weibull,
)
from mlirad.random.counts import binomial, geometric, multinomial, negative_binomial, poisson
from mlirad.random.discrete import bernoulli, categorical, choice, permutation, rademacher, randint
from mlirad.random.gamma import beta, chisquare, dirichlet, gamma, loggamma, student_t
from mlirad.random.keys import bits, fold_in, key, split

__all__ = [
    "bernoulli",
    "beta",
    "binomial",
    "bits",
    "categorical",
    "cauchy",
    "chisquare",
    "choice",
    "dirichlet",
    "exponential",
    "fold_in",
    "gamma",
    "geometric",
    "gumbel",
    "key",
    "laplace",
    "loggamma",
    "logistic",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "rademacher",
    "randint",
    "rayleigh",
    "split",
    "student_t",
    "triangular",
    "truncated_normal",
    "uniform",
    "weibull",
]


def __getattr__(name: str) -> Any:
    from mlirad.neighbours import unknown_name

    raise unknown_name(__name__, name, __all__)
