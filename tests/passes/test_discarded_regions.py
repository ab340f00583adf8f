"""Code that passes drop reads nothing any more.

A region that is made and not used still counts as a reader of what it captured: that value cannot be erased,
which ended compiling (a gather that was found to be a broadcast, in a loop whose results were not needed).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import mlirad as ad
from mlirad.ir.parsing import parse_module
from mlirad.pipelines import PassRun, pipeline_passes, run_passes
from tests.generators import random_program
from tests.generators.python_programs import N, random_function, scalar_of


def readers_outside(module: ModuleOp) -> Iterator[str]:
    """The ops that read values of a module and are not in it."""
    present = set(module.walk())
    for op in present:
        values: list[SSAValue] = [*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)]
        for value in values:
            for use in value.uses:
                if use.operation not in present:
                    yield f"{use.operation} reads a result of {op.name}"


def check(module: ModuleOp) -> None:
    """No pass of the pipeline leaves such a reader."""

    def after(step: PassRun) -> None:
        found = sorted(readers_outside(step.module))
        assert not found, f"{step.name}: {found[0]}"

    run_passes(module, pipeline_passes("expand"), after=after)


@pytest.mark.parametrize("operand", ["%x", "%z"], ids=["a-broadcast", "elements-that-are-equal"])
def test_a_gather_that_is_another_op(operand: str) -> None:
    """The position captures %one, which nothing else needs."""
    check(
        parse_module(
            f"""
            func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {{
              %one = array.constant 1 : i64
              %0 = array.constant 0.5 : f64
              %z = array.broadcast %0 {{dims = []}} : f64 -> tensor<4xf64>
              %g = array.gather {operand} (%k) : tensor<4xf64> -> tensor<4xf64> {{
                %q = array.floor_div %k, %one : i64
                array.yield %q : i64
              }}
              func.return %g : tensor<4xf64>
            }}"""
        )
    )


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int) -> None:
    check(random_program(seed, 14))


@pytest.mark.parametrize("seed", range(40))
def test_gradients_of_random_programs(seed: int) -> None:
    function = scalar_of(random_function(seed, 3), (0.3, 0.7))
    check(ad.trace(ad.value_and_grad(function, argnums=(0, 1)), 0.4, np.linspace(-0.5, 0.8, N)))
