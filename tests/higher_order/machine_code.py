"""One random program with functions as values, differentiated by every method and compiled.

    judge_compiled(seed=7, size=5)

The programs are those of `judging.py`, but one in eight of those made as IR holds closures, lists or trees of
its own kind. By turns, machine code of each method finds the gradient, the derivative in a direction, or the
derivative of the gradient in one. The first two are what the interpreter finds by `chad`, whose gradient is
the slope that differences find; second derivatives are differences of gradients. All methods find the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mlirad.errors import DifferentiationError
from mlirad.frontend.compiling.roomy import Roomy
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import make_context
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.cpu.emit.program import rooms_of
from mlirad.pipeline_options import METHODS, SPECIFICATIONS, Options
from mlirad.pipelines import never, pipeline, run_passes
from tests.higher_order.judging import Program, agree, check_slope, gradient_differences, made
from tests.lower.native import compiled_program

WAYS = {
    "gradient": ("main_grad", "differentiate{function=main wrt=0,1}"),
    "direction": ("main_jvp", "differentiate{function=main wrt=0,1 mode=forward}"),
    "second": (
        "main_grad_jvp",
        "differentiate{function=main wrt=0,1},differentiate{function=main_grad wrt=0,1 mode=forward}",
    ),
}
"""The results of machine code: the name of the function, and the passes that make it."""

REFUSED = re.compile(
    r"cannot differentiate (.*)|differentiates once, and (.*) of @|takes (a function), tuple or sum"
)
"""The messages about what a specification has no rule for."""


def judge_compiled(seed: int, size: int, way: str | None = None) -> list[str]:
    """The results that were found, with their methods. Raises what disagreement raises, or the error of a
    pass.
    """
    turn = seed // 2
    way = way or list(WAYS)[turn % len(WAYS)]
    program = made(seed, size, verify=False, growing=turn % 8 == 5)
    rng = np.random.default_rng(seed)
    interpreted = _interpreted(program)
    value, *gradient = interpreted(program.arguments)
    check_slope(program, gradient, rng)
    direction = [np.float64(rng.uniform(-1, 1)), rng.uniform(-1, 1, 3)]
    expected, tolerance = [value, *gradient], 1e-9
    if way == "direction":
        expected = [value, gradient[0] * direction[0] + gradient[1] @ direction[1]]
    if way == "second":
        expected, tolerance = gradient_differences(program, interpreted, direction), 1e-5
    done = ["Python programs" if seed % 2 else "programs of ops"]
    first: Sequence[Any] | None = None
    for method in (*METHODS, *SPECIFICATIONS):
        try:
            found = _found(program, method, way, direction)[-len(expected) :]
        except DifferentiationError as error:
            reason = REFUSED.search(error.message)
            if method not in SPECIFICATIONS or reason is None or reason.lastindex is None:
                raise
            done.append(f"{way}, {method}: no rule for {reason[reason.lastindex]}")
            continue
        agree(found, expected, f"{way}, {method}", tolerance)
        first = found if first is None else first
        agree(found, first, f"{way}, {method} against {METHODS[0]}", 1e-8)
        done.append(f"{way}, {method}")
    return done


def _interpreted(program: Program) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """The function that finds value and gradient by `chad`, run by the interpreter."""

    def made(rooms: tuple[int, ...]) -> ModuleOp:
        return _after(program.differentiated, Options(method="chad", end="expanded", rooms=rooms))

    def call(rooms: tuple[int, ...]) -> Callable[[Sequence[Any]], Sequence[Any]]:
        return partial(run_function, made(rooms), function="main_grad")

    first = made(())
    return Roomy(call, partial(run_function, first, function="main_grad"), rooms_of(functions_of(first)))


def _found(program: Program, method: str, way: str, direction: Sequence[Any]) -> Sequence[Any]:
    """The results that machine code finds by a method."""
    name, passes = WAYS[way]
    source = program.after(passes)

    def made(rooms: tuple[int, ...]) -> NativeFunction:
        code = _after(source, Options(method=method, end="arrays", rooms=rooms))
        return NativeFunction(compiled_program(code, name), target=find_target())

    first = made(())
    call = Roomy(made, first, first.program.rooms)
    return call(*program.arguments, *(direction if way != "gradient" else []))


def _after(source: ModuleOp, options: Options) -> ModuleOp:
    module = source.clone()
    run_passes(module, pipeline(options), context=make_context(), verify=never)
    return module
