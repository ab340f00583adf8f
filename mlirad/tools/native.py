"""The native program of a function, from whatever stage its module has reached."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import KERNEL_OPS
from mlirad.jit.target import find_target
from mlirad.lower.compile import compile_module
from mlirad.lower.native_program import NativeProgram
from mlirad.pipelines import pipeline_passes, run_passes
from mlirad.recursion import deep_recursion


def is_written_in_kernels(module: ModuleOp) -> bool:
    """Whether a module as it was read contains kernels: whoever wrote them may not have proved anything."""
    return any(type(op) in KERNEL_OPS for op in module.walk())


def native_program(module: ModuleOp, function: FuncOp, *, checked: bool = False) -> NativeProgram:
    """LLVM IR text of a function of `module`, for this machine or the one that the environment asks for.

    Array code goes through the pipeline `expand` first, so derivatives and calls in it are compiled too;
    kernels are taken as they are, and their memory plan is verified. With `checked`, accesses are compared
    with the bounds of their buffers. Changes the module.
    """
    name = function.sym_name.data
    if not is_written_in_kernels(module):
        run_passes(module, pipeline_passes("expand"))
    with deep_recursion():
        return compile_module(module, name, vector_bytes=find_target().vector_bytes, address_checks=checked)
