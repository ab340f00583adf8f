"""One random program with functions as values, differentiated by every method and compiled.

    judge_compiled(seed=7, size=5)

The programs are those of `judging.py`, but one in eight of those made as IR holds closures, lists or trees of
its own kind. By turns, machine code of each method finds the gradient, the derivative in a direction, or the
derivative of the gradient in one. The first two are what the interpreter finds by `chad`, whose gradient is
the slope that differences find; second derivatives are differences of gradients. All methods find the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlirad.errors import DifferentiationError
from mlirad.frontend.compiling.roomy import Roomy
from mlirad.interpreter import run_function
from mlirad.ir.parsing import make_context
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
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
"""What machine code finds: the name of the function, and the passes that make it."""

REFUSED = re.compile(
    r"cannot differentiate (.*)|differentiates once, and (.*) of @|takes (a function), tuple or sum"
)
"""What a specification has no rule for."""


def judge_compiled(seed: int, size: int, way: str | None = None) -> list[str]:
    """What was found by which method. Raises what disagreement raises, or the error of a pass."""
    turn = seed // 2
    way = way or list(WAYS)[turn % len(WAYS)]
    program = made(seed, size, verify=False, growing=turn % 8 == 5)
    rng = np.random.default_rng(seed)
    chad = program.expanded("chad")
    value, *gradient = run_function(chad, program.arguments, function="main_grad")
    check_slope(program, gradient, rng)
    direction = [np.float64(rng.uniform(-1, 1)), rng.uniform(-1, 1, 3)]
    expected, tolerance = [value, *gradient], 1e-9
    if way == "direction":
        expected = [value, gradient[0] * direction[0] + gradient[1] @ direction[1]]
    if way == "second":
        expected, tolerance = gradient_differences(program, chad, direction), 1e-5
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


def _found(program: Program, method: str, way: str, direction: Sequence[Any]) -> Sequence[Any]:
    """What machine code finds by a method."""
    name, passes = WAYS[way]
    source = program.after(passes)

    def made(rooms: tuple[int, ...]) -> NativeFunction:
        code = source.clone()
        options = Options(method=method, end="arrays", rooms=rooms)
        run_passes(code, pipeline(options), context=make_context(), verify=never)
        return NativeFunction(compiled_program(code, name), target=find_target())

    first = made(())
    call = Roomy(made, first, first.program.rooms) if first.program.rooms else first
    return call(*program.arguments, *(direction if way != "gradient" else []))
