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
    diagonal = ad.LinearMap.diagonal

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

    elif kind == "result":

        @softplus.rule(reads_result=True)
        def of_result(y, x):
            return lambda dx: (1 - np.exp(-y)) * dx

    elif kind == "results":

        @softplus.rule
        def without_result(x):
            return lambda dx: slope(x) * dx

        @softplus.transposed_rule(reads_result=True)
        def with_result(y, x):
            return lambda ct: (1 - np.exp(-y)) * ct

    elif kind == "expression":

        @softplus.rule
        def expression(x):
            s = slope(x)
            minus_square = diagonal(s**2) @ ad.linearize(np.negative, -x)[1]
            cubic = 2.0 * (diagonal(s) @ minus_square.T) / 1.0
            return -(minus_square - 0.5 * diagonal(2 * s)) + cubic + diagonal(s**2 * (2 * s - 1))

    elif kind == "transposed map":

        @softplus.transposed_rule
        def transposed_map(x):
            return diagonal(slope(x)).T

    else:

        @softplus.rule
        def linear_map(x):
            return ad.linearize(lambda y: np.logaddexp(0.0, y), x)[1]

    return softplus


@both_evaluators
@pytest.mark.parametrize("kind", ["forward", "transposed", "result", "results", "linear map", "transposed map", "expression"])
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
    with pytest.raises(ad.DifferentiationError, match=r"not linear, so .* reverse mode: array.mul"):
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


# Rules that are maps ---------------------------------------------------------------------------------


@both_evaluators
def test_a_rule_is_a_map_expression(interpret):
    """x = solve(a, b), whose derivative is the inverse of a after that of the residual b - a x."""

    def solved(a, b):
        x = b
        for _ in range(16):
            x = x + (b - a @ x) / 3
        return x

    @ad.custom_derivative
    def solve(a, b, n):
        return solved(a, b), n

    @solve.rule
    def _(a, b, n):
        x = solved(a, b)
        _, residual = ad.linearize(lambda a, b: b - a @ x, a, b)
        inverse = ad.LinearMap.from_dense(np.stack([solved(a, e) for e in np.eye(3)], axis=1))
        return inverse @ residual

    rng = np.random.default_rng(0)
    a, b = np.eye(3) * 3 + 0.3 * rng.normal(size=(3, 3)), rng.normal(size=3)
    w = rng.normal(size=3)
    found = ad.grad(lambda a, b: np.sum(solve(a, b, 2)[0] * w), (0, 1), interpret=interpret)(a, b)
    back = np.linalg.solve(a.T, w)
    np.testing.assert_allclose(found[1], back, rtol=1e-6)
    np.testing.assert_allclose(found[0], -np.outer(back, np.linalg.solve(a, b)), rtol=1e-6)
    tangent = ad.jvp(lambda b: solve(a, b, 2)[0], (b,), (w,), interpret=interpret)[1]
    np.testing.assert_allclose(tangent, np.linalg.solve(a, w), rtol=1e-6)


def test_maps_that_do_not_fit_the_function():
    @ad.custom_derivative
    def double(x, y):
        return 2 * x

    @double.rule
    def forgets_an_argument(x, y):
        return 2.0 * ad.LinearMap.identity(x)

    with pytest.raises(ad.ShapeError, match=r"starts from float64\[3\], and the function has .* float64\[\]"):
        ad.jvp(double, (X, 1.0), (X, 1.0), interpret=True)

    @double.transposed_rule
    def gives_too_little(x, y):
        return ad.LinearMap.diagonal(x)

    with pytest.raises(ad.ShapeError, match="the rule's map starts from"):
        ad.grad(lambda x: np.sum(double(x, 1.0)), interpret=True)(X)


# Captured values -------------------------------------------------------------------------------------


