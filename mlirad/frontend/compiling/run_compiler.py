"""Running the compiler on a traced module: to a native program, or to a stage before.

native_program(module, options)            LLVM IR text of @main
text_after(module, "linearize", options)   MLIR text

This imports all that compiles. A program that is found on the disk needs none of it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from mlirad import pipelines, reports
from mlirad.compiler import (
    Compiled,
    Observer,
    compile_large,
    compile_module,
    count_kernels,
    may_need_blocks,
    transform,
)
from mlirad.dialects import linear
from mlirad.errors import ArgumentError
from mlirad.frontend.compiling import log
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.progress import ProgressLine, with_progress
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.source import user_line, user_place
from mlirad.ir.call_graph import functions_of
from mlirad.ir.first_order import higher_order_op, may_have_records
from mlirad.ir.printing import text_of
from mlirad.jit.caches import level_of
from mlirad.jit.engine import is_quick
from mlirad.jit.machine_program import MachineProgram, machine_program
from mlirad.jit.target import Target
from mlirad.lower.cpu.emit.program import rooms_of
from mlirad.lower.kernels.plan_memory.peak import peak_by_line
from mlirad.lower.native_program import KernelNote
from mlirad.passes.instantiate_sizes import InstantiateSizesPass
from mlirad.pipeline_options import SPECIFICATIONS, Sizes, Stage
from mlirad.pipeline_options import Options as PipelineOptions
from mlirad.registry import current_name


def brought_to(
    end: Stage, module: ModuleOp, options: Options, stats: Stats | None = None, rooms: tuple[int, ...] = ()
) -> None:
    """Bring a module to a stage before kernels, in place, with as many rows for records of each type."""
    transform(module, options.pipeline(end, rooms=rooms), observe=_recording(stats))


def expanded(module: ModuleOp, options: Options, stats: Stats | None = None) -> bool:
    """Expand the derivatives of a module with sizes, in place; False for one that runs as it was traced.

    Raises `SizeNeeded` where a pass needs the number of a size.
    """
    if options.interpret and _runs_as_it_is(module):
        return False
    brought_to("arrays", module, options, stats)
    return True


def at_sizes(module: ModuleOp, sizes: Sizes) -> ModuleOp:
    """A copy of the module with numbers in place of sizes."""
    copied = module.clone()
    transform(copied, PipelineOptions(first=(InstantiateSizesPass(sizes),), end="program"))
    return copied


def native_program(
    module: ModuleOp,
    options: Options,
    stats: Stats | None = None,
    function: str = "main",
    donated: tuple[int, ...] = (),
    *,
    profiled: bool = False,
    line: ProgressLine | None = None,
    target: Target | None = None,
    start: Stage = "program",
    sizes: Sizes = (),
    rooms: tuple[int, ...] = (),
) -> Compiled:
    """A function of the module as LLVM IR text, for this machine unless a `target` is given; the memory of
    arguments `donated` may be taken by results. The module has come to the stage `start`, and its sizes are
    these. `line` is told of each step.
    """
    wanted = options.pipeline("kernels", function, donated, start, sizes, rooms)
    if line is not None:
        line.expect([p.name for p in pipelines.pipeline(wanted)], ("emit", "llvm"))
    made = compile_module(
        module,
        wanted,
        target,
        flush_subnormals=options.flush_subnormals,
        profiled=profiled,
        before=None if line is None else lambda pass_, _: line.begin(pass_.name),
        observe=_recording(stats, line),
    )
    if stats is not None:
        stats.kernels, stats.memory = count_kernels(made.entry), peak_by_line(made.entry)
        stats.work, stats.peak_bytes = made.program.operations, made.program.arena_bytes
        stats.traffic = _traffic(made.program.kernels)
        shared = [k for k in made.program.kernels if k.is_shared]
        stats.shared_kernels, stats.shared_work = len(shared), sum(k.work * k.iterations for k in shared)
    return made


def machine_code(
    module: ModuleOp,
    options: Options,
    stats: Stats | None,
    function: str,
    donated: tuple[int, ...],
    name: str,
    *,
    start: Stage = "program",
    sizes: Sizes = (),
    rooms: tuple[int, ...] = (),
) -> MachineProgram:
    """A function of the module as object code for this machine; see `native_program`. It is called `name`."""

    def made(line: ProgressLine) -> MachineProgram:
        program = native_program(
            module, options, stats, function, donated, line=line, start=start, sizes=sizes, rooms=rooms
        ).program
        if is_quick(program.llvm):
            log.fell_back(f"its {len(program.llvm)} characters of LLVM IR are too many to be optimised")
        line.begin("llvm")
        began = time.perf_counter()
        code = machine_program(program)
        if stats is not None:
            stats.add("llvm", time.perf_counter() - began, None)
            stats.is_quick = is_quick(program.llvm)
        return code

    return with_progress(name, made)


def sized_code(
    module: ModuleOp, options: Options, wanted: PipelineOptions, name: str
) -> MachineProgram | None:
    """Array code with sizes as object code for all those of a range, None where that is not to be had."""

    def made(line: ProgressLine) -> MachineProgram | None:
        line.expect([p.name for p in pipelines.pipeline(wanted)], ("emit", "llvm"))
        program = compile_large(
            module,
            wanted,
            flush_subnormals=options.flush_subnormals,
            before=lambda pass_, _: line.begin(pass_.name),
            observe=_recording(None, line),
        )
        line.begin("llvm")
        return None if program is None else machine_program(program)

    return with_progress(name, made)


def _traffic(kernels: Sequence[KernelNote]) -> dict[str, int]:
    """The bytes that kernels read and write in a call, by the smallest cache that holds those of one run."""
    found: dict[str, int] = {}
    for kernel in kernels:
        level = level_of(kernel.nbytes)
        if level is not None:
            found[level] = found.get(level, 0) + kernel.nbytes * kernel.iterations
    return dict(sorted(found.items()))


def _runs_as_it_is(module: ModuleOp) -> bool:
    """Return whether a module is to be interpreted as it was traced: with functions as values, and no
    derivatives.

    So functions run that hold functions of their own kind, for which there is no first-order program.
    """
    return higher_order_op(module) is not None and not any(
        op.name.startswith("linear.") for op in module.walk()
    )


def text_after(module: ModuleOp, name: str | None, options: Options, sizes: Sizes = ()) -> str:
    """The module as text: as traced, or after the (last) pass `name` of its compile for these sizes.

    Where that may end with builds in blocks, it is run to the end to know.
    """
    if name is None:
        return text_of(module)
    name = current_name(name, _warn_of_name)
    wanted = options.pipeline("kernels", sizes=sizes)
    if not may_need_blocks(module, wanted):
        _require_pass(name, wanted)
        transform(module, replace(wanted, until=name))
        return text_of(module)
    texts: dict[PipelineOptions, str] = {}

    def observe(options: PipelineOptions, step: pipelines.PassRun) -> None:
        if step.name == name:
            texts[options] = text_of(step.module)

    made = compile_module(module, wanted, observe=observe)
    _require_pass(name, made.options)
    return texts[made.options]


def _warn_of_name(message: str) -> None:
    file, line = user_place() or ("<unknown>", 0)
    warnings.warn_explicit(message, DeprecationWarning, file, line)


def _require_pass(name: str, options: PipelineOptions) -> None:
    known = dict.fromkeys(p.name for p in pipelines.pipeline(options))
    if name not in known:
        raise ArgumentError(
            f"there is no pass {name!r} in the pipeline",
            location=user_line(),
            hint=f"it has {', '.join(known)}",
        )


def _recording(stats: Stats | None, line: ProgressLine | None = None) -> Observer | None:
    """Notes the time of every step, and tells when kernels are printed, which follows the last pass."""
    if stats is None and line is None:
        return None

    def observe(options: PipelineOptions, step: pipelines.PassRun) -> None:
        if stats is not None:
            stats.add(step.name, step.seconds + step.verify_seconds, step.module, step.moves)
        if line is not None and step.name == pipelines.pipeline(options)[-1].name:
            line.begin("emit")

    return observe


def interpreted(
    module: ModuleOp,
    options: Options,
    stats: Stats | None = None,
    function: str = "main",
    start: Stage = "program",
) -> Callable[..., Any]:
    """A function run by the interpreter, with derivatives expanded where there are any."""
    from mlirad.frontend.compiling.roomy import growing
    from mlirad.interpreter import run_function

    is_program = start == "program" and not _runs_as_it_is(module)
    has_records, by_specification = may_have_records(module), options.method in SPECIFICATIONS

    def run(made: ModuleOp, *arguments: Any) -> Any:
        prepared = [a if isinstance(a, int | float) else plain_array(a) for a in arguments]
        reports.forget()
        results = run_function(made, prepared, function=function, timeout=options.timeout)
        reports.raise_first()
        return results[0] if len(results) == 1 else results

    def expanded(rooms: tuple[int, ...]) -> tuple[Callable[..., Any], tuple[int, ...]]:
        made = module.clone() if has_records or by_specification else module
        if is_program:
            brought_to("expanded", made, options, stats, rooms)
            if by_specification and any(isinstance(op, linear.DerivedOp) for op in made.walk()):
                # Derivatives of derivatives of recursive functions are functions of array code alone.
                made = module.clone()
                brought_to("arrays", made, options, stats, rooms)
        return partial(run, made), rooms_of(functions_of(made)) if is_program and has_records else ()

    return growing(expanded)
