"""From a traced module to something that can be called, and the record of what that took.

executable(module, options, stats)     compiles @main to native code, or hands it to the interpreter
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from mlirad import pipelines, reports
from mlirad.compiler import Compiled, Observer, compile_module, count_kernels, may_need_blocks, transform
from mlirad.disk_cache.programs import Place
from mlirad.errors import CompileError, UnsupportedError
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.source import user_line
from mlirad.interpreter import run_function
from mlirad.ir.first_order import higher_order_op
from mlirad.jit.caches import level_of
from mlirad.jit.call import NativeFunction
from mlirad.jit.forking import CompileLock, compiling_section
from mlirad.jit.machine_program import MachineProgram, machine_program
from mlirad.jit.target import find_target
from mlirad.lower.native_program import KernelNote
from mlirad.lower.plan_memory.peak import peak_by_line
from mlirad.recursion import deep_recursion

Executable: TypeAlias = Callable[..., Any]
"""Takes the flat arguments; returns the only result, or a tuple of several or none."""


@contextmanager
def compiling() -> Generator[None]:
    """Pause garbage collection and allow deep recursion, as compiling needs; forks wait."""
    this = object()
    with compiling_section(), deep_recursion():
        try:
            _garbage.keep(this)
            yield
        finally:
            _garbage.release(this)


class _Garbage:
    """The collection of garbage during compiles: the first one stops it, the last one resumes it.

    Each is known by an object of its own, so that one that is interrupted in here is not counted for ever.
    """

    def __init__(self) -> None:
        self._lock = CompileLock()
        self._compiles: set[object] = set()
        self._was_enabled = False

    def keep(self, compile: object) -> None:
        with self._lock:
            if not self._compiles:
                self._was_enabled = gc.isenabled()
            self._compiles.add(compile)
            gc.disable()

    def release(self, compile: object) -> None:
        with self._lock:
            self._compiles.discard(compile)
            if not self._compiles and self._was_enabled:
                gc.enable()


_garbage = _Garbage()


def brought_to(end: pipelines.Stage, module: ModuleOp, options: Options, stats: Stats | None = None) -> None:
    """Bring a module to a stage before kernels, in place."""
    transform(module, options.pipeline(end), observe=_recording(stats))


def native_program(
    module: ModuleOp,
    options: Options,
    stats: Stats | None = None,
    function: str = "main",
    donated: tuple[int, ...] = (),
    *,
    profiled: bool = False,
) -> Compiled:
    """A function of the module as LLVM IR text for this machine; the memory of arguments `donated` may be
    taken by results.
    """
    wanted = options.pipeline("kernels", function, donated)
    made = compile_module(
        module,
        wanted,
        flush_subnormals=options.flush_subnormals,
        profiled=profiled,
        observe=_recording(stats),
    )
    if stats is not None:
        stats.kernels, stats.memory = count_kernels(made.entry), peak_by_line(made.entry)
        stats.work, stats.peak_bytes = made.program.operations, made.program.arena_bytes
        stats.traffic = _traffic(made.program.kernels)
        shared = [k for k in made.program.kernels if k.tasks > 1 or k.is_shared]
        stats.shared_kernels, stats.shared_work = len(shared), sum(k.work * k.trips for k in shared)
    return made


def _traffic(kernels: Sequence[KernelNote]) -> dict[str, int]:
    """The bytes that kernels read and write in a call, by the smallest cache that holds those of one run."""
    found: dict[str, int] = {}
    for kernel in kernels:
        level = level_of(kernel.nbytes)
        if level is not None:
            found[level] = found.get(level, 0) + kernel.nbytes * kernel.trips
    return dict(sorted(found.items()))


def executable(
    module: ModuleOp,
    options: Options,
    stats: Stats | None = None,
    function: str = "main",
    donated: tuple[int, ...] = (),
    *,
    name: str = "",
    anew: bool = False,
) -> tuple[Executable, NativeFunction | None]:
    """A function of the module that can be called, and its machine code where it is compiled.

    That is taken from the disk where it is kept there, unless it is to be made `anew`; `name` is what the
    cache calls it. Results may take the memory of the arguments `donated`, which the interpreter leaves as
    they are.
    """
    if options.interpret:
        if not _runs_as_it_is(module):
            brought_to("arrays", module, options, stats)
        return _interpreted(module, function, options.timeout), None
    decides = (options.pipeline("kernels", function, donated), replace(options, timeout=None, threads=None))
    place = Place.of(module, decides, find_target(), name or function)

    def loaded(program: MachineProgram) -> NativeFunction:
        return NativeFunction(
            program,
            name=function,
            timeout=options.timeout,
            threads=options.thread_count,
            donated=donated,
        )

    native = None if anew or place is None else _found(place, loaded, stats)
    if native is None:
        program = native_program(module, options, stats, function, donated).program
        start = time.perf_counter()
        made = machine_program(program)
        native = loaded(made)
        if place is not None:
            place.keep(made)
        if stats is not None:
            stats.add("llvm", time.perf_counter() - start, None)
    return native.entry, native


def _found(
    place: Place, loaded: Callable[[MachineProgram], NativeFunction], stats: Stats | None
) -> NativeFunction | None:
    """A function from the disk, None where it is not there or cannot be linked."""
    start = time.perf_counter()
    program = place.find()
    if program is None:
        return None
    try:
        native = loaded(program)
    except CompileError:
        return None
    if stats is not None:
        stats.add("load", time.perf_counter() - start, None)
        stats.work, stats.peak_bytes, stats.is_loaded = program.operations, program.arena_bytes, True
    return native


def _runs_as_it_is(module: ModuleOp) -> bool:
    """Whether a module is to be interpreted as it was traced: with functions as values, and no derivatives.

    So functions run that hold functions of their own kind, for which there is no first-order program.
    """
    return higher_order_op(module) is not None and not any(
        op.name.startswith("linear.") for op in module.walk()
    )


def text_after(module: ModuleOp, name: str | None, options: Options) -> str:
    """The module as text: as traced, or after the (last) pass `name` of its compile.

    Where that may end with builds in blocks, it is run to the end to know.
    """
    if name is None:
        return text_of(module)
    wanted = options.pipeline("kernels")
    if not may_need_blocks(module, wanted):
        _require_pass(name, wanted)
        transform(module, replace(wanted, until=name))
        return text_of(module)
    texts: dict[pipelines.Options, str] = {}

    def observe(options: pipelines.Options, step: pipelines.Step) -> None:
        if step.name == name:
            texts[options] = text_of(step.module)

    made = compile_module(module, wanted, observe=observe)
    _require_pass(name, made.options)
    return texts[made.options]


def _require_pass(name: str, options: pipelines.Options) -> None:
    known = dict.fromkeys(p.name for p in pipelines.pipeline(options))
    if name not in known:
        raise UnsupportedError(
            f"there is no pass {name!r} in the pipeline",
            location=user_line(),
            hint=f"it has {', '.join(known)}",
        )


def text_of(op: Operation) -> str:
    """A module or function as MLIR text."""
    stream = StringIO()
    Printer(stream=stream).print_op(op)
    return stream.getvalue() + "\n"


def _recording(stats: Stats | None) -> Observer | None:
    if stats is None:
        return None
    return lambda _, step: stats.add(step.name, step.seconds + step.verify_seconds, step.module)


def _interpreted(module: ModuleOp, function: str, timeout: float | None) -> Executable:
    """A function run by the interpreter."""

    def run(*arguments: Any) -> Any:
        prepared = [a if isinstance(a, int | float) else plain_array(a) for a in arguments]
        reports.forget()
        results = run_function(module, prepared, function=function, timeout=timeout)
        reports.raise_first()
        return results[0] if len(results) == 1 else results

    return run
