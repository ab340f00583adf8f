"""The stages that passes bring programs to: what they promise holds behind them, and breaches are noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import CompileError
from mlirad.ir.parsing import parse_module
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion, instantiation, lowering
from mlirad.registry import PASS_MODULES, parse_specs
from mlirad.stages import PROMISES, UNDONE, left_over, require_stage

BUILD = """
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.build (%i) : -> tensor<3xf64> {
    %t = array.index %x[%i] : tensor<3xf64> -> f64
    array.yield %t : f64
  }
  func.return %r : tensor<3xf64>
}
"""


def test_promises_are_of_passes() -> None:
    assert PROMISES.keys() | UNDONE.keys() <= PASS_MODULES.keys()
    assert set(UNDONE.values()) <= PROMISES.keys()
    assert {promise.tested_until for promise in PROMISES.values()} <= {None, *PASS_MODULES}


@pytest.mark.parametrize("method", METHODS)
def test_pipelines_make_every_promise_and_keep_it(method: str) -> None:
    """The effect that a pass undoes is made again before the program is lowered."""
    for text in (expansion(method), (*expansion(method), *instantiation((("n", 3),)))):
        names = [spec.name for part in (*text, *lowering()) for spec in parse_specs(part)]
        assert PROMISES.keys() <= set(names)
        for undoing, undone in UNDONE.items():
            last = max(k for k, name in enumerate(names) if name == undoing)
            assert undone in names[last:]


def test_a_breach_is_noticed() -> None:
    module = parse_module(BUILD)
    require_stage(["bulk-operations"], module)
    assert [(name, op.name) for name, op in left_over(["lower-remaining-builds"], module)] == [
        ("lower-remaining-builds", "array.build")
    ]
    with pytest.raises(CompileError, match=r"after pass 'stacks-to-undo-logs' there is a array\.build"):
        require_stage(["lower-remaining-builds", "stacks-to-undo-logs"], module)
    require_stage(["lower-remaining-builds", "mlirad-canonicalize"], module)
    with pytest.raises(CompileError, match=r"after pass 'split-reductions' there is a array\.build"):
        require_stage(["lower-remaining-builds", "split-reductions"], module)


MAP = """
func.func @f(%x: tensor<3xf64>) -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %m = linear.scale %x : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}
"""


def test_maps_that_a_function_returns_stay() -> None:
    require_stage(["apply-linear-maps"], parse_module(MAP))


def test_a_split_makes_loops_without_carries() -> None:
    """Such a loop is a breach before reductions are split, and none behind it."""
    module = parse_module(BUILD.replace("build (%i)", "scan (%i) {carries = 0, length = 3}"))
    with pytest.raises(CompileError, match=r"there is a array\.scan"):
        require_stage(["lower-remaining-builds", "fuse-kernels"], module)
    require_stage(["lower-remaining-builds", "fuse-kernels", "split-reductions"], module)


@ad.function
def falling(c: Any, n: Any) -> Any:
    return ad.cond(n < 1, lambda: np.sin(c), lambda: c * falling(c * 0.9, n - 1))


def scanned(body: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of a loop, of whose carries a derivative may need none, beside a function that calls itself."""

    def loss(xs: Any, s: Any) -> Any:
        c, y = ad.scan(lambda c, t: (0.2 * c, body(t, s)), s, xs)
        return np.sum(y**3) + c + falling(s, 2)

    return loss


BODIES: dict[str, Callable[..., Any]] = {
    "sum": lambda t, s: t + s,
    "call": lambda t, s: falling(t * s, 2),
    "calls": lambda t, s: falling(falling(t, 1) * s, 2),
    "loop": lambda t, s: ad.while_loop(lambda v: v < 3.0, lambda v: v * 1.7, t * s + 1.0),
    "checkpoint": lambda t, s: ad.checkpoint(lambda a: falling(a, 1))(t * s),
    "inner loop": lambda t, s: ad.fori_loop(0, 2, lambda i, c: falling(c * s, i), t),
    "derivative": lambda t, s: ad.grad(lambda a: falling(a, 1) * s)(t),
    "branch": lambda t, s: ad.cond(t > 0.5, lambda: falling(t * s, 1), lambda: s * t),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", BODIES)
def test_loops_that_lose_their_carries(name: str, method: str) -> None:
    """By every argument, forward and in reverse, of order 1 and 2: as the interpreter, and as differences."""
    loss, xs, s = scanned(BODIES[name]), np.array([0.3, 0.9, 1.4]), 0.7
    wanted = (loss(xs, s + 1e-5) - loss(xs, s - 1e-5)) / 2e-5
    for argnum in (0, 1):
        gradient = ad.grad(loss, argnum, method=method)(xs, s)
        np.testing.assert_allclose(gradient, ad.grad(loss, argnum, interpret=True)(xs, s), rtol=1e-10)
    tangent = ad.jit(lambda s: ad.jvp(lambda s: loss(xs, s), (s,), (1.0,))[1], method=method)(s)
    np.testing.assert_allclose([tangent, gradient], wanted, rtol=1e-6)
    second = ad.grad(ad.grad(loss, 1), 1, method=method)(xs, s)
    slopes = [ad.grad(loss, 1, interpret=True)(xs, s + h) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(second, (slopes[0] - slopes[1]) / 2e-5, rtol=1e-5)
