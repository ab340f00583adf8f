"""`mlirad-run`: runs a function of an MLIR file on files and literals, and prints or stores its results.

    mlirad-run program.mlir --entry f --args 2.5 '[1.0, 2.0]' data.npy 'zeros(3x4)'
    mlirad-run program.mlir --pipeline='grad{function=f}' --args 2.5 -o gradient.npy
    mlirad-run program.mlir --interpret --args 2.5            by the reference interpreter
    mlirad-run program.mlir --timeout 10 --args 2.5           or an error after ten seconds

Without `--interpret` the function is compiled to native code; kernels written by hand run with their accesses
checked. Passes given with `-p` and `--pipeline` run first. Results are printed one per line, with as many
digits as their type needs; `-o` stores one result as `.npy`, any number as `.npz`. Exit codes are those of
`mlirad-opt`.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.compiler import holds_kernels, transform
from mlirad.dialects.array.frames import NextRowOp
from mlirad.errors import CompileError, MliradError, UnsupportedError, VerifyError
from mlirad.float_modes import silent
from mlirad.frontend.compiling.roomy import growing
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_of
from mlirad.ir.foreign import reads
from mlirad.ir.locations import location_of
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.threads import ALL, MOST_THREADS, machine_threads, usual_threads
from mlirad.lower.cpu.emit.program import rooms_of
from mlirad.lower.native_program import NativeProgram
from mlirad.passes.eliminate_functions import RecordsToRowsPass
from mlirad.passes.instantiate_sizes import InstantiateSizesPass
from mlirad.pipeline_options import Options
from mlirad.pipelines import always, with_conversions
from mlirad.reports import controls_shown
from mlirad.tools.arguments import read_arguments, sizes_of_arguments
from mlirad.tools.diagnostics import read_source, report
from mlirad.tools.limits import (
    MAX_INTERPRETED_WORK,
    MAX_WORK,
    check_kept_maps,
    check_memory,
    check_work,
    memory_error,
    memory_limit,
)
from mlirad.tools.native import native_program
from mlirad.tools.process import (
    add_passes,
    add_subnormals,
    entry_function,
    guarded,
    keep_entry,
    passes_of,
    split_arguments,
    write_output,
)
from mlirad.tools.time_limit import time_limit

Call: TypeAlias = Callable[[], tuple[object, ...]]
"""A program that is ready to run on its arguments."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool on the given arguments, by default those of the process; returns the exit code."""
    words, values = split_arguments(argv, ("-o", "-p", "-h"))
    arguments = _argument_parser().parse_args(words)

    def run() -> int:
        with time_limit(cast("float | None", arguments.timeout)), controls_shown():
            return _run(arguments, values)

    return guarded(run)


def _run(arguments: argparse.Namespace, texts: Sequence[str]) -> int:
    passes = passes_of(arguments.stages)
    source = read_source(cast(str, arguments.input))
    try:
        module = parse_module(source.text, source.name)
        passes = with_conversions(passes, module, back=False)
        verify_module(module, foreign=reads(passes))
        checked = holds_kernels(module)
        keep_entry(module, cast("str | None", arguments.entry))
        results = _results(module, passes, texts, checked, arguments)
    except MliradError as error:
        report(error, source)
        return 1
    _write(cast("str | None", arguments.output), results)
    return 0


def _results(
    module: ModuleOp,
    passes: Sequence[ModulePass],
    texts: Sequence[str],
    checked: bool,
    arguments: argparse.Namespace,
) -> tuple[object, ...]:
    """The results of the program after passes. Where it has too few rows for records, more are made, unless
    the command or the text say how many there are.
    """

    def call_with(rooms: tuple[int, ...]) -> tuple[Call, tuple[int, ...]]:
        chosen = [replace(p, rooms=rooms) if isinstance(p, RecordsToRowsPass) else p for p in passes]
        return _call(module.clone(), chosen, texts, checked, rooms, arguments)

    is_told = any(isinstance(p, RecordsToRowsPass) and p.rooms for p in passes)
    if is_told or any(isinstance(op, NextRowOp) for op in module.walk()):
        return _call(module, passes, texts, checked, (), arguments)[0]()
    return growing(call_with)()


def _call(
    module: ModuleOp,
    passes: Sequence[ModulePass],
    texts: Sequence[str],
    checked: bool,
    rooms: tuple[int, ...],
    arguments: argparse.Namespace,
) -> tuple[Call, tuple[int, ...]]:
    """The call of the program after passes, and how many rows it has for records of each type."""
    entry = cast("str | None", arguments.entry)
    transform(module, Options(first=tuple(passes), end="program"), verify=always)
    module, of_all_sizes = _at_sizes(module, texts, entry)
    function = entry_function(module, entry)
    memory = cast("int | None", arguments.max_memory) or memory_limit()
    check_memory(module, memory)
    check_work(module, function, _work_limit(arguments))
    name = function.sym_name.data
    values = read_arguments(texts, function.function_type.inputs.data, name)
    # A result that does not exist (an infinity minus itself) is NaN, silently, as in compiled code.
    if arguments.interpret:
        check_kept_maps(module, memory)
        interpreted = partial(silent(run_function), of_all_sizes, values, function=name)
        return lambda: tuple(interpreted()), rooms_of(functions_of(of_all_sizes))
    flush = not arguments.keep_subnormals
    program = native_program(module, function, checked=checked, flush_subnormals=flush, rooms=rooms)
    if program.arena_bytes > memory:
        raise memory_error(function, f"the values of @{name} together, {program.arena_bytes} bytes,", memory)
    return partial(silent(_run_native), program, values, function, checked, arguments), program.rooms


