"""Comparisons with infinities are written as comparisons with the largest numbers, and say the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit.engine import optimised_llvm
from mlirad.lower.llvm.text import Kind, constant
from tests.lower.test_llvm_text import begin, run

PREDICATES = (
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
)


def _holds(predicate: str, x: float, y: float) -> bool:
    """The meaning of a predicate of LLVM: its first letter says what it is of NaN."""
    if math.isnan(x) or math.isnan(y):
        return predicate.startswith("u")
    of_numbers = {
        "eq": x == y, "gt": x > y, "ge": x >= y, "lt": x < y, "le": x <= y, "ne": x != y,
        "rd": True, "no": False,
    }  # fmt: skip
    return of_numbers[predicate[1:]]


@pytest.mark.parametrize("kind, dtype", [("double", np.float64), ("float", np.float32)])
@pytest.mark.parametrize("width", [1, 4])
def test_every_predicate_says_of_an_infinity_as_it_did(kind: Kind, dtype: type, width: int) -> None:
    largest = float(np.finfo(dtype).max)
    numbers = [0.0, 1.0, -1.0, largest, -largest, math.inf, -math.inf, math.nan]
    cases = list(product(PREDICATES, (math.inf, -math.inf), (False, True)))
    module, f = begin("x", "out")
    x, out = f.arguments
    for at in range(0, len(numbers), width):
        v = f.load(f.gep(x, at, kind), kind, width)
        for k, (predicate, bound, is_first) in enumerate(cases):
            infinity = constant(kind, bound)
            found = f.fcmp(predicate, *((infinity, v) if is_first else (v, infinity)))
            f.store(f.zext(found, "i64"), f.gep(out, k * len(numbers) + at, "i64"))
    f.ret()
    result = np.zeros((len(cases), len(numbers)), np.int64)
    run(module, "f", np.array(numbers, dtype), result)
    for (predicate, bound, is_first), row in zip(cases, result.tolist(), strict=True):
        pairs = [(bound, n) if is_first else (n, bound) for n in numbers]
        assert row == [_holds(predicate, *pair) for pair in pairs], (predicate, bound, is_first)


@pytest.mark.parametrize(
    "condition",
    [
        lambda x: (x < 0) | (x == np.inf), lambda x: (x == np.inf) | (x == -np.inf) | np.isnan(x),
        lambda x: np.isinf(x) | (x > 0), lambda x: ~np.isfinite(x) | (x <= 0),
        lambda x: (x >= np.inf) | (x < 0), lambda x: (x < np.inf) & (x > 0),
    ],
)  # fmt: skip
def test_llvm_joins_no_comparisons_into_tests_of_bits(condition: Callable[[Any], Any]) -> None:
    program = ad.jit(lambda x: np.where(condition(x), 1.0, x * x))
    x = np.linspace(-1, 1, 1000)
    assert "is.fpclass" not in optimised_llvm(program.llvm(x))
