"""Loops that follow one another iteration by iteration are one: the same bits, and no memory for their
iterations."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.array.control import ReplayOp, ScanOp, TapeType
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_of
from mlirad.ir.regions import nested_ops
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion
from tests.acceptance.test_random_programs import run_for
from tests.passes.derivatives import run_passes

PASS = "fuse-loops"
LENGTH = 7

Loop = Callable[[Any, Any], Any]


def random_loops(seed: int, size: int) -> Loop:
    """Loops of all kinds, one after another and one in another, which pass on last and stacked values."""
    rng = random.Random(seed)

    def body(depth: int) -> Loop:
        kind = rng.choice(("sine", "square", "product", "loop" if depth < 2 else "sine"))
        if kind == "loop":
            return loop(depth + 1)
        return {
            "sine": lambda s, c: np.sin(s) * 0.9 + c,
            "square": lambda s, c: s - 0.1 * s * s * c,
            "product": lambda s, c: s * np.cos(c) + 0.1,
        }[kind]

    def loop(depth: int) -> Loop:
        step = body(depth)
        kind, backwards = rng.choice(("scan", "stack", "for", "while")), rng.random() < 0.3
        if kind == "for":
            return lambda s, c: ad.fori_loop(0, LENGTH, lambda i, s: step(s, c * i / LENGTH), s)
        if kind == "while":
            iteration = lambda s, c: (step(s[0], c), s[1] + 1)  # noqa: E731
            return lambda s, c: ad.while_loop(lambda s: s[1] < LENGTH, lambda s: iteration(s, c), (s, 0))[0]

        def stacked(s: Any, c: Any) -> Any:
            final, all_ = ad.scan(
                lambda s, k: (step(s, c * k), np.sin(s)), s, np.linspace(0, 1, LENGTH), reverse=backwards
            )
            return final if kind == "scan" else final + np.sum(all_, axis=0)

        return stacked

    parts = [loop(0) for _ in range(rng.randint(1, min(size, 4)))]

    def function(s: Any, c: Any) -> Any:
        for part in parts:
            s = part(s, c)
        return s

    return function


def check(seed: int, size: int) -> None:
    """Derivatives forward, twice forward, forward over reverse are those without the pass, bit for bit."""
    f, rng = random_loops(seed, size), np.random.default_rng(seed)
    s, c, ds, dc = rng.normal(size=(4, 3)) * 0.5
    method = METHODS[seed % len(METHODS)]

    def forward(s: Any, c: Any) -> Any:
        return ad.jvp(f, (s, c), (ds, dc))[1]

    def twice(s: Any, c: Any) -> Any:
        return ad.jvp(forward, (s, c), (ds, dc))

    def mixed(s: Any, c: Any) -> Any:
        return ad.jvp(lambda s, c: ad.grad(lambda s: np.sum(f(s, c)))(s), (s, c), (ds, dc))

    passes = expansion(method)
    assert PASS in passes
    for function in (forward, twice, mixed):
        module = ad.trace(function, s, c)
        without = run_passes(module.clone(), ",".join(p for p in passes if p != PASS))
        fused = run_passes(module, ",".join(passes))
        given = [s, c]
        for a, b in zip(*(run_function(m, given, function="main") for m in (fused, without)), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(30))
def test_random_loops(seed: int) -> None:
    check(seed, 2)


@pytest.mark.fuzz
def test_random_loops_for_long(fuzz_seconds: float, judged: Counter[str]) -> None:
    run_for(check, "loops in forward mode", fuzz_seconds, judged)


def logistic(s: Any, c: Any) -> Any:
    return ad.scan(lambda s, k: (s + c * np.sin(s) * k, None), s, np.linspace(0, 1, LENGTH))[0]


def backwards(s: Any, c: Any) -> Any:
    return ad.scan(lambda s, k: (s + c * np.sin(s) * k, None), s, np.linspace(0, 1, LENGTH), reverse=True)[0]


def counted(s: Any, c: Any) -> Any:
    return ad.fori_loop(0, LENGTH, lambda i, s: s + c * np.sin(s) * i, s)


def until(s: Any, c: Any) -> Any:
    return ad.while_loop(lambda s: s[1] < LENGTH, lambda s: (s[0] + c * np.sin(s[0]), s[1] + 1), (s, 0))[0]


def nested(s: Any, c: Any) -> Any:
    return ad.fori_loop(0, LENGTH, lambda i, s: counted(s, c) / 2, s)


def in_turn(s: Any, c: Any) -> Any:
    return until(counted(s, c), c)


LOOPS = [logistic, backwards, counted, until, nested, in_turn]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loop", LOOPS)
def test_forward_mode_keeps_nothing_of_the_iterations(loop: Loop, method: Any, order: int) -> None:
    function: Callable[[Any], Any] = lambda s: loop(s, 0.3)  # noqa: E731
    for _ in range(order):
        function = lambda s, f=function: ad.jvp(f, (s,), (np.ones(2),))[1]  # noqa: E731
    module = run_passes(ad.trace(function, np.array([0.3, 0.4])), ",".join(expansion(method)))
    ops = [op for function_ in functions_of(module) for op in nested_ops(function_.body)]
    assert not any(isinstance(r.type, TapeType) for op in ops for r in op.results)
    assert not any(isinstance(op, ReplayOp) for op in ops)
    assert not any(op.stacked for op in ops if isinstance(op, ScanOp))


def test_reverse_mode_keeps_its_stacks() -> None:
    module = run_passes(
        ad.trace(lambda s: ad.grad(lambda s: logistic(s, 0.3))(s), 0.3), ",".join(expansion("dual-arrays"))
    )
    scans = [
        op for function in functions_of(module) for op in nested_ops(function.body) if isinstance(op, ScanOp)
    ]
    assert [len(op.stacked) for op in scans] == [1, 0]
