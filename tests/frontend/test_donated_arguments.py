"""Donated arguments: results are what they are without, and lie in the memory of the argument."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import mlirad as ad
from mlirad.compiler import compile_module
from mlirad.interpreter import run_function
from mlirad.jit.call import NativeFunction
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.pipeline_options import Options


def adam(state: Any, gradient: Any, rate: Any) -> Any:
    """A step of Adam on a dictionary of weights and moments."""
    m = 0.9 * state["m"] + 0.1 * gradient
    v = 0.99 * state["v"] + 0.01 * gradient * gradient
    return {"w": state["w"] - rate * m / np.sqrt(v + 1e-8), "m": m, "v": v}


def arrays(count: int, shape: tuple[int, ...] = (7,), seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 1.5, shape) for _ in range(count)]


def program_of(function: Any, *arguments: Any) -> Any:
    """The native program that a call runs."""
    function(*arguments)
    (program,) = function._cache.programs()
    return program.native.program


@pytest.mark.parametrize("donate", ["state", 0, ("state",), [0]])
def test_a_step_of_an_optimiser_makes_no_arrays(donate: Any) -> None:
    step = ad.jit(adam, donate=donate)
    w, m, v, g = arrays(4)
    state = {"w": w, "m": m, "v": v}
    expected = state
    for _ in range(4):
        expected = adam({k: a.copy() for k, a in expected.items()}, g, 0.1)
        state = step(state, g, 0.1)
        assert [state[k] is a for k, a in (("w", w), ("m", m), ("v", v))] == [True] * 3
        for name in "wmv":
            np.testing.assert_allclose(state[name], expected[name], rtol=1e-12)
    (program,) = step._cache.programs()
    assert sorted(program.native.program.updates) == [(0, 0), (1, 1), (2, 2)]


def test_what_is_read_for_longer_is_copied_there() -> None:
    """A product reads all of its operand for each row, so it is made elsewhere."""
    a, b = arrays(2, (4, 4))
    product = ad.jit(lambda a, b: a @ b, donate="a")
    assert program_of(product, a.copy(), b).updates == ()
    for _ in range(3):
        given = a.copy()
        assert product(given, b) is given
        np.testing.assert_allclose(given, a @ b)


def test_gradients_with_names_and_static_arguments() -> None:
    def loss(w: Any, x: Any, power: int) -> Any:
        return np.sum((w * x) ** power)

    slope = ad.grad(loss, donate="w", static_argnames="power")
    both = ad.value_and_grad(loss, donate="w", static_argnames="power")
    w, x = arrays(2)
    for _ in range(3):
        for given in (w.copy(), w.copy()):
            assert slope(given, x=x, power=2) is given
            np.testing.assert_allclose(given, 2 * w * x * x)
        given = w.copy()
        value, gradient = both(given, x, 2)
        assert gradient is given
        np.testing.assert_allclose(value, np.sum((w * x) ** 2))


FIXED = np.ones(7)
FIXED.flags.writeable = False


@pytest.mark.filterwarnings("ignore::mlirad.DonationWarning")
@pytest.mark.parametrize(
    "given",
    [FIXED, np.ones(14)[::2], np.ones(7, np.int8), np.ones(7, np.float32), 1.0, np.float64(1.0)],
    ids=["read-only", "strided", "int8", "float32", "float", "scalar"],
)
def test_arrays_that_cannot_hold_the_result_stay_as_they_are_or_get_it(given: Any) -> None:
    f = ad.jit(lambda x: x * 2.0 + 1.0, donate="x")
    before = np.array(given)
    for _ in range(3):
        passed = given if isinstance(given, float) or not given.flags.writeable else np.array(before)
        if isinstance(given, np.ndarray) and not given.flags.c_contiguous:
            passed = np.repeat(before, 2)[::2]
        result = f(passed)
        np.testing.assert_array_equal(result, before * 2.0 + 1.0)
        assert result is passed or np.array_equal(passed, before)


@pytest.mark.parametrize("strides", [(0, 8), (8, 0), (8, 8), (0, 0), (24, 4)])
def test_an_array_whose_elements_share_memory_is_not_written(strides: tuple[int, int]) -> None:
    """As `np.broadcast_arrays` makes them."""
    f = ad.jit(lambda x, y: x + y, donate="x")
    y = np.arange(6.0).reshape(2, 3)
    for _ in range(3):
        x = as_strided(np.arange(1.0, 10.0), (2, 3), strides)
        expected, before = x + y, x.copy()
        np.testing.assert_array_equal(f(x, y), expected)
        np.testing.assert_array_equal(x, before)


def test_one_array_in_several_arguments_is_read_before_it_is_written() -> None:
    f = ad.jit(lambda a, b: (a - 2 * b, a * b), donate=("a", "b"))
    for _ in range(3):
        (x,) = arrays(1)
        results = f(x, x)
        for found, expected in zip(results, (-arrays(1)[0], arrays(1)[0] ** 2), strict=True):
            np.testing.assert_allclose(found, expected)
        long = np.arange(10.0)
        results = f(long[:7], long[3:])
        a, b = np.arange(7.0), np.arange(3.0, 10.0)
        np.testing.assert_allclose(results[0], a - 2 * b)
        np.testing.assert_allclose(results[1], a * b)


def test_arguments_can_be_returned_in_each_others_memory() -> None:
    swap = ad.jit(lambda a, b: (b, a), donate=(0, 1))
    for _ in range(3):
        a, b = arrays(2)
        c, d = swap(a.copy(), b.copy())
        np.testing.assert_array_equal((c, d), (b, a))


def test_interpreted_programs_leave_arguments_alone() -> None:
    f = ad.jit(lambda x: x + 1, donate="x", interpret=True)
    x = np.zeros(3)
    np.testing.assert_array_equal(f(x), 1.0)
    np.testing.assert_array_equal(x, 0.0)


@pytest.mark.parametrize(
    ("donate", "says"),
    [
        ("z", "f has no parameter 'z' that could be donated"),
        (2, "f has no parameter 2 that could be donated"),
        (-3, "f has no parameter -3 that could be donated"),
        (True, "f has no parameter True that could be donated"),
        ("n", "both static and donated"),
    ],
)
def test_mistakes(donate: Any, says: str) -> None:
    def f(x: Any, n: int) -> Any:
        return x * n

    with pytest.raises(ad.ArgumentError, match=says) as raised:
        ad.jit(f, static_argnames="n", donate=donate)
    assert raised.value.location is not None and raised.value.location.startswith(__file__)


MADE: list[Callable[[Any, Any, int], Any]] = [
    lambda x, y, _: x + 0.5 * y,
    lambda x, y, _: x * np.sin(y),
    lambda x, y, _: x[::-1] - y,
    lambda x, y, _: np.concatenate([x[1:], y[:1]]),
    lambda x, y, _: np.cumsum(x) * 0.1 - y,
    lambda x, y, _: np.where(x > y, x, 0.5),
    lambda x, y, _: np.outer(x, y) @ y * 0.1,
    lambda x, y, k: x.at[k].add(y[k]),
    lambda x, y, k: ad.fori_loop(0, 3, lambda i, c: c * 0.9 + y[i + k], x),
    lambda x, y, _: ad.cond(np.sum(x) > 1, lambda a, b: a * b, lambda a, b: a - b, x, y),
    lambda x, y, _: x - np.max(y),
]


def random_step(seed: int) -> Callable[..., Any]:
    """A function from three vectors to three: sums, moves, products, updates, loops and branches of them."""

    def step(*state: Any) -> Any:
        rng = random.Random(seed)
        values = list(state)
        for _ in range(rng.randrange(1, 6)):
            made = rng.choice(MADE)(rng.choice(values), rng.choice(values), rng.randrange(3))
            values[rng.randrange(3)] = made
        return tuple(values)

    return step


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_compute_the_same_in_place(seed: int) -> None:
    """Every plan is sound by the independent check, and runs under guard like the interpreter."""
    given = arrays(3, seed=seed)
    module = ad.trace(random_step(seed), *given)
    expected = run_function(module, given)
    compiled = compile_module(module.clone(), Options(donated=(0, 1, 2)), address_checks=True)
    verify_plan(compiled.entry)
    run = NativeFunction(compiled.program, debug=True, donated=(0, 1, 2))
    fast = NativeFunction(compile_module(module, Options(donated=(0, 1, 2))).program, donated=(0, 1, 2))
    for results in (run(*(a.copy() for a in given)), fast.entry(*(a.copy() for a in given))):
        for found, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_what_fits_no_result_gives_a_warning_once_a_compile() -> None:
    total = ad.jit(lambda state: np.sum(state["w"]) * state["n"], donate="state")
    state = {"w": np.ones((2, 3)), "n": 2}
    with pytest.warns(
        ad.DonationWarning, match=r"fits the memory of what is donated: .*w.*: float64\[2, 3\]"
    ) as caught:
        total(state)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        total(state)
        grown = ad.jit(lambda state: {"w": 2 * state["w"], "n": state["n"]}, donate="state")
        grown(state)
        ad.jit(lambda x: np.sum(x), donate="x", interpret=True)(np.ones(3))
