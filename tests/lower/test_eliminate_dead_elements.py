"""Kernels that leave out what nobody reads: what they state, and that all that is read stays."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.dialects.kernel import NestOp
from mlirad.errors import VerifyError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.pipelines import lowering
from tests.acceptance.stages import assert_same
from tests.generators import arguments_for
from tests.generators.arguments import function_of
from tests.generators.triangles import random_triangles
from tests.lower.native import compiled_program
from tests.passes.derivatives import run_passes


def lowered(program: ModuleOp, *, always: bool = True) -> ModuleOp:
    """Kernels that leave out what they can, or what costs say."""
    passes = [
        p
        if not always or not p.startswith("eliminate-dead-elements")
        else "eliminate-dead-elements{always=true}"
        for p in lowering()
    ]
    return run_passes(program.clone(), ",".join(passes))


def bounded(module: ModuleOp) -> list[NestOp]:
    return [op for op in module.walk() if isinstance(op, NestOp) and op.bounds]


@pytest.mark.parametrize("seed", (4, 7, 11, 13, 100))
def test_what_is_read_stays(seed: int) -> None:
    program = random_triangles(seed)
    arguments = arguments_for(program, random.Random(seed))
    expected = run_function(program, arguments, function="main")
    kernels = lowered(program)
    assert bounded(kernels)
    assert_same(run_function(kernels, arguments, function="main"), expected, "kernels")
    native = NativeFunction(compiled_program(kernels, "main", checks=True), debug=True)
    assert_same(native(*arguments), expected, "native")


def packed(d: int) -> Any:
    """The position of each element below the diagonal in a packed row; elsewhere one past its end."""
    rows, columns = np.tril_indices(d, -1)
    positions = np.full((d, d), rows.size)
    positions[rows, columns] = np.arange(rows.size)
    return positions


def gaussian(d: int) -> Callable[..., Any]:
    """A sum over points of squares of what a triangular matrix, packed in a row, makes of them."""

    def function(l: Any, x: Any) -> Any:  # noqa: E741
        triangle = np.concatenate((l, np.zeros(1)))[packed(d)]
        return np.sum(np.tanh(x @ triangle.T) ** 2)

    return function


def test_the_gradient_of_a_triangular_matrix_is_the_triangle_of_a_product() -> None:
    """Those 64 x 64 sums of 300 products that are below the diagonal, to whole tiles."""
    d = 64
    rng = np.random.default_rng(0)
    arguments = rng.normal(size=d * (d - 1) // 2), rng.normal(size=(300, d))
    gradient = ad.grad(gaussian(d))
    text = gradient.lower(*arguments).ir("plan-memory")
    found = [op for op in bounded(parse_module(text, "triangle.mlir")) if op.combiners is not None]
    assert [op.bounds for op in found if op.extents[:2] == (d, d)]
    # Columns begin at the row or rows end at the column: the loops' order is that of the processor's tiles.
    assert re.search(r"call i64 @llvm\.s(min|max)\.i64", gradient.lower(*arguments).program.llvm)
    expected = ad.grad(gaussian(d), interpret=True)(*arguments)
    np.testing.assert_allclose(gradient(*arguments), expected, rtol=1e-12, atol=1e-12)


def test_a_plan_that_leaves_out_what_is_read_is_refused() -> None:
    module = lowered(random_triangles(4))
    nest = bounded(module)[0]
    x, y, offset = nest.bounds[0]
    nest.properties["within"] = type(nest.within).from_list(nest.within.elt_type, [x, y, offset - 1])
    with pytest.raises(VerifyError, match=f"index {x} is above index {y} \\+ {offset - 1} may be read"):
        verify_plan(function_of(module))
