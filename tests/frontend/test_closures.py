"""Functions as values: everywhere that values go, each program beside the same one written without them.

Value, both modes, all methods and second derivatives are those of the program by hand, which are checked by
finite differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import mlirad as ad
from mlirad.pipeline_options import METHODS, SPECIFICATIONS

Function = Callable[..., Any]

WEIGHTS = np.array([0.3, -0.7, 1.1])


class Pair(NamedTuple):
    """A function and a number."""

    f: Any
    x: Any


@dataclass
class Model:
    """A function in a dataclass."""

    f: Any
    scale: Any


# The programs, as (with closures, by hand); each is a function of a scalar and a vector ----------


def called(x: Any, v: Any) -> Any:
    f = ad.lambda_(lambda z: x * z, v)
    return np.sum(f(v)) + np.sum(f(2 * v))


def called_by_hand(x: Any, v: Any) -> Any:
    return np.sum(x * v) + np.sum(x * (2 * v))


def several_types(x: Any, v: Any) -> Any:
    f = ad.lambda_(lambda z: np.sin(z * x))
    return np.sum(f(v)) + f(x) + f(2)


def several_types_by_hand(x: Any, v: Any) -> Any:
    return np.sum(np.sin(v * x)) + np.sin(x * x) + np.sin(2 * x)


def curried(x: Any, v: Any) -> Any:
    f = ad.lambda_(lambda a: ad.lambda_(lambda b: ad.lambda_(lambda c: a * b + c * x)))
    return f(x)(v[0])(v[1]) * f(v[2])(x)(x)


def curried_by_hand(x: Any, v: Any) -> Any:
    return (x * v[0] + v[1] * x) * (v[2] * x + x * x)


def chosen(x: Any, v: Any) -> Any:
    f = ad.cond(x > 0, lambda: ad.lambda_(lambda z: z * v), lambda: ad.lambda_(lambda z: np.sin(z) + v))
    return np.sum(f(x)) + f(v[0])[1]


def chosen_by_hand(x: Any, v: Any) -> Any:
    def f(z: Any) -> Any:
        return ad.cond(x > 0, lambda: z * v, lambda: np.sin(z) + v)

    return np.sum(f(x)) + f(v[0])[1]


def switched(x: Any, v: Any) -> Any:
    number = np.floor(v[0]).astype(np.int64)
    f = ad.switch(number, [lambda: ad.lambda_(np.sin), lambda: ad.lambda_(lambda z: z * x)])
    g = ad.switch(number + 2, [lambda: f, lambda: ad.lambda_(lambda z: z - v[1], 0.0), lambda: f])
    return g(f(x)) * v[1]


def switched_by_hand(x: Any, v: Any) -> Any:
    number = np.floor(v[0]).astype(np.int64)

    def f(z: Any) -> Any:
        return ad.switch(number, [lambda: np.sin(z), lambda: z * x])

    return ad.switch(number + 2, [lambda: f(f(x)), lambda: f(x) - v[1], lambda: f(f(x))]) * v[1]


def structured(x: Any, v: Any) -> Any:
    made = {
        "pair": Pair(ad.lambda_(lambda z: z * x, 0.0), x),
        "models": [Model(ad.lambda_(np.sin, 0.0), 2.0)],
    }
    made = ad.cond(x > 0, lambda: made, lambda: made)
    return made["pair"].f(made["pair"].x) + made["models"][0].f(x) * made["models"][0].scale + v[0]


def structured_by_hand(x: Any, v: Any) -> Any:
    return x * x + np.sin(x) * 2.0 + v[0]


def carried_by_scan(x: Any, v: Any) -> Any:
    def step(carry: Any, w: Any) -> Any:
        f, total = carry
        total = total + f(w)
        return (ad.cond(w > 0, lambda: f, lambda: ad.lambda_(lambda z: z * total)), total), total

    (f, total), totals = ad.scan(step, (ad.lambda_(lambda z: np.sin(z * x)), 0.0), v)
    return f(total) + np.sum(totals)


def carried_by_scan_by_hand(x: Any, v: Any) -> Any:
    def of(tag: Any, factor: Any, z: Any) -> Any:
        return ad.cond(tag, lambda: np.sin(z * x), lambda: z * factor)

    def step(carry: Any, w: Any) -> Any:
        tag, factor, total = carry
        total = total + of(tag, factor, w)
        tag, factor = ad.cond(w > 0, lambda: (tag, factor), lambda: (ad.asarray(False), total))
        return (tag, factor, total), total

    (tag, factor, total), totals = ad.scan(step, (ad.asarray(True), 0.0, 0.0), v)
    return of(tag, factor, total) + np.sum(totals)


def carried_by_while(x: Any, v: Any) -> Any:
    def more(carry: Any) -> Any:
        return carry[0] < 3

    def step(carry: Any) -> Any:
        i, f, y = carry
        y = f(y) + v[i]
        return i + 1, ad.lambda_(lambda z: z * y, 0.0), y

    _, f, y = ad.while_loop(more, step, (np.int64(0), ad.lambda_(lambda z: z * x, 0.0), x))
    return f(y)


def carried_by_while_by_hand(x: Any, v: Any) -> Any:
    def step(carry: Any) -> Any:
        i, factor, y = carry
        y = factor * y + v[i]
        return i + 1, y, y

    _, factor, y = ad.while_loop(lambda c: c[0] < 3, step, (np.int64(0), x, x))
    return factor * y


def carried_by_fori(x: Any, v: Any) -> Any:
    f = ad.fori_loop(0, 3, lambda i, f: ad.lambda_(lambda z: z * x + v[i]), ad.lambda_(np.sin))
    return f(v[0])


def carried_by_fori_by_hand(x: Any, v: Any) -> Any:
    return v[0] * x + v[2]


@ad.function
def twice(f: Any, z: Any) -> Any:
    return f(f(z))


def argument_of_function(x: Any, v: Any) -> Any:
    f = ad.lambda_(lambda z: np.sin(z * x))
    return twice(f, x) + twice(ad.lambda_(lambda z: z * v[0]), x) * twice(f, v[1])


def argument_of_function_by_hand(x: Any, v: Any) -> Any:
    def f(z: Any) -> Any:
        return np.sin(z * x)

    return f(f(x)) + x * v[0] * v[0] * f(f(v[1]))


@ad.function
def scaled(a: Any) -> Any:
    return ad.lambda_(lambda z: z * a)


def returned_by_function(x: Any, v: Any) -> Any:
    f = ad.cond(v[0] > 0, lambda: scaled(x), lambda: scaled(v[1]))
    return f(v[2]) * scaled(v[0])(x)


def returned_by_function_by_hand(x: Any, v: Any) -> Any:
    return np.where(v[0] > 0, x, v[1]) * v[2] * x * v[0]


@ad.function
def power(x: Any, n: Any) -> Any:
    return ad.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))


def partial_of_recursion(x: Any, v: Any) -> Any:
    f = ad.cond(v[0] > 0, lambda: ad.lambda_(power), lambda: ad.lambda_(lambda a, n: a * v[0]))
    return f(x, 3) + f(v[1], 2)


def partial_of_recursion_by_hand(x: Any, v: Any) -> Any:
    return ad.cond(v[0] > 0, lambda: x**3 + v[1] ** 2, lambda: (x + v[1]) * v[0])


def recursion_over_a_closure(x: Any, v: Any) -> Any:
    @ad.function
    def iterated(f: Any, z: Any, n: Any) -> Any:
        return ad.cond(n == 0, lambda: z, lambda: iterated(f, f(z), n - 1))

    return iterated(ad.lambda_(lambda z: np.sin(z * x) + v[0]), v[1], 3)


def recursion_over_a_closure_by_hand(x: Any, v: Any) -> Any:
    return ad.fori_loop(0, 3, lambda i, z: np.sin(z * x) + v[0], v[1])


def inside_constructs(x: Any, v: Any) -> Any:
    f = ad.cond(x > 0, lambda: ad.lambda_(lambda z: z * x), lambda: ad.lambda_(np.cos))
    built = ad.build(3, lambda i: f(v[i]) * ad.lambda_(lambda z: z + v[i])(x))
    batch = ad.vmap(lambda g, w: g(w), in_axes=(None, 0))(f, ad.map(f, v))
    return np.sum(built) + np.sum(batch * WEIGHTS) + ad.fold(lambda c, w: f(c) + w, x, v)


def inside_constructs_by_hand(x: Any, v: Any) -> Any:
    def f(z: Any) -> Any:
        return ad.cond(x > 0, lambda: z * x, lambda: np.cos(z))

    built = ad.build(3, lambda i: f(v[i]) * (x + v[i]))
    batch = ad.map(lambda z: f(f(z)), v)
    return np.sum(built) + np.sum(batch * WEIGHTS) + ad.fold(lambda c, w: f(c) + w, x, v)


def differentiated(x: Any, v: Any) -> Any:
    f = ad.cond(v[0] > 0, lambda: ad.lambda_(lambda z: np.sin(z * x)), lambda: ad.lambda_(lambda z: z**3 * x))
    g = ad.lambda_(lambda z: ad.grad(f)(z) * z, 0.0)
    return g(x) + ad.grad(g)(v[2]) * x


def differentiated_by_hand(x: Any, v: Any) -> Any:
    def f(z: Any) -> Any:
        return ad.cond(v[0] > 0, lambda: np.sin(z * x), lambda: z**3 * x)

    def g(z: Any) -> Any:
        return ad.grad(f)(z) * z

    return g(x) + ad.grad(g)(v[2]) * x


def recursion_in_closures(x: Any, v: Any) -> Any:
    @ad.function
    def branching(n: Any, z: Any) -> Any:
        def deeper() -> Any:
            scaled = ad.lambda_(lambda f: f(z) * x)
            again = ad.lambda_(lambda y: branching(n - 1, y))
            return scaled(again) + scaled(ad.lambda_(lambda y: branching(n - 1, y * v[0])))

        return ad.cond(n == 0, lambda: z, deeper)

    return branching(2, v[1])


def recursion_in_closures_by_hand(x: Any, v: Any) -> Any:
    return (1 + v[0]) ** 2 * x**2 * v[1]


def of_functions(x: Any, v: Any) -> Any:
    compose = ad.lambda_(lambda f, g: ad.lambda_(lambda z: f(g(z))))
    double = ad.lambda_(lambda f: ad.lambda_(lambda z: f(f(z))))
    f = compose(ad.lambda_(np.sin), ad.lambda_(lambda z: z * x))
    return double(double(f))(v[0]) + compose(f, double(f))(v[1])


def of_functions_by_hand(x: Any, v: Any) -> Any:
    def f(z: Any) -> Any:
        return np.sin(z * x)

    return f(f(f(f(v[0])))) + f(f(f(v[1])))


PROGRAMS: dict[str, tuple[Function, Function]] = {
    f.__name__.replace("_", "-"): (f, by_hand)
    for f, by_hand in (
        (called, called_by_hand),
        (several_types, several_types_by_hand),
        (curried, curried_by_hand),
        (chosen, chosen_by_hand),
        (switched, switched_by_hand),
        (structured, structured_by_hand),
        (carried_by_scan, carried_by_scan_by_hand),
        (carried_by_while, carried_by_while_by_hand),
        (carried_by_fori, carried_by_fori_by_hand),
        (argument_of_function, argument_of_function_by_hand),
        (returned_by_function, returned_by_function_by_hand),
        (partial_of_recursion, partial_of_recursion_by_hand),
        (recursion_over_a_closure, recursion_over_a_closure_by_hand),
        (recursion_in_closures, recursion_in_closures_by_hand),
        (inside_constructs, inside_constructs_by_hand),
        (differentiated, differentiated_by_hand),
        (of_functions, of_functions_by_hand),
    )
}
POINTS = [(0.6, np.array([0.8, -0.5, 1.3])), (-0.4, np.array([-1.2, 0.7, 0.9]))]
every_program = pytest.mark.parametrize("program", PROGRAMS)


def agree(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for x, y in zip(found, expected, strict=True):
            agree(x, y)
        return
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@every_program
def test_values_and_gradients(program: str) -> None:
    f, by_hand = PROGRAMS[program]
    plain = ad.value_and_grad(by_hand, argnums=(0, 1), interpret=True)
    compiled = ad.value_and_grad(f, argnums=(0, 1))
    interpreted = [ad.value_and_grad(f, argnums=(0, 1), interpret=True, method=m) for m in METHODS[1:]]
    value = ad.jit(by_hand, interpret=True)
    for x, v in POINTS:
        expected = plain(x, v)
        for transformed in (compiled, *interpreted):
            agree(transformed(x, v), expected)
        after, before = (value(x + h * 0.7, v + h * WEIGHTS) for h in (1e-6, -1e-6))
        slope = 0.7 * expected[1][0] + np.sum(WEIGHTS * expected[1][1])
        assert abs((after - before) / 2e-6 - slope) < 1e-6 * (1 + abs(slope))


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian"])
def test_tangents_inside(method: str) -> None:
    def f(x: Any, v: Any) -> Any:
        g = ad.cond(
            v[0] > 0, lambda: ad.lambda_(lambda z: np.sin(z * x)), lambda: ad.lambda_(lambda z: z**3 * x)
        )
        return ad.jvp(g, (v[1],), (x,))[1]

    found = ad.value_and_grad(f, argnums=(0, 1), interpret=True, method=method)(*POINTS[0])
    x, y = POINTS[0][0], POINTS[0][1][1]
    sine, cosine = np.sin(y * x), np.cos(y * x)
    slopes = 2 * x * cosine - x**2 * y * sine, np.array([0, -(x**3) * sine, 0])
    agree(found, (x**2 * cosine, slopes))


SECOND = ["chosen", "carried-by-scan", "argument-of-function", "partial-of-recursion", "of-functions"]


@pytest.mark.parametrize("program", SECOND)
def test_forward_and_second_derivatives(program: str) -> None:
    f, by_hand = PROGRAMS[program]
    tangents = (0.7, np.array([0.1, -0.3, 0.2]))
    for transform in (ad.jvp, ad.hvp):
        expected = transform(by_hand, POINTS[0], tangents, interpret=True)
        agree(transform(f, POINTS[0], tangents, interpret=True), expected)


@pytest.mark.parametrize("program", ["called", "several-types", "curried", "of-functions"])
def test_a_closure_that_is_inlined_costs_nothing(program: str) -> None:
    f, by_hand = PROGRAMS[program]
    with_closures, without = (ad.grad(g, argnums=(0, 1)).stats(*POINTS[0]) for g in (f, by_hand))
    assert with_closures.kernels == without.kernels
    assert with_closures.work == without.work


def test_a_python_scalar_promotes_as_without_closures() -> None:
    x = np.float32(1.5)
    f = ad.jit(lambda x: ad.lambda_(lambda z: z * 2)(3.0) * x)
    assert f(x).dtype == np.float32
    assert f(x) == 9


def test_reports_in_a_closure(capfd: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        def shown(z: Any) -> Any:
            ad.debug_print("z = {}", z)
            return z * x

        g = ad.cond(x > 0, lambda: ad.lambda_(shown), lambda: ad.lambda_(np.sin))
        return g(x) + g(2 * x)

    assert ad.jit(f)(3.0) == 27
    assert capfd.readouterr().out == "z = 3.0\nz = 6.0\n"


def test_a_closure_as_decorator_and_of_no_arguments() -> None:
    def f(x: Any) -> Any:
        @ad.lambda_
        def constant() -> Any:
            return x * x

        return ad.cond(x > 0, lambda: constant, lambda: ad.lambda_(lambda: 1.0))()

    assert ad.grad(f)(3.0) == 6


def test_functions_of_one_code_stay_one_function() -> None:
    def f(x: Any, v: Any) -> Any:
        g = ad.lambda_(lambda z: np.sin(z * x) * np.exp(z), 0.0)
        return sum(g(v[k]) for k in range(3))

    text = ad.jit(f).ir(*POINTS[0])
    assert text.count("function.lambda") == 1
    assert text.count("function.apply") == 3


def test_functions_that_hold_their_own_kind() -> None:
    def f(x: Any) -> Any:
        return ad.fori_loop(0, 3, lambda i, f: ad.lambda_(lambda z: f(z) * x), ad.lambda_(np.sin))(x)

    assert ad.jit(f, interpret=True)(2.0) == np.sin(2.0) * 8
    agree(ad.jit(f)(2.0), np.sin(2.0) * 8)
    for method in METHODS:
        agree(ad.grad(f, method=method)(2.0), 8 * np.cos(2.0) + 12 * np.sin(2.0))
    for method in SPECIFICATIONS:
        agree(ad.grad(f, method=method, interpret=True)(2.0), 8 * np.cos(2.0) + 12 * np.sin(2.0))


def test_continuations_over_an_array() -> None:
    def total(w: Any, x: Any) -> Any:
        @ad.function
        def go(i: Any, k: Any) -> Any:
            return ad.cond(
                i >= w.shape[0], lambda: k(x), lambda: go(i + 1, ad.lambda_(lambda r: k(r * w[i] + 1)))
            )

        return go(0, ad.lambda_(lambda r: r))

    w = np.linspace(0.5, 1.5, 7)

    def plain(i: int, k: Any) -> Any:
        return k(0.3) if i == 7 else plain(i + 1, lambda r: k(r * w[i] + 1))

    agree(ad.jit(total)(w, 0.3), plain(0, lambda r: r))


def test_a_compiled_function_takes_and_returns_closures_inside_another() -> None:
    compiled = ad.jit(lambda f, z: ad.lambda_(lambda w: f(w) * z))
    assert ad.jit(lambda x: compiled(ad.lambda_(np.square), x)(x))(3.0) == 27


def test_a_closure_has_copies_of_its_arguments() -> None:
    def f(v: Any) -> Any:
        def overwritten(z: Any) -> Any:
            z[0] = 5.0
            return np.sum(z)

        w = v * 2
        return ad.lambda_(overwritten)(w), w[0]

    assert ad.jit(f)(np.ones(2)) == (7, 2)


@pytest.mark.parametrize("method", METHODS)
def test_carried_closures_over_linear_maps(method: str) -> None:
    """No function takes a map when it is differentiated, also where the closure is not known."""

    def f(x: Any) -> Any:
        _, pushed = ad.linearize(lambda v: np.sin(v) * v, x)
        g = ad.cond(x[0] > 0, lambda: ad.lambda_(lambda z: pushed(z)), lambda: ad.lambda_(lambda z: 2 * z))
        return np.sum(ad.fori_loop(0, 3, lambda i, s: (s[1](s[0]), s[1]), (x, g))[0])

    def by_hand(x: Any) -> Any:
        return np.sum(ad.cond(x[0] > 0, lambda: x * (np.sin(x) + x * np.cos(x)) ** 3, lambda: 8 * x))

    for x in (np.array([1.0, 0.5]), np.array([-1.0, 0.5])):
        agree(ad.value_and_grad(f, method=method)(x), ad.value_and_grad(by_hand)(x))
