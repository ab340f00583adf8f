"""One random program with functions as values, judged by all that can say what its gradient is.

    judge(seed=7, size=5)                          what a seed stands for, see below
    judge(seed=7, size=5, thorough=True)           by all witnesses, in all ways

Programs of odd seeds are Python programs, traced; the others are made as IR. Of each one,

- `eliminate-functions` keeps the value bit for bit; a Python program has the value that it has on NumPy;
- the gradient by `chad` is the slope that differences find, and it is that of a second witness: dual arrays,
  `jacobian`, the copower form of CHAD, one of both curries or scalar dual numbers, in turn.

One in four is compiled, one in eight verified after every pass, and of one in sixteen the gradient is
differentiated, by one method over another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.frames import RestoreOp
from mlirad.interpreter import run_function
from mlirad.interpreter.deltas import naive_gradient, run_duals
from mlirad.ir.parsing import make_context
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.pipeline_options import METHODS, SPECIFICATIONS
from mlirad.pipelines import always, expansion, never, run_passes
from mlirad.registry import make_passes
from tests.generators import arguments_for, random_higher_order
from tests.generators.python_functions import plain, random_functions, traced
from tests.lower.native import compiled_program

SCALAR = "scalar dual numbers"
"""The algorithm that dual arrays start from, in the interpreter."""

WITNESSES = (*(m for m in METHODS if m != "chad"), *SPECIFICATIONS, SCALAR)
"""The other sources of gradients besides `chad`."""

LARGEST = 12


def size_of(seed: int) -> int:
    """The size of the program that a seed stands for: mostly small, 3 to 4 on average."""
    return round(1 + (LARGEST - 1) * random.Random(seed).random() ** 3)


@dataclass
class Program:
    """A program @main(x: f64, v: tensor<3xf64>, n: i64) -> f64, and its arguments."""

    module: ModuleOp
    arguments: Sequence[Any]
    reference: Callable[..., Any]
    """The function that computes the same without any pass."""
    is_exact: bool
    """True if nothing in the program is a derivative, for which the reference has a difference."""
    text: str
    verify: bool

    def after(self, passes: str, module: ModuleOp | None = None) -> ModuleOp:
        """The program after passes, or another module."""
        module = (module or self.module).clone()
        run_passes(
            module, make_passes(passes), context=make_context(), verify=always if self.verify else never
        )
        return module

    @cached_property
    def differentiated(self) -> ModuleOp:
        """The program and the operator of its gradient."""
        return self.after("differentiate{function=main wrt=0,1}")

    def expanded(self, method: str) -> ModuleOp:
        """The program and its gradient, by a method."""
        return self.after(",".join(expansion(method)), self.differentiated)

    def slope(self, direction: Sequence[Any]) -> float:
        """The derivative of the reference in a direction, by differences of order 4."""
        x, v, n = self.arguments
        dx, dv = direction

        def at(step: float) -> float:
            return float(self.reference(x + step * dx, v + step * dv, n))

        h = 1e-3
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def made(seed: int, size: int, *, verify: bool, growing: bool = False) -> Program:
    """The program that a seed and a size stand for; `growing` ones of ops hold values of their own kind."""
    if seed % 2:
        source = random_functions(seed, size)
        rng = np.random.default_rng(seed)
        arguments = np.float64(rng.uniform(0.2, 1)), rng.uniform(-1, 1, 3), np.int64(rng.integers(0, 4))
        module = ad.trace(traced(source), *arguments)
        return Program(module, arguments, plain(source), "ad.grad" not in source, source, verify)
    module = random_higher_order(seed, size, growing=growing)

    def reference(*arguments: Any) -> Any:
        return run_function(module, arguments, function="main")[0]

    return Program(module, arguments_for(module, random.Random(seed)), reference, True, str(module), verify)


def judge(seed: int, size: int, *, thorough: bool = False) -> list[str]:
    """The judges that a program had. Raises what disagreement raises, or the error of a pass."""
    turn = seed // 2
    program = made(seed, size, verify=thorough or turn % 8 == 0)
    done = ["Python programs" if seed % 2 else "programs of ops"]
    value = check_value(program)
    chad = program.expanded("chad")
    expected = run_function(chad, program.arguments, function="main_grad")
    check_slope(program, expected[1:], np.random.default_rng(seed))
    if thorough or turn % 4 == 1:
        native = NativeFunction(compiled_program(chad, "main_grad", checks=True), target=find_target())
        agree(native(*program.arguments), expected, "compiled")
        done.append("chad, compiled")
    for method in WITNESSES if thorough else (WITNESSES[turn % len(WITNESSES)],):
        if method in (*SPECIFICATIONS, SCALAR) and not program.is_exact:
            continue
        found = gradient(program, method)
        assert method not in SPECIFICATIONS or found[0].tobytes() == value.tobytes(), f"{method}: value"
        agree(found, expected, method)
        done.append(method)
    if thorough or turn % 16 == 6:
        check_second(program, turn, np.random.default_rng(seed))
        done.append("second derivatives")
    return done


def gradient(program: Program, witness: str) -> Sequence[Any]:
    """The value of a program and its gradient, by a witness."""
    if witness != SCALAR:
        return run_function(program.expanded(witness), program.arguments, function="main_grad")
    (value,) = run_duals(program.module, program.arguments, (0, 1), function="main").values
    return value, *naive_gradient(program.module, program.arguments, (0, 1), function="main")


def check_value(program: Program) -> Any:
    """The value of a program, which is that of the reference and what `eliminate-functions` leaves it."""
    passes = "eliminate-functions" if program.is_exact else ",".join(expansion())
    (value,) = run_function(program.after(passes), program.arguments, function="main")
    tolerance = 1e-9 if program.is_exact else 1e-5
    agree([value], [program.reference(*program.arguments)], "reference", tolerance)
    if program.is_exact:
        (source,) = run_function(program.module, program.arguments, function="main")
        assert source.tobytes() == value.tobytes(), "eliminate-functions changes the value"
    return value


def agree(found: Sequence[Any], expected: Sequence[Any], name: str, tolerance: float = 1e-9) -> None:
    """Results are the same, up to rounding."""
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=name)


def check_slope(program: Program, gradient: Sequence[Any], rng: np.random.Generator) -> None:
    """A gradient in a random direction is the slope there."""
    dx, dv = direction = rng.uniform(-1, 1), rng.uniform(-1, 1, 3)
    found = float(gradient[0] * dx + gradient[1] @ dv)
    tolerance = 1e-6 if program.is_exact else 1e-3
    np.testing.assert_allclose(
        found, program.slope(direction), rtol=tolerance, atol=tolerance, err_msg="slope"
    )


def check_second(program: Program, turn: int, rng: np.random.Generator) -> None:
    """The derivative of the gradient in a random direction is the difference of gradients.

    A reverse sweep over a tape or over frames is never differentiated: there both derivatives are expanded at
    once, by one method.
    """
    inner, outer = METHODS[turn % 3], METHODS[turn // 3 % 3]
    first = program.expanded(inner)
    again = "differentiate{function=main_grad wrt=0,1 mode=forward}"
    if any(isinstance(op, ReplayOp | RestoreOp) for op in first.walk()):
        second = program.after(",".join((again, *expansion(inner))), program.differentiated)
    else:
        second = program.after(",".join((again, *expansion(outer))), first)
    x, v, n = program.arguments
    dx, dv = np.float64(rng.uniform(-1, 1)), rng.uniform(-1, 1, 3)
    found = run_function(second, [x, v, n, dx, dv], function="main_grad_jvp")[-2:]

    gradient = partial(run_function, first, function="main_grad")
    agree(found, gradient_differences(program, gradient, (dx, dv)), f"{outer} over {inner}", 1e-5)


def gradient_differences(
    program: Program, gradient: Callable[[Sequence[Any]], Sequence[Any]], direction: Sequence[Any]
) -> list[Any]:
    """The derivative in a direction of what finds value and gradient, by differences of order 4."""
    x, v, n = program.arguments
    dx, dv = direction

    def at(step: float) -> Sequence[Any]:
        return gradient([x + step * dx, v + step * dv, n])[1:]

    h = 1e-3
    return [
        (8 * (a - b) - (c - d)) / (12 * h)
        for a, b, c, d in zip(*map(at, (h, -h, 2 * h, -2 * h)), strict=True)
    ]
