"""Smooth functions written with kinks and poles have their derivatives where these are met, to second order.

The passes `smooth-identities` and `expand-ties` are tested together: against mpmath, and that values stay, on
random programs and at special values.
"""

from __future__ import annotations

import random
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import integer
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.passes.expand_ties import expand_ties
from mlirad.passes.function_pass import replace_function
from mlirad.passes.smooth_identities import KINKS, smooth_identities
from mlirad.passes.smooth_identities.inverses import INVERSES
from mlirad.rules.elementwise_derivatives import UNARY
from tests.generators import arguments_for, random_program
from tests.generators.ties import PARTS, Tie, random_part, random_tie

SECOND = {
    "forward over reverse": lambda f, **o: ad.jit(ad.jacfwd(ad.grad(f)), **o),
    "reverse over reverse": lambda f, **o: ad.jit(ad.jacrev(ad.grad(f)), **o),
    "forward over forward": lambda f, **o: ad.jit(ad.jacfwd(ad.jacfwd(f)), **o),
}


def partials(f: Any, point: Any, order: int) -> Any:
    """All derivatives of an order, by mpmath."""
    n = len(point)
    with mp.workdps(40):
        at = [mp.mpf(float(p)) for p in point]

        def one(*ks: int) -> float:
            orders = tuple(ks.count(d) for d in range(n))
            return float(mp.diff(f, tuple(at) if n > 1 else at[0], orders if n > 1 else orders[0]))

        if order == 0:
            return float(f(*at))
        if order == 1:
            return np.array([one(d) for d in range(n)])
        return np.array([[one(d, e) for e in range(n)] for d in range(n)])


def require_derivatives(tie: Tie, second: Any, **options: Any) -> None:
    """Compare value, gradient and Hessian with those of mpmath."""
    value, slope = ad.value_and_grad(tie.function, **options)(tie.point)
    hessian = second(tie.function, **options)(tie.point)
    for order, found in enumerate((value, slope, hessian)):
        expected = partials(tie.exact, tie.point, order)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10, err_msg=f"{tie.names} {order}")


@pytest.mark.parametrize("name", PARTS)
def test_parts(name: str) -> None:
    require_derivatives(random_part(name, random.Random(3), 2), SECOND["forward over reverse"])


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
@pytest.mark.parametrize("mode", SECOND)
def test_random_functions(seed: int, method: Any, mode: str) -> None:
    require_derivatives(random_tie(seed), SECOND[mode], method=method)


def test_squares_of_chosen_magnitudes_keep_their_scale() -> None:
    """The square of what is divided by a large number does not underflow before it is multiplied."""

    def inverse(x: Any) -> Any:
        size = ad.stop_gradient(np.abs(x))
        q = np.where(size == np.inf, np.float32(0), np.abs(x)) / size
        return q / (0.25 / size / size + q * q) / size

    for x in (2.0, 1e8, 2e15, -2e15):
        expected = ad.grad(lambda x: np.abs(x) / (0.25 + x * x))(x)
        np.testing.assert_allclose(ad.grad(inverse)(np.float32(x)), expected, rtol=1e-5)


def test_loops_batches_and_branches() -> None:
    """Ties in the body of a loop, for members of a batch, or in a branch that is taken."""
    tie = random_part("log cosh", random.Random(4), 1)
    slope, second = (partials(tie.exact, tie.point, k) for k in (1, 2))
    (x,) = tie.point
    alone = lambda t: tie.function(t[None])  # noqa: E731
    looped = lambda t: ad.fori_loop(0, 3, lambda _, s: s + alone(t), 0.0) / 3  # noqa: E731
    branch = lambda t: ad.cond(t <= x, lambda t: alone(t), lambda t: t, t)  # noqa: E731
    for f in (looped, branch):
        assert ad.grad(f)(x) == pytest.approx(slope[0], rel=1e-10)
        assert ad.grad(ad.grad(f))(x) == pytest.approx(second[0, 0], rel=1e-10)
    batch = ad.vmap(ad.grad(ad.grad(alone)))(np.array([x, x + 1e-3, x]))
    np.testing.assert_allclose(batch[::2], second[0, 0], rtol=1e-10)
    np.testing.assert_allclose(batch[1], second[0, 0], rtol=0.1)