@both_evaluators
def test_captured_values_are_differentiated_as_the_function_is_written(interpret):
    def f(x, w):
        @ad.custom_derivative
        def scaled(v):
            return w * np.sin(v) + w**2

        @scaled.rule
        def _(v):
            return lambda dv: w * np.cos(v) * dv

        return np.sum(scaled(x) * w)

    def plain(x, w):
        return np.sum((w * np.sin(x) + w**2) * w)

    w = np.array([0.5, 2.0, -1.0])
    for found, expected in zip(
        ad.grad(f, (0, 1), interpret=interpret)(X, w), ad.grad(plain, (0, 1))(X, w), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    rows = zip(ad.hessian(f, (0, 1), interpret=interpret)(X, w), ad.hessian(plain, (0, 1))(X, w), strict=True)
    for row, wanted in rows:
        np.testing.assert_allclose(row[0], wanted[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(row[1], wanted[1], rtol=1e-12, atol=1e-12)


@both_evaluators
def test_captured_values_of_loops_and_branches(interpret):
    def f(x):
        def step(c, t):
            @ad.custom_derivative
            def part(v):
                return v * t + c

            @part.rule
            def _(v):
                return lambda dv: t * dv

            return ad.cond(t > 0.0, lambda: part(c * x[0]), lambda: c)

        return ad.fold(step, 1.0, x)

    def plain(x):
        return ad.fold(lambda c, t: ad.cond(t > 0.0, lambda: c * x[0] * t + c, lambda: c), 1.0, x)

    np.testing.assert_allclose(ad.grad(f, interpret=interpret)(X), ad.grad(plain)(X), rtol=1e-12)


# Rules that are not linear ---------------------------------------------------------------------------

AFFINE = {
    "a constant": lambda x: lambda dx: dx + 1.0,
    "a constant of the point": lambda x: lambda dx: x * dx + x,
    "the point alone": lambda x: lambda dx: np.sin(x),
    "one branch": lambda x: lambda dx: ad.cond(x[0] > 0, lambda: dx, lambda: x),
    "a loop": lambda x: lambda dx: ad.fori_loop(0, 3, lambda i, c: c * x + 1.0, dx),
    "a build": lambda x: lambda dx: ad.build(3, lambda i: dx[i] + x[i]),
    "a joined array": lambda x: lambda dx: np.concatenate([dx[:2], x[2:]]),
}

LINEAR = {
    "zero": lambda x: lambda dx: np.zeros(3),
    "scaled": lambda x: lambda dx: dx * np.exp(x) / x,
    "selected": lambda x: lambda dx: np.where(x > 0, dx, 0.0),
    "a branch": lambda x: lambda dx: ad.cond(x[0] > 0, lambda: dx, lambda: 2 * dx),
    "a loop": lambda x: lambda dx: ad.fori_loop(0, 3, lambda i, c: c * x + dx, np.zeros(3)),
    "a solution": lambda x: lambda dx: np.cumsum(dx)[::-1] @ np.diag(x),
    "a build": lambda x: lambda dx: ad.build(3, lambda i: dx[i] * x[2 - i]),
    "a derivative": lambda x: lambda dx: ad.jvp(np.sin, (x,), (dx,))[1],
    "joined": lambda x: lambda dx: np.concatenate([dx[:2], np.zeros(1)]),
    "updated": lambda x: lambda dx: ad.asarray(np.zeros(3)).at[1].set(dx[0]),
    "negated": lambda x: lambda dx: -np.stack([dx[1], dx[0] - dx[2], np.sum(dx)]),
}


def with_rule(rule):
    @ad.custom_derivative
    def squashed(x):
        return np.tanh(x)

    squashed.rule(rule)
    return squashed


@pytest.mark.parametrize("name", AFFINE)
def test_rules_with_a_constant_part_are_rejected(name):
    function = with_rule(AFFINE[name])
    with pytest.raises(ad.DifferentiationError, match="the rule of squashed is not linear") as error:
        ad.grad(lambda x: np.sum(function(x)))(X)
    assert str(error.value.location).startswith(__file__)
    assert "not 0 where the tangents are 0" in error.value.message


@pytest.mark.parametrize("name", LINEAR)
def test_linear_rules_are_accepted(name):
    function = with_rule(LINEAR[name])
    tangent = np.array([1.0, -2.0, 0.5])
    _, image = ad.jvp(function, (X,), (tangent,))
    expected = ad.jit(lambda x, dx: LINEAR[name](x)(dx))(X, tangent)
    np.testing.assert_allclose(image, expected, rtol=1e-12)
    gradient = ad.grad(lambda x: np.sum(function(x)))(X)
    np.testing.assert_allclose(np.dot(gradient, tangent), np.sum(image), rtol=1e-12)


def test_transposed_rules_with_a_constant_part_are_rejected():
    function = ad.custom_derivative(lambda x: np.tanh(x))
    function.transposed_rule(lambda x: lambda ct: (1 - np.tanh(x) ** 2) * ct)
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(function(x)))(X), 1 - np.tanh(X) ** 2)
    function.transposed_rule(lambda x: lambda ct: x * ct + 1.0)
    with pytest.raises(ad.DifferentiationError, match="not 0 where the cotangents are 0"):
        ad.grad(lambda x: np.sum(function(x)))(X)


@both_evaluators
def test_captured_values_in_recursive_functions(interpret):
    @ad.function
    def power(x, n):
        @ad.custom_derivative
        def times(v):
            return v * x

        times.rule(lambda v: lambda dv: dv * x)
        return ad.cond(n == 0, lambda: 1.0, lambda: times(power(x, n - 1)))

    assert ad.grad(power, interpret=interpret)(1.5, 4) == pytest.approx(4 * 1.5**3)
    assert ad.jvp(power, (1.5, 4), (1.0, None), interpret=interpret)[1] == pytest.approx(4 * 1.5**3)
