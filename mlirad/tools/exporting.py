"""Files for a linker from the command line: `mlirad-opt --emit object,header -o loss`.

One kind of file is written where every other output goes; several are written to `loss.o`, `loss.h` and, of
`library`, `libloss.so`.
"""

from __future__ import annotations

import argparse
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, cast

from xdsl.dialects.func import FuncOp

from mlirad.errors import UnsupportedError
from mlirad.ir.builder import function_block
from mlirad.jit.target import Target, file_target
from mlirad.lower.native_program import NativeProgram
from mlirad.object_files import CFunction, Scratch, exported_function, header_text, object_code, write_files
from mlirad.tools.process import write_output

FILES: Final = ("object", "header", "library")
"""The kinds of files that can be asked for together."""


def emitted_kinds(others: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """The type of the option `--emit`: one of the kinds `others`, or several of `FILES`."""

    def read(text: str) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
        for name in names:
            if name not in (*others, *FILES):
                raise argparse.ArgumentTypeError(
                    f"there is no kind {name!r}; there are {', '.join((*others, *FILES))}"
                )
        if len(names) > 1 and not all(name in FILES for name in names):
            raise argparse.ArgumentTypeError(f"only {', '.join(FILES)} can be written together")
        return names

    return read


def add_files(parser: ArgumentParser) -> None:
    """The options of files for a linker, with their help."""
    add = parser.add_argument
    add(
        "--scratch",
        choices=[s.value for s in Scratch],
        default=Scratch.STATIC.value,
        help="where an object file has its working memory: in itself, or passed by the caller",
    )
    add("--target", metavar="TRIPLE", help="the processor of an object file: baseline, x86-64-v3, a triple")
    add("--cpu", default="", help="LLVM's name of a processor, with --target")
    add("--features", default="", help="LLVM's features of a processor, with --target: +simd128")


def target_of(arguments: argparse.Namespace) -> Target:
    """The target that the options name. Raises `CompileError` if LLVM does not know it."""
    return file_target(
        cast("str | None", arguments.target), cast(str, arguments.cpu), cast(str, arguments.features)
    )


def c_function(
    program: NativeProgram, function: FuncOp, scratch: str, target: Target, *, is_checked: bool
) -> CFunction:
    """A compiled function of a module as one of C, of its own name. Raises what `exported_function` does."""
    arguments = function_block(function).args
    inputs = [a.name_hint or f"x{k}" for k, a in enumerate(arguments)]
    count = len(program.outputs)
    outputs = ["result"] if count == 1 else [f"result_{k}" for k in range(count)]
    return exported_function(
        program,
        function.sym_name.data,
        inputs,
        outputs,
        Scratch(scratch),
        target,
        is_checked=is_checked,
        source=f"@{function.sym_name.data}",
        hint="rename the function in the module",
    )


def write_kinds(function: CFunction, kinds: Sequence[str], output: str | None) -> None:
    """Write the kinds of files asked for.

    Raises what `write_files` raises, and `UnsupportedError` for several files without a name.
    """
    if tuple(kinds) == ("object",):
        write_output(output, object_code(function))
    elif tuple(kinds) == ("header",):
        write_output(output, header_text(function).encode())
    elif output is None or output == "-":
        raise UnsupportedError(
            f"{', '.join(kinds)} are several files", hint="say what they are called: -o loss"
        )
    else:
        path = Path(output)
        base = path.with_suffix("") if path.suffix in (".o", ".h", ".so") else path
        write_files(base, function, library="library" in kinds)
