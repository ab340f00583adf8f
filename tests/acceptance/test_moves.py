"""Each move of lowering forced, left out, and as its costs have it: random programs compute the same.

A seed draws for every move one of these three, the bytes of a vector, and whether the program is a gradient.
The kernels are interpreted, and run as machine code that checks its addresses, under guard.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ReplayOp
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.cpu.schedule_kernels import lanes, scatters
from mlirad.lower.kernels.form_kernels import library
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.pipelines import expansion, lowering
from tests.acceptance.stages import Run, assert_same, kept
from tests.acceptance.test_random_programs import run_for, tamed
from tests.generators import arguments_for, random_program
from tests.generators.arguments import function_of
from tests.generators.element_loops import random_element_loop
from tests.generators.triangles import random_triangles
from tests.lower.native import compiled_program
from tests.passes.derivatives import differentiated, float_arguments, run_passes
from tests.threads.sharing import everything_shared

LEFT, WEIGHED, FORCED = "left", "weighed", "forced"

FORCED_PASSES: Mapping[str, str] = {
    "join-contractions": "join-contractions{always=true}",
    "fuse-kernels": "fuse-kernels",
    "unroll-rows": "unroll-rows{least-rows=1 least-kernels=0}",
    "strip-mine": "strip-mine{rows=ROWS}",
    "form-recurrences": "form-recurrences{always=true}",
    "split-reductions": "split-reductions",
    "eliminate-dead-elements": "eliminate-dead-elements{always=true}",
}
"""The passes that may be left out, and how they are told to do what they can."""

SEEDS = range(24)


def drawn_passes(rng: random.Random) -> dict[str, str]:
    """The way each pass that is a move is run, by its name."""
    return {name: rng.choice((LEFT, WEIGHED, FORCED)) for name in FORCED_PASSES}


def passes_of(chosen: Mapping[str, str], rows: int) -> list[str]:
    """The passes of lowering, with the moves chosen."""
    found: list[str] = []
    for text in lowering(find_target()):
        name = text.partition("{")[0]
        how = chosen.get(name, WEIGHED)
        if how == FORCED:
            text = FORCED_PASSES[name].replace("ROWS", str(rows))
        if how != LEFT:
            found.append(text)
    return found


@contextmanager
def small_arrays_count(shares: bool) -> Generator[None]:
    """Lanes and copies of arrays of any size, and all that can be for BLAS and for threads."""
    with ExitStack() as stack:
        for module, name, value in (
            (lanes, "MINIMAL_WORK", 0),
            (lanes, "MINIMAL_PACK_ELEMENTS", 0),
            (lanes, "GAIN", 100),
            (scatters, "MINIMAL_WORK", 0),
            (library, "MIN_EXTENT", 2),
            (library, "LIBRARY_GAIN", 1e9),
        ):
            stack.enter_context(patch.object(module, name, value))
        if shares:
            stack.enter_context(everything_shared())
        yield


def programs(rng: random.Random, seed: int) -> tuple[ModuleOp, str]:
    """A random program of array code, or its gradient, and the function of it that is run."""
    kind = rng.choice(("program", "gradient", "loop", "triangles"))
    if kind == "triangles":
        return random_triangles(seed), "main"
    if kind == "loop":
        text, _ = random_element_loop(seed)
        return parse_module(text, "element_loop.mlir"), "f"
    if kind == "program":
        program = random_program(seed, 14, allow=lambda op: op not in (ew.CopysignOp, ew.Atan2Op))
        return expanded(program), "main"
    program = random_program(seed, 14, smooth=True, allow=lambda op: op is not ReplayOp)
    return expanded(differentiated(program, "main", float_arguments(program, "main"), "reverse")), "main_grad"


def expanded(program: ModuleOp) -> ModuleOp:
    """Array code that can be lowered."""
    return run_passes(program, ",".join(expansion()))


def check_moves(seed: int) -> None:
    """The program of a seed, by the moves of the seed, computes what its array code does."""
    rng = random.Random(seed)
    chosen, rows = drawn_passes(rng), rng.randint(1, 3)
    program, function = programs(rng, seed)
    arguments = [tamed(a) for a in arguments_for(program, rng, function=function)]
    expected = run_function(program, arguments, function=function)
    nudged = [a * a.dtype.type(1 + 1e-12) if a.dtype == float else a for a in arguments]
    moved = run_function(program, nudged, function=function)
    with small_arrays_count(rng.random() < 0.3):
        kernels = run_passes(program.clone(), ",".join(passes_of(chosen, rows)))
    verify_module(kernels)
    verify_plan(function_of(kernels, function))
    runs: list[Run] = [
        lambda *args: run_function(kernels, args, function=function),
        NativeFunction(compiled_program(kernels, function, checks=True), debug=True),
    ]
    for stage, run in zip(("kernels", "native"), runs, strict=True):
        assert_same(kept(run(*arguments), expected, moved), expected, f"{stage}, {chosen}, {rows} rows")


@pytest.mark.parametrize("seed", SEEDS)
def test_moves_keep_results(seed: int) -> None:
    check_moves(seed)


@pytest.mark.fuzz
def test_many_moves_keep_results(fuzz_seconds: float, judged: Counter[str]) -> None:
    run_for(lambda seed, _: check_moves(seed), "moves", fuzz_seconds, judged)


def test_moves_are_all_drawn() -> None:
    """The passes that are drawn are of lowering, and each is met left out, weighed and forced."""
    met = Counter((name, how) for seed in SEEDS for name, how in drawn_passes(random.Random(seed)).items())
    assert {name for name, _ in met} <= {text.partition("{")[0] for text in lowering(find_target())}
    assert len(met) == 3 * len(FORCED_PASSES)
