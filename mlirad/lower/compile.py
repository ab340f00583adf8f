"""From a function of array code to LLVM IR text, hop by hop.

    array code --form-kernels--> kernels --fuse--> fewer kernels --form-strips--> groups that stay in cache
               --schedule--> lanes, layouts, tiles --plan-memory--> one arena --emit--> NativeProgram

A function that is kernels already (because passes were run by hand) goes only through the hops it has not
been through.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.kernel import KERNEL_RESULT_OPS
from mlirad.dialects.kernel_plans import stated_arena
from mlirad.dialects.shapes import element_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.emit import emit_program
from mlirad.lower.form_kernels import form_kernels
from mlirad.lower.fuse_kernels import fuse_in_place
from mlirad.lower.native_program import NativeProgram
from mlirad.lower.plan_memory import plan_together
from mlirad.lower.plan_verification import verify_plans
from mlirad.lower.schedule_kernels import schedule_in_place
from mlirad.lower.strip_mine import strip_mine_in_place

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
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
    if name not in functions:
        raise CompileError(f"the module has no function '{name}'")
    return compile_function(
        functions[name],
        vector_bytes=vector_bytes,
        address_checks=address_checks,
        observe=observe,
        callees=[functions[callee] for callee in _called(name, functions)],
    )


def _called(name: str, functions: Mapping[str, FuncOp]) -> list[str]:
    """The functions that a function calls, directly or through others."""
    found: dict[str, None] = {}
    pending = [name]
    while pending:
        for op in functions[pending.pop()].walk():
            if isinstance(op, CallOp):
                callee = op.callee.root_reference.data
                if callee not in found:
                    found[callee] = None
                    pending.append(callee)
    return list(found)


def compile_function(
    function: FuncOp,
    *,
    vector_bytes: int,
    address_checks: bool = False,
    observe: Observer | None = None,
    callees: Sequence[FuncOp] = (),
) -> NativeProgram:
    """A function of array code, or of kernels, as LLVM IR text; `callees` are those that it and they call.

    A memory plan is taken as it is if all functions have one; `VerifyError` is raised if one is not sound.
    Otherwise all are made here.
    """
    for type_ in (*function.function_type.inputs, *function.function_type.outputs):
        if isinstance(element_of(type_), FrameType):
            raise CompileError(
                f"@{function.sym_name.data} takes or returns frames: only functions can call it",
                location=location_of(function),
            )
    clock = _Clock(observe)
    lowered = [_scheduled(callee, vector_bytes, _Clock(None)) for callee in callees]
    function = _scheduled(function, vector_bytes, clock)
    if is_planned(function) and all(is_planned(callee) for callee in lowered):
        verify_plans(function, lowered)
    else:
        function, *lowered = [f.clone() if is_planned(f) else f for f in (function, *lowered)]
        plan_together((function, *lowered))
        clock.lap("plan-memory", function)
    program = emit_program(
        function, vector_bytes=vector_bytes, address_checks=address_checks, callees=lowered
    )
    clock.lap("emit", function)
    return program


def _scheduled(function: FuncOp, vector_bytes: int, clock: _Clock) -> FuncOp:
    """The function as scheduled kernels, with a memory plan if it has one."""
    if not is_kernels(function) and not is_planned(function):
        function = form_kernels(function)
        clock.lap("form-kernels", function)
        fuse_in_place(function)
        clock.lap("fuse-kernels", function)
        strip_mine_in_place(function)
        clock.lap("strip-mine", function)
    elif not is_planned(function):
        function = function.clone()
    if not is_planned(function):
        schedule_in_place(function, vector_bytes=vector_bytes)
        clock.lap("schedule-kernels", function)
    return function


class _Clock:
    """Tells an observer how long each hop took."""

    def __init__(self, observe: Observer | None):
        self.observe = observe
        self.start = time.perf_counter()

    def lap(self, name: str, function: FuncOp) -> None:
        """A hop ended."""
        if self.observe is not None:
            self.observe(name, time.perf_counter() - self.start, function)
        self.start = time.perf_counter()


def is_kernels(function: FuncOp) -> bool:
    """Whether a function consists of kernels."""
    return any(isinstance(op, KERNEL_RESULT_OPS) for op in function.walk())


def is_planned(function: FuncOp) -> bool:
    """Whether a function has been through `plan-memory`."""
    return stated_arena(function) is not None


def count_kernels(program: Operation) -> int:
    """The number of kernels in a program."""
    return sum(1 for op in program.walk() if isinstance(op, KERNEL_RESULT_OPS))
