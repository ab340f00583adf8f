"""Results where a derivative does not exist, is infinite, or is hidden by arithmetic.

The table is written by differentiating each expression at its point, with the reference interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlog1py, xlogy

import mlirad as ad

INFINITY = np.inf
A = np.array


class Point(NamedTuple):
    """An expression as users write it, the function that it is, and its arguments."""

    text: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    why: str


POINTS = (
    Point("abs(x)", lambda x: abs(x), (0.0,), "between −1 and 1"),
    Point("np.sign(x)", np.sign, (0.0,), "constant beside the jump"),
    Point("np.floor(x)", np.floor, (2.0,), "likewise; also ceil, rint, trunc"),
    Point("x % y", lambda x, y: x % y, (7.0, 2.0), "y is taken 3 times"),
    Point("np.copysign(x, y)", np.copysign, (0.0, 1.0), "as abs"),
    Point("np.maximum(x, y)", np.maximum, (1.0, 1.0), "half to each; also minimum"),
    Point("np.maximum(x, 0.0)", lambda x: np.maximum(x, 0.0), (0.0,), "likewise"),
    Point("np.where(x > 0, x, 0.0)", lambda x: np.where(x > 0, x, 0.0), (0.0,), "the side that is taken"),
    Point("np.clip(x, 0.0, 1.0)", lambda x: np.clip(x, 0.0, 1.0), (1.0,), "maximum, then minimum"),
    Point("np.max(x)", np.max, (A([1.0, 3.0, 3.0]),), "equal shares for all that attain it; also min"),
    Point("np.sqrt(x)", np.sqrt, (0.0,), "IEEE"),
    Point("np.log(x)", np.log, (0.0,), "IEEE"),
    Point("1 / x", lambda x: 1 / x, (0.0,), "IEEE"),
    Point("np.cbrt(x)", np.cbrt, (0.0,), "IEEE"),
    Point("np.arccos(x)", np.arccos, (1.0,), "IEEE"),
    Point("np.log(x)", np.log, (-1.0,), "outside of the domain the formula is kept: 1 / x"),
    Point("np.sqrt(x)", np.sqrt, (-1.0,), "outside of the domain"),
    Point("np.where(x > 0, np.sqrt(x), 0.0)", lambda x: np.where(x > 0, np.sqrt(x), 0.0), (0.0,),
          "zeros absorb the infinite factor of the other side"),
    Point("np.where(x > 0, np.log(x), x)", lambda x: np.where(x > 0, np.log(x), x), (-1.0,), "likewise"),
    Point("0.0 * np.sqrt(x)", lambda x: 0.0 * np.sqrt(x), (0.0,), "a cotangent of 0 absorbs too"),
    Point("np.sqrt(x * x)", lambda x: np.sqrt(x * x), (0.0,), "a factor of 0 absorbs"),
    Point("np.sqrt(np.sum(x * x))", lambda x: np.sqrt(np.sum(x * x)), (A([0.0, 0.0]),), "likewise"),
    Point("np.linalg.norm(x)", np.linalg.norm, (A([0.0, 0.0]),), "likewise"),
    Point("np.hypot(x, y)", np.hypot, (0.0, 0.0), "0 by convention"),
    Point("np.arctan2(x, y)", np.arctan2, (0.0, 0.0), "0 by convention"),
    Point("x ** 2", lambda x: x**2, (0.0,), "products, not pow"),
    Point("x ** y", lambda x, y: x**y, (0.0, 0.0), "0 by convention"),
    Point("x ** y", lambda x, y: x**y, (0.0, 1.0), "1 by x, 0 by y"),
    Point("x ** y", lambda x, y: x**y, (0.0, 2.0), "0 by y where x is 0"),
    Point("x ** y", lambda x, y: x**y, (-2.0, 3.0), "log(x) is NaN by y"),
    Point("x ** 0.5", lambda x: x**0.5, (0.0,), "as sqrt"),
    Point("np.prod(x)", np.prod, (A([2.0, 0.0, 3.0]),), "the products of the other factors"),
    Point("np.prod(x)", np.prod, (A([0.0, 0.0, 3.0]),), "likewise"),
    Point("np.cumprod(x)[-1]", lambda x: np.cumprod(x)[-1], (A([2.0, 0.0, 3.0]),), "likewise"),
    Point("np.sum(x[:0])", lambda x: np.sum(x[:0]), (A([1.0]),), "empty"),
    Point("np.prod(x[:0])", lambda x: np.prod(x[:0]), (A([1.0]),), "empty"),
    Point("np.max(x[:0], initial=2.0)", lambda x: np.max(x[:0], initial=2.0), (A([1.0]),),
          "without `initial` an error"),
    Point("np.std(x)", np.std, (A([1.0, 1.0]),), "the root of a variance of 0, as norm"),
    Point("np.linalg.norm(x, 3)", lambda x: np.linalg.norm(x, 3), (A([0.0, 0.0]),), "as norm"),
    Point("np.sort(x) @ A([1.0, 2.0])", lambda x: np.sort(x) @ A([1.0, 2.0]), (A([3.0, 3.0]),),
          "equal elements keep their order"),
    Point("np.median(x)", np.median, (A([4.0, 1.0, 2.0, 2.0]),), "half to each of the two in the middle"),
    Point("np.logaddexp(x, y)", np.logaddexp, (-INFINITY, 0.0), "shares of the exponentials"),
    Point("np.maximum(x, y)", np.maximum, (np.nan, 1.0), "NaN wins, and no comparison holds"),
    Point("np.fmax(x, y)", np.fmax, (np.nan, 1.0), "NaN loses"),
    Point("scipy.special.xlogy(x, y)", xlogy, (0.0, 0.0), "log(y) by x, also where x is 0"),
    Point("scipy.special.xlogy(x, y)", xlogy, (0.0, 2.0), "likewise"),
    Point("scipy.special.xlog1py(x, y)", xlog1py, (0.0, 0.5), "likewise"),
    Point("x / y", lambda x, y: x / y, (0.0, 0.0), "IEEE"),
    Point("x[ad.asarray(7)]", lambda x: x[ad.asarray(7)], (A([1.0, 2.0]),), "outside: 0, and no gradient"),
    Point("x.at[[0, 0]].set(v)[0]", lambda x, v: x.at[[0, 0]].set(v)[0], (A([1.0, 2.0]), A([3.0, 4.0])),
          "the last one written"),
)  # fmt: skip


def table() -> Iterator[str]:
    """The lines of the table."""
    yield "| expression | at | value | gradient | |"
    yield "| --- | --- | --- | --- | --- |"
    for point in POINTS:
        count = len(point.arguments)
        function = ad.value_and_grad(point.function, argnums=tuple(range(count)), interpret=True)
        value, gradient = function(*point.arguments)
        at, slopes = (", ".join(map(shown, part)) for part in (point.arguments, gradient))
        yield f"| `{point.text}` | {at} | {shown(value)} | {slopes} | {point.why} |"


def shown(value: Any) -> str:
    """A number, or an array of numbers, in few digits."""
    if np.ndim(value):
        return "[" + ", ".join(map(shown, value)) + "]"
    number = float(value)
    if np.isinf(number):
        return "∞" if number > 0 else "−∞"
    return "NaN" if np.isnan(number) else f"{number + 0.0:.4g}".replace("-", "−")
