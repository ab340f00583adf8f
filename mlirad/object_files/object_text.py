"""The function of C around a program, as LLVM IR text, and the object file of both.

    define i32 @loss(ptr %a0, double %a1, ptr %a2)      puts arguments into the table of buffers, calls
                                                        @mlirad_main, and returns a code of `status.py`

Everything but this function is internal, so that object files of several programs can be linked together.
"""

from __future__ import annotations

import re
from typing import Final

from mlirad.jit import engine
from mlirad.lower.native_program import (
    BUFFER_ALIGNMENT,
    CONTEXT_WORDS,
    FAILURE_WORD,
    RECORD_SHIFT,
    STATUS_WORD,
)
from mlirad.object_files.c_function import CFunction, Parameter, Scratch
from mlirad.object_files.runtime_text import runtime_text, without_declarations
from mlirad.object_files.status import OUTSIDE

_MAIN: Final = re.compile(rf"^define void @{engine.ENTRY}\(([^)]*)\)", re.MULTILINE)

_BY_VALUE: Final = {
    "float64": ("double", "double"),
    "float32": ("float", "float"),
    "int64": ("i64", "i64"),
    "int32": ("i32 signext", "i32"),
    "bool": ("i1 zeroext", "i8"),
}
"""For each element type how a scalar is passed, and how it lies in memory."""


def object_code(function: CFunction) -> bytes:
    """The object file of a function. Raises `CompileError` if LLVM makes none."""
    return engine.object_code(object_text(function), function.target)


def object_text(function: CFunction) -> str:
    """The text of all that an object file consists of."""
    program = function.program
    found = _MAIN.search(program.llvm)
    assert found is not None
    given = len([p for p in found[1].split(",") if p.strip()])
    main = _MAIN.sub(rf"define internal void @{engine.ENTRY}(\1) alwaysinline", program.llvm, count=1)
    parts = [
        without_declarations(main, program.externals),
        runtime_text(program, function.target.triple, _pointer_bits(function.target.triple)),
        *_constants(function),
        _entry(function, given),
    ]
    return "\n".join(parts) + "\n"


def _pointer_bits(triple: str) -> int:
    """Return how wide addresses are: of processors with names like these 32 bits."""
    return (
        32
        if re.match(r"(wasm32|i[3-6]86|arm(?!64)|thumb|riscv32|mips(?!64)|ppc(?!64)|powerpc(?!64))", triple)
        else 64
    )


def _constants(function: CFunction) -> list[str]:
    """Globals of the constants that are passed to the program, and of static scratch memory."""
    program = function.program
    made: list[str] = []
    for k, array in enumerate(program.constants):
        kind = "global" if function.is_checked and k == len(program.constants) - 1 else "constant"
        content = "".join(f"\\{byte:02X}" for byte in array.tobytes())
        made.append(
            f'@constant.{k} = internal {kind} [{array.nbytes} x i8] c"{content}", align {BUFFER_ALIGNMENT}'
        )
    if function.scratch is Scratch.STATIC and program.arena_bytes:
        size = program.arena_bytes
        made.append(f"@scratch = internal global [{size} x i8] zeroinitializer, align {BUFFER_ALIGNMENT}")
    return made


