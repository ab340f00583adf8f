"""`mlirad-opt`: reads MLIR text, runs passes on it, and prints the result.

    mlirad-opt -p 'bulk-operations,linearize{method=dual-arrays}' program.mlir
    mlirad-opt --pipeline='grad{function=f wrt=0,1}' - < program.mlir
    mlirad-opt --emit object,header -o loss loss.mlir
    mlirad-opt --split-input-file --verify-diagnostics invalid.mlir

Options are those of mlir-opt where it has them. The exit code is 0 when everything succeeded (with
`--verify-diagnostics`: when exactly the expected errors came), 1 after an error, which is printed with file,
line and column, and 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.passes import ModulePass, get_pass_option_infos

from mlirad.compiler import holds_kernels, transform
from mlirad.errors import MliradError, UnsupportedError
from mlirad.ir.foreign import foreign_dialects, reads
from mlirad.ir.parsing import make_context, parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.target import Target
from mlirad.lazy_dataclass import dataclass
from mlirad.object_files import CFunction
from mlirad.pipeline_options import Options as PipelineOptions
from mlirad.pipelines import PIPELINES, PassRun, always, with_conversions
from mlirad.registry import PASS_MODULES, current_name, load_pass
from mlirad.tools.diagnostics import (
    Diagnostic,
    Source,
    diagnostics_of,
    print_diagnostics,
    read_source,
    warn,
)
from mlirad.tools.expectations import compare
from mlirad.tools.exporting import FILES, add_files, c_function, emitted_kinds, target_of, write_kinds
from mlirad.tools.instrumentation import IrPrinting, Timing, module_text
from mlirad.tools.native import native_program
from mlirad.tools.process import (
    Stage,
    add_passes,
    add_subnormals,
    entry_function,
    guarded,
    keep_entry,
    passes_of,
    write_output,
)

TEXTS = ("mlir", "generic", "llvm", "asm")
"""The kinds of text that can be written, besides the files of `mlirad/tools/exporting.py`."""

SEPARATOR = "// -----"
"""The line that separates the parts of an input with `--split-input-file`, and of its output."""

_SEPARATOR_LINE = re.compile(r"^// -----[ \t]*\r?\n?", re.MULTILINE)


@dataclass(frozen=True)
class Options:
    """The command line, read."""

    input: str
    output: str | None
    stages: tuple[Stage, ...]
    emit: tuple[str, ...]
    scratch: str
    for_target: Target
    entry: str | None
    trust_kernels: bool
    keep_subnormals: bool
    split_input_file: bool
    verify_diagnostics: bool
    allow_unregistered_dialect: bool
    print_debuginfo: bool
    print_ir_before: tuple[str, ...]
    print_ir_after: tuple[str, ...]
    print_ir_after_all: bool
    print_ir_after_change: bool
    timing: bool
    explain: bool


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool on the given arguments, by default those of the process; returns the exit code."""
    arguments = _argument_parser().parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    if cast(bool, arguments.list_passes):
        sys.stdout.write("".join(_pass_lines()))
        return 0
    if cast(bool, arguments.list_pipelines):
        sys.stdout.write("".join(f"{name:<10} {','.join(passes())}\n" for name, passes in PIPELINES.items()))
        return 0
    values = cast("dict[str, object]", vars(arguments)) | {"for_target": target_of(arguments)}
    for option in ("print_ir_before", "print_ir_after"):
        values[option] = tuple(current_name(n, warn) for n in cast("tuple[str, ...]", values[option]))
    options = Options(**{field: values[field] for field in Options.__dataclass_fields__})  # pyright: ignore[reportArgumentType]
    for name in (*options.print_ir_before, *options.print_ir_after):
        if name not in PASS_MODULES:
            raise UnsupportedError(
                f"there is no pass {name!r} to print around", hint=f"there are {', '.join(PASS_MODULES)}"
            )
    return _process(options)


def _process(options: Options) -> int:
    """Read, transform and write everything."""
    start = time.perf_counter()
    passes = passes_of(options.stages)
    source = read_source(options.input)
    timing = Timing()
    outputs: list[bytes | CFunction] = []
    found: list[Diagnostic] = []
    for text, first_line in _parts(source.text) if options.split_input_file else [(source.text, 1)]:
        try:
            outputs.append(_transform(text, first_line, source, passes, options, timing))
        except MliradError as error:
            found += diagnostics_of(error)
    differences = compare(found, source) if options.verify_diagnostics else found
    print_diagnostics(differences, source)
    functions = [output for output in outputs if isinstance(output, CFunction)]
    if len(functions) > 1:
        raise UnsupportedError("an object file is made of one module: leave out --split-input-file")
    if functions and not differences:
        write_kinds(functions[0], options.emit, options.output)
    elif not differences or options.output is None:
        texts = [output for output in outputs if isinstance(output, bytes)]
        write_output(options.output, f"{SEPARATOR}\n".encode().join(texts))
    if options.explain:
        sys.stderr.write(timing.explanation())
    if options.timing:
        sys.stderr.write(timing.report(time.perf_counter() - start))
    return 1 if differences else 0


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """The parts between separator lines, each with the number of its first line."""
    start, line = 0, 1
    for separator in _SEPARATOR_LINE.finditer(text):
        part = text[start : separator.start()]
        yield part, line
        line += part.count("\n") + 1
        start = separator.end()
    yield text[start:], line


