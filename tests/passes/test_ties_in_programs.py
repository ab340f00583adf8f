"""Second derivatives at ties: kinks that regions yield, roots of quadratic forms, kinks that rest where 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance

import mlirad as ad
from mlirad.dialects.array import control, custom, indexing
from mlirad.passes.expand_ties import expansion
from mlirad.passes.expand_ties.cones import Cone

V = np.array([1.0, -2.0, 0.5])

Kink = Callable[[Any], Any]
KINKS: dict[str, tuple[Kink, Kink]] = {
    "magnitude": (lambda x: abs(x[0]), lambda x: x[0] * x[0]),
    "distance": (
        lambda x: np.maximum(x[0], x[1]) - np.minimum(x[0], x[1]),
        lambda x: (x[0] - x[1]) ** 2,
    ),
    "norm": (np.linalg.norm, lambda x: x @ x),
    "root": (lambda x: np.sqrt(x[0] ** 2 + 3 * x[1] ** 2), lambda x: x[0] ** 2 + 3 * x[1] ** 2),
    "hypot": (lambda x: np.hypot(x[0], 2 * x[1]), lambda x: x[0] ** 2 + 4 * x[1] ** 2),
}
"""Kinks of two numbers, by their names, and their squares."""


def branch(kink: Kink, x: Any) -> Any:
    return ad.cond(x[0] < 100, kink, lambda x: x[0], x)


def switch(kink: Kink, x: Any) -> Any:
    return ad.switch(np.argmin(x) + 1, [lambda x: x[0], kink, lambda x: x[1]], x)


def nested(kink: Kink, x: Any) -> Any:
    return ad.fori_loop(0, 1, lambda _, s: s + branch(kink, x), 0.0)


def counted(kink: Kink, x: Any) -> Any:
    return ad.fori_loop(0, 4, lambda _, s: s + 0.25 * kink(x), 0.0)


def carried(kink: Kink, x: Any) -> Any:
    return ad.fori_loop(0, 4, lambda _, s: s * 0.5, 16 * kink(x))


def scanned(kink: Kink, x: Any) -> Any:
    return ad.scan(lambda s, c: (s + 0.25 * kink(x), c), 0.0, np.ones(4))[0]


def stacked(kink: Kink, x: Any) -> Any:
    return ad.scan(lambda s, c: (s, c * kink(x)), 0.0, np.array([1.0, 2.0]))[1][0]


def repeated(kink: Kink, x: Any) -> Any:
    def step(state: Any) -> Any:
        return state[0] + 0.25 * kink(x), state[1] + 1

    return ad.while_loop(lambda state: state[1] < 4, step, (0.0, 0))[0]


def kept(kink: Kink, x: Any) -> Any:
    return ad.checkpoint(lambda x: kink(x) * 1.0)(x)


def built(kink: Kink, x: Any) -> Any:
    return np.sum(ad.build((4,), lambda i: 0.1 * i * kink(x))) / 0.6


def of_a_batch(kink: Kink, x: Any) -> Any:
    members = ad.vmap(lambda c: branch(kink, x * c))(np.array([2.0, 3.0]))
    return np.sqrt(np.sum(members**2) / 13)


WAYS = {
    "branch": (branch, control.IfOp),
    "switch": (switch, control.SwitchOp),
    "nested": (nested, control.IfOp),
    "counted": (counted, control.ScanOp),
    "carried": (carried, control.ScanOp),
    "scanned": (scanned, control.ScanOp),
    "stacked": (stacked, control.ScanOp),
    "repeated": (repeated, control.WhileOp),
    "kept": (kept, custom.CheckpointOp),
    "built": (built, indexing.BuildOp),
}
"""Ways to have a kink made in a region, and the op with that region."""

ALL: dict[str, Callable[[Kink, Any], Any]] = {name: way for name, (way, _) in WAYS.items()} | {
    "batch": of_a_batch
}

CASES = [
    (way, kink, method) for way in ALL for kink in KINKS for method in ("dual-arrays", "chad", "jacobian")
]


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_squares_of_kinks_of_regions_are_smooth(case: tuple[str, str, Any]) -> None:
    way, name, method = case
    kink, square = KINKS[name]

    def value(x: Any) -> Any:
        a = ALL[way](kink, x)
        return a * a + np.cos(a)

    hessian_of_square = ad.hessian(square)
    hessian = ad.hessian(value, method=method)
    for at in (np.zeros(2), np.array([0.0, 1e-9])):
        expected = hessian_of_square(at) / 2
        np.testing.assert_allclose(hessian(at), expected, rtol=1e-6, atol=1e-6)


def test_the_ways_cover_the_ops_with_regions() -> None:
    assert {op for _, op in WAYS.values()} == {
        control.IfOp,
        control.SwitchOp,
        control.ScanOp,
        control.WhileOp,
        custom.CheckpointOp,
        indexing.BuildOp,
    }


@pytest.mark.parametrize("way", WAYS)
def test_the_ways_have_their_ops(way: str) -> None:
    make, op = WAYS[way]
    text = str(ad.trace(lambda x: make(KINKS["magnitude"][0], x), np.zeros(2)))
    assert op.name in text


def test_a_kink_of_a_loop_variable_stays_in_the_loop() -> None:
    def distances(x: Any) -> Any:
        return ad.scan(lambda s, c: (s + abs(c - x) ** 2, c), 0.0, V)[0]

    assert ad.grad(ad.grad(distances))(1.0) == 2 * len(V)


def test_roots_of_branches_that_are_not_taken_do_no_harm() -> None:
    def guarded(x: Any) -> Any:
        a = ad.cond(x[0] > 0, lambda x: np.sqrt(x[0] ** 2 * x[1] + x[1] ** 2), lambda x: x[0], x)
        return a * a

    np.testing.assert_array_equal(ad.hessian(guarded)(np.array([-1.0, 0.0])), [[2, 0], [0, 0]])
    np.testing.assert_array_equal(ad.hessian(guarded)(np.array([-2.0, -9.0])), [[2, 0], [0, 0]])


MULTIPLES: dict[str, Callable[[Any, Any], Any]] = {
    "of an array": lambda u, c: np.sum(np.abs(c * u)),
    "of quotients": lambda u, c: np.sum(np.abs(-u / (1 / c))),
    "of one element": lambda u, c: np.sum(np.abs(c * u[None])),
    "of rows": lambda u, c: np.sum(np.abs(np.outer(c, np.stack([u, u])))) / 2,
    "written out": lambda u, c: np.abs(c[0] * u) + np.abs(c[1] * u) + np.abs(u * c[2]),
    "of a loop": lambda u, c: ad.fori_loop(0, 3, lambda i, s: s + np.abs(ad.asarray(c)[i] * u), 0.0),
    "of slices": lambda u, c: ad.scan(lambda s, k: (s + np.abs(k * u), k), 0.0, ad.asarray(c))[0],
    "of elements": lambda u, c: ad.fori_loop(0, 3, lambda i, s: s + np.abs((ad.asarray(c) * u)[i]), 0.0),
}
"""Sums of the magnitudes of multiples of a number, by three factors."""

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "element": lambda x: x[0],
    "difference": lambda x: x[0] - x[1],
    "product": lambda x: x[0] * np.exp(x[1]),
}


@pytest.mark.parametrize("way", MULTIPLES)
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
@pytest.mark.parametrize("is_constant", [True, False], ids=["constant", "argument"])
def test_multiples_of_one_number_have_one_kink(way: str, number: str, method: Any, is_constant: bool) -> None:
    made, of = MULTIPLES[way], NUMBERS[number]

    def value(x: Any, c: Any) -> Any:
        a = made(of(x), V if is_constant else c)
        return a * a + np.cos(a)

    at = np.zeros(2)
    slope = ad.grad(of)(at)
    expected = np.sum(np.abs(V)) ** 2 * np.outer(slope, slope)
    np.testing.assert_allclose(ad.hessian(value, method=method)(at, V), expected, rtol=1e-12)


SIDES: dict[str, Callable[[Any], Any]] = {
    "clip": lambda x: np.clip(x, 0, None) ** 2 + np.clip(x, None, 0) ** 2,
    "two maxima": lambda x: np.maximum(x, 0) ** 2 + np.maximum(-x, 0) ** 2,
    "two minima": lambda x: np.minimum(x, 0) ** 2 + np.minimum(-x, 0) ** 2,
    "of a difference": lambda x: np.maximum(2 * x, x) ** 2 + np.minimum(2 * x, x) ** 2 - 4 * x**2,
    "cosh": lambda x: np.cosh(np.maximum(x, 0)) * np.cosh(np.minimum(x, 0)) * 2,
    "in a loop": lambda x: ad.fori_loop(
        0, 3, lambda _, s: s + np.maximum(x, 0) ** 2 / 3 + np.minimum(x, 0) ** 2 / 3, 0.0 * x
    ),
}
"""Functions of both sides of a kink at 0, with second derivative 2 there."""


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
def test_both_sides_of_a_kink_together_are_smooth(name: str, method: Any) -> None:
    f = SIDES[name]
    for x in (0.0, 1e-9, -1e-9):
        assert ad.hessian(f, method=method)(x) == pytest.approx(2, rel=1e-8)
    array = ad.hessian(lambda x: np.sum(f(x)), method=method)(np.zeros(2))
    np.testing.assert_allclose(array, 2 * np.eye(2), rtol=1e-12, atol=0)


W = np.array([2.0, 3.0])
P = np.array([[2.0, 0.5], [0.5, 1.0]])

FORMS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "weights times squares": (lambda x: np.sum(W * x**2), np.diag(W)),
    "squares over weights": (lambda x: np.sum(x**2 / W), np.diag(1 / W)),
    "weights @ squares": (lambda x: W @ x**2, np.diag(W)),
    "weighted by turns": (lambda x: np.sum(W * x * x), np.diag(W)),
    "x @ P @ x": (lambda x: x @ P @ x, P),
    "sum(x * (P @ x))": (lambda x: np.sum(x * (P @ x)), P),
    "x @ solve(P, x)": (lambda x: x @ np.linalg.solve(P, x), np.linalg.inv(P)),
    "einsum": (lambda x: np.einsum("i,ij,j", x, P, x), P),
    "sums of forms": (lambda x: x @ P @ x + 3 * x[0] ** 2, P + np.diag([3.0, 0.0])),
    "summed by a loop": (
        lambda x: ad.scan(lambda s, k: (s + W[k] * x[k] ** 2, k), 0.0, np.arange(2))[0],
        np.diag(W),
    ),
    "chosen": (lambda x: np.where(x[0] < 100, x @ P @ x, x[0] ** 2), P),
}
"""Quadratic forms in two numbers, and their matrices."""


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
def test_functions_of_roots_of_quadratic_forms(name: str, method: Any) -> None:
    form, matrix = FORMS[name]
    hessian = ad.hessian(lambda x: np.cos(np.sqrt(form(x))), method=method)
    for at in (np.zeros(2), np.array([1e-9, 0.0])):
        np.testing.assert_allclose(hessian(at), -matrix, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("order", [2, 3])
def test_forms_whose_weights_are_differentiated(order: int) -> None:
    def value(x: Any, w: Any) -> Any:
        return np.cos(np.sqrt(np.sum(x**2 / w**2)))

    x, w = np.zeros(2), np.array([0.5, 2.0])
    second = ad.hessian(value)
    if order == 2:
        np.testing.assert_allclose(second(x, w), -np.diag(1 / w**2), rtol=1e-12)
    else:
        found = ad.jacobian(second, argnums=1)(x, w)
        expected = np.zeros((2, 2, 2))
        expected[[0, 1], [0, 1], [0, 1]] = 2 / w**3
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def covariance(points: Any, lengths: Any) -> Any:
    d = (points[:, None] - points) / lengths
    return np.exp(-np.sqrt(np.sum(d * d, -1))) + 0.1 * np.eye(len(points))


def likelihood(points: Any, lengths: Any) -> Any:
    k = covariance(points, lengths)
    return W.sum() * np.sum(np.log(np.diag(np.linalg.cholesky(k)))) + np.sum(np.linalg.inv(k))


POINTS = np.array([[0.0, 1.0], [0.3, 0.2], [1.0, -0.5], [0.7, 0.1]])


TERM = "array.stop_gradient"
"""The op that the coefficient of a term ends in."""


def tied(function: Callable[[Any], Any], x: Any) -> bool:
    """Tell if terms are added."""
    return TERM in ad.hessian(function).ir(x, after="expand-ties")


def test_kinks_that_rest_get_no_terms() -> None:
    assert not tied(lambda lengths: likelihood(POINTS, lengths), np.ones(2))
    assert not tied(lambda scale: likelihood(POINTS, np.exp(scale)), np.zeros(2))
    assert tied(lambda points: likelihood(points, np.ones(2)), POINTS)


def test_arguments_that_are_not_differentiated_rest() -> None:
    hessian = ad.hessian(likelihood, argnums=1)
    assert TERM not in hessian.ir(POINTS, np.ones(2), after="expand-ties")
    assert TERM in ad.hessian(likelihood, argnums=(0, 1)).ir(POINTS, np.ones(2), after="expand-ties")


@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
def test_points_that_meet_have_terms_and_differences_of_one_point_have_none(method: Any) -> None:
    def value(points: Any) -> Any:
        d = points[:, None] - points
        return np.linalg.slogdet(np.cos(np.sqrt(np.sum(d * d, -1))) + 3 * np.eye(3))[1]

    def smooth(points: Any) -> Any:
        d = points[:, None] - points
        squares = np.sum(d * d, -1)
        return np.linalg.slogdet(1 - squares / 2 + squares**2 / 24 - squares**3 / 720 + 3 * np.eye(3))[1]

    points = np.array([[0.02, 0.01], [0.02, 0.01], [0.0, 0.03]])
    np.testing.assert_allclose(
        ad.hessian(value, method=method)(points), ad.hessian(smooth)(points), atol=1e-7
    )


DIFFERENCES: dict[str, Callable[[Any], Any]] = {
    "by hand": lambda z: np.sqrt(np.sum((z[:, None] - z) ** 2, -1)),
    "norm": lambda z: np.linalg.norm(z[:, None] - z, axis=-1),
    "cdist": lambda z: scipy.spatial.distance.cdist(z, z),
    "hypot": lambda z: np.hypot(z[:, None, 0] - z[:, 0], z[:, None, 1] - z[:, 1]),
    "magnitude": lambda z: np.abs(z[:, None, 0] - z[:, 0]),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_diagonals_of_differences_are_no_ties(name: str) -> None:
    def value(z: Any) -> Any:
        return np.linalg.slogdet(np.exp(-DIFFERENCES[name](z)) + np.eye(4))[1]

    text = ad.hessian(value).ir(POINTS, after="expand-ties")
    assert TERM in text
    assert "array.not" in text  # of where both are the same element


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, np.inf])
@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
def test_reverse_over_forward_of_norms(order: float, method: Any) -> None:
    """Kinks in rules, whose code is linear in the tangent."""

    def along(x: Any, v: Any) -> Any:
        return ad.jvp(lambda y: np.linalg.norm(y, ord=order), (x,), (v,))[1]

    x, v = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.2, -1.0])
    by_x, by_v = ad.grad(along, argnums=(0, 1), method=method)(x, v)
    slope = ad.grad(lambda y: np.linalg.norm(y, ord=order))
    np.testing.assert_allclose(by_v, slope(x), rtol=1e-12, atol=1e-14)
    differences = [(along(x + h, v) - along(x - h, v)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(by_x, differences, rtol=1e-6, atol=1e-8)


def test_many_kinks_that_are_made_of_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ops behind kinks are followed up to a number, from the last kink on, whose terms stay."""
    found: list[list[Cone]] = []
    own = expansion._cones
    monkeypatch.setattr(expansion, "_cones", lambda *given: found.append(own(*given)) or found[-1])
    monkeypatch.setattr(expansion, "MOST_FOLLOWED", 200)

    def chain(x: Any) -> Any:
        for k in range(30):
            x = np.sin(np.abs(x + 1.0 + k % 7)) * (1.0 + 0.1 * (k * k % 5))
        return x

    def with_a_tie(x: Any) -> Any:
        return chain(x) + np.abs(x) + np.exp(-np.abs(x))

    def second(function: Any) -> Any:
        return ad.hessian(function, interpret=True)(0.0)

    np.testing.assert_allclose(second(with_a_tie) - second(chain), 1.0, rtol=1e-9)
    assert found
    for cones in found:
        assert sum(cone.followed for cone in cones) <= 200
        assert 0 < len(cones) < 30
