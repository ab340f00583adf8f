"""A compile that is watched: what the program is after every pass, and what each step took.

recording = record(lowered)        recording.stages, .compiled, .origins
"""

from __future__ import annotations

import time

from xdsl.dialects.builtin import ModuleOp

from mlirad.compiler import Compiled, compile_module
from mlirad.explorer.code import assembly_listing, llvm_listing
from mlirad.explorer.origins import Listing, Origins
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.compiling.lowered import Lowered
from mlirad.frontend.compiling.stats import count_ops
from mlirad.ir.printing import text_of
from mlirad.lazy_dataclass import dataclass
from mlirad.pipeline_options import Options
from mlirad.pipelines import PassRun


@dataclass(frozen=True)
class Stage:
    """The program after a step: its ops, the seconds that the step took, and the text, None where the step
    changed nothing.
    """

    name: str
    ops: int
    seconds: float
    listing: Listing | None


@dataclass(frozen=True)
class Recording:
    """All stages of a compile, and what it made."""

    stages: tuple[Stage, ...]
    compiled: Compiled
    origins: Origins
    traced: ModuleOp
    linearized: ModuleOp
    """The program as it was traced, and when its derivatives are linear maps."""


def record(lowered: Lowered) -> Recording:
    """Compile a function and note every stage. Raises what tracing and compiling raise."""
    return compiling(_recorded)(lowered)


def _recorded(lowered: Lowered) -> Recording:
    origins = Origins()
    start = time.perf_counter()
    module = lowered.trace()[0]
    seconds = time.perf_counter() - start
    origins.number(module)
    traced = Stage("trace", count_ops(module), seconds, origins.listed(module))
    steps: dict[Options, list[Stage]] = {}
    texts: dict[Options, str] = {}
    first = linearized = module.clone()

    def observe(options: Options, step: PassRun) -> None:
        nonlocal linearized
        listing = None
        if step.run is not None:
            text = text_of(step.module)
            if text != texts.get(options, ""):
                texts[options], listing = text, origins.listed(step.module)
            if step.name == "linearize":
                linearized = step.module.clone()
            name = str(step.run)
        else:
            name = step.name
        made = steps.setdefault(options, [])
        made.append(Stage(name, count_ops(step.module), step.seconds + step.verify_seconds, listing))

    wanted = lowered.options.pipeline("kernels", sizes=lowered.sizes)
    compiled = compile_module(
        module,
        wanted,
        flush_subnormals=lowered.options.flush_subnormals,
        shows_places=True,
        observe=observe,
    )
    stages = [traced, *steps[compiled.options]]
    ops = stages[-1].ops
    llvm = llvm_listing(compiled.program.llvm, origins)
    stages[-1] = Stage("LLVM IR", ops, stages[-1].seconds, llvm)
    start = time.perf_counter()
    assembled = assembly_listing(compiled.program.llvm, origins)
    stages.append(Stage("assembly", ops, time.perf_counter() - start, assembled))
    return Recording(tuple(stages), compiled, origins, first, linearized)