def sigmoid_by_branches(x: Any) -> Any:
    if x >= 0:
        return 1 / (1 + np.exp(-abs(x)))
    z = np.exp(-abs(x))
    return z / (1 + z)


def test_a_kink_in_a_branch_is_on_the_side_of_the_branch() -> None:
    for order, expected in enumerate((0.5, 0.25, 0.0)):
        f = ad.jit(sigmoid_by_branches, control="rewrite")
        for _ in range(order):
            f = ad.grad(f)
        assert f(0.0) == pytest.approx(expected, abs=1e-15)


def by_hand(z: Any) -> Any:
    shares = np.exp(z - np.max(z))
    return shares / np.sum(shares)


SATURATED: dict[str, tuple[Any, Any]] = {
    "log expit": (lambda z: np.log(special.expit(z)), lambda z: -mp.log1p(mp.exp(-z))),
    "log 1 / (1 + exp)": (lambda z: np.log(1 / (1 + np.exp(-z))), lambda z: -mp.log1p(mp.exp(-z))),
    "log (1 - expit)": (lambda z: np.log(1 - special.expit(z)), lambda z: -mp.log1p(mp.exp(z))),
    "log1p (-expit)": (lambda z: np.log1p(-special.expit(z)), lambda z: -mp.log1p(mp.exp(z))),
    "log (1 - 1 / (1 + exp))": (lambda z: np.log(1 - 1 / (1 + np.exp(-z))), lambda z: -mp.log1p(mp.exp(z))),
    "log1p exp": (lambda z: np.log1p(np.exp(z)), lambda z: mp.log1p(mp.exp(z))),
    "log (1 + exp)": (lambda z: np.log(1 + np.exp(z)), lambda z: mp.log1p(mp.exp(z))),
    "log softmax": (
        lambda z: np.log(special.softmax(np.stack([z, 0 * z])))[0],
        lambda z: -mp.log1p(mp.exp(-z)),
    ),
    "log softmax, an element": (
        lambda z: np.log(special.softmax(np.stack([0 * z, z]))[1]),
        lambda z: -mp.log1p(mp.exp(-z)),
    ),
    "log softmax by hand": (
        lambda z: np.log(by_hand(np.stack([z, 0 * z]))[0]),
        lambda z: -mp.log1p(mp.exp(-z)),
    ),
}
"""Logarithms whose values saturate, with what they are."""


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", SATURATED)
def test_logarithms_of_what_saturates(name: str, dtype: Any) -> None:
    """The derivatives are right where the value is 0 or infinite, too."""
    written, exact = SATURATED[name]
    points = np.array(
        [-2000.0, -800.0, -104.0, -40.0, -20.0, -2.0, 0.0, 2.0, 20.0, 40.0, 104.0, 800.0], dtype
    )
    slopes = ad.vmap(ad.grad(written))(points)
    bends = ad.vmap(ad.grad(ad.grad(written)))(points)
    with mp.workdps(1000):
        first, second = (
            np.array([float(mp.diff(exact, mp.mpf(float(z)), k, h=mp.mpf(10) ** -200)) for z in points])
            for k in (1, 2)
        )
    tolerance = {"rtol": 1e-10, "atol": 1e-300} if dtype is np.float64 else {"rtol": 1e-5, "atol": 1e-37}
    for found, expected in ((slopes, first), (bends, second)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, **tolerance)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
def test_cross_entropies_by_logarithms_of_shares(method: Any) -> None:
    """Chosen at positions, in rows, in a batch: as by log_softmax, where a share underflows, too."""
    z = np.random.default_rng(0).normal(size=(3, 5))
    z[0, 0], z[1, 1] = -900.0, 900.0
    labels = np.array([0, 4, 2])

    def loss(z: Any, labels: Any) -> Any:
        return -np.mean(np.log(special.softmax(z, axis=1)[np.arange(3), labels]))

    def by_hand(z: Any, labels: Any) -> Any:
        powers = np.exp(z - np.max(z, axis=1, keepdims=True))
        return -np.mean(np.log(powers / np.sum(powers, axis=1, keepdims=True))[np.arange(3), labels])

    def exact(z: Any, labels: Any) -> Any:
        return -np.mean(special.log_softmax(z, axis=1)[np.arange(3), labels])

    expected = ad.grad(exact)(z, labels)
    second = ad.hessian(lambda z: exact(z, labels))(z)
    for f in (loss, by_hand):
        np.testing.assert_allclose(ad.jit(ad.grad(f), method=method)(z, labels), expected, atol=1e-15)
        captured = lambda z, f=f: f(z, labels)  # noqa: E731
        np.testing.assert_allclose(ad.jit(ad.hessian(captured), method=method)(z), second, atol=1e-15)
        batch = ad.jit(ad.vmap(ad.grad(f)), method=method)(np.stack([z, z]), np.stack([labels, labels]))
        np.testing.assert_allclose(batch, [expected] * 2, atol=1e-15)


