"""From a module to a native program, and to every stage before.

    compile_module(module, Options(entry="f")).program      LLVM IR text of @f, for this machine
    transform(module, Options(end="arrays"))                every derivative as array code

Both run `pipeline(options, target)`. Whoever shows a stage watches the run (`observe`), or stops earlier.

A program that would take more than `MEMORY_LIMIT` bytes is compiled once more, with builds in blocks, in the
same call. `transform` stops where `options.end` or `options.until` says; nothing else calls `run_passes`.
Calls of functions, `.llvm()`, `.asm()`, `.stats()`, `.ir(after=p)`, programs of maps, sparse derivatives,
`mlirad-opt`, `mlirad-run` and the demonstration all use these two. `observe` is told of each step and of the
options it runs with (`tests/test_doors.py`).

A program with sizes is lowered for all sizes of a range. `sizes_within` says in which range each size is,
`range_of` tells; a pass or an emitter that must know more raises `SizeNeeded`. Then lowering begins with
`instantiate-sizes` (`Options.sizes`). If a pass before lowering raises it, numbers are put in before all
passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import ParamSpec, TypeAlias, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.extents import ANY_SIZE, sizes_within
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.kernel import KERNEL_OPS, KERNEL_RESULT_OPS
from mlirad.dialects.shapes import element_of
from mlirad.errors import CompileError, SizeNeeded
from mlirad.float_modes import standard_floats
from mlirad.ir.call_graph import CallGraph, functions_by_name
from mlirad.ir.locations import location_of
from mlirad.ir.parsing import make_context
from mlirad.jit.memory_left import COMPILE_BYTES, require_memory
from mlirad.jit.stacks import on_large_stack
from mlirad.jit.target import Target, find_target
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.emit import emit_program
from mlirad.lower.kernels.plan_verification import verify_plan, verify_plans
from mlirad.lower.large_sizes import LARGE, SMALL
from mlirad.lower.llvm.float_control import float_mode
from mlirad.lower.native_program import NativeProgram
from mlirad.pipeline_options import MEMORY_LIMIT, Options
from mlirad.pipelines import Before, PassRun, Verify, never, pipeline, run_passes
from mlirad.recursion import deep_recursion
from mlirad.stages import are_checked

BLOCK_LIMIT = 2**26
"""Bytes that one block of positions computes."""

P = ParamSpec("P")
T = TypeVar("T")

Observer: TypeAlias = Callable[[Options, PassRun], None]
"""Told of every step of a run, and of the options that it is run with."""


@dataclass(frozen=True)
class Compiled:
    """A native program, the kernels that it was printed from, and the options that led to it.

    The options are those given, or the same with builds in blocks.
    """

    program: NativeProgram
    module: ModuleOp
    options: Options

    @property
    def entry(self) -> FuncOp:
        """The kernels of the function that is called."""
        return functions_by_name(self.module)[self.options.entry]


def compile_module(
    module: ModuleOp,
    options: Options,
    target: Target | None = None,
    *,
    address_checks: bool = False,
    flush_subnormals: bool = True,
    profiled: bool = False,
    shows_places: bool = False,
    context: Context | None = None,
    verify: Verify = never,
    before: Before | None = None,
    observe: Observer | None = None,
) -> Compiled:
    """The function `options.entry` as LLVM IR text; changes the module.

    It takes subnormal numbers for zeros with `flush_subnormals`, where the processor can.
    Where a program needs more than `MEMORY_LIMIT` bytes and nobody says how many positions of its builds are
    computed at a time, it is made a second time with builds in blocks, and the one taken that needs less.
    A `profiled` program adds up the time that each of its kernels takes. With `shows_places` comments in the
    text say where its instructions come from.
    Raises what passes raise, `OutOfMemoryError` where there is little memory left, `VerifyError` for a memory
    plan that is not sound, and `CompileError` when there is no such function.
    """
    require_memory(COMPILE_BYTES, "compile the program")
    if holds_kernels(module):
        options = replace(options, start="kernels")
    target = target or find_target()

    def compiled(module: ModuleOp, options: Options) -> Compiled:
        transform(module, options, target, context=context, verify=verify, before=before, observe=observe)
        start = time.perf_counter()
        program = _knowing(options)(on_large_stack)(
            lambda: _emitted(
                module, options, target, address_checks, flush_subnormals, profiled, shows_places
            )
        )
        if observe is not None:
            observe(options, PassRun("emit", module, time.perf_counter() - start))
        return Compiled(program, module, options)

    source = module.clone() if may_need_blocks(module, options) else None
    whole = compiled(module, options)
    if source is None or whole.program.arena_bytes <= MEMORY_LIMIT:
        return whole
    in_blocks = compiled(source, replace(options, block_bytes=BLOCK_LIMIT))
    return min(whole, in_blocks, key=lambda c: c.program.arena_bytes)


def compile_large(
    module: ModuleOp,
    options: Options,
    target: Target | None = None,
    *,
    flush_subnormals: bool = True,
    address_checks: bool = False,
    before: Before | None = None,
    observe: Observer | None = None,
) -> NativeProgram | None:
    """The program for all sizes of a range, by `options` that name the range; changes the module.

    None for a program that cannot be made without numbers in place of sizes: lowering needs to know more of
    an extent than holds for all sizes, or has no kernel of such extents.
    """
    try:
        return compile_module(
            module,
            options,
            target,
            flush_subnormals=flush_subnormals,
            address_checks=address_checks,
            before=before,
            observe=observe,
        ).program
    except SizeNeeded:
        return None


def transform(
    module: ModuleOp,
    options: Options,
    target: Target | None = None,
    *,
    context: Context | None = None,
    verify: Verify = never,
    before: Before | None = None,
    observe: Observer | None = None,
) -> None:
    """Bring a module to the stage `options.end`, in place. Raises what passes raise."""
    passes = pipeline(options, target)
    context = _context() if context is None else context
    after = None if observe is None else partial(observe, options)
    _knowing(options)(on_large_stack)(
        lambda: run_passes(module, passes, context=context, verify=verify, before=before, after=after)
    )


def _knowing(options: Options) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes functions during which it is known between which numbers the sizes of the program are."""
    if not options.large:
        return sizes_within(ANY_SIZE)
    return sizes_within(LARGE, dict.fromkeys(options.small, SMALL))


