"""Programs with loops and branches, compiled under guard and checked against the interpreter."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.compiler import compile_module
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.native_program import NativeProgram
from mlirad.pipeline_options import Options


def function(text: str) -> FuncOp:
    """The function `@f` of a text, verified."""
    module = parse_module(text)
    verify_module(module)
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "f")


def lowered(f: FuncOp, *, checks: bool = False) -> tuple[FuncOp, NativeProgram]:
    """The planned kernels of a function, whose plan is sound, and its program."""
    options = Options(start="arrays", entry=f.sym_name.data)
    module = ModuleOp([f.clone()])
    # Subnormal numbers stay what they are in the interpreter.
    compiled = compile_module(module, options, address_checks=checks, flush_subnormals=False)
    verify_plan(compiled.entry)
    return compiled.entry, compiled.program


def check(text: str, *args: npt.ArrayLike, rtol: float = 1e-12) -> FuncOp:
    """Require what the interpreter computes, with and without checks of addresses; the planned kernels."""
    f = function(text)
    want = run_function(f, list(args))
    planned = None
    for checks in (False, True):
        planned, program = lowered(f, checks=checks)
        for results in (NativeFunction(program, debug=True)(*args), run_function(planned, list(args))):
            assert len(results) == len(want)
            for one, other in zip(results, want, strict=True):
                assert np.asarray(one).dtype == np.asarray(other).dtype
                np.testing.assert_allclose(np.asarray(one), other, rtol=rtol, atol=rtol)
    assert planned is not None
    return planned
