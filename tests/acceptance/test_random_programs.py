"""Random programs from source to machine code, and their derivatives.

- Every stage computes the same: source, expanded array code, scheduled kernels, machine code under guard.
- <J dx, ct> = <dx, J^T ct> to rounding, compiled; both agree with the interpreter and finite differences.

Twenty programs of each kind are run always. `--fuzz-seconds` runs fresh ones for as long as it says; a
failure names the seed and the smallest size of the program that fails.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np
import pytest

from mlirad.dialects.shapes import shape_of
from mlirad.interpreter import run_function
from tests.acceptance.stages import check_derivatives_natively, check_stages, native
from tests.generators import arguments_for, random_program
from tests.generators.arguments import function_of
from tests.passes.derivatives import differentiated

SEEDS = range(1000, 1020)
LARGEST = 14
LARGEST_OF_FUZZING = 25


def check_meaning(seed: int, size: int) -> None:
    """All stages of a program from the whole language, on arguments with infinities and NaN.

    Negative zeros are left out: NumPy's sum of the one element -0 is 0, that of the compiled program is -0.
    """
    program = random_program(seed, size)
    for special in (False, True):
        arguments = arguments_for(program, random.Random(seed), special=special)
        check_stages(program, "main", [np.where(a == 0, np.abs(a), a)[()] for a in arguments])


def check_smooth(seed: int, size: int) -> None:
    """Both modes of differentiation of a smooth program."""
    program = random_program(seed, size, smooth=True)
    check_derivatives_natively(program, arguments_for(program, random.Random(seed)))


def check_second(seed: int, size: int) -> None:
    """The derivative of the gradient, forward and transposed: one Hessian, which is symmetric.

    Only for programs with one float argument. With g the gradient of <cotangents, f>, the cotangents fixed,
    <v, Dg u> must be <u, Dg v> and <u, Dg^T v>.
    """
    program = random_program(seed, size, smooth=True)
    rng = np.random.default_rng(seed)
    arguments = arguments_for(program, random.Random(seed))
    wrt = (0,)
    first = differentiated(program, "main", wrt, "reverse")
    given = len(function_of(first, "main_grad").function_type.inputs.data) - len(arguments)
    outputs = function_of(program, "main").function_type.outputs.data
    cotangents = (
        [rng.normal(size=s)[()] for s in map(shape_of, outputs[len(outputs) - given :])] if given else []
    )
    second = differentiated(first, "main_grad", wrt, "forward", "reverse")
    x = np.asarray(arguments[0])
    u, v = rng.normal(size=x.shape)[()], rng.normal(size=x.shape)[()]
    forward = native(second, "main_grad_jvp")
    along_u = forward(*arguments, *cotangents, u)[-1]
    along_v = forward(*arguments, *cotangents, v)[-1]
    values = run_function(first, [*arguments, *cotangents], function="main_grad")
    seeds = [*(np.zeros_like(y)[()] for y in values[:-1]), v]
    transposed = native(second, "main_grad_grad")(*arguments, *cotangents, *seeds)[-1]
    scale = 1 + np.sum(np.abs(u * transposed)) + np.sum(np.abs(v * along_u)) + np.sum(np.abs(u * along_v))
    assert abs(np.sum(v * along_u) - np.sum(u * along_v)) <= 1e-9 * scale
    assert abs(np.sum(v * along_u) - np.sum(u * transposed)) <= 1e-9 * scale


CHECKS: dict[str, Callable[[int, int], None]] = {
    "stages": check_meaning,
    "derivatives": check_smooth,
    "second-derivatives": check_second,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("check", CHECKS)
def test_random_programs(check, seed):
    CHECKS[check](seed, random.Random(seed).randint(2, LARGEST))


@pytest.mark.fuzz
@pytest.mark.parametrize("check", CHECKS)
def test_many_random_programs(check, fuzz_seconds):
    end = time.monotonic() + fuzz_seconds
    seeds = random.SystemRandom()
    while time.monotonic() < end:
        seed = seeds.randrange(2**32)
        size = seeds.randint(2, LARGEST_OF_FUZZING)
        try:
            CHECKS[check](seed, size)
        except Exception as error:
            smallest = _smallest_failing(CHECKS[check], seed, size)
            raise AssertionError(
                f"{check} fails for seed {seed}, size {smallest} (found at {size})"
            ) from error


def _smallest_failing(check: Callable[[int, int], None], seed: int, size: int) -> int:
    """The least size at which the program of this seed fails."""
    for smaller in range(1, size):
        try:
            check(seed, smaller)
        except Exception:
            return smaller
    return size
