"""Rules that are not linear: applied as written in their direction, an error at their line in the other."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad


def converging(c):
    """2 c as c + c/2 + c/4 + ..., until the terms are small: the adjoint of a fixed point."""
    more = lambda s: s[0] * s[0] > 1e-26  # noqa: E731
    return ad.while_loop(more, lambda s: (s[0] / 2, s[1] + s[0] / 2), (c / 2, c + c / 2))[1]


RULES = {
    # name: the rule, what it gives, its slope
    "converging loop": (converging, lambda c: 2 * c, lambda c: 2.0),
    "where": (lambda c: np.where(c > 0, c, 0.0), lambda c: max(c, 0.0), lambda c: float(c > 0)),
    "cond": (
        lambda c: ad.cond(c > 0, lambda: 3 * c, lambda: c),
        lambda c: 3 * c if c > 0 else c,
        lambda c: 3.0 if c > 0 else 1.0,
    ),
    "clip": (
        lambda c: np.clip(c, -0.5, 0.5),
        lambda c: min(max(c, -0.5), 0.5),
        lambda c: float(abs(c) < 0.5),
    ),
    "square": (lambda c: c * c, lambda c: c * c, lambda c: 2 * c),
    "sign": (np.sign, np.sign, lambda c: 0.0),
    "round": (np.round, np.round, lambda c: 0.0),
}
WAYS = [{}, {"method": "jacobian"}, {"interpret": True}, {"method": "jacobian", "interpret": True}]
X = np.array([0.7, -0.4, 0.1])

every_rule = pytest.mark.parametrize("name", RULES)
both_kinds = pytest.mark.parametrize("transposed", [False, True], ids=["forward", "transposed"])


def with_rule(name, transposed):
    """2 x², with r(x c) as what the rule makes of c: for a linear r, (r / 2) x c would be right."""
    rule = RULES[name][0]
    f = ad.custom_derivative(lambda x: 2.0 * x * x)
    (f.transposed_rule if transposed else f.rule)(lambda x: lambda c: rule(x * c))
    return f


def refused(thunk, mode):
    with pytest.raises(
        ad.DifferentiationError, match=f"not linear, so it gives no derivative in {mode}"
    ) as e:
        thunk()
    assert str(e.value.location).startswith(__file__)
    assert "f.rule" in e.value.hint and "f.transposed_rule" in e.value.hint


@every_rule
@both_kinds
def test_own_direction_and_the_other(name, transposed):
    f = with_rule(name, transposed)
    expected = RULES[name][1]
    for x, w in ((0.7, 1.0), (-0.4, -3.0), (-0.4, 0.2)):
        options = WAYS[round(10 * abs(x * w)) % len(WAYS)]
        forward = lambda: ad.jvp(f, (x,), (w,), **options)[1]  # noqa: B023, E731
        reverse = lambda: ad.grad(lambda x: w * f(x), **options)(x)  # noqa: B023, E731
        own, other = (reverse, forward) if transposed else (forward, reverse)
        assert own() == pytest.approx(expected(x * w), rel=1e-12)
        refused(other, "forward" if transposed else "reverse")


@every_rule
@pytest.mark.parametrize("options", WAYS, ids=str)
def test_second_derivatives_differentiate_the_rule(name, options):
    slope = RULES[name][2]
    x, w = 0.7, -3.0
    gradient = ad.grad(lambda x: w * with_rule(name, True)(x))
    derivative = lambda x: ad.jvp(with_rule(name, False), (x,), (w,))[1]  # noqa: E731
    for first in (gradient, derivative):
        assert ad.grad(first, **options)(x) == pytest.approx(w * slope(x * w))
        assert ad.jvp(first, (x,), (1.0,), **options)[1] == pytest.approx(w * slope(x * w))


@pytest.mark.parametrize("name", ["converging loop", "clip"])
@pytest.mark.parametrize("options", [*WAYS[1:3], {"chunk": 2}], ids=str)
def test_lanes_loops_and_branches(name, options):
    """Each lane and each iteration applies the rule to its own cotangent, the sum of what its readers
    send.
    """
    f, expected = with_rule(name, True), RULES[name][1]
    w = np.array([2.0, -3.0, 0.3])
    right = [expected(a * c) for a, c in zip(X, w, strict=True)]
    build = lambda x: np.sum(ad.build(3, lambda i: ad.asarray(w)[i] * f(x[i])))  # noqa: E731
    fold = lambda x: ad.fold(lambda c, t: c + t[0] * f(t[1]), 0.0, (w, x))  # noqa: E731
    branch = lambda x: np.sum(  # noqa: E731
        ad.build(3, lambda i: ad.asarray(w)[i] * ad.cond(x[i] > 0, lambda: f(x[i]), lambda: x[i]))
    )
    for function in (build, fold):
        np.testing.assert_allclose(ad.grad(function, **options)(X), right, rtol=1e-12)
    taken = np.where(X > 0, right, w)
    np.testing.assert_allclose(ad.grad(branch, **options)(X), taken, rtol=1e-12)
    np.testing.assert_allclose(
        ad.vmap(lambda x, w: ad.grad(lambda x: w * f(x))(x), **options)(X, w), right, rtol=1e-12
    )
    # A value that all lanes share is one value, wherever the call is written.
    inside = lambda x: np.sum(ad.build(3, lambda i: ad.asarray(w)[i] * f(x)))  # noqa: E731
    for shared in (lambda x: np.sum(w * f(x)), inside):
        assert ad.grad(shared, **options)(0.7) == pytest.approx(expected(0.7 * np.sum(w)), rel=1e-12)


@every_rule
def test_linear_maps_have_one_direction(name):
    expected = RULES[name][1]
    _, J = ad.linearize(with_rule(name, True), np.float64(0.7))
    for ct in (1.0, -2.0, 1e-3):
        assert J.T(np.float64(ct)) == pytest.approx(expected(0.7 * ct), rel=1e-12)
    refused(lambda: J(np.float64(1.0)), "forward")
    _, J = ad.linearize(with_rule(name, False), np.float64(0.7))
    assert J(np.float64(-2.0)) == pytest.approx(expected(0.7 * -2.0), rel=1e-12)
    refused(lambda: J.T(np.float64(1.0)), "reverse")


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_a_rule_for_each_direction(options):
    """y = solution of y = b + y / 2 + x, with the loop and the adjoint loop each until it has converged."""
    f = ad.custom_derivative(lambda x, b: 2 * (b + np.sin(x)))
    f.rule(lambda x, b: lambda dx, db: converging(db + np.cos(x) * dx))
    f.transposed_rule(lambda x, b: lambda ct: (np.cos(x) * converging(ct), converging(ct)))
    x, b = 0.7, 0.3
    assert ad.jvp(f, (x, b), (1.0, 0.0), **options)[1] == pytest.approx(2 * np.cos(x))
    np.testing.assert_allclose(ad.grad(f, (0, 1), **options)(x, b), [2 * np.cos(x), 2.0], rtol=1e-12)
    second = ad.hessian(f, **options)(x, b)
    assert second == pytest.approx(-2 * np.sin(x))
    assert ad.grad(lambda x: ad.jvp(f, (x, b), (1.0, 0.0))[1], **options)(x) == pytest.approx(-2 * np.sin(x))
    ad.check_derivatives(f, x, b, tolerance=1e-9)


def test_several_arguments_and_results():
    """Whole structures go through a rule at once: here the norm of all cotangents is limited."""
    f = ad.custom_derivative(lambda p, n: {"a": p[0] * p[1], "b": np.sin(p[1]), "n": n})

    @f.transposed_rule
    def limited(p, n):
        def back(ct):
            norm = np.sqrt(np.sum(ct["a"] ** 2) + np.sum(ct["b"] ** 2))
            k = np.minimum(1.0, 1.0 / (norm + 1e-12))
            a, b = k * ct["a"], k * ct["b"]
            return (a * p[1], a * p[0] + b * np.cos(p[1])), None

        return back

    p = (X, X[::-1] + 2.0)
    w = np.array([3.0, 0.0, 4.0])
    total = lambda p: np.sum(f(p, 3)["a"] * w) + 0.0 * np.sum(f(p, 3)["b"])  # noqa: E731
    found = ad.grad(total)(p)
    np.testing.assert_allclose(found[0], p[1] * w / 5, rtol=1e-9)
    np.testing.assert_allclose(found[1], p[0] * w / 5, rtol=1e-9)


def test_rules_in_recursive_functions():
    clipped = ad.custom_derivative(lambda x: x)
    clipped.transposed_rule(lambda x: lambda c: np.clip(c, -0.5, 0.5))

    @ad.function
    def power(x, n):
        return ad.cond(n == 0, lambda: 1.0, lambda: x * clipped(power(x, n - 1)))

    def slope(x, n, ct):
        return 0.0 if n == 0 else ct * x ** (n - 1) + slope(x, n - 1, np.clip(ct * x, -0.5, 0.5))

    for interpret in (False, True):
        assert ad.grad(power, interpret=interpret)(1.5, 4) == pytest.approx(slope(1.5, 4, 1.0))
    refused(lambda: ad.jvp(power, (1.5, 4), (1.0, None)), "forward")


@every_rule
@both_kinds
def test_checks_find_what_is_not_linear(name, transposed):
    f = with_rule(name, transposed)
    if name == "converging loop":
        double = ad.custom_derivative(lambda x: x * x)
        (double.transposed_rule if transposed else double.rule)(lambda x: lambda c: converging(x * c))
        check = ad.check_derivatives(double, 0.7, tolerance=1e-9)
        assert check.orders["x"] >= 1.7
        return
    with pytest.raises(ad.DerivativeCheckError, match="not linear in the"):
        ad.check_derivatives(f, 0.7)


@pytest.mark.parametrize("threshold", [1e-3, 1.0, 30.0, 1e5])
def test_checks_look_at_vectors_of_all_sizes(threshold):
    f = ad.custom_derivative(lambda x: 2 * x)
    f.rule(lambda x: lambda dx: np.where(np.abs(dx) > threshold, 2.0, 2.5) * dx)
    with pytest.raises(ad.DerivativeCheckError, match="not linear in the tangents"):
        ad.check_derivatives(f, X)


def test_whole_jacobians_apply_rules_to_the_basis():
    f = ad.custom_derivative(lambda x: x * x)
    f.transposed_rule(lambda x: lambda ct: np.clip(3 * x * ct, -1.0, 1.0))
    np.testing.assert_allclose(ad.jacrev(f)(X), np.diag(np.clip(3 * X, -1, 1)))
    np.testing.assert_allclose(ad.hessian(lambda x: np.sum(f(x)))(X), np.diag(3.0 * (np.abs(3 * X) < 1)))
