"""The shared parts of special functions' formulas: types, and small formulas that hold everywhere.

quotient(x, y)              x / y, 0 where x is 0
horner(x, (1, 0, 0.5))      1 + x^2 / 2
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from xdsl.dialects.builtin import f64

from mlirad.dialects.shapes import element_of
from mlirad.ir.formulas import Formula, absolute, absorbing, limited, where

Coefficient: TypeAlias = (
    Callable[[Formula, Formula], Formula]
    | Callable[[Formula, Formula, Formula], Formula]
    | Callable[[Formula, Formula, Formula, Formula], Formula]
    | Callable[[Formula, Formula, Formula, Formula, Formula], Formula]
    | Callable[[Formula, Formula, Formula, Formula, Formula, Formula], Formula]
    | None
)
"""`(arguments..., result) -> partial derivative`; `None` where there is no formula."""

Derivatives: TypeAlias = dict[str, tuple[Coefficient, ...]]
"""The partial derivatives of a function, one per parameter, by its name."""

Definition: TypeAlias = (
    Callable[[Formula], Formula]
    | Callable[[Formula, Formula], Formula]
    | Callable[[Formula, Formula, Formula], Formula]
    | Callable[[Formula, Formula, Formula, Formula, Formula], Formula]
)
"""`(arguments...) -> the function` in elementwise ops."""

INFINITY: Final = float("inf")

NAN: Final = float("nan")

EULER_MACLAURIN: Final = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
    -3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000,
)  # fmt: skip
"""The coefficients of Euler and Maclaurin's formula: Bernoulli's numbers of orders 2, 4, ... over the
factorials of these.
"""

_LARGEST: Final = {True: 1.7976931348623157e308, False: 3.4028234663852886e38}
"""The largest number, by whether it is one in double precision."""


def quotient(x: Formula, y: Formula) -> Formula:
    """x / y, 0 where x is 0; by x it has the derivative 1 / y there, too."""
    if x.b.scalar_of(x.value):
        return x / y
    return where(y == 0, absorbing(x, 1 / y), x / y)


def is_infinite(x: Formula):
    """Return whether |x| is infinite."""
    return absolute(x) == INFINITY


def finite(x: Formula) -> Formula:
    """x, the largest number in place of infinity: there is no difference of infinities, and no quotient."""
    return limited(x, _LARGEST[is_double(x)])


def horner(x: Formula, coefficients: Sequence[float]) -> Formula:
    """The polynomial with these coefficients, from that of x^0 on."""
    total = x.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def is_double(x: Formula) -> bool:
    """Return whether a formula is in double precision."""
    return element_of(x.value.type) == f64
