"""Every convention of the table of special points holds: compiled and interpreted, in both modes.

The figures are written out here, as the table itself is written by running the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import xlog1py, xlogy

import mlirad as ad
from docs.special_points import POINTS, Point

INF, NAN = np.inf, np.nan

EXPECTED: list[tuple[str, tuple[Any, ...], float, tuple[Any, ...]]] = [
    ("abs(x)", (0,), 0, (0,)),
    ("np.sign(x)", (0,), 0, (0,)),
    ("np.floor(x)", (2,), 2, (0,)),
    ("x % y", (7, 2), 1, (1, -3)),
    ("np.copysign(x, y)", (0, 1), 0, (0, 0)),
    ("np.maximum(x, y)", (1, 1), 1, (0.5, 0.5)),
    ("np.maximum(x, 0.0)", (0,), 0, (0.5,)),
    ("np.where(x > 0, x, 0.0)", (0,), 0, (0,)),
    ("np.clip(x, 0.0, 1.0)", (1,), 1, (0.5,)),
    ("np.max(x)", ([1, 3, 3],), 3, ([0, 0.5, 0.5],)),
    ("np.sqrt(x)", (0,), 0, (INF,)),
    ("np.log(x)", (0,), -INF, (INF,)),
    ("1 / x", (0,), INF, (-INF,)),
    ("np.cbrt(x)", (0,), 0, (INF,)),
    ("np.arccos(x)", (1,), 0, (-INF,)),
    ("np.log(x)", (-1,), NAN, (-1,)),
    ("np.sqrt(x)", (-1,), NAN, (NAN,)),
    ("np.where(x > 0, np.sqrt(x), 0.0)", (0,), 0, (0,)),
    ("np.where(x > 0, np.log(x), x)", (-1,), -1, (1,)),
    ("0.0 * np.sqrt(x)", (0,), 0, (0,)),
    ("np.sqrt(x * x)", (0,), 0, (0,)),
    ("np.sqrt(np.sum(x * x))", ([0, 0],), 0, ([0, 0],)),
    ("np.linalg.norm(x)", ([0, 0],), 0, ([0, 0],)),
    ("np.hypot(x, y)", (0, 0), 0, (0, 0)),
    ("np.arctan2(x, y)", (0, 0), 0, (0, 0)),
    ("x ** 2", (0,), 0, (0,)),
    ("x ** y", (0, 0), 1, (0, 0)),
    ("x ** y", (0, 1), 0, (1, 0)),
    ("x ** y", (0, 2), 0, (0, 0)),
    ("x ** y", (-2, 3), -8, (12, NAN)),
    ("x ** 0.5", (0,), 0, (INF,)),
    ("np.prod(x)", ([2, 0, 3],), 0, ([0, 6, 0],)),
    ("np.prod(x)", ([0, 0, 3],), 0, ([0, 0, 0],)),
    ("np.cumprod(x)[-1]", ([2, 0, 3],), 0, ([0, 6, 0],)),
    ("np.sum(x[:0])", ([1],), 0, ([0],)),
    ("np.prod(x[:0])", ([1],), 1, ([0],)),
    ("np.max(x[:0], initial=2.0)", ([1],), 2, ([0],)),
    ("np.std(x)", ([1, 1],), 0, ([0, 0],)),
    ("np.linalg.norm(x, 3)", ([0, 0],), 0, ([0, 0],)),
    ("np.sort(x) @ A([1.0, 2.0])", ([3, 3],), 9, ([1, 2],)),
    ("np.median(x)", ([4, 1, 2, 2],), 2, ([0, 0, 0.5, 0.5],)),
    ("np.logaddexp(x, y)", (-INF, 0), 0, (0, 1)),
    ("np.maximum(x, y)", (NAN, 1), NAN, (0, 0)),
    ("np.fmax(x, y)", (NAN, 1), 1, (0, 1)),
    ("scipy.special.xlogy(x, y)", (0, 0), 0, (-INF, 0)),
    ("scipy.special.xlogy(x, y)", (0, 2), 0, (np.log(2), 0)),
    ("scipy.special.xlog1py(x, y)", (0, 0.5), 0, (np.log1p(0.5), 0)),
    ("x / y", (0, 0), NAN, (INF, NAN)),
    ("x[ad.asarray(7)]", ([1, 2],), 0, ([0, 0],)),
    ("x.at[[0, 0]].set(v)[0]", ([1, 2], [3, 4]), 4, ([0, 0], [0, 1])),
]
PAIRS = list(zip(POINTS, EXPECTED, strict=True))


def label(pair: Any) -> str:
    return pair[0].text if isinstance(pair, tuple) else str(pair)


def agree(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(actual, float), np.asarray(expected, float), rtol=1e-14, atol=0)


def slopes(point: Point, k: int, interpret: bool) -> list[float]:
    """The gradient by argument k, one direction after the other, by forward mode."""
    size = max(np.size(point.arguments[k]), 1)
    found: list[float] = []
    for direction in np.eye(size):
        tangents = [np.zeros(np.shape(a))[()] for a in point.arguments]
        tangents[k] = direction.reshape(np.shape(point.arguments[k]))[()]
        _, slope = ad.jvp(point.function, point.arguments, tuple(tangents), interpret=interpret)
        found.append(float(slope))
    return found


@pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("pair", PAIRS, ids=label)
def test_special_point(pair, interpret):
    point, (text, arguments, value, gradient) = pair
    assert point.text == text
    for given, stated in zip(point.arguments, arguments, strict=True):
        agree(given, stated)
    count = len(arguments)
    found, parts = ad.value_and_grad(point.function, argnums=tuple(range(count)), interpret=interpret)(
        *point.arguments
    )
    agree(found, value)
    for k, (part, stated) in enumerate(zip(parts, gradient, strict=True)):
        agree(part, stated)
        agree(slopes(point, k, interpret), np.ravel(stated))


# Second derivatives ----------------------------------------------------------------------------------

LOG2 = np.log(2)
TWICE: dict[str, tuple[Any, tuple[float, float], Any]] = {
    # name: function of x and y, the point, the Hessian by definition (one-sided where there is one side only)
    "xlogy": (xlogy, (0, 2), ((0, 0.5), (0.5, 0))),
    "xlogy elsewhere": (xlogy, (3, 2), ((0, 0.5), (0.5, -0.75))),
    "xlogy where the logarithm is 0": (xlogy, (0, 1), ((0, 1), (1, 0))),
    "xlog1py": (xlog1py, (0, -0.5), ((0, 2), (2, 0))),
    "power, y = 0": (lambda x, y: x**y, (0.5, 0), ((0, 2), (2, LOG2**2))),
    "float_power, y = 0": (np.float_power, (2, 0), ((0, 0.5), (0.5, LOG2**2))),
    "power, x = 1, y = 0": (lambda x, y: x**y, (1, 0), ((0, 1), (1, 0))),
    "power, x = 0, y = 2": (lambda x, y: x**y, (0, 2), ((2, 0), (0, 0))),
    "power, x = 0, y = 3/2": (lambda x, y: x**y, (0, 1.5), ((INF, 0), (0, 0))),
    "power, x = 0, y = 1": (lambda x, y: x**y, (0, 1), ((0, -INF), (-INF, 0))),
    "the origin": (lambda x, y: x**y, (0, 0), ((0, 0), (0, 0))),
    "power of a negative number": (lambda x, y: x**2.0 + y, (-2, 0), ((2, 0), (0, 0))),
    "product": (lambda x, y: np.prod(np.stack([x, y, 3.0])), (0, 0), ((0, 3), (3, 0))),
    "running product": (lambda x, y: np.cumprod(np.stack([x, 3.0, y]))[-1], (0, 0), ((0, 3), (3, 0))),
    "overflow not taken": (lambda x, y: 2 * np.where(x > 0, x * y, np.exp(x)), (800, 1), ((0, 2), (2, 0))),
    "pole not taken": (
        lambda x, y: 3 * np.where(x > 1, np.sqrt(x - 1) * np.log(x - 1), y * x) ** 2,
        (1, 3),
        ((54, 36), (36, 6)),
    ),
    "NaN not taken": (lambda x, y: y * np.where(x > 0, np.log(x) ** 3, x * x), (-1, 2), ((4, -2), (-2, 0))),
    "a pole behind a function": (
        lambda x, y: np.exp(2 * np.where(x > 1, y, np.log(x) * np.exp(1e3 * x))),
        (2, 0),
        ((0, 0), (0, 4)),
    ),
    "square root": (lambda x, y: np.sqrt(x) + y, (0, 0), ((-INF, 0), (0, 0))),
    "arc sine": (lambda x, y: np.arcsin(x) * y, (0, 1), ((0, 1), (1, 0))),
    "reciprocal": (lambda x, y: 1 / x + y, (0, 0), ((INF, 0), (0, 0))),
    "hypot": (np.hypot, (0, 2), ((0.5, 0), (0, 0))),
    "arctan2": (np.arctan2, (2, 0), ((0, 0.25), (0.25, 0))),
    "logaddexp": (np.logaddexp, (1, 1), ((0.25, -0.25), (-0.25, 0.25))),
    "logaddexp of minus infinity": (np.logaddexp, (-INF, 0), ((0, 0), (0, 0))),
    "softplus": (lambda x, y: np.logaddexp(x, 0.0) * y, (800, 1), ((0, 1), (1, 0))),
    "abs": (lambda x, y: abs(x) * y, (0, 2), ((0, 0), (0, 0))),
}


@pytest.mark.parametrize(
    ("outer", "inner", "options"),
    [
        (ad.jacfwd, ad.grad, {}),
        (ad.jacrev, ad.grad, {"interpret": True}),
        (ad.jacfwd, ad.jacfwd, {"method": "jacobian"}),
        (ad.jacrev, ad.jacfwd, {"method": "jacobian", "interpret": True}),
    ],
    ids=["forward over reverse", "reverse over reverse", "forward over forward", "reverse over forward"],
)
@pytest.mark.parametrize("half", [0, 1])
def test_second_derivatives(outer, inner, options, half):
    """Every second point at once, so a pole of one must not reach the derivatives of another."""
    cases = dict(list(TWICE.items())[half::2])
    points = np.array([point for _, point, _ in cases.values()], float)

    def total(v):
        return sum(f(v[k, 0], v[k, 1]) for k, (f, _, _) in enumerate(cases.values()))

    with np.errstate(all="ignore"):
        found = outer(inner(total), **options)(points)
    for k, (name, (_, _, hessian)) in enumerate(cases.items()):
        block = found[k, :, k, :]
        np.testing.assert_allclose(block, hessian, rtol=1e-13, atol=1e-13, err_msg=name)
        others = np.delete(found[k], k, axis=1)
        np.testing.assert_array_equal(others, np.zeros_like(others), err_msg=name)


@pytest.mark.parametrize("name", ["xlogy", "xlog1py", "power, y = 0", "power, x = 1, y = 0"])
def test_second_derivatives_around_special_points(name):
    """Against mpmath, in steps across the point."""
    mpmath = pytest.importorskip("mpmath")
    f, (x, y), _ = TWICE[name]
    exact = {
        "xlogy": lambda x, y: x * mpmath.log(y),
        "xlog1py": lambda x, y: x * mpmath.log1p(y),
    }.get(name, lambda x, y: mpmath.power(x, y))
    steps = np.array([0.0, 1e-300, -1e-12, 1e-6, 0.1])
    points = np.stack([np.stack([x + dx, y + dy]) for dx in steps for dy in steps])
    found = ad.vmap(ad.hessian(lambda v: f(v[0], v[1])))(points)
    with mpmath.workdps(60):
        for point, hessian in zip(points, found, strict=True):
            given = tuple(mpmath.mpf(float(p)) for p in point)
            for i in range(2):
                for j in range(2):
                    orders = tuple(int(i == k) + int(j == k) for k in range(2))
                    right = float(mpmath.diff(exact, given, orders))
                    assert hessian[i, j] == pytest.approx(right, rel=1e-9, abs=1e-12), (point, i, j)


def test_a_maximum_of_nothing_is_an_error():
    with pytest.raises(ad.ShapeError):
        ad.grad(lambda x: np.max(x[:0]))(np.ones(1))
