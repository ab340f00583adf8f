"""From a traced module to something that can be called, and the record of what that took.

executable(module, options, stats)     compiles @main to native code, or hands it to the interpreter
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import partial, wraps
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias, TypeVar

from mlirad import packages
from mlirad.disk_cache.glue import KeptGlue
from mlirad.float_modes import standard_floats
from mlirad.frontend.compiling.options import Options
from mlirad.jit.call import NativeFunction
from mlirad.jit.glue import keep_glue_in
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.memory_left import COMPILE_BYTES, require_memory
from mlirad.pipeline_options import Sizes, Stage
from mlirad.recursion import deep_recursion

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlirad.frontend.compiling.stats import Stats

P = ParamSpec("P")
T = TypeVar("T")

keep_glue_in(KeptGlue())

Executable: TypeAlias = Callable[..., Any]
"""Takes the flat arguments; returns the only result, or a tuple of several or none."""


class _Garbage:
    """The compiles that are under way, each with its thread, and whether garbage was collected before
    them.
    """

    was_collected: bool = False
    compiles: Final[dict[object, int]] = {}


def compiling(function: Callable[P, T]) -> Callable[P, T]:
    """A function that runs as compiling needs: no garbage is collected, recursion is deep, floats standard.

    The first of the compiles that are under way stops the collection, and the last that ends resumes it. As
    in `deep_recursion` nothing comes between the statements that end one. It raises `OutOfMemoryError` where
    there is little memory left.
    """
    function = deep_recursion(standard_floats(function))

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        require_memory(COMPILE_BYTES, "trace and compile a function")
        compile_, thread = object(), get_ident()
        if not _Garbage.compiles:
            _Garbage.was_collected = gc.isenabled()
        _Garbage.compiles[compile_] = thread
        try:
            gc.disable()
            return function(*args, **kwargs)
        finally:
            del _Garbage.compiles[compile_]
            if _Garbage.was_collected and not _Garbage.compiles:
                gc.enable()

    return run


def _forget_others() -> None:
    """A child process has the thread that forked, and no other."""
    for compile_, thread in list(_Garbage.compiles.items()):
        if thread != get_ident():
            del _Garbage.compiles[compile_]
    if _Garbage.was_collected and not _Garbage.compiles:
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)


def executable(
    module: ModuleOp,
    options: Options,
    stats: Stats | None = None,
    function: str = "main",
    donated: tuple[int, ...] = (),
    *,
    name: str = "",
    fresh: bool = False,
    start: Stage = "program",
    sizes: Sizes = (),
) -> tuple[Executable, NativeFunction | None]:
    """A function of the module that can be called, and its machine code where it is compiled.

    It is taken from the disk if it is kept there, unless `fresh`; `name` is what the cache calls it. The
    module has come to the stage `start`, and its sizes are `sizes`. Results may take the memory of the
    arguments `donated`, which the interpreter leaves as they are.
    """
    from mlirad.frontend.compiling import log

    called = name or function

    def made(_: log.Record | None) -> tuple[Executable, NativeFunction | None]:
        if options.interpret:
            from mlirad.frontend.compiling import run_compiler

            log.note("interpreted")
            return run_compiler.interpreted(module, options, stats, function, start), None
        packages.load("mlirad.ir.first_order")
        from mlirad.ir.first_order import may_have_records

        source = module.clone() if start == "program" and may_have_records(module) else None
        native = _native(module, options, stats, function, donated, called, fresh, start, sizes)
        if source is None or not native.program.rooms:
            return native.entry, native
        from mlirad.frontend.compiling.roomy import Roomy

        # A call that is made again finds its arguments as they were: no result takes their memory.
        again = partial(_roomier, source, options, function, called, sizes)
        first = again(native.program.rooms) if donated else native.entry
        return Roomy(again, first, native.program.rooms), None

    return log.recorded(called, made)


def _native(
    module: ModuleOp,
    options: Options,
    stats: Stats | None,
    function: str,
    donated: tuple[int, ...],
    called: str,
    fresh: bool,
    start: Stage,
    sizes: Sizes,
    rooms: tuple[int, ...] = (),
) -> NativeFunction:
    """Machine code of the module, of the disk or made."""
    packages.load("mlirad.frontend.compiling.stored_programs")
    from mlirad.frontend.compiling.stored_programs import kept_or_made, place_of

    pipeline = options.pipeline("kernels", function, donated, start, sizes, rooms)
    place = place_of(module, pipeline, options, called)

    def made() -> MachineProgram:
        packages.load("mlirad.frontend.compiling.run_compiler")
        from mlirad.frontend.compiling import run_compiler  # the compiler; a program on the disk does without

        return run_compiler.machine_code(
            module, options, stats, function, donated, called, start=start, sizes=sizes, rooms=rooms
        )

    native = kept_or_made(
        place, lambda program: loaded(program, options, function, donated), made, fresh=fresh, stats=stats
    )
    native.kept_as = None if place is None else place.key
    return native


def _roomier(
    source: ModuleOp, options: Options, function: str, called: str, sizes: Sizes, rooms: tuple[int, ...]
) -> Executable:
    """The function with as many rows for the records of each type; raises where these exceed the memory."""
    from mlirad.frontend.compiling.roomy import require_rows

    made = compiling(_native)(
        source.clone(), options, None, function, (), called, False, "program", sizes, rooms
    )
    require_rows(made.program.arena_bytes)
    return made.entry


def loaded(
    program: MachineProgram, options: Options, function: str = "main", donated: tuple[int, ...] = ()
) -> NativeFunction:
    """A function as machine code, ready to be called."""
    return NativeFunction(
        program, name=function, timeout=options.timeout, threads=options.thread_count, donated=donated
    )
