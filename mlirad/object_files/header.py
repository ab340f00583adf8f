"""The C header of an exported function: its declaration, what its arguments are, what it needs.

header_text(function)    "#ifndef LOSS_H\n#define LOSS_H\n..."

It can be included in C and in C++, and beside headers of other functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mlirad.lower.native_program import STACK_LIMIT
from mlirad.object_files.c_function import CFunction, Parameter, Scratch
from mlirad.object_files.routines import LIBRARIES, routines
from mlirad.object_files.runtime_text import STACK_BYTES
from mlirad.object_files.status import CODES, OF_REPORT

_C_TYPES: Final = {
    "float64": "double",
    "float32": "float",
    "int64": "int64_t",
    "int32": "int32_t",
    "bool": "bool",
}


def header_text(function: CFunction) -> str:
    """The header as text."""
    return "\n".join(_lines(function)) + "\n"


def _lines(function: CFunction) -> Iterator[str]:
    guard = f"{function.name.upper()}_H"
    yield f"/* {function.name}: made by mlirad; do not edit."
    yield " *"
    if function.source is not None:
        yield f" * From {_comment(function.source)}."
    yield f" * For {function.target.triple}, {_comment(function.target.cpu or 'any processor')}."
    yield from _needs(function)
    yield " */"
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield ""
    yield "#include <stdbool.h>"
    yield "#include <stdint.h>"
    yield ""
    yield "#ifdef __cplusplus"
    yield 'extern "C" {'
    yield "#endif"
    yield ""
    yield "#ifndef MLIRAD_STATUS"
    yield "#define MLIRAD_STATUS"
    yield "/* What functions return. Results are unspecified after all but MLIRAD_OK. */"
    yield "enum mlirad_status {"
    for name, (code, what) in CODES.items():
        yield f"  MLIRAD_{name} = {code}, /* {what} */"
    yield "};"
    yield "#endif"
    yield ""
    macro = f"{function.name.upper()}_SCRATCH_BYTES"
    if function.scratch is Scratch.CALLER:
        yield "/* The bytes of memory that scratch points to, of any alignment; may be NULL where they are 0."
        yield " * Nothing is kept there between calls, and each call under way needs memory of its own. */"
        yield f"#define {macro} {function.scratch_bytes}"
        yield ""
    yield from _declaration(function)
    yield ""
    yield "#ifdef __cplusplus"
    yield "}"
    yield "#endif"
    yield ""
    yield f"#endif /* {guard} */"


def _needs(function: CFunction) -> Iterator[str]:
    """Yield what the function asks of those who link and call it."""
    program = function.program
    yield " *"
    yield " * Arrays are row-major and contiguous, aligned to their elements. No array that is written may"
    yield " * overlap another one."
    if function.scratch is Scratch.STATIC and program.arena_bytes:
        size = f"{program.arena_bytes} bytes"
        yield f" * {size} of scratch memory are static: one call may be under way at a time."
    else:
        yield " * Any number of calls may be under way at a time, in different threads."
    if "mlirad_rt_malloc" in program.externals:
        yield " * It allocates memory by malloc, and frees all of it before it returns."
    if STACK_LIMIT in program.externals:
        yield f" * It calls itself; calls take up to {STACK_BYTES} bytes of stack."
    failures = dict.fromkeys(r for r in program.reports if r.kind in OF_REPORT)
    if failures:
        yield " *"
        yield " * It may fail with:"
        for report in failures:
            where = "" if report.line is None else f" ({_comment(report.line)})"
            yield f" *   MLIRAD_{report.kind.upper()}: {_comment(report.message)}{where}"
    yield " *"
    yield f" * Link with {link_options(function)}: memcpy, memset and the functions of math.h may be called."
    for library, names in routines(program).items():
        if library in LIBRARIES:
            interface = "by its Fortran interface with 32-bit integers"
            yield f" * From {library.upper()}, {interface}: {', '.join(names)}."


def link_options(function: CFunction) -> str:
    """Return what a linker of C programs is usually told besides the object file."""
    needed = routines(function.program)
    return " ".join([*(LIBRARIES[name] for name in ("lapack", "blas") if name in needed), "-lm"])


def _declaration(function: CFunction) -> Iterator[str]:
    texts = [_parameter(p) for p in function.parameters]
    notes = [_note(p) for p in function.parameters]
    if function.scratch is Scratch.CALLER:
        texts.append("void *scratch")
        notes.append(f"{function.scratch_bytes} bytes")
    if not texts:
        yield f"int {function.name}(void);"
        return
    yield f"int {function.name}("
    for k, (text, note) in enumerate(zip(texts, notes, strict=True)):
        last = k == len(texts) - 1
        yield f"    {text}{'' if last else ','} /* {note} */"
    yield ");"


def _parameter(parameter: Parameter) -> str:
    kind = _C_TYPES[parameter.spec.dtype]
    if parameter.by_value:
        return f"{kind} {parameter.name}"
    is_written = parameter.is_result or parameter.overwritten_by is not None
    return f"{'' if is_written else 'const '}{kind} *{parameter.name}"


def _note(parameter: Parameter) -> str:
    what = "out" if parameter.is_result else "in"
    if parameter.overwritten_by is not None:
        what = f"in, and out: result {parameter.overwritten_by}"
    spec = parameter.spec
    if not spec.shape:
        return what
    extents = "".join(f"[{n}]" for n in spec.shape)
    return f"{what}, {extents}, {spec.size} elements, {spec.nbytes} bytes"


def _comment(text: str) -> str:
    """Text that can stand in a comment of one line."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())
