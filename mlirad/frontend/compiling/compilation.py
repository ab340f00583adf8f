"""From a traced module to something that can be called, and the record of what that took.

expand(module)             runs the passes that leave array code only
executable(module, ...)    compiles a function of it to native code, or hands it to the interpreter
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import takewhile
from typing import Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from mlirad import reports
from mlirad.dialects.array.indexing import BuildOp
from mlirad.errors import UnsupportedError
from mlirad.frontend.compiling.stats import Stats, count_kernels
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.source import user_line
from mlirad.interpreter import run_function
from mlirad.ir.parsing import make_context
from mlirad.jit.call import NativeFunction
from mlirad.jit.forking import CompileLock, compiling_section
from mlirad.jit.stacks import on_large_stack
from mlirad.jit.target import find_target
from mlirad.lower.compile import compile_module
from mlirad.lower.native_program import NativeProgram
from mlirad.lower.plan_memory.peak import peak_by_line
from mlirad.passes.registry import make_pass, parse_specs
from mlirad.pipelines import EXPANSIONS, LOWER, Step, run_passes
from mlirad.recursion import deep_recursion

Executable: TypeAlias = Callable[..., Any]
"""Takes the flat arguments; returns the only result, or a tuple of several or none."""


@contextmanager
def compiling() -> Generator[None]:
    """Collect no garbage and allow deep recursion, which is what compiles are made of; forks wait."""
    with compiling_section(), deep_recursion():
        _garbage.keep()
        try:
            yield
        finally:
            _garbage.release()


class _Garbage:
    """The collection of garbage during compiles: the first thread stops it, the last starts it again."""

    def __init__(self) -> None:
        self._lock = CompileLock()
        self._compiles = 0
        self._was_enabled = False

    def keep(self) -> None:
        with self._lock:
            if self._compiles == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._compiles += 1

    def release(self) -> None:
        with self._lock:
            self._compiles -= 1
            if self._compiles == 0 and self._was_enabled:
                gc.enable()


_garbage = _Garbage()


def passes_of(specs: Sequence[str]) -> list[ModulePass]:
    """The passes of a pipeline."""
    return [make_pass(spec) for text in specs for spec in parse_specs(text)]


def expand(module: ModuleOp, method: str, stats: Stats | None = None, kept: str | None = None) -> None:
    """Bring a module to array code, in place: every derivative expanded by `method`.

    `kept` is the pass, with its options, that keeps builds as loops; see `kept_builds`.
    """
    _run(module, _expansion(method, kept), stats)


def expand_to_maps(
    module: ModuleOp, method: str, stats: Stats | None = None, kept: str | None = None
) -> None:
    """Bring a module to array code and linear maps, in place: derivatives expanded, not yet applied."""
    applied = ("defunctionalise-maps", "apply-linear-maps")
    passes = list(takewhile(lambda p: p.name not in applied, _expansion(method, kept)))
    _run(module, [*passes, *passes_of(["mlirad-inline"])], stats)


def kept_builds(lanes: int | str | None) -> str | None:
    """The pass that makes builds compute `lanes` positions at a time; None where they compute all at once."""
    return f"builds-to-loops{{chunk={lanes}}}" if isinstance(lanes, int) else None


def _expansion(method: str, kept: str | None) -> list[ModulePass]:
    if method not in EXPANSIONS:
        raise UnsupportedError(
            f"there is no method {method!r}", location=user_line(), hint=f"there are {', '.join(EXPANSIONS)}"
        )
    specs = list(EXPANSIONS[method])
    if kept is not None:
        specs.insert(specs.index("bulk-operations"), kept)
    return passes_of(specs)


def _run(module: ModuleOp, passes: Sequence[ModulePass], stats: Stats | None) -> None:
    def record(pass_: ModulePass, program: ModuleOp, step: Step) -> None:
        if stats is not None:
            stats.add(step.name, step.seconds + step.verify_seconds, program)

    context = _context()
    on_large_stack(lambda: run_passes(module, passes, context=context, verify=False, after=record))


_contexts: list[Context] = []


def _context() -> Context:
    if not _contexts:
        _contexts.append(make_context())
    return _contexts[0]


def text_after(module: ModuleOp, name: str | None, method: str, kept: str | None = None) -> str:
    """The module as text: as traced, or after the (last) pass `name` of the pipeline."""
    if name is not None:
        passes = [*_expansion(method, kept), *passes_of(LOWER)]
        known = [p.name for p in passes]
        if name not in known:
            raise UnsupportedError(
                f"there is no pass {name!r} in the pipeline",
                location=user_line(),
                hint=f"it has {', '.join(dict.fromkeys(known))}",
            )
        last = len(known) - 1 - known[::-1].index(name)
        _run(module, passes[: last + 1], None)
    stream = StringIO()
    Printer(stream=stream).print_op(module)
    return stream.getvalue() + "\n"


def native_program(module: ModuleOp, function: str, stats: Stats | None = None) -> NativeProgram:
    """A function of expanded array code as LLVM IR text for this machine."""

    def observe(name: str, seconds: float, program: FuncOp) -> None:
        if stats is not None:
            stats.add(name, seconds, program)
            if name == "plan-memory":
                stats.kernels, stats.memory = count_kernels(program), peak_by_line(program)

    vector_bytes = find_target().vector_bytes
    native = on_large_stack(
        lambda: compile_module(module, function, vector_bytes=vector_bytes, observe=observe)
    )
    if stats is not None:
        stats.work, stats.peak_bytes = native.operations, native.arena_bytes
    return native


MEMORY_LIMIT = 2**31
"""Bytes of scratch memory beyond which builds are cut into blocks of positions."""

BLOCK_LIMIT = 2**26
"""Bytes that one block of positions computes."""


def holds_builds(module: ModuleOp) -> bool:
    """Whether a build stands anywhere in the module."""
    return any(isinstance(op, BuildOp) for op in module.walk())


def executable(
    module: ModuleOp,
    function: str,
    *,
    interpret: bool,
    timeout: float | None = None,
    stats: Stats | None = None,
) -> tuple[Executable, NativeFunction | None]:
    """A function of expanded array code that can be called, and its machine code where it is compiled."""
    if interpret:
        return interpreted(module, function, timeout), None
    return compiled(native_program(module, function, stats), function, timeout, stats)


def compiled(
    program: NativeProgram, name: str, timeout: float | None = None, stats: Stats | None = None
) -> tuple[Executable, NativeFunction]:
    """A program as something that can be called, and its machine code."""
    start = time.perf_counter()
    native = NativeFunction(program, name=name, timeout=timeout)
    if stats is not None:
        stats.add("llvm", time.perf_counter() - start, None)
    return native.entry, native


def interpreted(module: ModuleOp, function: str, timeout: float | None = None) -> Executable:
    """A function run by the interpreter."""

    def run(*arguments: Any) -> Any:
        prepared = [a if isinstance(a, int | float) else plain_array(a) for a in arguments]
        reports.forget()
        results = run_function(module, prepared, function=function, timeout=timeout)
        reports.raise_first()
        return results[0] if len(results) == 1 else results

    return run