def test_logarithms_keep_their_values() -> None:
    points = np.array([-np.inf, -800.0, -40.0, 0.0, 40.0, 800.0, np.inf, np.nan])
    for name, (written, _) in SATURATED.items():
        values = ad.vmap(lambda z, f=written: ad.value_and_grad(f)(z)[0])(points)
        np.testing.assert_array_equal(values, ad.vmap(written)(points), err_msg=name)


@pytest.mark.long
def test_squares_of_angles_over_their_domain() -> None:
    """Against the series, on both sides of where it is summed; beyond the domain derivatives are NaN."""
    for f, sign, points in (
        (lambda x: np.arccos(x) ** 2, -2, [1.0, 1 - 1e-9, 0.99, 0.7000001, 0.6999999, 0.2, 0.0, -0.9]),
        (lambda x: np.arccosh(x) ** 2, 2, [1.0, 1 + 1e-9, 1.01, 1.2999999, 1.3000001, 5.0, 1e8]),
    ):
        derivatives = [ad.grad(f), ad.grad(ad.grad(f)), ad.grad(ad.grad(ad.grad(f)))]
        for x in points:
            with mp.workdps(50):
                slope = lambda t: mp.hyp2f1(1, 1, mp.mpf(3) / 2, (1 - t) / 2)  # noqa: E731
                expected = [sign * float(mp.diff(slope, mp.mpf(x), k).real) for k in range(3)]
            np.testing.assert_allclose([g(x) for g in derivatives], expected, rtol=1e-12)
    assert np.isnan(ad.grad(lambda x: np.arccos(x) ** 2)(1.5))
    assert np.isnan(ad.grad(lambda x: np.arccosh(x) ** 2)(0.5))
    assert ad.grad(lambda x: np.arccosh(x) ** 2)(np.inf) == 0
    assert ad.grad(lambda x: np.arccosh(x) ** 2)(1e200) == pytest.approx(2 * np.arccosh(1e200) / 1e200)


@pytest.mark.parametrize("op", UNARY, ids=lambda op: op.name)
def test_every_smooth_op_of_a_magnitude(op: type[ew.ElementwiseOp]) -> None:
    """The second derivative of f(|x|) at 0 is that of f, whatever f is: as for x beside 0."""
    properties = {"order": integer(0)} if op is ew.PolygammaOp else None

    def f(x: Any) -> Any:
        shifted = np.abs(x) + (1.5 if op in (ew.AcoshOp, ew.LogOp, ew.Log2Op, ew.LgammaOp) else 0.25)
        return made(emitting().apply_elementwise(op, (as_array(shifted).value,), properties))

    second = ad.jit(ad.grad(ad.grad(f)))
    assert ad.grad(f)(0.0) == 0
    np.testing.assert_allclose(second(0.0), second(1e-9), rtol=1e-7, atol=1e-7)


# Values --------------------------------------------------------------------------------------------


def rewritten(module: ModuleOp) -> ModuleOp:
    """A copy of the module, by both passes, as if all of its functions were differentiated twice."""
    module = module.clone()
    for rewrite in (smooth_identities, expand_ties):
        for function in [op for op in module.body.ops if isinstance(op, FuncOp)]:
            replace_function(function, rewrite(function))
        verify_module(module)
    return module


@pytest.mark.parametrize("seed", range(120))
def test_random_programs_keep_their_meaning(seed: int) -> None:
    module = random_program(seed, 14)
    given = arguments_for(module, random.Random(seed))
    for before, after in zip(
        run_function(module, given), run_function(rewritten(module), given), strict=True
    ):
        np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9)


