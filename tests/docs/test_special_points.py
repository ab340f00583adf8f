"""Every convention of the table of special points holds: compiled and interpreted, in both modes.

The figures are written out here, as the table itself is written by running the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
    ("scipy.special.xlogy(x, y)", (0, 0), 0, (0, 0)),
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


def test_a_maximum_of_nothing_is_an_error():
    with pytest.raises(ad.ShapeError):
        ad.grad(lambda x: np.max(x[:0]))(np.ones(1))