def _transform(
    text: str,
    first_line: int,
    source: Source,
    passes: tuple[ModulePass, ...],
    options: Options,
    timing: Timing,
) -> bytes | CFunction:
    """One module from text to output."""
    start = time.perf_counter()
    context = make_context(allow_unregistered=options.allow_unregistered_dialect)
    module = parse_module(text, source.name, context=context, first_line=first_line)
    is_generic = options.emit == ("generic",)
    is_mlir = is_generic or options.emit == ("mlir",)
    passes = with_conversions(passes, module, back=is_mlir)
    foreign = reads(passes) if passes or not is_mlir else foreign_dialects(module)
    verify_module(module, allow_unregistered=context.allow_unregistered, foreign=foreign)
    checked = holds_kernels(module) and not options.trust_kernels
    timing.parse += time.perf_counter() - start
    is_file = options.emit[0] in FILES
    printing = IrPrinting(
        before=options.print_ir_before,
        after=options.print_ir_after,
        after_all=options.print_ir_after_all
        or (options.print_ir_after_change and not options.print_ir_after),
        only_changes=options.print_ir_after_change,
        generic=is_generic,
        locations=options.print_debuginfo,
    )

    if not is_mlir:
        keep_entry(module, options.entry)

    def observe(_: PipelineOptions, step: PassRun) -> None:
        timing.steps.append(step)
        printing.after_step(step)

    given = PipelineOptions(first=passes, end="program")
    before = printing.before_pass
    transform(module, given, context=context, verify=always, before=before, observe=observe)
    if is_mlir:
        start = time.perf_counter()
        output = module_text(module, generic=is_generic, locations=options.print_debuginfo).encode()
    else:
        function = entry_function(module, options.entry)
        program = native_program(
            module,
            function,
            checked=checked,
            flush_subnormals=not options.keep_subnormals,
            context=context,
            before=before,
            observe=observe,
            target=options.for_target if is_file else None,
        )
        start = time.perf_counter()
        if is_file:
            target = options.for_target
            output = c_function(program, function, options.scratch, target, is_checked=checked)
        else:
            output = _code(program.llvm, is_assembly=options.emit == ("asm",))
    timing.output += time.perf_counter() - start
    return output


def _code(text: str, *, is_assembly: bool) -> bytes:
    from mlirad.jit.engine import assembly

    return (assembly(text) if is_assembly else text).encode()


def _pass_lines() -> Iterator[str]:
    """Each pass with its options, their defaults, and what it does."""
    for name in PASS_MODULES:
        pass_class = load_pass(name)
        options = " ".join(
            info.name.replace("_", "-") + (f"={info.default_value}" if info.default_value else "")
            for info in get_pass_option_infos(pass_class)
        )
        summary = (pass_class.__doc__ or "").strip().partition("\n")[0]
        yield f"{name}{{{options}}}\n    {summary}\n" if options else f"{name}\n    {summary}\n"


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "mlirad-opt", description="Run mlirad's passes on MLIR text.", allow_abbrev=False
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="the file to read; '-', the default, is standard input")
    add("-o", dest="output", metavar="FILE", help="write to FILE instead of standard output")
    add_passes(
        parser,
        "passes to run: pass,pass{option=value option=value},...",
        "a named pipeline to run; options go to its first pass: grad{function=f wrt=0,1}",
    )
    add(
        "--emit",
        type=emitted_kinds(TEXTS),
        default=("mlir",),
        metavar="KIND,...",
        help="what to write: mlir, generic (MLIR in generic syntax), llvm (LLVM IR), asm (assembly), or of a "
        "function of C: object, header, library",
    )
    add_files(parser)
    add("--entry", metavar="FUNCTION", help="the function that LLVM IR and code are made for")
    add(
        "--trust-kernels",
        action="store_true",
        help="leave out the checks that accesses of kernels read as text get in LLVM IR and code",
    )
    add_subnormals(parser)
    add("--split-input-file", action="store_true", help="the input is modules between lines '// -----'")
    add("--verify-diagnostics", action="store_true", help="check errors against '// expected-error {{...}}'")
    add("--print-debuginfo", action="store_true", help="print the source location of every op")
    add("--allow-unregistered-dialect", action="store_true", help="accept ops of unknown dialects")
    for option in ("before", "after"):
        add(
            f"--print-ir-{option}",
            type=_names,
            default=(),
            metavar="PASS,...",
            help=f"print the module {option} these passes, to standard error",
        )
    add("--print-ir-after-all", action="store_true", help="print the module after every pass")
    add(
        "--print-ir-after-change",
        action="store_true",
        help="print the module after every pass that changed it",
    )
    add("--timing", "--mlir-timing", action="store_true", help="print the time each stage took")
    add(
        "--explain", action="store_true", help="print what passes of lowering weighed, and what they expected"
    )
    add("--list-passes", action="store_true", help="list the passes with their options")
    add("--list-pipelines", action="store_true", help="list the named pipelines with their passes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
