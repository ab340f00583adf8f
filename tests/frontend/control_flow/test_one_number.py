"""Functions of Python that take numbers, on arrays: numbers where NumPy makes some, else its exceptions."""

from __future__ import annotations

import bisect
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.control_flow.calls import of
from tests.versions import NUMPY

ONE_ARGUMENT = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf",
    "erfc", "exp", "exp2", "expm1", "fabs", "floor", "gamma", "isfinite", "isinf", "isnan", "lgamma", "log",
    "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
"""Functions of `math`."""

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{f"math.{name}": getattr(math, name) for name in ONE_ARGUMENT},
    "math.atan2": lambda x: math.atan2(x, 2.0),
    "math.hypot": lambda x: math.hypot(2.0, x),
    "math.copysign": lambda x: math.copysign(2.0, x),
    "math.log with a base": lambda x: math.log(3.0, x + 2.0),
    "math.remainder": lambda x: math.remainder(3.0, x),
    "math.isclose": lambda x: math.isclose(x, 1.0),
    "math.modf": lambda x: math.modf(x)[0],
    "math.fsum": lambda x: math.fsum([x, x]),
    "math.prod": lambda x: math.prod([x, x]),
    "math.dist": lambda x: math.dist([x, x], [1.0, 2.0]),
    "float": float,
    "int": int,
    "complex": lambda x: complex(x).real,
    "an imaginary part": lambda x: complex(2.0, x).imag,
    "round": round,
    "float64": lambda x: np.sum(np.float64(x)),
}
"""Functions that rewritten code calls by others where they get traced numbers."""


COMPARING: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "not": lambda x: not x,
    "if": lambda x: 2.0 if x else 3.0,
    "and": lambda x: 2.0 if x and x > 0.5 else 3.0,
    "compare": lambda x: 2.0 if 0.5 < x < 3.0 else 3.0,
    "any": lambda x: any([x > 2.0, x > 0.5]),
    "max": lambda x: np.sum(max(x, 0.5 * x)),
    "min": lambda x: np.sum(min([x, 0.5 * x])),
    "sorted": lambda x: np.sum(sorted([x, 0.5 * x])[0]),
    "sorted by keys": lambda x: np.sum(sorted([x, 0.5 * x], key=lambda y: -y)[0]),
    "bisect": lambda x: bisect.bisect([0.0, 1.0], x),
    "bisect in arrays": lambda x: bisect.bisect_left([0.5 * x, 3.0 * x], 1.0),
}
"""Functions and statements that ask for the truth of what they get, or of what they compute of it."""


def asked(function: Callable[[Any], Any], error: type[Exception]) -> Callable[[Any], Any]:
    """Code that goes one way with numbers and another with arrays, as that of packages does."""

    def scalar_or_sequence(x: Any) -> Any:
        try:
            return function(x) * 1.0
        except error:
            return np.sum(x) + 100.0

    return scalar_or_sequence


SHAPES: list[tuple[int, ...]] = [(), (1,), (1, 1), (3,), (2, 1), (0,)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("case", FUNCTIONS)
def test_code_that_asks_for_a_number_goes_its_way(case: str, shape: tuple[int, ...]) -> None:
    x = np.full(shape, 0.75 if case != "math.acosh" else 1.75)[()]
    require_the_same(asked(FUNCTIONS[case], TypeError), x)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("case", COMPARING)
def test_code_that_asks_for_a_truth_goes_its_way(case: str, shape: tuple[int, ...]) -> None:
    if shape == (0,) and NUMPY < (2, 2):
        pytest.skip("the truth of no elements is False, with a warning")
    require_the_same(asked(COMPARING[case], ValueError), np.full(shape, 0.75)[()])


def require_the_same(function: Callable[[Any], Any], x: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of control flow, and of NumPy before 2.4 for one element
        wanted = function(x)
        for control in ("rewrite", "auto"):
            found = ad.jit(function, interpret=True, control=control)(x)
            np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_all_functions_of_python_that_stand_for_others_are_tried() -> None:
    with_one = [name for name in dir(math) if not name.startswith("_") and callable(getattr(math, name))]

    def stands(x: Any) -> Any:
        found = [name for name in with_one if of(getattr(math, name)) is not getattr(math, name)]
        tried = {case.removeprefix("math.").partition(" ")[0] for case in FUNCTIONS}
        assert set(found) - tried <= {"pow", "fmod", "ldexp"}  # as atan2
        return x

    ad.jit(stands, interpret=True)(1.0)
