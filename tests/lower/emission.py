"""Running handwritten kernels: compiled under guard, checked against the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.cpu.complete_schedules import complete_in_place
from mlirad.lower.cpu.emit import emit_program
from mlirad.lower.native_program import NativeProgram

TYPES = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "bool": "i1"}


def tensor(shape: Sequence[int], dtype: str = "float64") -> str:
    """The type of an array as MLIR writes it."""
    element = TYPES[dtype]
    return f"tensor<{'x'.join(map(str, shape))}x{element}>" if shape else element


def parsed(text: str) -> FuncOp:
    """The one function of a text, verified."""
    module = parse_module(text)
    verify_module(module)
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    return function


def compiled(
    text: str, *, features: str | None = None, checks: bool = False
) -> tuple[FuncOp, NativeProgram, NativeFunction]:
    """A function, its program for a processor, and the means to call it under guard."""
    target = find_target(features)
    function = parsed(text)
    complete_in_place(function, vector_bytes=target.vector_bytes, keep=True)
    verify_module(ModuleOp([function.clone()]))
    program = emit_program(function, instructions=target.instructions, address_checks=checks)
    return function, program, NativeFunction(program, target=target, debug=True)


def run(
    text: str, *args: npt.ArrayLike, features: str | None = None, checks: bool = False
) -> tuple[Any, ...]:
    """The results of the compiled function."""
    return compiled(text, features=features, checks=checks)[2](*args)


def check(text: str, *args: npt.ArrayLike, features: str | None = None, rtol: float = 1e-12) -> NativeProgram:
    """Require what the interpreter computes, with and without checks of addresses; the plain program."""
    programs: list[NativeProgram] = []
    for checks in (False, True):
        function, program, native = compiled(text, features=features, checks=checks)
        programs.append(program)
        got = native(*args)
        want = run_function(function, list(args))
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)
    return programs[0]
