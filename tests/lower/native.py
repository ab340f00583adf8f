"""Native programs of functions that are array code already, or kernels."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from mlirad.compiler import compile_module
from mlirad.jit.target import find_target
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
