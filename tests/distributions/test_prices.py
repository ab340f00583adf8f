"""The cost of densities with shapes that are numbers: the functions in them, and a few guards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

import mlirad as ad
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.kernel import NestOp
from mlirad.ir.parsing import parse_module

GUARDS = (ew.CompareOp, ew.SelectOp, ew.IsNanOp, ew.MinOp, ew.MaxOp, ew.AndOp, ew.OrOp, ew.NotOp)
"""Ops that find where a point lies, and choose."""

FUNCTIONS = ("array.div", "array.log", "array.log1p", "array.exp", "array.pow", "array.special")

PRICES: dict[tuple[str, str], tuple[list[str], int, int]] = {
    ("gamma(2.5)", "pdf"): (["exp", "log"], 7, 13),
    ("gamma(2.5)", "logpdf"): (["log"], 7, 5),
    ("chi2(4.5)", "pdf"): (["exp", "log"], 8, 13),
    ("chi2(4.5)", "logpdf"): (["log"], 8, 5),
    ("beta(2.5, 3.5)", "pdf"): (["exp", "log", "log1p"], 6, 6),
    ("beta(2.5, 3.5)", "logpdf"): (["log", "log1p"], 6, 6),
    ("halfnorm()", "logpdf"): ([], 7, 5),
    ("expon()", "logpdf"): ([], 7, 4),
    ("norm()", "logpdf"): ([], 6, 4),
}
"""The functions in a density, and the most guards of its value, and of its gradient."""


def _elements(program: Any, x: Any) -> Counter[str]:
    """The ops for one element of the kernels of a program."""
    module = parse_module(program.ir(x, after="schedule-kernels"))
    nests = [op for op in module.walk() if isinstance(op, NestOp)]
    ops = [op for nest in nests for op in nest.walk()]
    found = Counter(op.name for op in ops if op.name in FUNCTIONS)
    return found + Counter(guards=sum(isinstance(op, GUARDS) for op in ops))


@pytest.mark.parametrize("distribution, method", PRICES)
def test_a_density_has_its_functions_once_and_few_guards(distribution: str, method: str) -> None:
    functions, of_value, of_gradient = PRICES[distribution, method]
    frozen = eval(f"stats.{distribution}", {"stats": stats})

    def density(x: Any) -> Any:
        return getattr(frozen, method)(x)

    x = np.linspace(0.1, 0.9, 2000)
    found = _elements(ad.jit(density), x)
    assert found.pop("guards") <= of_value
    assert found == Counter(f"array.{f}" for f in functions)
    assert _elements(ad.grad(lambda x: np.sum(density(x))), x)["guards"] <= of_gradient
