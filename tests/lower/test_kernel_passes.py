"""Fusing, scheduling and planning random programs: the results stay, and the plan is sound."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import shape_of
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.lower.cpu.schedule_kernels import lanes, scatters, schedule_function
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.fuse_kernels import fuse_function
from mlirad.lower.kernels.plan_memory import plan_function
from mlirad.lower.kernels.plan_verification import verify_plan
from tests.generators.programs import random_program

SEEDS = range(40)


def arguments(f: FuncOp, seed: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    values = [generator.uniform(-3, 3, shape_of(t)) for t in f.function_type.inputs]
    return [
        np.asarray(v).astype(numpy_dtype(t))[()] for v, t in zip(values, f.function_type.inputs, strict=True)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_keep_their_results(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # The arrays of random programs are small: decide as if they were large.
    for module, name, value in (
        (lanes, "MINIMAL_WORK", 0),
        (lanes, "MINIMAL_PACK_ELEMENTS", 0),
        (lanes, "GAIN", 100),
        (scatters, "MINIMAL_WORK", 0),
    ):
        monkeypatch.setattr(module, name, value)
    program = random_program(
        seed, 14, allow=lambda op_class: op_class not in (BuildOp, *CUSTOM_OPS), straight=True
    )
    main = next(op for op in program.body.block.ops if isinstance(op, FuncOp))
    kernels = form_kernels(main)
    planned = plan_function(schedule_function(fuse_function(kernels), vector_bytes=16 << seed % 3))
    verify_plan(planned)
    verify_module(ModuleOp([planned]))
    args = arguments(main, seed)
    for got, want in zip(run_function(planned, args), run_function(kernels, args), strict=True):
        np.testing.assert_array_equal(got, want)
