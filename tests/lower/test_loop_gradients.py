"""Gradients of loops, as kernels: what stands in a body depends on the iteration, carries stay where they
are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Region

import mlirad as ad
from examples.programs import llsq, lstm, ode
from mlirad.dialects.array.control import ReplayOp, ScanOp, WhileOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.plans import IN_PLACE, stated_carries
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.free_values import free_values
from mlirad.ir.parsing import parse_module
from mlirad.lower.kernels.plan_memory.carries import carry_arguments


def newton(x: Any) -> Any:
    """A loop on data: the square root of every component, by Newton's method."""

    def goes_on(r: Any) -> Any:
        return np.max(np.abs(r * r - x)) > 1e-12

    return np.sum(ad.while_loop(goes_on, lambda r: (r + x / r) / 2, x))


GRADIENTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "lstm": (ad.grad(lstm.objective, argnums=(0, 1)), tuple(lstm.random_instance(2, 20))),
    "llsq": (ad.grad(llsq.primal_by_scan), llsq.random_instance(6, 50)),
    "ode": (ad.grad(lambda x: ode.last_component(x, 5)), (ode.random_instance(30),)),
    "newton": (ad.grad(newton), (np.linspace(1, 5, 20),)),
}


def kernels(name: str) -> FuncOp:
    """The kernels of a gradient, with their plan."""
    gradient, args = GRADIENTS[name]
    module = parse_module(ad.jit(gradient).ir(*args, after="plan-memory"))
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp))


def loops(f: FuncOp) -> list[ScanOp | WhileOp | ReplayOp]:
    return [op for op in f.walk() if isinstance(op, ScanOp | WhileOp | ReplayOp)]


def invariant_ops(region: Region) -> list[str]:
    """The ops of a body that do not depend on the iteration."""
    varying: set[Value] = set(region.block.args)
    found: list[str] = []
    for op in region.block.ops:
        if any(v in varying for v in free_values(op)):
            varying.update(op.results)
        elif not isinstance(op, YieldOp):
            found.append(str(op))
    return found


@pytest.mark.parametrize("name", [name for name in GRADIENTS if name != "llsq"])  # which is recurrences
def test_nothing_in_a_body_is_the_same_in_every_iteration(name: str) -> None:
    bodies = [region for loop in loops(kernels(name)) for region in loop.regions]
    assert bodies
    for region in bodies:
        assert not invariant_ops(region)


@pytest.mark.parametrize(("name", "moved"), [("lstm", 0), ("llsq", 0), ("newton", 0), ("ode", 2)])
def test_arrays_are_carried_where_they_are(name: str, moved: int) -> None:
    """All but those whose next value is made of other components: ode reads the one before."""
    modes = [
        mode
        for loop in loops(kernels(name))
        for mode, carry in zip(stated_carries(loop) or (), carry_arguments(loop), strict=True)
        if shape_of(carry)
    ]
    assert sum(mode != IN_PLACE for mode in modes) == moved


def test_a_iteration_back_through_a_network_is_a_few_kernels() -> None:
    forward, reverse = (list(loop.body.block.ops) for loop in loops(kernels("lstm")))
    for ops, most in ((forward, 8), (reverse, 6)):
        assert sum(isinstance(op, NestOp | ScatterOp) for op in ops) <= most
        assert not any(isinstance(op, ScatterOp) for op in ops)
