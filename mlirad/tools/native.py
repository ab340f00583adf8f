"""The native program of a function, from whatever stage its module has reached."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.jit.target import find_target
from mlirad.lower.compile import compile_module, is_kernels
from mlirad.lower.compiled_text import NativeProgram
from mlirad.pipelines import pipeline_passes, run_passes


def native_program(module: ModuleOp, function: FuncOp) -> NativeProgram:
    """LLVM IR text of a function of `module`, for this machine or the one that the environment asks for.

    Array code goes through the pipeline `expand` first, so derivatives and calls in it are compiled too;
    kernels are taken as they are. Changes the module.
    """
    name = function.sym_name.data
    if not is_kernels(function):
        run_passes(module, pipeline_passes("expand"))
    return compile_module(module, name, vector_bytes=find_target().vector_bytes)