def may_need_blocks(module: ModuleOp, options: Options) -> bool:
    """Return whether builds are to be cut into blocks if the program takes too much memory otherwise."""
    return options.chunk is None and any(isinstance(op, BuildOp) for op in module.walk())


def holds_kernels(module: ModuleOp) -> bool:
    """Return whether a module contains kernels; of those in a text it is not known that they are right."""
    return any(type(op) in _KERNELS for op in module.walk())


_KERNELS = frozenset[type[Operation]](KERNEL_OPS)


def count_kernels(program: Operation) -> int:
    """The number of kernels in a program."""
    return sum(1 for op in program.walk() if isinstance(op, KERNEL_RESULT_OPS))


@lru_cache(maxsize=1)
def _context() -> Context:
    return make_context()


@deep_recursion
@standard_floats
def _emitted(
    module: ModuleOp,
    options: Options,
    target: Target,
    address_checks: bool,
    flush_subnormals: bool,
    profiled: bool,
    shows_places: bool,
) -> NativeProgram:
    """The text of a function of planned kernels; plans of kernels that were given are checked first, and all
    plans where stages are.
    """
    functions = functions_by_name(module)
    entry = functions[options.entry]
    for type_ in (*entry.function_type.inputs, *entry.function_type.outputs):
        if isinstance(element_of(type_), FrameType):
            raise CompileError(
                f"@{options.entry} takes or returns frames: only functions can call it",
                location=location_of(entry),
            )
    graph = CallGraph(functions)
    callees = [functions[name] for name in graph.reachable(graph.callees(options.entry))]
    if options.start == "kernels":
        verify_plans(entry, callees)
    elif options.large or are_checked():
        for function in (entry, *callees):
            verify_plan(function)
    return emit_program(
        entry,
        instructions=target.instructions,
        address_checks=address_checks,
        profiled=profiled,
        shows_places=shows_places,
        callees=callees,
        mode=float_mode(target.triple, flushes=flush_subnormals),
    )
