"""`custom_derivative` by both kinds of rules, in both modes and to higher orders; `checkpoint`."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.array.custom import CheckpointOp

X = np.array([0.5, -1.2, 2.0])
both_evaluators = pytest.mark.parametrize("interpret", [False, True])


def make(kind):
    """log(1 + exp(x)), whose plain derivative overflows, with a rule of one kind."""

    @ad.custom_derivative
    def softplus(x):
        return np.where(x > 30, x, np.log1p(np.exp(np.minimum(x, 30.0))))

    def slope(x):
        return 1 / (1 + np.exp(-x))

    if kind == "forward":

        @softplus.rule
        def forward(x):
            return lambda dx: slope(x) * dx

    elif kind == "transposed":

        @softplus.transposed_rule
        def backward(x):
            return lambda ct: slope(x) * ct

    else:

        @softplus.rule
        def linear_map(x):
            return ad.linearize(lambda y: np.logaddexp(0.0, y), x)[1]

    return softplus


@both_evaluators
@pytest.mark.parametrize("kind", ["forward", "transposed", "linear map"])
def test_one_rule_gives_both_modes_and_all_orders(kind, interpret):
    softplus = make(kind)
    s = 1 / (1 + np.exp(-X))
    total = lambda x: np.sum(softplus(x))  # noqa: E731
    np.testing.assert_allclose(ad.jit(softplus, interpret=interpret)(X), np.log1p(np.exp(X)))
    np.testing.assert_allclose(ad.grad(total, interpret=interpret)(X), s)
    np.testing.assert_allclose(ad.jvp(softplus, (X,), (X,), interpret=interpret)[1], s * X)
    np.testing.assert_allclose(
        ad.hessian(total, interpret=interpret)(X), np.diag(s * (1 - s)), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(
        ad.grad(lambda x: np.sum(ad.grad(total)(x) * X), interpret=interpret)(X), s * (1 - s) * X, rtol=1e-12
    )
    np.testing.assert_allclose(ad.vmap(ad.grad(softplus), interpret=interpret)(X), s)
    found = ad.grad(lambda x: ad.fold(lambda c, t: c + softplus(t), 0.0, x), interpret=interpret)(X)
    np.testing.assert_allclose(found, s)


@both_evaluators
def test_rules_need_not_tell_the_truth(interpret):
    @ad.custom_derivative
    def straight_through(x):
        return np.round(x)

    straight_through.rule(lambda x: lambda dx: dx)
    np.testing.assert_array_equal(
        ad.grad(lambda x: np.sum(straight_through(x) * x), interpret=interpret)(X), np.round(X) + X
    )


@both_evaluators
@pytest.mark.parametrize("transposed", [False, True])
def test_structures_and_leaves_without_derivative(transposed, interpret):
    @ad.custom_derivative
    def function(p, n):
        return {"y": p["a"] * p["b"] * n, "n": n + 1}

    if transposed:

        @function.transposed_rule
        def backward(p, n):
            return lambda ct: ({"a": np.sum(ct["y"] * p["b"]) * n, "b": ct["y"] * p["a"] * n * 10}, None)

    else:

        @function.rule
        def forward(p, n):
            return lambda dp, dn: {"y": (dp["a"] * p["b"] + 10 * p["a"] * dp["b"]) * n, "n": None}

    found = ad.grad(lambda p: np.sum(function(p, 3)["y"]), interpret=interpret)({"a": 2.0, "b": X})
    np.testing.assert_allclose(found["a"], 3 * np.sum(X))
    np.testing.assert_allclose(found["b"], np.full(3, 60.0))


@both_evaluators
def test_rules_may_call_their_function(interpret):
    @ad.custom_derivative
    def logistic(x):
        return 1 / (1 + np.exp(-x))

    @logistic.rule
    def slope(x):
        y = logistic(x)
        return lambda dx: y * (1 - y) * dx

    y = 1 / (1 + np.exp(-X))
    total = lambda x: np.sum(logistic(x))  # noqa: E731
    np.testing.assert_allclose(ad.grad(total, interpret=interpret)(X), y * (1 - y))
    second = ad.hvp(total, (X,), (np.ones(3),), interpret=interpret)
    np.testing.assert_allclose(second, y * (1 - y) * (1 - 2 * y), rtol=1e-12)


def test_errors():
    @ad.custom_derivative
    def function(x):
        return np.sin(x)

    with pytest.raises(ad.DifferentiationError, match="without a rule"):
        function(X)
    function.rule(lambda x: np.cos(x))
    with pytest.raises(ad.DifferentiationError, match="linear function of the tangents"):
        ad.grad(lambda x: np.sum(function(x)))(X)
    function.rule(lambda x: lambda dx: np.sum(dx))
    with pytest.raises(ad.ShapeError, match=r"shape \(\), and \(3,\) is expected"):
        ad.grad(lambda x: np.sum(function(x)))(X)
    function.rule(lambda x: lambda dx: (dx, dx))
    with pytest.raises(ad.ShapeError, match="tangent"):
        ad.grad(lambda x: np.sum(function(x)))(X)
    function.rule(lambda x: lambda dx: dx * dx)
    with pytest.raises(ad.DifferentiationError, match="not linear"):
        ad.grad(lambda x: np.sum(function(x)))(X)


@both_evaluators
def test_checkpoints_change_no_value_and_no_derivative(interpret):
    def inner(p, k=2):
        return {"y": np.sin(p["x"]) * np.exp(p["x"] * k), "n": p["n"]}

    def total(x, wrapped):
        once = wrapped({"x": x, "n": 3})
        return np.sum(wrapped({"x": once["y"], "n": once["n"]}, k=1)["y"]) * once["n"]

    marked = lambda x: total(x, ad.checkpoint(inner))  # noqa: E731
    plain = lambda x: total(x, inner)  # noqa: E731
    assert any(isinstance(op, CheckpointOp) for op in ad.trace(marked, X).walk())
    np.testing.assert_allclose(ad.jit(marked, interpret=interpret)(X), plain(X))
    for derivative in (ad.grad, ad.hessian, lambda f, **o: ad.vmap(ad.grad(f), **o)):
        point = X if derivative in (ad.grad, ad.hessian) else np.stack([X, 2 * X])
        found, expected = (derivative(f, interpret=interpret)(point) for f in (marked, plain))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@both_evaluators
def test_checkpoints_in_loops_and_outside_of_traces(interpret):
    body = ad.checkpoint(lambda c, x: np.sin(c) * x)
    found = ad.grad(lambda x: ad.fold(body, 1.0, x), interpret=interpret)(X)
    plain = ad.grad(lambda x: ad.fold(lambda c, t: np.sin(c) * t, 1.0, x), interpret=interpret)(X)
    np.testing.assert_allclose(found, plain)
    assert body(0.5, 2.0) == 2 * np.sin(0.5)
