"""Functions of dynamic dimensions: traced and differentiated once for all sizes, lowered for all large
ones and for all small ones.

    step = ad.jit(step, dynamic="x:0 y:0")
    step(x, y)          traced, derivatives expanded, lowered for all sizes from 256 on
    step(x2, y2)        of other large sizes: nothing is compiled
    step(x3, y3)        of 100 rows: lowered for all sizes below 256

A pass may need the number of a size. Then what is kept for all sizes is the program as it was traced, and
derivatives are expanded for each; or lowering starts from numbers for each.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from mlirad.errors import SizeNeeded
from mlirad.frontend.compiling import log
from mlirad.frontend.compiling.compilation import Executable, executable
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.sized_programs import SizedPrograms
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.tracing.pytree import Tree
from mlirad.jit.call import NativeFunction
from mlirad.lazy_dataclass import dataclass
from mlirad.pipeline_options import MEMORY_LIMIT, Sizes, Stage


@dataclass(frozen=True)
class AllSizes:
    """A function as it was traced, and what it has come to that is the same for all sizes."""

    traced: ModuleOp
    result: Tree
    stage: Stage
    module: ModuleOp
    needed: str | None = None
    """Why derivatives are expanded for each size, where they are."""
    sized: SizedPrograms | None = None
    """The machine code for all sizes of a range."""


def for_all_sizes(traced: ModuleOp, result: Tree, options: Options, stats: Stats | None = None) -> AllSizes:
    """Expand the derivatives of a traced module, unless a pass needs the number of a size."""
    from mlirad.frontend.compiling import run_compiler

    module = traced.clone()
    try:
        made = run_compiler.expanded(module, options, stats)
    except SizeNeeded as error:
        log.fell_back(f"derivatives are expanded for each size: {error.message}")
        return AllSizes(traced, result, "program", traced, error.message)
    sized = SizedPrograms(module, options) if made and not options.interpret else None
    return AllSizes(traced, result, "arrays" if made else "program", module, sized=sized)


def compiled_for(
    program: AllSizes,
    sizes: Sizes,
    options: Options,
    stats: Stats | None,
    donated: tuple[int, ...],
    name: str,
    *,
    fresh: bool,
) -> tuple[Executable, NativeFunction | None]:
    """The program for these sizes, as something to be called, and its machine code where it is compiled."""

    def compiled(module: ModuleOp, start: Stage, sizes: Sizes) -> tuple[Executable, NativeFunction | None]:
        return executable(
            module, options, stats, donated=donated, name=name, fresh=fresh, start=start, sizes=sizes
        )

    if program.sized is not None and stats is None and not fresh:
        native = program.sized.at(dict(sizes), donated, name)
        if native is not None and native.program.arena_bytes <= MEMORY_LIMIT:
            return native.entry, native
        log.fell_back(f"it is compiled for {', '.join(f'{name}={n}' for name, n in sizes)} alone")
    if program.stage != "program":
        flat, native = compiled(program.module.clone(), program.stage, sizes)
        if native is None or native.program.arena_bytes <= MEMORY_LIMIT:
            return flat, native
    from mlirad.frontend.compiling import run_compiler

    # Builds are cut into blocks before derivatives are expanded, for numbers.
    return compiled(run_compiler.at_sizes(program.traced, sizes), "program", ())
