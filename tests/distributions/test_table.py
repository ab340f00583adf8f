"""The table of SciPy's distributions is complete, and each of them is looked at."""

from __future__ import annotations

from scipy import stats

from mlirad.frontend.numpy_functions.scipy_functions.distributions import DISTRIBUTIONS
from mlirad.frontend.numpy_functions.scipy_functions.distributions.refused import REASONS
from tests.distributions.exact import EXACT
from tests.distributions.exact_discrete import DISCRETE

OF_VECTORS = {"poisson_binom"}
"""Those with a vector for a shape, which have tests of their own."""

OF_ANGLES = {"landau"}
"""Integrals that take mpmath long: they have tests of their own, too."""


def test_every_distribution_is_in_the_table() -> None:
    kinds = (stats.rv_continuous, stats.rv_discrete)
    known = {name for name, d in vars(stats).items() if isinstance(d, kinds)}
    assert known - REASONS.keys() == DISTRIBUTIONS.keys() & known
    assert not REASONS.keys() & DISTRIBUTIONS.keys()


def test_every_distribution_has_references() -> None:
    assert {name for name, d in DISTRIBUTIONS.items() if not d.is_discrete} == EXACT.keys() | OF_ANGLES
    assert {name for name, d in DISTRIBUTIONS.items() if d.is_discrete} == DISCRETE.keys() | OF_VECTORS


def test_shapes_are_those_of_scipy() -> None:
    for name, d in DISTRIBUTIONS.items():
        shapes = getattr(stats, name).shapes
        assert d.shapes == (tuple(s.strip() for s in shapes.split(",")) if shapes else ()), name
