"""The tables of sparse, stiff and high-order problems compare what is right."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import mlirad as ad
from benchmarks import heat, jets, stiff


def test_the_heat_equation_and_its_adjoint_by_hand_agree():
    given = (*heat.instance(12), 4)
    (value, slope), (expected, other) = heat.by_mlirad(*given)(), heat.by_hand(*given)()
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(slope, other, rtol=1e-9, atol=1e-12 * np.max(np.abs(other)))


def test_polluted_air_ends_as_the_test_set_says():
    problem = stiff.PROBLEMS["air pollution"]
    last = ad.jit(lambda logs: stiff.mlirad_states(problem, logs, **stiff.EXACT)[-1])(np.log(problem.rates))
    published = {
        0: 0.5646255480022769e-1,
        1: 0.1342484130422339,
        7: 0.3245075353396018,
        19: 0.5682943292316392e-4,
    }
    np.testing.assert_allclose(last[list(published)], list(published.values()), rtol=1e-9)


@pytest.mark.parametrize("case", jets.FUNCTIONS)
def test_jets_and_nested_derivatives_are_those_of_mpmath(case):
    function = jets.FUNCTIONS[case]
    with mpmath.workdps(60):
        expected = jets.exact(function, 4)
    for way in (jets.by_jet, jets.nested):
        np.testing.assert_allclose(way(function, 4)()[:, jets.CHECKED], expected, rtol=1e-12)
