"""Combinators as closures: the differentiable curry in machine code computes what the interpreter finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import mlirad as ad
from mlirad.dialects.array import control
from mlirad.dialects.function import COMBINATOR_OPS
from mlirad.errors import UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module
from mlirad.pipelines import expansion
from tests.generators import arguments_for, higher_order_programs, random_higher_order, random_program
from tests.passes.chad.compiled import FAMILIES, check, expanded, sizes, with_cotangents
from tests.passes.chad.programs import HEAD, gradients, program
from tests.passes.derivatives import run_passes
from tests.passes.growing import COMPOSED, PROGRAMS, Growing

FORMS = ("curry-calls", "curry-environment")


@pytest.mark.parametrize("method", FORMS)
@pytest.mark.parametrize("seed", range(6))
def test_random_higher_order_programs(seed: int, method: str) -> None:
    module = random_higher_order(seed, 12)
    check(module, arguments_for(module, random.Random(seed)), method=method)


@pytest.mark.fuzz
@settings(max_examples=60, deadline=None)
@given(higher_order_programs(max_size=40), st.sampled_from(FORMS))
def test_any_higher_order_programs(module: ModuleOp, method: str) -> None:
    check(module, arguments_for(module, random.Random(1)), method=method)


@pytest.mark.parametrize("method", FORMS)
@pytest.mark.parametrize("seed", [0, 2, 4, 20])
def test_random_first_order_programs(seed: int, method: str) -> None:
    """The only argument that program 20 is differentiated by has the derivative 0."""
    module = random_program(seed, 6, True, allow=_is_not_replay)
    arguments = arguments_for(module, random.Random(seed))
    check(module, with_cotangents(module, arguments, seed), method=method)


def _is_not_replay(op: type[Operation]) -> bool:
    return op is not control.ReplayOp


@pytest.mark.parametrize("method", FORMS)
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda p: p.name)
def test_closures_that_hold_their_own_kind(source: Growing, method: str) -> None:
    check(source.module(6), [np.float64(0.7), np.linspace(0.6, 1.3, 6)], method=method)


@pytest.mark.parametrize("method", FORMS)
@pytest.mark.parametrize("family", FAMILIES)
def test_text_is_linear_in_the_program(family: str, method: str) -> None:
    *_, fewer, some, many = sizes(family, method)
    assert many - some < 2.7 * (some - fewer)


@pytest.mark.parametrize(("method", "square"), [("curry-calls", 0.5), ("curry-environment", 0)])
def test_cost_of_a_composition(method: str, square: float) -> None:
    """Functions run once per application, or once more for every collection, interpreted and compiled."""
    for n in (5, 10, 20, 40):
        arguments = [np.float64(0.7), np.linspace(0.6, 1.3, n)]
        module = COMPOSED.module(n)
        for code in (
            gradients(module, ",".join(expansion(method))),
            expanded(module, "reverse", method),
        ):
            counter = OperationCounter()
            run_function(code, arguments, function="main_grad", counter=counter)
            assert counter.by_op["array.sin"] == (n * (n + 3) // 2 if square else n)
            assert counter.total < 60 * n + 30 * square * n**2 + 300


def _value(f: Callable[[Any], Any]) -> Any:
    return ad.lambda_(f)


def _same(x: Any) -> Any:
    return x


def test_environments_of_many_kinds() -> None:
    """Closures of one type that capture nothing, numbers, arrays of several shapes, and each other."""

    def f(x: Any, v: Any, n: int) -> Any:
        matrix = np.outer(v, v) * x
        plain = _value(np.sin)
        scaled = _value(lambda z: z * x)
        summed = _value(lambda z: np.sum(v * z))
        quadratic = _value(lambda z: np.sum(matrix * z))
        both = _value(lambda z: scaled(z) + quadratic(z) * x)
        chosen = ad.switch(n, [partial(_same, g) for g in (plain, scaled, summed, quadratic, both)])
        return chosen(x) + chosen(chosen(0.3 * x))

    v = np.array([0.3, -0.2, 0.7])
    gradient = ad.grad(f, argnums=(0, 1))
    for method in FORMS:
        compiled = ad.grad(f, argnums=(0, 1), method=method)
        for n in range(5):
            for a, b in zip(gradient(0.4, v, n), compiled(0.4, v, n), strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-12)


def test_no_combinator_is_left() -> None:
    for tangents in ("calls", "environment"):
        module = gradients(random_higher_order(2, 12), f"curry{{tangents={tangents}}},maps-to-closures")
        assert not any(isinstance(op, COMBINATOR_OPS) for op in module.walk())


def test_one_form_of_tangents_in_a_module() -> None:
    text = HEAD + "  func.return %x : f64\n}"
    first = str(gradients(program(text), "curry{tangents=calls}"))
    second = str(gradients(program(text), "curry{tangents=environment}")).replace("@main", "@other")
    both = parse_module(first.rstrip().removesuffix("}") + second.split("builtin.module {", 1)[1])
    with pytest.raises(UnsupportedError, match="tangents of closures by calls and by environments"):
        run_passes(both, "maps-to-closures")
