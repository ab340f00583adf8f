"""From a traced module to something that can be called, and the record of what that took.

executable(module, options, stats)     compiles @main to native code, or hands it to the interpreter
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from mlirad.disk_cache.glue import KeptGlue
from mlirad.float_modes import standard_floats
from mlirad.frontend.compiling.options import Options
from mlirad.jit.call import NativeFunction
from mlirad.jit.forking import CompileLock, compiling_section
from mlirad.jit.glue import keep_glue_in
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.memory_left import COMPILE_BYTES, require_memory
from mlirad.pipeline_options import Sizes, Stage
from mlirad.recursion import deep_recursion

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlirad.frontend.compiling.stats import Stats

keep_glue_in(KeptGlue())

Executable: TypeAlias = Callable[..., Any]
"""Takes the flat arguments; returns the only result, or a tuple of several or none."""


@contextmanager
def compiling() -> Generator[None]:
    """Pause garbage collection, allow deep recursion and round to nearest, as compiling needs; forks wait.

    Raises `OutOfMemoryError` where there is little memory left.
    """
    this = object()
    require_memory(COMPILE_BYTES, "trace and compile a function")
    with compiling_section(), deep_recursion(), standard_floats():
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


def executable(
    module: ModuleOp,
    options: Options,
    stats: Stats | None = None,
    function: str = "main",
    donated: tuple[int, ...] = (),
    *,
    name: str = "",
    anew: bool = False,
    start: Stage = "program",
    sizes: Sizes = (),
) -> tuple[Executable, NativeFunction | None]:
    """A function of the module that can be called, and its machine code where it is compiled.

    That is taken from the disk where it is kept there, unless it is to be made `anew`; `name` is what the
    cache calls it. The module has come to the stage `start`, and its sizes are `sizes`. Results may take the
    memory of the arguments `donated`, which the interpreter leaves as they are.
    """
    from mlirad.frontend.compiling import log

    called = name or function
    with log.recorded(called):
        if options.interpret:
            from mlirad.frontend.compiling import making

            log.note("interpreted")
            return making.interpreted(module, options, stats, function, start), None
        from mlirad.frontend.compiling.kept import kept_or_made, place_of

        pipeline = options.pipeline("kernels", function, donated, start, sizes)
        place = place_of(module, pipeline, options, called)

        def made() -> MachineProgram:
            from mlirad.frontend.compiling import making  # the compiler; a program on the disk does without

            return making.machine_code(
                module, options, stats, function, donated, called, start=start, sizes=sizes
            )

        native = kept_or_made(
            place, lambda program: loaded(program, options, function, donated), made, anew=anew, stats=stats
        )
        native.kept_as = None if place is None else place.key
        return native.entry, native


def loaded(
    program: MachineProgram, options: Options, function: str = "main", donated: tuple[int, ...] = ()
) -> NativeFunction:
    """A function as machine code, ready to be called."""
    return NativeFunction(
        program, name=function, timeout=options.timeout, threads=options.thread_count, donated=donated
    )
