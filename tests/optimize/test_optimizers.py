"""Optimisers against their formulas, written out, on structures, in a trace and outside."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad import optimize

PARAMS = {"w": np.array([1.0, -2.0], np.float32), "b": 0.5, "n": 3}
MADE = {
    "sgd": lambda: optimize.sgd(0.1),
    "momentum": lambda: optimize.momentum(0.05),
    "nesterov": lambda: optimize.momentum(0.05, nesterov=True),
    "adam": lambda: optimize.adam(0.1),
    "adamw": lambda: optimize.adamw(0.1, weight_decay=1e-3),
    "lbfgs": lambda: optimize.lbfgs(),
    "schedule": lambda: optimize.sgd(lambda step: 0.5 / (1 + step)),
}


def loss(p):
    return np.sum((p["w"] - 2) ** 2) + 3 * p["b"] ** 2


gradient = ad.grad(loss)


def steps(optimizer, count, params=PARAMS):
    state = optimizer.init(params)
    for _ in range(count):
        updates, state = optimizer.update(gradient(params), state, params)
        params = optimize.apply_updates(params, updates)
    return params


@pytest.mark.parametrize("name", MADE)
def test_a_loss_shrinks_and_structure_and_dtypes_stay(name):
    found = steps(MADE[name](), 40)
    assert loss(found) < 0.05 * loss(PARAMS)
    assert found["w"].dtype == np.float32
    assert found["n"] == 3


def of_parts(p):
    (x, y), (u, v) = p["z"], p["c"]
    return np.sum((x - 1) ** 2 + 2 * (y + 2) ** 2 + 0.1 * x * y) + (u * v - 1) ** 2 + (u - v + 1) ** 2


def of_numbers(p):
    return of_parts({name: (z.real, z.imag) for name, z in p.items()})


gradients_of_parts, gradients_of_numbers = ad.grad(of_parts), ad.grad(of_numbers)

WRAPPED = {
    "clipped elements": lambda: optimize.clip_by_value(optimize.sgd(0.1), 0.7),
    "clipped norm": lambda: optimize.clip_by_global_norm(optimize.adam(0.1), 0.5),
    "masked": lambda: optimize.masked(optimize.momentum(0.05), {"z": True, "c": True}),
}


@pytest.mark.parametrize("name", MADE | WRAPPED)
def test_complex_parameters_take_the_steps_of_their_parts(name):
    optimizer = (MADE | WRAPPED)[name]()
    numbers = {"z": np.array([0.5 + 0.1j, 2 - 1j]), "c": 0.3 - 0.2j}
    parts = {name: (np.real(z), np.imag(z)) for name, z in numbers.items()}
    found, expected = ((p, optimizer.init(p)) for p in (numbers, parts))
    for _ in range(6):
        found, expected = (
            (optimize.apply_updates(params, updates), state)
            for gradients, (params, state) in ((gradients_of_numbers, found), (gradients_of_parts, expected))
            for updates, state in [optimizer.update(gradients(params), state, params)]
        )
    for name, (real, imaginary) in expected[0].items():
        np.testing.assert_allclose(found[0][name], real + 1j * imaginary, rtol=1e-12)


@pytest.mark.parametrize("name", MADE)
def test_steps_are_the_same_in_a_trace(name):
    optimizer = MADE[name]()

    def step(carry, _):
        params, state = carry
        updates, state = optimizer.update({**gradient({**params, "n": 3}), "n": None}, state, params)
        return (optimize.apply_updates(params, updates), state), None

    params = {**PARAMS, "n": 3}
    run = ad.jit(lambda p: ad.scan(step, (p, optimizer.init(p)), None, 5)[0][0])
    found, expected = run(params), steps(optimizer, 5)
    for key in ("w", "b"):
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-5, atol=1e-12)


def test_formulas():
    g, p = np.array([1.0, -4.0]), np.array([3.0, 5.0])
    updates, _ = optimize.sgd(0.1).update(g, optimize.sgd(0.1).init(p))
    np.testing.assert_allclose(updates, -0.1 * g)
    heavy = optimize.momentum(0.1, 0.5)
    state = heavy.init(p)
    for expected in (g, 1.5 * g, 1.75 * g):
        updates, state = heavy.update(g, state)
        np.testing.assert_allclose(updates, -0.1 * expected)
    decayed = optimize.adamw(0.1, weight_decay=0.5)
    updates, _ = decayed.update(g, decayed.init(p), p)
    np.testing.assert_allclose(updates, -0.1 * (np.sign(g) + 0.5 * p), rtol=1e-7)


def test_adam_is_the_published_algorithm():
    rng = np.random.default_rng(0)
    optimizer, p = optimize.adam(0.01, 0.8, 0.9, 1e-6), rng.normal(size=3)
    state, m, v = optimizer.init(p), np.zeros(3), np.zeros(3)
    for t in range(1, 6):
        g = rng.normal(size=3)
        updates, state = optimizer.update(g, state, p)
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
        expected = -0.01 * (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.9**t)) + 1e-6)
        np.testing.assert_allclose(updates, expected, rtol=1e-12)


def test_lbfgs_solves_a_quadratic_in_few_steps():
    a = np.diag([1.0, 4.0, 9.0])
    optimizer, p = optimize.lbfgs(), np.ones(3)
    state = optimizer.init(p)
    for _ in range(25):
        updates, state = optimizer.update(a @ p, state, p)
        p = optimize.apply_updates(p, updates)
    np.testing.assert_allclose(p, 0, atol=1e-8)


@pytest.mark.parametrize("name", MADE)
def test_numbers_of_python_are_parameters(name):
    optimizer = MADE[name]()
    updates, _ = optimizer.update(2.0, optimizer.init(1.0), 1.0)
    assert optimize.apply_updates(1.0, updates) < 1.0


MISTAKES = {
    "structure": (ad.ShapeError, lambda o: o.update({"x": 1.0}, o.init(1.0), 1.0)),
    "shape": (ad.ShapeError, lambda o: o.update(np.ones(3), o.init(np.ones(2)), np.ones(2))),
    "integers": (ad.DtypeError, lambda o: o.update(np.ones(2, int), o.init(np.ones(2)), np.ones(2))),
    "a rate": (ad.ArgumentError, lambda _: optimize.sgd(-1.0)),
    "a decay": (ad.ArgumentError, lambda _: optimize.momentum(0.1, 1.5)),
    "updates": (ad.ShapeError, lambda _: optimize.apply_updates(np.ones(2), np.ones(3))),
    "fewer gradients": (
        ad.ShapeError,
        lambda _: optimize.lbfgs().update((1.0, None), optimize.lbfgs().init((1.0, 2.0)), (1.0, 2.0)),
    ),
    "no parameters": (ad.ArgumentError, lambda o: o.update(np.ones(2), o.init(np.ones(2)))),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_at_the_users_line(name):
    error, call = MISTAKES[name]
    with pytest.raises(error) as caught:
        call(optimize.adamw(0.1))
    assert __file__ in caught.value.location
