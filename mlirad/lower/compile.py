"""From a function of array code to LLVM IR text, hop by hop.

    array code --form-kernels--> kernels --fuse--> fewer kernels --schedule--> lanes, layouts, tiles
               --plan-memory--> one arena --emit--> NativeProgram

A function that is kernels already (because passes were run by hand) only goes through the hops it has not been
through.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import DotOp, NestOp, ScatterOp
from mlirad.errors import CompileError
from mlirad.ir.builder import function_block
from mlirad.lower.compiled_text import NativeProgram
from mlirad.lower.emit import emit_program
from mlirad.lower.form_kernels import form_kernels
from mlirad.lower.fuse_kernels import fuse_function
from mlirad.lower.plan_memory import ARENA_ATTRIBUTE, plan_function
from mlirad.lower.schedule_kernels import schedule_function

Observer = Callable[[str, float, FuncOp], None]
"""Told the name of a hop, the seconds it took and the function after it."""


def compile_module(
    module: ModuleOp,
    name: str,
    *,
    vector_bytes: int,
    address_checks: bool = False,
    observe: Observer | None = None,
) -> NativeProgram:
    """The function `name` of a module as LLVM IR text for vectors of the given size.

    Raises `CompileError` when there is no such function.
    """
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == name:
            return compile_function(
                op, vector_bytes=vector_bytes, address_checks=address_checks, observe=observe
            )
    raise CompileError(f"the module has no function '{name}'")


def compile_function(
    function: FuncOp,
    *,
    vector_bytes: int,
    address_checks: bool = False,
    observe: Observer | None = None,
) -> NativeProgram:
    """A function of array code, or of kernels, as LLVM IR text."""
    hops: list[tuple[str, Callable[[FuncOp], FuncOp]]] = []
    if not is_kernels(function):
        hops.append(("form-kernels", form_kernels))
        hops.append(("fuse-kernels", fuse_function))
    if not is_planned(function):
        hops.append(("schedule-kernels", lambda f: schedule_function(f, vector_bytes=vector_bytes)))
        hops.append(("plan-memory", plan_function))
    for name, hop in hops:
        start = time.perf_counter()
        function = hop(function)
        if observe is not None:
            observe(name, time.perf_counter() - start, function)
    start = time.perf_counter()
    program = emit_program(function, vector_bytes=vector_bytes, address_checks=address_checks)
    if observe is not None:
        observe("emit", time.perf_counter() - start, function)
    return program


def is_kernels(function: FuncOp) -> bool:
    """Whether a function consists of kernels."""
    return any(isinstance(op, NestOp | ScatterOp | DotOp) for op in function_block(function).ops)


def is_planned(function: FuncOp) -> bool:
    """Whether a function has been through `plan-memory`."""
    return ARENA_ATTRIBUTE in function.attributes
