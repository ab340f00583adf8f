"""`ad.jet`: against mpmath to order 20, against nested derivatives, in and around other transformations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special

import mlirad as ad
from mlirad.errors import ArgumentError, DifferentiationError, ShapeError

ORDER = 20

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], float]] = {
    "exp of sin": (lambda x: np.exp(np.sin(x)), lambda x: mpmath.exp(mpmath.sin(x)), 0.7),
    "tanh times log": (lambda x: np.tanh(x) * np.log(x), lambda x: mpmath.tanh(x) * mpmath.log(x), 1.3),
    "sqrt over atan": (
        lambda x: np.sqrt(1 + x * x) / np.arctan(x),
        lambda x: mpmath.sqrt(1 + x * x) / mpmath.atan(x),
        0.9,
    ),
    "powers": (lambda x: x**2.5 * np.cos(x) + x**7, lambda x: x**2.5 * mpmath.cos(x) + x**7, 1.1),
    "tan times asin": (lambda x: np.tan(x) * np.arcsin(x), lambda x: mpmath.tan(x) * mpmath.asin(x), 0.3),
    "erf times logistic": (
        lambda x: scipy.special.erf(x) * scipy.special.expit(x),
        lambda x: mpmath.erf(x) / (1 + mpmath.exp(-x)),
        0.4,
    ),
    "lgamma": (lambda x: scipy.special.gammaln(x), mpmath.loggamma, 2.4),
    "Bessel": (lambda x: scipy.special.j0(x), lambda x: mpmath.besselj(0, x), 1.4),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_to_order_20_as_mpmath(name: str) -> None:
    function, known, x = FUNCTIONS[name]
    value, derivatives = ad.jet(function, (x,), ([1.0] + [None] * (ORDER - 1),), interpret=True)
    with mpmath.workdps(60):
        expected = [float(c) for c in mpmath.taylor(known, x, ORDER)]
    found = [value, *(d / factorial(k) for k, d in enumerate(derivatives, 1))]
    np.testing.assert_allclose(np.array(found, float), expected, rtol=3e-14)


def nested(function: Callable[..., Any], x: Any, derivatives: Sequence[Any]) -> list[Any]:
    """The derivatives of the function along a curve, each by forward mode of the one before."""

    def along(t: Any) -> Any:
        return function(x + sum(d * (t**k / factorial(k)) for k, d in enumerate(derivatives, 1)))

    def derived(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda t: ad.jvp(inner, (t,), (1.0,))[1]

    found = []
    for _ in derivatives:
        along = derived(along)
        found.append(ad.jit(along, interpret=True)(0.0))
    return found


def root(x: Any) -> Any:
    return ad.root(lambda y, a: y**3 + y - a, np.ones(3), x)


def with_rule(x: Any) -> Any:
    function = ad.custom_derivative(lambda x: np.exp(x) * x)
    function.rule(lambda x: lambda dx: np.exp(x) * (1 + x) * dx)
    return function(x) * x


def with_transposed_rule(x: Any) -> Any:
    function = ad.custom_derivative(lambda x: np.sin(x))
    function.transposed_rule(lambda x: lambda ct: np.cos(x) * ct)
    return function(x) * x


def loop(x: Any) -> Any:
    return ad.while_loop(lambda s: s[1] < 4, lambda s: (np.sin(s[0]) * x + 0.1, s[1] + 1), (x, 0))[0]


def scanned(x: Any) -> Any:
    return ad.scan(lambda c, xi: (np.tanh(c) + xi, c * c), x[0], x)[1]


def branch(x: Any) -> Any:
    return ad.cond(x[0] > 0, lambda y: np.sin(y), lambda y: y * y, x)


def recursive(x: Any) -> Any:
    @ad.function
    def power(x: Any, n: Any) -> Any:
        return x if n == 0 else np.sin(power(x, n - 1)) + x

    return power(x[0], 3)


def written(x: Any) -> Any:
    x = x.copy()
    x[1] = x[0] * x[2]
    x[0] += x[1]
    return x


def inner_jet(x: Any) -> Any:
    return ad.jet(lambda y: np.sin(y) * y, (x,), ([x, x],))[1][1]


SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
X = np.array([0.7, -0.4, 1.3])

PROGRAMS: dict[str, tuple[Callable[..., Any], Any]] = {
    "contraction": (lambda x: np.sin(x @ x.T) @ x, SPD / 3),
    "equation": (lambda x: np.linalg.solve(x @ x.T + np.eye(3), x[0]), SPD),
    "determinant": (lambda x: np.linalg.slogdet(x)[1], SPD),
    "Cholesky": (lambda x: np.linalg.cholesky(x @ x.T), SPD),
    "QR": (lambda x: np.linalg.qr(x)[1], SPD),
    "eigenvalues": (lambda x: np.linalg.eigh(x + x.T)[0], SPD),
    "singular values": (lambda x: np.linalg.svd(x)[1], SPD),
    "sort": (lambda x: np.sort(x) * np.arange(3.0), X),
    "extrema": (lambda x: np.max(x**2) + np.maximum(x, 0.3) + np.abs(x), X),
    "ties": (lambda x: np.max(np.stack([x, x])) + np.maximum(x, x) ** 2, X),
    "products": (lambda x: np.prod(x) + np.cumprod(x) + np.cumsum(x), X),
    "transform": (lambda x: np.abs(np.fft.fft(x)), X),
    "powers": (lambda x: (1 + x * x) ** x + np.abs(x) ** 2.5 + x**-2, X),
    "softmax": (lambda x: scipy.special.logsumexp(x) + scipy.special.softmax(x), X),
    "angles": (lambda x: np.arctan2(x, x[::-1]) + np.hypot(x, x[::-1]), X),
    "others": (lambda x: np.mod(x * x, 0.7) + np.cbrt(x) + np.logaddexp(x, x[::-1]), X),
    "special": (lambda x: scipy.special.ndtr(x) + scipy.special.i0(x) + scipy.special.digamma(x * x + 1), X),
    "positions": (lambda x: x[np.array([0, 0, 2])] * x[np.argmax(x)], X),
    "writes": (written, X),
    "root": (root, X),
    "rule": (with_rule, X),
    "transposed rule": (with_transposed_rule, X),
    "while": (loop, X),
    "scan": (scanned, X),
    "branch": (branch, X),
    "other branch": (branch, -np.abs(X)),
    "recursion": (recursive, X),
    "batch": (ad.vmap(lambda x: np.exp(np.sin(x)) * x), X),
    "gradient": (ad.grad(lambda x: np.sum(np.exp(np.sin(x)) * x[::-1])), X),
    "gradient of a loop": (ad.grad(lambda x: np.sum(loop(x))), X),
    "gradient of a root": (ad.grad(lambda x: np.sum(root(x))), X),
    "jet": (inner_jet, X),
    "batch of jets": (ad.vmap(inner_jet), X),
    "gradient of a jet": (ad.grad(lambda x: np.sum(inner_jet(x))), X),
    "gradient of a batch of jets": (ad.grad(lambda x: np.sum(ad.vmap(inner_jet)(x))), X),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_the_derivatives_of_nested_ones(name: str) -> None:
    function, x = PROGRAMS[name]
    rng = np.random.default_rng(len(name))
    along = [rng.normal(size=x.shape) for _ in range(2)]
    value, found = ad.jet(function, (x,), (along,), interpret=True)
    np.testing.assert_allclose(value, ad.jit(function, interpret=True)(x), rtol=1e-12)
    for a, b in zip(found, nested(function, x, along), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
def test_by_every_method_compiled(method: Any) -> None:
    def function(x: Any) -> Any:
        return np.sum(ad.jet(lambda y: np.exp(np.sin(y)) * y, (x,), ([np.ones(3), None, None],))[1][2])

    found = ad.grad(function, method=method)(X)
    np.testing.assert_allclose(found, ad.grad(function, interpret=True)(X), rtol=1e-12)
    step = 1e-5
    for k, e in enumerate(np.eye(3)):
        slope = (function_at(function, X + step * e) - function_at(function, X - step * e)) / (2 * step)
        np.testing.assert_allclose(found[k], slope, rtol=1e-6)


def function_at(function: Callable[..., Any], x: Any) -> Any:
    return ad.jit(function, interpret=True)(x)


def test_structures_and_several_arguments() -> None:
    def function(p: Any, n: int, y: Any) -> Any:
        return {"product": p["a"] * p["b"] * y, "count": n}

    point = {"a": 2.0, "b": np.ones(2)}
    value, found = ad.jet(
        function, (point, 3, 5.0), ([{"a": 1.0, "b": None}, None], [1.0, 0.0]), argnums=(0, 2), interpret=True
    )
    assert value["count"] == 3
    assert [d["count"] for d in found] == [None, None]
    np.testing.assert_allclose(found[0]["product"], [7.0, 7.0])
    np.testing.assert_allclose(found[1]["product"], [2.0, 2.0])


def test_one_value_as_two_arguments() -> None:
    def function(x: Any) -> Any:
        return ad.jet(lambda a, b: a * a * b, (x, x), ([1.0, 0.0], [0.0, 2.0]))[1]

    first, second = ad.jit(function, interpret=True)(3.0)
    assert (float(first), float(second)) == (18.0, 2 * 3.0 + 9.0 * 2.0)


def test_complex_numbers() -> None:
    z = np.array([0.3 + 0.7j, -1.1 + 0.2j])
    found = ad.jet(lambda z: np.exp(z) * z, (z,), ([np.ones(2) + 0j, None, None],), interpret=True)[1]
    for k, derivative in enumerate(found, 1):
        np.testing.assert_allclose(derivative, np.exp(z) * (z + k), rtol=1e-12)


def test_what_code_with_a_rule_compares_with_has_no_coefficients() -> None:
    """Such code has derivatives in values it reads besides its operands only through its body."""
    matrix = np.array([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])
    cut = lambda t: np.linalg.pinv(matrix, 1e-10 * t)  # noqa: E731
    value, found = ad.jet(cut, (1.0,), ([1.0, None],), interpret=True)
    np.testing.assert_allclose(value, np.linalg.pinv(matrix), atol=1e-12)
    np.testing.assert_array_equal(found, np.zeros((2, 2, 3)))


def test_single_precision_stays() -> None:
    found = ad.jet(np.sin, (np.float32(0.5),), ([np.float32(1.0), None],), interpret=True)[1]
    assert [d.dtype for d in found] == [np.float32] * 2


@pytest.mark.parametrize(
    ("primals", "series", "error", "words"),
    [
        ((1.0,), ([],), ArgumentError, "the series are empty"),
        ((1.0,), (None,), ArgumentError, "the series are empty"),
        ((1.0, 2.0), ([1.0], [1.0, 0.0]), ArgumentError, "the series have 1 and 2 derivatives"),
        ((1.0, 2.0), ([1.0],), ArgumentError, "there are 1 series for 2 arguments"),
        ((np.ones(3),), ([np.ones(2)],), ShapeError, "has shape"),
        ((3,), ([1.0],), DifferentiationError, "no floating-point argument"),
    ],
)
def test_errors(primals: Any, series: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ad.jet(lambda *args: np.sin(args[0]), primals, series)


@pytest.mark.parametrize("method", ["chad-copower", "curry-calls"])
def test_jets_inside_of_specifications(method: Any) -> None:
    def function(x: Any) -> Any:
        return ad.jet(np.sin, (x,), ([1.0],))[1][0]

    found = ad.grad(function, method=method, interpret=True)(1.0)
    assert found == pytest.approx(-np.sin(1.0), rel=1e-12)