SPECIAL = np.array(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e-30, 1e30, 1e-300, 1e300]
)


def random_expression(source: random.Random, x: Any, y: Any) -> Any:
    """A pattern with a kink or a pole, of what is one or could be taken for one."""

    def operand(depth: int = 1) -> Any:
        """One of the arguments, or what a kink or an inverse makes of one."""
        v = source.choice((x, y, x - y, -x))
        if depth and source.random() < 0.6:
            w = operand(0)
            return source.choice(
                (
                    *(
                        lambda: np.abs(v),
                        lambda: np.sqrt(v),
                        lambda: np.hypot(v, w),
                        lambda: np.maximum(v, w),
                    ),
                    *(lambda: np.minimum(v, w), lambda: np.cbrt(v), lambda: np.log(v), lambda: np.log1p(v)),
                    *(lambda: np.sign(v), lambda: np.arcsin(v), lambda: np.arctanh(v), lambda: v * v),
                    *(lambda: np.where(v > 0, v, 0.0), lambda: np.abs(v) ** 0.5, lambda: np.arccosh(v)),
                )
            )()
        return v

    a = operand()
    b = a if source.random() < 0.5 else operand()
    c = source.choice((1.0, 0.5, -3.0))
    return source.choice(
        (
            *(lambda: a * b, lambda: (c * a) * b, lambda: (a / x) * (b / x), lambda: a * b * b, lambda: a**2),
            *(lambda: a**3, lambda: a**4, lambda: (a / c) ** 2, lambda: np.exp(a), lambda: np.expm1(a)),
            *(lambda: np.sin(a), lambda: np.tanh(a), lambda: np.cosh(a), lambda: np.exp(2 * a)),
            *(lambda: np.maximum(x, y) + np.log1p(np.exp(-np.abs(x - y))), lambda: np.dot(a, b)),
            *(lambda: np.minimum(x, 0) - np.log(1 + np.exp(-np.abs(x))), lambda: np.copysign(a, b)),
            *(lambda: np.where(x > 0, np.log1p(np.abs(x)), a), lambda: np.where(y >= x, np.maximum(x, y), b)),
            *(
                lambda: np.log1p(np.exp(a)),
                lambda: np.log(1 / (1 + np.exp(-a))),
                lambda: np.log(1 - 1 / (1 + np.exp(a))),
            ),
            *(
                lambda: np.arccos(a) ** 2,
                lambda: np.arccosh(a) * np.arccosh(a),
                lambda: np.log(np.exp(a) / y),
            ),
            *(
                lambda: np.where(x - y < 0, np.abs(y - x), np.minimum(a, b)),
                lambda: np.sign(x) * np.log1p(np.abs(x)),
            ),
        )
    )()


@pytest.mark.parametrize("seed", range(300))
def test_values_at_special_points_stay(seed: int) -> None:
    """NaN, infinities and the sign of zeros are those of what is written."""
    x, y = (v.ravel() for v in np.meshgrid(SPECIAL, SPECIAL))
    module = ad.trace(lambda x, y: random_expression(random.Random(seed), x, y), x, y)
    with np.errstate(all="ignore"):
        (before,) = run_function(module, [x, y])
        (after,) = run_function(rewritten(module), [x, y])
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=0)
    np.testing.assert_array_equal(np.signbit(after[after == 0]), np.signbit(before[after == 0]))


def test_a_function_that_is_not_differentiated_stays_as_it_is() -> None:
    f = lambda x: np.abs(x) ** 2 + np.cos(np.abs(x))  # noqa: E731
    assert ad.jit(f).ir(0.5, after="expand-ties").count("array.abs") == 1
    assert "array.abs" not in ad.grad(lambda x: np.abs(x) ** 2).ir(0.5, after="expand-ties")


def test_what_is_differentiated_once_is_not_expanded() -> None:
    f = lambda x: np.exp(-np.abs(x))  # noqa: E731
    assert "compare" not in ad.grad(f).ir(0.5, after="expand-ties")
    assert "compare" in ad.grad(ad.grad(f)).ir(0.5, after="expand-ties")


