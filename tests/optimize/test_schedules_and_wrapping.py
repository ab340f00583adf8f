"""Schedules against their formulas, and optimisers of clipped gradients and of some parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad import optimize

STEPS = np.array([0, 1, 5, 9, 10, 11, 40, 100, 1000])

SCHEDULES = {
    "constant": (optimize.constant(0.3), lambda k: 0.3),
    "exponential": (optimize.exponential_decay(0.4, 0.5, 10), lambda k: 0.4 * 0.5 ** (k / 10)),
    "exponential with an end": (
        optimize.exponential_decay(0.4, 0.5, 10, 0.01), lambda k: max(0.4 * 0.5 ** (k / 10), 0.01),
    ),
    "cosine": (
        optimize.cosine_decay(0.4, 40, 0.1),
        lambda k: 0.1 + 0.3 * (1 + math.cos(math.pi * min(k, 40) / 40)) / 2,
    ),
    "warm-up": (optimize.warm_up(0.4, 10, 0.1), lambda k: 0.1 + 0.3 * min(k, 10) / 10),
    "warm-up of a schedule": (
        optimize.warm_up(optimize.exponential_decay(0.4, 0.5, 10), 10),
        lambda k: 0.04 * k if k < 10 else 0.4 * 0.5 ** ((k - 10) / 10),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name: str) -> None:
    schedule, formula = SCHEDULES[name]
    wanted = [formula(int(k)) for k in STEPS]
    np.testing.assert_allclose([schedule(k) for k in STEPS], wanted, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose([schedule(int(k)) for k in STEPS], wanted, rtol=1e-13, atol=1e-15)
    for interpret in (False, True):
        traced = ad.jit(lambda k: schedule(k) + 0.0, interpret=interpret)
        np.testing.assert_allclose([traced(k) for k in STEPS], wanted, rtol=1e-13, atol=1e-15)
    moved = optimize.sgd(schedule)
    state = moved.init(np.ones(1))
    for k in range(12):
        updates, state = moved.update(np.ones(1), state)
        np.testing.assert_allclose(updates, [-formula(k)], rtol=1e-13, atol=1e-15)


GRADIENTS = {"w": np.array([3.0, -4.0], np.float32), "n": None, "b": (12.0, np.zeros((0, 2)))}
PARAMS = {"w": np.zeros(2, np.float32), "n": 3, "b": (1.0, np.zeros((0, 2)))}


def moves(optimizer: Any, gradients: Any = GRADIENTS, params: Any = PARAMS) -> Any:
    return optimizer.update(gradients, optimizer.init(params), params)[0]


def compiled(optimizer: Any, interpret: bool) -> Any:
    """The updates of a program; the parameter that is not a float is not an argument of it."""
    return ad.jit(lambda g, p: moves(optimizer, g, p), interpret=interpret)(GRADIENTS, PARAMS)


def test_clipping() -> None:
    """The norm of all together is 13."""
    assert optimize.global_norm(GRADIENTS) == 13.0
    assert optimize.global_norm({}) == 0.0
    cases = [
        (optimize.clip_by_value(optimize.sgd(1.0), 3.5), [-3.0, 3.5], -3.5),
        (optimize.clip_by_value(optimize.sgd(1.0), 100.0), [-3.0, 4.0], -12.0),
        (optimize.clip_by_global_norm(optimize.sgd(1.0), 6.5), [-1.5, 2.0], -6.0),
        (optimize.clip_by_global_norm(optimize.sgd(1.0), 13.0), [-3.0, 4.0], -12.0),
        (optimize.clip_by_global_norm(optimize.sgd(1.0), 0.0), [0.0, 0.0], 0.0),
    ]
    for optimizer, w, b in cases:
        for found in (moves(optimizer), compiled(optimizer, False), compiled(optimizer, True)):
            np.testing.assert_allclose(found["w"], w, rtol=1e-6)
            assert found["w"].dtype == np.float32
            assert abs(found["b"][0] - b) < 1e-6
            assert found["b"][1].shape == (0, 2)
            assert found["n"] is None
    large = np.array([1e30, 1e30], np.float32)
    clipped = moves(optimize.clip_by_global_norm(optimize.sgd(1.0), 1.0), large, large)
    np.testing.assert_allclose(clipped, [-(0.5**0.5)] * 2, rtol=1e-6)


@pytest.mark.parametrize("interpret", [False, True])
def test_steps_have_derivatives_of_orders_1_and_2(interpret: bool) -> None:
    """Derivatives in the gradient, also where this is 0."""

    def taken(g: Any) -> Any:
        optimizer = optimize.clip_by_global_norm(optimize.sgd(1.0), 2.0)
        return np.sum(np.sin(optimizer.update(g, optimizer.init(g), g)[0]))

    for g in (np.array([3.0, -4.0]), np.array([0.3, 0.4]), np.zeros(2)):
        ad.check_derivatives(taken, g, interpret=interpret)
        gradient = ad.grad(taken, interpret=interpret)
        slopes = [(gradient(g + h) - gradient(g - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(ad.hessian(taken, interpret=interpret)(g), slopes, atol=1e-6)


MASKS = {
    "leaves": {"w": True, "n": False, "b": (False, False)},
    "parts": {"w": True, "n": True, "b": False},
    "function": lambda params: {"w": True, "n": False, "b": (False, True)},
}


@pytest.mark.parametrize("how", MASKS)
@pytest.mark.parametrize("name", ["sgd", "momentum", "adam", "adamw", "lbfgs"])
def test_masks(name: str, how: str) -> None:
    """A part that moves, moves as if it were alone; the other has no state."""
    make = getattr(optimize, name)
    optimizer = optimize.masked(make(0.1), MASKS[how])
    params, alone = PARAMS, PARAMS["w"]
    state, other = optimizer.init(params), make(0.1).init(alone)
    single = make(0.1)
    size = sum(np.size(leaf) for leaf in ad.tree.leaves(state))
    assert size == sum(np.size(leaf) for leaf in ad.tree.leaves(other))
    for _ in range(3):
        updates, state = optimizer.update(GRADIENTS, state, params)
        params = optimize.apply_updates(params, updates)
        updates, other = single.update(GRADIENTS["w"], other, alone)
        alone = optimize.apply_updates(alone, updates)
    np.testing.assert_allclose(params["w"], alone, rtol=1e-6)
    assert params["b"][0] == 1.0
    assert params["n"] == 3


def test_masks_in_a_compiled_loop() -> None:
    optimizer = optimize.masked(
        optimize.clip_by_value(optimize.adam(optimize.cosine_decay(0.1, 50)), 1.0), {"x": True, "y": False}
    )

    def step(carry: Any, _: Any) -> Any:
        params, state = carry
        gradients = ad.grad(lambda p: (p["x"] - 3.0) ** 2 + (p["y"] - 3.0) ** 2)(params)
        updates, state = optimizer.update(gradients, state, params)
        return (optimize.apply_updates(params, updates), state), None

    def train(params: Any) -> Any:
        return ad.scan(step, (params, optimizer.init(params)), None, 50)[0][0]

    params = {"x": 0.0, "y": 1.0}
    found = ad.jit(train)(params)
    assert found["y"] == 1.0
    assert 1.0 < found["x"] < 4.0
    np.testing.assert_allclose(train(params)["x"], found["x"], rtol=1e-9)


MISTAKES = {
    "rate": (lambda: optimize.constant(-0.1), ad.ArgumentError, "constant: rate is -0.1"),
    "steps": (lambda: optimize.cosine_decay(0.1, 0), ad.ArgumentError, "cosine_decay: steps is 0"),
    "limit": (lambda: optimize.clip_by_value(optimize.sgd(1.0), -1), ad.ArgumentError, "limit is -1"),
    "optimiser": (lambda: optimize.masked(0.1, True), ad.ArgumentError, "an optimiser is needed, got"),
    "mask": (lambda: moves(optimize.masked(optimize.sgd(1.0), 2)), ad.ArgumentError, "the mask is 2"),
    "part": (
        lambda: moves(optimize.masked(optimize.sgd(1.0), {"w": True, "n": 1, "b": False})),
        ad.ArgumentError,
        r"the mask\['n'\] is 1",
    ),
    "keys": (lambda: moves(optimize.masked(optimize.sgd(1.0), {"w": True})), ad.ShapeError, "parts"),
    "gradients": (
        lambda: moves(optimize.masked(optimize.sgd(1.0), True), {"w": 1.0}), ad.ShapeError, "gradients",
    ),
    "parameters": (
        lambda: optimize.masked(optimize.sgd(1.0), True).update(GRADIENTS, None),
        ad.ArgumentError,
        "needs the parameters",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    call, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message) as caught:
        call()
    assert caught.value.hint
    assert __file__ in str(caught.value.location)
