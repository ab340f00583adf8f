"""The native program of a function, from whatever stage its module has reached."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.compiler import Observer, compile_module
from mlirad.jit.target import Target
from mlirad.lower.native_program import NativeProgram
from mlirad.pipeline_options import Options
from mlirad.pipelines import Before, lowering
from mlirad.registry import parse_specs


def native_program(
    module: ModuleOp,
    function: FuncOp,
    *,
    checked: bool = False,
    flush_subnormals: bool = True,
    context: Context | None = None,
    before: Before | None = None,
    observe: Observer | None = None,
    target: Target | None = None,
    rooms: tuple[int, ...] = (),
) -> NativeProgram:
    """LLVM IR text of a function of `module`, for a target, by default this machine or the one that the
    environment asks for.

    Derivatives, builds and calls in array code are compiled too; kernels are taken as they are, and their
    memory plan is verified. With `checked`, accesses are compared with the bounds of their buffers, and with
    `flush_subnormals` subnormal numbers are taken for zeros. There are `rooms` rows for records
    of each type. The module, which it changes, is verified after every pass before `lower`.
    """
    lowered = {spec.name for text in lowering() for spec in parse_specs(text)}

    def verify(pass_: ModulePass) -> bool:
        return pass_.name not in (*lowered, "mlirad-symbol-dce")

    return compile_module(
        module,
        Options(entry=function.sym_name.data, rooms=rooms),
        target,
        address_checks=checked,
        flush_subnormals=flush_subnormals,
        context=context,
        verify=verify,
        before=before,
        observe=observe,
    ).program