def test_a_function_is_looked_through_if_it_has_what_a_rule_starts_with() -> None:
    assert {inverse for inverse, _ in INVERSES.values()} <= set(KINKS)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
def test_norms_of_a_batch(method: Any) -> None:
    kernel = lambda x, y: np.exp(-0.5 * np.linalg.norm(x - y) ** 2) + np.cos(np.linalg.norm(x - y))  # noqa: E731
    mixed = ad.jit(ad.vmap(ad.jacfwd(ad.grad(kernel, 0), 1)), method=method)
    x = np.array([[0.3, 0.4], [1.0, -1.0], [0.0, 0.0]])
    np.testing.assert_allclose(mixed(x, x), [2 * np.eye(2)] * 3, rtol=1e-12, atol=1e-14)
    spread = ad.vmap(ad.hessian(lambda x: np.std(x) ** 2))
    np.testing.assert_allclose(spread(np.ones((2, 3))), [np.eye(3) * 2 / 3 - 2 / 9] * 2, rtol=1e-12)


@pytest.mark.parametrize("mode", SECOND)
def test_kinks_in_another_precision(mode: str) -> None:
    """Ties in single precision inside of a function in double precision, and the other way round."""
    for inner, outer in ((np.float32, np.float64), (np.float64, np.float32)):

        def function(x: Any, inner: Any = inner, outer: Any = outer) -> Any:
            return np.sum(np.exp(np.abs(x.astype(inner)).astype(outer) ** 2))

        found = SECOND[mode](function)(np.array([0.0, 0.5]))
        np.testing.assert_allclose(np.diag(found), [2.0, 3 * np.exp(0.25)], rtol=1e-6)


@pytest.mark.parametrize("second", SECOND)
def test_extrema_of_magnitudes(second: str) -> None:
    """The largest magnitude is 0, or the smallest; beside that nothing changes, tiny numbers included."""
    largest, smallest = (lambda x: np.max(np.abs(x))), (lambda x: np.min(np.abs(x)))
    along = np.array([0.0, 3.0, 4.0])
    cases = [
        (lambda x: largest(x) ** 2, along, np.diag([0.0, 0.0, 2.0])),
        (lambda x: largest(x) ** 2, np.zeros(3), 2 * np.eye(3) / 3),
        (lambda x: np.cos(largest(x)), np.zeros(1), -np.eye(1)),
        (lambda x: smallest(x) ** 2, along, np.diag([2.0, 0.0, 0.0])),
        (lambda x: np.cosh(smallest(x)), along, np.diag([1.0, 0.0, 0.0])),
        (lambda x: largest(x) ** 2, np.array([1e-200, 3e-200]), np.diag([0.0, 2.0])),
        (lambda x: np.linalg.norm(x, np.inf) ** 2, np.zeros(2), np.eye(2)),
    ]
    for f, at, expected in cases:
        np.testing.assert_allclose(SECOND[second](f)(at), expected, atol=1e-14)
    np.testing.assert_array_equal(ad.grad(cases[5][0])(cases[5][1]), [0.0, 6e-200])


KINKS_OF_TWO: dict[str, tuple[Any, Any, Any]] = {
    "norm": (np.linalg.norm, np.zeros(2), np.eye(2)),
    "norm of rows": (
        lambda x: np.sum(np.linalg.norm(x, axis=1)),
        np.zeros((1, 2)),
        np.eye(2).reshape(1, 2, 1, 2),
    ),
    "deviation": (np.std, np.ones(2), [[0.25, -0.25], [-0.25, 0.25]]),
    "hypot": (lambda x: np.hypot(x[0], x[1]), np.zeros(2), np.eye(2)),
    "complex": (lambda x: np.abs(x[0] + 1j * x[1]), np.zeros(2), np.eye(2)),
    "root": (lambda x: np.sqrt(np.sum(x * x)), np.zeros(2), np.eye(2)),
    "magnitude": (np.abs, 0.0, 1.0),
    "distance": (lambda x: np.maximum(x, 1.0) - np.minimum(x, 1.0), 1.0, 1.0),
}
"""Functions that compute a kink, where it is 0, and the second derivatives of half of its square."""


