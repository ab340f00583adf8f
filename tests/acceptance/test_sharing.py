"""Shared values are differentiated once: derivatives of n steps grow linearly, and compile in seconds."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects import linear
from mlirad.pipelines import expansion, linearization
from tests.passes.derivatives import run_passes

STEPS = 400
"""Without sharing this many doublings would never end; with it each test takes seconds."""


def doubled(x):
    """2^400 x: every step uses the one before twice."""
    for _ in range(STEPS):
        x = x + x
    return x


def polynomial(x):
    """A polynomial by Horner's rule, which nothing simplifies."""
    y = x
    for _ in range(STEPS):
        y = y * x + x
    return y


def test_doubling_four_hundred_times():
    value, slope = ad.value_and_grad(doubled)(2.0**-200)
    assert (value, slope) == (2.0**200, 2.0**400)
    _, tangent = ad.jvp(doubled, (1.0,), (2.0**-200,))
    assert tangent == 2.0**200


def test_a_polynomial_of_degree_four_hundred():
    x = 0.5
    value, slope = ad.value_and_grad(polynomial)(x)
    assert value == pytest.approx(x / (1 - x))
    assert slope == pytest.approx(1 / (1 - x) ** 2)


def dot(n):
    """The dot product of two n-vectors, as users of build and index write it; n is static."""

    def product(x, y):
        return np.sum(ad.build((n,), lambda i: ad.index(x, (i,)) * ad.index(y, (i,))))

    return product


@pytest.mark.parametrize("transformation", ["vjp", "jvp"])
def test_the_map_of_a_dot_product_does_not_grow(transformation):
    """The paper's count (section 4.1): 5 n + 1 nodes element by element, a constant number in bulk."""
    sizes = []
    for n in (2, 10, 1000):
        ones = np.ones(n)
        gradient = ad.grad(dot(n), argnums=(0, 1))
        tangent = partial(ad.jvp, dot(n), (ones, ones))
        if transformation == "vjp":
            module = ad.trace(lambda x, y, f=gradient: f(x, y), ones, ones)
        else:
            module = ad.trace(lambda dx, dy, f=tangent: f((dx, dy)), ones, ones)
        linearized = run_passes(module.clone(), ",".join(linearization()))
        maps = sum(isinstance(op, linear.MapOp) for op in linearized.walk())
        expanded = run_passes(module, ",".join(expansion()))
        sizes.append((maps, sum(1 for _ in expanded.walk())))
    assert sizes[0] == sizes[1] == sizes[2]
    assert 0 < sizes[0][0] <= 12


@pytest.mark.parametrize("n", [3, 64])
def test_the_gradient_of_a_dot_product_is_the_other_vector(n):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=n), rng.normal(size=n)
    by_x, by_y = ad.grad(dot(n), argnums=(0, 1))(x, y)
    np.testing.assert_allclose(by_x, y, rtol=1e-15)
    np.testing.assert_allclose(by_y, x, rtol=1e-15)


def test_values_shared_by_several_results_grow_linearly():
    """x + x, y + y, z + z, ... as a sum (section 7.2): the gradient program is linear in the steps."""

    def program(steps):
        def function(x):
            total = 0.0
            for _ in range(steps):
                x = np.sin(x + x)
                total = total + x * x
            return total

        return sum(1 for _ in run_passes(ad.trace(ad.grad(function), 1.0), ",".join(expansion())).walk())

    assert program(40) <= 2.05 * program(20)
