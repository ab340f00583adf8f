"""Values of one of several types, each program beside the same one written with tags and branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import mlirad as ad
from mlirad.pipeline_options import METHODS

Function = Callable[..., Any]


@dataclass
class Circle:
    r: Any


@dataclass
class Box:
    a: Any
    b: Any


class Node(NamedTuple):
    value: Any
    rest: Any


Shape = ad.sum_of(Circle(0.0), Box(0.0, 0.0))
Signal = ad.sum_of(np.zeros(3), {"level": 0.0, "count": 0}, None)


def area(shape: Any) -> Any:
    return ad.case(shape, lambda c: np.pi * c.r**2, lambda b: b.a * b.b)


def of_dataclasses(x: Any, v: Any) -> Any:
    s = ad.cond(x > 0, lambda: Shape(Circle(x)), lambda: Shape(Box(v[0], x)))
    grown = ad.case(s, lambda c: Shape(Circle(c.r * v[1])), lambda b: Shape(Circle(b.a + b.b)))
    return area(s) + area(grown) * area(Shape(Box(2, x)))


def of_dataclasses_by_hand(x: Any, v: Any) -> Any:
    first = ad.cond(x > 0, lambda: np.pi * x**2, lambda: v[0] * x)
    radius = ad.cond(x > 0, lambda: x * v[1], lambda: v[0] + x)
    return first + np.pi * radius**2 * 2 * x


def of_structures(x: Any, v: Any) -> Any:
    def measured(s: Any) -> Any:
        return ad.case(s, lambda a: a @ v, lambda d: d["level"] * d["count"], lambda _: x)

    number = np.floor(v[0]).astype(np.int64) + 1
    s = ad.switch(
        number, [lambda: Signal(x * v), lambda: Signal({"level": x, "count": 2}), lambda: Signal(None)]
    )
    return measured(s) + measured(Signal(None))


def of_structures_by_hand(x: Any, v: Any) -> Any:
    number = np.floor(v[0]).astype(np.int64) + 1
    return ad.switch(number, [lambda: (x * v) @ v, lambda: x * 2, lambda: x]) + x


def in_carries(x: Any, v: Any) -> Any:
    """A value that stays a number until it is first negative, and is a vector from then on."""

    def step(s: Any, w: Any) -> Any:
        return ad.case(
            s,
            lambda y: ad.cond(y + w < 0, lambda: ad.right(v * y, 0.0), lambda: ad.left(y + w, v)),
            lambda u: ad.right(np.sin(u * w), 0.0),
        )

    return ad.case(ad.fold(step, ad.left(x, v), v), lambda y: y * y, lambda u: np.sum(u * v))


def in_carries_by_hand(x: Any, v: Any) -> Any:
    def step(carry: Any, w: Any) -> Any:
        is_vector, y, u = carry

        def grown() -> Any:
            return ad.cond(y + w < 0, lambda: (ad.asarray(True), y, v * y), lambda: (is_vector, y + w, u))

        return ad.cond(is_vector, lambda: (is_vector, y, np.sin(u * w)), grown)

    is_vector, y, u = ad.fold(step, (ad.asarray(False), x, np.zeros(3)), v)
    return ad.cond(is_vector, lambda: np.sum(u * v), lambda: y * y)


def of_closures(x: Any, v: Any) -> Any:
    model = ad.sum_of(0.0, ad.lambda_(lambda z: z), (ad.lambda_(lambda a, b: a * b), 0.0))
    number = np.floor(v[0]).astype(np.int64) + 1
    s = ad.switch(
        number,
        [
            lambda: model(x),
            lambda: model(1, ad.lambda_(lambda z: np.sin(z * x))),
            lambda: model((ad.lambda_(lambda a, b: a + b * x), v[1])),
        ],
    )

    def run(s: Any, z: Any) -> Any:
        return ad.case(s, lambda y: y * z, lambda f: f(z), lambda pair: pair[0](z, pair[1]))

    return ad.fold(lambda c, w: run(s, c) + w, x, v) + run(model(v[2]), x)


def of_closures_by_hand(x: Any, v: Any) -> Any:
    number = np.floor(v[0]).astype(np.int64) + 1

    def run(z: Any) -> Any:
        return ad.switch(number, [lambda: x * z, lambda: np.sin(z * x), lambda: z + v[1] * x])

    return ad.fold(lambda c, w: run(c) + w, x, v) + v[2] * x


def of_functions(x: Any, v: Any) -> Any:
    """Sums given to, and returned by, functions of the program and closures; branches may inject alike."""
    swap = ad.function(lambda s: ad.case(s, lambda a: ad.right(a, 0.0), lambda b: ad.left(b, 0.0)))
    scale = ad.lambda_(lambda s: ad.case(s, lambda a: a * x, lambda b: b - x))
    s = ad.cond(x > 0, lambda: ad.left(v[0], 0.0), lambda: ad.left(v[1], 0.0))
    return scale(swap(s)) * scale(s)


def of_functions_by_hand(x: Any, v: Any) -> Any:
    y = ad.cond(x > 0, lambda: v[0], lambda: v[1])
    return (y - x) * (y * x)


PROGRAMS: dict[str, tuple[Function, Function]] = {
    f.__name__.replace("_", "-"): (f, by_hand)
    for f, by_hand in (
        (of_dataclasses, of_dataclasses_by_hand),
        (of_structures, of_structures_by_hand),
        (in_carries, in_carries_by_hand),
        (of_closures, of_closures_by_hand),
        (of_functions, of_functions_by_hand),
    )
}
POINTS = [
    (0.6, np.array([0.8, -0.5, 1.3])),
    (-0.4, np.array([-0.2, 0.7, 0.9])),
    (0.9, np.array([-1.2, 0.3, 1])),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_and_derivatives(program: str) -> None:
    f, by_hand = PROGRAMS[program]
    plain = ad.value_and_grad(by_hand, argnums=(0, 1), interpret=True)
    compiled = ad.value_and_grad(f, argnums=(0, 1))
    interpreted = [ad.value_and_grad(f, argnums=(0, 1), interpret=True, method=m) for m in METHODS[1:]]
    for point in POINTS:
        value, slopes = plain(*point)
        for transformed in (compiled, *interpreted):
            found, found_slopes = transformed(*point)
            np.testing.assert_allclose(found, value, rtol=1e-12)
            for slope, expected in zip(found_slopes, slopes, strict=True):
                np.testing.assert_allclose(slope, expected, rtol=1e-10, atol=1e-12)
        tangents = (0.7, np.array([0.1, -0.3, 0.2]))
        along = ad.jvp(f, point, tangents, interpret=True)[1]
        assert abs(along - 0.7 * slopes[0] - tangents[1] @ slopes[1]) < 1e-10


def test_only_the_arm_of_the_alternative_runs(capfd: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        def told(y: Any) -> Any:
            ad.debug_print("a circle of radius {}", y.r)
            return y.r

        s = ad.cond(x > 0, lambda: Shape(Circle(x)), lambda: Shape(Box(x, x)))
        return ad.case(s, told, lambda b: b.a)

    compiled = ad.jit(f)
    assert (compiled(-2.0), compiled(3.0)) == (-2, 3)
    assert capfd.readouterr().out == "a circle of radius 3.0\n"


def test_a_recursive_function_ends_in_an_arm() -> None:
    @ad.function
    def descend(s: Any, x: Any) -> Any:
        def deeper(n: Any) -> Any:
            return x * descend(ad.cond(n > 0, lambda: ad.left(n - 1, 0.0), lambda: ad.right(x, 0)), x)

        return ad.case(s, deeper, lambda y: y)

    f = ad.value_and_grad(lambda x: descend(ad.left(2, 0.0), x))
    np.testing.assert_allclose(f(1.5), (1.5**4, 4 * 1.5**3))


def test_the_alternative_of_a_number_is_the_one_of_its_dtype() -> None:
    number = ad.sum_of(0, 0.0)

    def f(x: Any) -> Any:
        which = [
            ad.case(number(y), lambda n: 0 * n, lambda y: 0 * y.astype(np.int64) + 1) for y in (1, 1.0, x)
        ]
        only_float = ad.sum_of(np.zeros(2), 0.0)
        return *which, ad.case(only_float(1), np.sum, lambda y: y)

    assert ad.jit(f)(np.float64(2)) == (0, 1, 1, 1.0)