@pytest.mark.parametrize("method", ["dual-arrays", "chad"])
@pytest.mark.parametrize("case", KINKS_OF_TWO)
def test_a_kink_that_is_computed_twice_is_one(case: str, method: Any) -> None:
    """Near 0, (1 + a) exp(-a) is 1 - a^2 / 2, of a kink a that stands on both sides of a constant."""
    kink, at, hessian = KINKS_OF_TWO[case]
    found = ad.hessian(lambda x: (1 + kink(x)) * np.exp(-kink(x)), method=method, interpret=True)(at)
    np.testing.assert_allclose(found, -np.asarray(hessian), atol=1e-12)


ROOTS: dict[str, tuple[Any, float]] = {
    "norm": (np.linalg.norm, 1.0),
    "norm of a multiple": (lambda x: np.linalg.norm(-3 * x), 3.0),
    "norm of a reversed array": (lambda x: np.linalg.norm(x[::-1] / 2), 0.5),
    "root of a sum": (lambda x: np.sqrt(np.sum(x * x)), 1.0),
    "root of scaled squares": (lambda x: np.sqrt(np.sum(4 * x * x)), 2.0),
    "root of a dot product": (lambda x: np.sqrt(x @ x / 4), 0.5),
    "root of squares": (lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2), 1.0),
    "root of squares by sum": (lambda x: np.sqrt(sum((2 * v) ** 2 for v in (x[0], x[1]))), 2.0),
    "guarded root": (lambda x: np.where(x @ x > 0, np.sqrt(np.where(x @ x > 0, x @ x, 1.0)), 0.0), 1.0),
    "hypot": (lambda x: np.hypot(2 * x[1], x[0] * 2), 2.0),
    "complex": (lambda x: np.abs(x[0] + 1j * x[1]), 1.0),
    "norm of rows": (lambda x: np.linalg.norm(x[None], axis=1)[0], 1.0),
    "norm of elements": (lambda x: np.linalg.norm(np.stack([x[1], 2 * x[0] - x[0]])), 1.0),
    "many elements": (lambda x: np.linalg.norm(np.tile(x, 16)) / 4, 1.0),
}
"""Writings of multiples of the norm of a vector of two, and the factors."""

SIZES: dict[str, tuple[Any, float]] = {
    "magnitude": (np.abs, 1.0),
    "magnitude of a multiple": (lambda x: np.abs(-3 * x), 3.0),
    "maximum": (lambda x: np.maximum(x, -x), 1.0),
    "distance": (lambda x: np.abs((x + 1) / 2 - 0.5), 0.5),
    "distance by extrema": (lambda x: np.maximum(x, 0) - np.minimum(x, 0), 1.0),
    "root of a square": (lambda x: np.sqrt(x**2), 1.0),
    "sign times number": (lambda x: np.sign(x) * x, 1.0),
    "copysign": (lambda x: np.copysign(2 * x, 1.0), 2.0),
    "positive parts": (lambda x: np.maximum(x, 0) + np.maximum(-x, 0), 1.0),
    "clipped parts": (lambda x: np.clip(x, 0, None) - np.clip(x, None, 0), 1.0),
    "hypot": (lambda x: np.hypot(x, 0), 1.0),
    "norm": (lambda x: np.linalg.norm(x[:, None] * 2, axis=1), 2.0),
    "largest magnitude": (lambda x: np.max(np.abs(x)[:, None], axis=1), 1.0),
}
"""Writings of multiples of magnitudes, element by element, and the factors."""


