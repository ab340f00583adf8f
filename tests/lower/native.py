"""Native programs of functions that are array code already, or kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.compiler import compile_module
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.cpu.schedule_kernels import schedule_function
from mlirad.lower.kernels.plan_memory import plan_function
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.native_program import NativeProgram
from mlirad.pipeline_options import Options


def compiled_program(
    module: ModuleOp, function: str, *, vector_bytes: int | None = None, checks: bool = False
) -> NativeProgram:
    """A function of a module, which stays as it is, lowered for this machine or for vectors of a size.

    Subnormal numbers stay what they are: results are compared with those of the interpreter.
    """
    target = find_target()
    if vector_bytes is not None:
        target = replace(target, vector_bytes=vector_bytes)
    options = Options(start="arrays", entry=function)
    made = compile_module(module.clone(), options, target, address_checks=checks, flush_subnormals=False)
    return made.program


def check_kernels(formed: FuncOp, args: Sequence[npt.ArrayLike], want: Sequence[Any], rtol: float) -> None:
    """Require results of kernels: interpreted, and compiled with and without checks of addresses."""
    verify_module(ModuleOp([formed.clone()]))
    planned = plan_function(schedule_function(formed, vector_bytes=find_target().vector_bytes))
    verify_plan(planned)
    runs = [run_function(planned, args)]
    for checks in (False, True):
        program = compiled_program(ModuleOp([planned.clone()]), planned.sym_name.data, checks=checks)
        runs.append(NativeFunction(program, debug=True)(*args))
    for results in runs:
        for one, other in zip(results, want, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=rtol, atol=rtol)
