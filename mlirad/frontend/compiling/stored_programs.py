"""Machine code of a module from the disk, or made and kept there.

place = place_of(module, options.pipeline("kernels"), options, "loss")
kept_or_made(place, NativeFunction, make)      of the code from there, or of what make() returns
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp

from mlirad.disk_cache.programs import CacheEntry
from mlirad.errors import CompileError
from mlirad.frontend.compiling import log
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.stats import Stats
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.target import find_target
from mlirad.pipeline_options import Options as PipelineOptions

Loaded = TypeVar("Loaded")


def place_of(module: ModuleOp, pipeline: PipelineOptions, options: Options, name: str) -> CacheEntry | None:
    """Return where the code that this pipeline makes of a module is kept, None where nothing is.

    Options that do not change the code do not enter the place. Raises `ArgumentError` for an
    environment variable that is not a size.
    """
    deciding = replace(options, timeout=None, threads=None, control="auto")
    return CacheEntry.of(module, (pipeline, deciding), find_target(), name)


def kept_or_made(
    place: CacheEntry | None,
    load: Callable[[MachineProgram], Loaded],
    make: Callable[[], MachineProgram],
    *,
    fresh: bool = False,
    stats: Stats | None = None,
) -> Loaded:
    """Return what `load` returns for the code that is kept at a place, or for the code that `make` makes.

    The latter is kept once it has been loaded. Kept code that cannot be loaded is made again, and so is all
    code if `fresh`. `stats` are told of code from the disk.
    """
    start = time.perf_counter()
    program = None if fresh or place is None else place.find()
    if program is not None:
        with suppress(CompileError):
            loaded = load(program)
            log.note("loaded")
            if stats is not None:
                stats.add("load", time.perf_counter() - start, None)
                stats.work, stats.peak_bytes, stats.is_loaded = program.operations, program.arena_bytes, True
            return loaded
        log.fell_back("its program on the disk cannot be loaded, and is compiled again")
    made = make()
    log.note("compiled")
    loaded = load(made)
    if place is not None:
        place.keep(made)
    return loaded