def _at_sizes(module: ModuleOp, texts: Sequence[str], entry: str | None) -> tuple[ModuleOp, ModuleOp]:
    """The module for the sizes of these arguments, and as it was: the interpreter runs that."""
    function = entry_function(module, entry)
    sizes = sizes_of_arguments(texts, function.function_type.inputs.data, function)
    if not sizes:
        return module, module
    copied = module.clone()
    put_in = InstantiateSizesPass(tuple(sizes.items()))
    transform(copied, Options(first=(put_in,), end="program"), verify=always)
    return copied, module


def _work_limit(arguments: argparse.Namespace) -> int:
    default = MAX_INTERPRETED_WORK if arguments.interpret else MAX_WORK
    return default if arguments.max_work is None else cast(int, arguments.max_work)


def _run_native(
    program: NativeProgram,
    values: list[npt.NDArray[Any]],
    function: FuncOp,
    checked: bool,
    arguments: argparse.Namespace,
) -> tuple[object, ...]:
    name = function.sym_name.data
    threads = cast("int | None", arguments.threads) or usual_threads()
    compiled = NativeFunction(program, name=name, debug=checked, threads=threads)
    try:
        return tuple(compiled(*values))
    except CompileError as error:
        if not checked:
            raise
        raise VerifyError(
            f"the kernels of @{name} touch memory outside of their buffers, or read what nobody wrote",
            location=location_of(function),
            hint="every position of a load lies inside its dimension, or is guarded",
        ) from error


def seconds(text: str) -> float:
    """A time limit of the command line. Raises `ValueError`."""
    number = float(text)
    if not 0 < number < threading.TIMEOUT_MAX:
        raise ValueError
    return number


def threads(text: str) -> int:
    """A number of threads of the command line. Raises `ValueError`."""
    if text == ALL:
        return machine_threads()
    number = int(text)
    if not 1 <= number <= MOST_THREADS:
        raise ValueError
    return number


def _write(path: str | None, results: Sequence[object]) -> None:
    if path is None:
        with np.printoptions(threshold=1000, linewidth=110, floatmode="unique"):
            text = "".join(f"{np.asarray(result)}\n" for result in results)
        write_output(None, text.encode())
        return
    stream = BytesIO()
    arrays = [np.asarray(result) for result in results]
    if path.endswith(".npz"):
        np.savez(stream, allow_pickle=False, **{f"result{k}": a for k, a in enumerate(arrays)})
    elif len(arrays) == 1:
        np.save(stream, arrays[0], allow_pickle=False)
    else:
        raise UnsupportedError(f"{len(arrays)} results do not go into {path}", hint="store them as .npz")
    write_output(path, stream.getvalue())


def _count(text: str) -> int:
    """A number, perhaps as a power: 2**36."""
    base, _, exponent = text.partition("**")
    value = int(base) ** min(int(exponent), 64) if exponent else int(base)
    if value < 1:
        raise ValueError
    return value


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "mlirad-run", description="Run a function of an MLIR file.", allow_abbrev=False
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="the file to read; '-', the default, is standard input")
    add("--entry", metavar="FUNCTION", help="the function to run: by default the only one, or @main")
    add("--args", metavar="ARG ...", help="its arguments: .npy files and literals, up to the next option")
    add("--interpret", action="store_true", help="use the reference interpreter instead of native code")
    add(
        "--max-work",
        type=_count,
        metavar="N",
        help="how many elements an op may compute in all iterations of the loops around it: "
        f"2**{MAX_WORK.bit_length() - 1}, interpreted 2**{MAX_INTERPRETED_WORK.bit_length() - 1}",
    )
    add(
        "--max-memory",
        type=_count,
        metavar="BYTES",
        help="how many bytes a value, and all of a program together, may take: half of this machine's memory",
    )
    add_subnormals(parser)
    add("--timeout", type=seconds, metavar="SECONDS", help="end with an error after this number of seconds")
    add(
        "--threads",
        type=threads,
        metavar="N",
        help="how many threads work on the call, or 'all': what MLIRAD_THREADS says, or 1",
    )
    add("-o", dest="output", metavar="FILE", help="store the results in FILE (.npy or .npz)")
    add_passes(
        parser,
        "passes to run before: pass,pass{option=value option=value},...",
        "a named pipeline to run before; options go to its first pass",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