def _entry(function: CFunction, given: int) -> str:
    """The function itself; `@mlirad_main` takes as many arguments as `given`."""
    program = function.program
    parameters: list[str] = []
    lines = [
        f"  %context = alloca [{CONTEXT_WORDS} x i64], align 16",
        f"  store [{CONTEXT_WORDS} x i64] zeroinitializer, ptr %context",
    ]
    inputs: dict[int, str] = {}
    outputs: dict[int, str] = {}
    for k, parameter in enumerate(function.parameters):
        name = f"%a{k}"
        parameters.append(f"{_BY_VALUE[parameter.spec.dtype][0] if parameter.by_value else 'ptr'} {name}")
        if parameter.is_result:
            outputs[parameter.place] = name
        else:
            inputs[parameter.place] = _slot(parameter, name, lines) if parameter.by_value else name
        if parameter.overwritten_by is not None:
            outputs[parameter.overwritten_by] = name
    for output, source in program.updates:
        if not program.inputs[source].shape:
            kind = _BY_VALUE[program.inputs[source].dtype][1]
            lines += [
                f"  %moved.{output} = load {kind}, ptr {inputs[source]}",
                f"  store {kind} %moved.{output}, ptr {outputs[output]}",
            ]
            inputs[source] = outputs[output]
    if function.scratch is Scratch.CALLER:
        parameters.append("ptr %scratch")
    buffers = [inputs[j] for j in range(len(inputs))] + [outputs[k] for k in range(len(outputs))]
    buffers += [f"@constant.{k}" for k in range(len(program.constants))]
    lines.append(f"  %buffers = alloca [{max(1, len(buffers))} x ptr], align 16")
    for k, buffer in enumerate(buffers):
        lines += [
            f"  %at.{k} = getelementptr ptr, ptr %buffers, i64 {k}",
            f"  store ptr {buffer}, ptr %at.{k}",
        ]
    arguments = ["ptr %buffers", f"ptr {_arena(function, lines)}", "ptr %context"][:given]
    if function.is_checked:
        cell = f"@constant.{len(program.constants) - 1}"
        lines.append(f"  store i64 0, ptr {cell}")
    lines += [
        f"  call void @{engine.ENTRY}({', '.join(arguments)})",
        f"  %status.at = getelementptr i64, ptr %context, i64 {STATUS_WORD}",
        "  %stated = load i64, ptr %status.at",
        # Beside the code that there is no room stands for which records.
        f"  %status = and i64 %stated, {(1 << RECORD_SHIFT) - 1}",
        f"  %failure.at = getelementptr i64, ptr %context, i64 {FAILURE_WORD}",
        "  %failure = load i64, ptr %failure.at",
        "  %is_finished = icmp eq i64 %status, 0",
        "  %code.0 = select i1 %is_finished, i64 %failure, i64 %status",
    ]
    code = "%code.0"
    if function.is_checked:
        cell = f"@constant.{len(program.constants) - 1}"
        lines += [
            f"  %fault = load i64, ptr {cell}",
            "  %is_inside = icmp eq i64 %fault, 0",
            f"  %code.1 = select i1 %is_inside, i64 %code.0, i64 {OUTSIDE}",
        ]
        code = "%code.1"
    lines += [f"  %result = trunc i64 {code} to i32", "  ret i32 %result"]
    body = "\n".join(lines)
    return f"define i32 @{function.name}({', '.join(parameters)}) nounwind {{\n{body}\n}}"


def _slot(parameter: Parameter, name: str, lines: list[str]) -> str:
    """A scalar that is passed by its value, in memory."""
    kind = _BY_VALUE[parameter.spec.dtype][1]
    slot, value = f"{name}.at", name
    lines.append(f"  {slot} = alloca {kind}, align 16")
    if parameter.spec.dtype == "bool":
        value = f"{name}.byte"
        lines.append(f"  {value} = zext i1 {name} to i8")
    lines.append(f"  store {kind} {value}, ptr {slot}")
    return slot


def _arena(function: CFunction, lines: list[str]) -> str:
    """The address of scratch memory; what the caller passes need not be aligned."""
    if not function.program.arena_bytes:
        return "null"
    if function.scratch is Scratch.STATIC:
        return "@scratch"
    lines += [
        "  %scratch.bits = ptrtoint ptr %scratch to i64",
        "  %scratch.negated = sub i64 0, %scratch.bits",
        f"  %scratch.skip = and i64 %scratch.negated, {BUFFER_ALIGNMENT - 1}",
        "  %arena = getelementptr i8, ptr %scratch, i64 %scratch.skip",
    ]
    return "%arena"