@pytest.mark.parametrize("case", [(one, other) for one in ROOTS for other in ROOTS], ids="-".join)
def test_norms_that_are_multiples_are_one_kink(case: tuple[str, str]) -> None:
    """Their product is smooth, however each is written, as is (1 + a) exp(-a)."""
    (one, c), (other, d) = (ROOTS[name] for name in case)
    for f, expected in (
        (lambda x: one(x) * other(x), 2 * c * d * np.eye(2)),
        (lambda x: (1 + one(x) / c) * np.exp(-other(x) / d), -np.eye(2)),
        (lambda x: np.log1p(one(x) / c) - other(x) / d, -np.eye(2)),
    ):
        found = ad.hessian(f, interpret=True)(np.zeros(2))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        beside = ad.hessian(f, interpret=True)(np.array([3e-5, -4e-5]))
        np.testing.assert_allclose(beside, expected, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("case", [(one, other) for one in SIZES for other in SIZES], ids="-".join)
def test_magnitudes_that_are_multiples_are_one_kink(case: tuple[str, str]) -> None:
    (one, c), (other, d) = (SIZES[name] for name in case)
    for f, expected in (
        (lambda x: np.sum(one(x) * other(x)), [2 * c * d, 2 * c * d]),
        (lambda x: np.sum((1 + one(x) / c) * np.exp(-other(x) / d)), [-1.0, 0.0]),
    ):
        found = ad.hessian(f, interpret=True)(np.array([0.0, 1.0]))
        np.testing.assert_allclose(found, np.diag(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("case", [4, 12, 64, 100])
def test_long_sums_of_squares(case: int) -> None:
    f = lambda x: np.cos(np.sqrt(sum(x[k] ** 2 for k in range(case))))  # noqa: E731
    np.testing.assert_allclose(ad.hessian(f, interpret=True)(np.zeros(case)), -np.eye(case), atol=1e-14)


def test_kinks_that_are_no_multiples_stay_apart() -> None:
    """The product has no second derivative at 0; elsewhere nothing changes."""
    pairs: list[tuple[Any, Any]] = [
        (lambda x: np.linalg.norm(x), lambda x: np.hypot(x[0], 2 * x[1])),
        (lambda x: np.abs(x[0]), lambda x: np.abs(x[1])),
        (lambda x: np.abs(x[0] - x[1]), lambda x: np.abs(x[0] + x[1])),
        (lambda x: np.abs(x[0]), lambda x: np.abs(x[0] + 1e-6)),
    ]
    for one, other in pairs:
        f = lambda x, one=one, other=other: one(x) * other(x)  # noqa: E731
        np.testing.assert_array_equal(ad.hessian(f, interpret=True)(np.zeros(2)), np.zeros((2, 2)))


MOVED: dict[str, tuple[Any, Any]] = {
    "slice": (lambda v: v[1:], [0, 1, 1]),
    "steps": (lambda v: v[::2], [1, 0, 1]),
    "reversed": (lambda v: v[::-1], [1, 1, 1]),
    "one": (lambda v: v[1], [0, 1, 0]),
    "taken": (lambda v: v[np.array([2, 0, 0])], [2, 0, 1]),
    "taken at traced positions": (lambda v: np.take(v, np.argsort(np.cos(v))), [1, 1, 1]),
    "repeated": (lambda v: np.repeat(v, 2), [2, 2, 2]),
    "tiled": (lambda v: np.tile(v, 3), [3, 3, 3]),
    "rolled": (lambda v: np.roll(v, 1), [1, 1, 1]),
    "rows": (lambda v: np.stack([v, 2 * np.ones(3)]).T, [1, 1, 1]),
    "joined": (lambda v: np.concatenate([v, np.ones(2), v[:1]]), [2, 1, 1]),
    "padded": (lambda v: np.pad(v, 2), [1, 1, 1]),
    "padded with edges": (lambda v: np.pad(v, 1, mode="edge"), [2, 1, 2]),
    "reshaped": (lambda v: v.reshape(3, 1)[:2], [1, 1, 0]),
    "in a matrix": (lambda v: np.diag(v), [1, 1, 1]),
    "broadcast": (lambda v: np.broadcast_to(v, (2, 3)), [2, 2, 2]),
}
"""Functions that move elements of an array of three, and how often each stands in the result."""


@pytest.mark.parametrize("case", MOVED)
def test_kinks_whose_elements_move(case: str) -> None:
    """The second derivative of cos of moved magnitudes at 0 is that of cos of what has none."""
    move, times = MOVED[case]
    for kink in (np.abs, lambda x: np.linalg.norm(x[:, None], axis=1)):
        found = ad.hessian(lambda x, kink=kink: np.sum(np.cos(move(kink(x)))), interpret=True)(np.zeros(3))
        np.testing.assert_allclose(found, -np.diag(np.array(times, float)), atol=1e-14)


ALONE: dict[str, tuple[Any, Any]] = {
    "in a matrix": (lambda a: np.sum(np.outer(np.stack([a, 2 * a]), np.stack([a, a]))), lambda a: 6 * a**2),
    "contracted": (lambda a: np.dot(np.stack([a, a]), np.stack([a, 2 * a])), lambda a: 3 * a**2),
    "powers": (lambda a: np.polyval([1.0, 2.0, 0.0, 3.0], a), lambda a: a**3 + 2 * a**2 + 3),
    "norm of multiples": (lambda a: np.linalg.norm(np.stack([a, 2 * a])) ** 2, lambda a: 5 * a**2),
    "mean of squares": (lambda a: np.mean(np.stack([a, -a, 3 * a]) ** 2), lambda a: 11 * a**2 / 3),
    "cos of a sum": (lambda a: np.cos(np.sum(np.stack([a, 2 * a]))), lambda a: mp.cos(3 * a)),
    "logsumexp": (lambda a: special.logsumexp(np.stack([a, -a])), lambda a: mp.log(2 * mp.cosh(a))),
    "softmax": (
        lambda a: special.softmax(np.stack([a, -a]))[0] - np.tanh(a) / 2,
        lambda a: mp.mpf(1) / 2 + 0 * a,
    ),
    "softplus": (lambda a: 2 * np.log1p(np.exp(a)) - a, lambda a: 2 * mp.log(2 * mp.cosh(a / 2))),
    "softplus of its negative": (
        lambda a: a + 2 * np.log1p(np.exp(-a)),
        lambda a: 2 * mp.log(2 * mp.cosh(a / 2)),
    ),
    "density": (stats.norm.pdf, lambda a: mp.npdf(a)),
    "logarithm of a density": (lambda a: stats.t.logpdf(a, 3.0), lambda a: -2 * mp.log(1 + a**2 / 3)),
    "in a loop": (
        lambda a: ad.fori_loop(0, 3, lambda i, s: s + np.cos(a * (i + 1)), 0.0),
        lambda a: mp.cos(a) + mp.cos(2 * a) + mp.cos(3 * a),
    ),
    "in a branch": (lambda a: ad.cond(a < 1, lambda b: b * a, lambda b: b, 2 * a), lambda a: 2 * a**2),
    "in a batch": (lambda a: np.sum(ad.vmap(lambda t: t * a * a)(np.arange(3.0))), lambda a: 3 * a**2),
}
"""Functions of a kink that is one number, and the same of mpmath's numbers up to constants."""


@pytest.mark.parametrize("case", ALONE)
def test_functions_of_one_kink(case: str) -> None:
    """They are smooth if they are even, by whatever ops: the second derivative is theirs at 0."""
    written, exact = ALONE[case]
    expected = float(mp.diff(exact, 0, 2))
    for kink, hessian in (
        (lambda x: np.abs(x[0]), np.diag([1.0, 0.0])),
        (np.linalg.norm, np.eye(2)),
        (lambda x: np.hypot(x[0], x[1]), np.eye(2)),
    ):
        found = ad.hessian(lambda x, kink=kink: written(kink(x)), interpret=True)(np.zeros(2))
        np.testing.assert_allclose(found, expected * hessian, rtol=1e-10, atol=1e-10)


FUNCTIONS = sorted(
    name
    for name, function in vars(special).items()
    if isinstance(function, np.ufunc) and (function.nin, function.nout) == (1, 1)
)
"""The functions of SciPy that take one number and give one."""

KINKED = frozenset({"i1e"})
"""Those with a kink at 0 of their own: exp(-|x|) I1(x)."""


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions_of_scipy_of_a_magnitude(case: str) -> None:
    """The second derivative of f(|x|) at 0 is that of f on the side of positive numbers."""
    f = getattr(special, case)
    try:
        beside, nearer = (ad.grad(ad.grad(f))(x) for x in (1e-7, 1e-9))
    except (ad.UnsupportedError, ad.DifferentiationError):
        return
    has_limit = np.isfinite(beside) and nearer == pytest.approx(beside, rel=1e-3, abs=1e-3)
    if not has_limit or abs(beside) > 1e6 or case in KINKED:
        return
    found = ad.grad(ad.grad(lambda x: f(np.abs(x))))(0.0)
    assert found == pytest.approx(beside, rel=1e-4, abs=1e-4)
