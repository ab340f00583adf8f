"""Random programs from source to machine code, and their derivatives.

- Every stage computes the same: source, expanded array code, scheduled kernels, machine code under guard.
- <J dx, ct> = <dx, J^T ct> to rounding, compiled; both agree with the interpreter and finite differences.

- The same of programs with functions as values.
- The same of random Python functions over the interface: tuples, batches, derivatives inside loops.
- Random Python programs with functions and sums as values compute what they compute without mlirad.
- Random Python functions that write through views and aliases compute what they compute with NumPy.

Twenty programs of each kind are run always. `--fuzz-seconds` runs fresh ones for as long as it says; a
failure names the seed and the smallest size of the program that fails.
"""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ReplayOp, WhileOp
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import shape_of
from mlirad.interpreter import run_function
from mlirad.lower.cpu.schedule_kernels import lanes, scatters
from mlirad.pipeline_options import METHODS
from tests.acceptance.stages import assert_same, check_derivatives_natively, check_stages, native
from tests.generators import (
    aliasing,
    arguments_for,
    builder,
    python_functions,
    random_higher_order,
    random_program,
)
from tests.generators.arguments import function_of
from tests.generators.python_programs import random_function, scalar_of
from tests.passes.derivatives import differentiated, run_passes

SEEDS = range(1000, 1020)
LARGEST = 14
LARGEST_OF_FUZZING = 25
MOST_FAILURES = 10


def check_meaning(seed: int, size: int) -> None:
    """All stages of a program from the whole language, on arguments with infinities and NaN.

    The sign of a zero sum is not fixed (the sum of the one term -0 may be 0 or -0), so the ops that show the
    sign of a zero are left out. The elements of a Fourier transform that a NaN reaches are not fixed either.
    """
    program = random_program(seed, size, allow=lambda op: op not in (ew.CopysignOp, ew.Atan2Op))
    kinds = (False,) if any(isinstance(op, FftOp) for op in program.walk()) else (False, True)
    calls = [arguments_for(program, random.Random(seed), special=special) for special in kinds]
    check_stages(program, "main", *([tamed(a) for a in call] for call in calls))


def tamed(argument: Any) -> Any:
    """Without huge and tiny floats, which would make reordered sums and the sine of a reciprocal meaningless,
    and without negative zeros, whose reciprocals show their sign.
    """
    if argument.dtype.kind != "f":
        return argument
    small = np.where(np.isfinite(argument), np.clip(argument, -1e3, 1e3), argument)
    return np.where(np.abs(small) < 1e-3, 0.0, small).astype(argument.dtype)[()]


def check_smooth(seed: int, size: int) -> None:
    """Both modes of differentiation of a smooth program. A replay has no derivative of its own."""
    program = random_program(seed, size, smooth=True, allow=lambda op: op is not ReplayOp)
    check_derivatives_natively(program, arguments_for(program, random.Random(seed)))


def check_second(seed: int, size: int) -> None:
    """The derivative of the gradient, forward and transposed: one Hessian, which is symmetric.

    Only for programs with one float argument. With g the gradient of <cotangents, f>, the cotangents fixed,
    <v, Dg u> must be <u, Dg v> and <u, Dg^T v>. Loops on data are differentiated in reverse once only.
    """
    program = random_program(seed, size, smooth=True, allow=lambda op: op not in (ReplayOp, WhileOp))
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


def check_functions(seed: int, size: int) -> None:
    """A program with closures, tuples and sums, at all stages, and what stands for it differentiated."""
    program = random_higher_order(seed, size)
    arguments = arguments_for(program, random.Random(seed))
    check_stages(program, "main", arguments)
    run_passes(program, "eliminate-functions,mlirad-inline,bulk-operations")
    check_derivatives_natively(program, arguments)


def check_python(seed: int, size: int) -> None:
    """A random Python function: both evaluators, both modes, and Taylor's remainder, mostly interpreted."""
    function = random_function(seed, depth=min(size // 6, 3))
    rng = np.random.default_rng(seed)
    arguments = np.float64(rng.uniform(0.2, 1)), rng.uniform(-1, 1, size=3)

    def of_both(s: Any, v: Any) -> Any:
        return function((s, v))

    assert_same(ad.jit(of_both)(*arguments), ad.jit(of_both, interpret=True)(*arguments), "compiled")
    ad.check_derivatives(of_both, *arguments, step=1e-3, interpret=bool(seed % 4))
    loss = scalar_of(function, (0.7, 0.4))
    compiled, interpreted = (ad.grad(loss, argnums=(0, 1), interpret=i)(*arguments) for i in (False, True))
    assert_same(compiled, interpreted, "gradient")
    argnum, method = seed % 2, sorted(METHODS)[seed % len(METHODS)]
    by_one = ad.grad(loss, argnums=argnum, method=method)(*arguments)
    assert_same((by_one,), (interpreted[argnum],), f"gradient by one argument, {method}")


def check_python_functions(seed: int, size: int) -> None:
    """A random Python program with functions as values against the same one on NumPy, and its differences.

    On NumPy derivatives inside are differences, too. One in four is compiled, too, and one in ten is
    differentiated twice, by all methods.
    """
    source = python_functions.random_functions(seed, size)
    function, reference = python_functions.traced(source), python_functions.plain(source)
    rng = np.random.default_rng(seed)
    x, v, n = np.float64(rng.uniform(0.2, 1)), rng.uniform(-1, 1, 3), np.int64(rng.integers(0, 4))
    options: dict[str, Any] = {"argnums": (0, 1), "method": METHODS[seed // 4 % len(METHODS)]}
    value, slopes = ad.value_and_grad(function, interpret=True, **options)(x, v, n)
    exact = "ad.grad" not in source
    assert abs(value - reference(x, v, n)) < (1e-9 if exact else 1e-5)
    dx, dv = rng.uniform(-1, 1), rng.uniform(-1, 1, 3)
    after, before = (reference(x + h * dx, v + h * dv, n) for h in (1e-4, -1e-4))
    slope = (after - before) / 2e-4
    assert abs(slopes[0] * dx + slopes[1] @ dv - slope) < (1e-5 if exact else 1e-3) * (1 + abs(slope))
    if seed % 4 == 0:
        found, compiled = ad.value_and_grad(function, **options)(x, v, n)
        assert_same((found, *compiled), (value, *slopes), "compiled")
    if seed % 10 == 7:
        check_twice(lambda x, v: function(x, v, n), (x, v), (dx, dv))


def check_twice(function: Any, point: tuple[Any, Any], along: tuple[Any, Any]) -> None:
    """The Hessian times a vector by all methods, and by differences of gradients."""
    products = [ad.hvp(function, point, along, interpret=True, method=method) for method in METHODS]
    gradient = ad.grad(function, argnums=(0, 1), interpret=True)
    after, before = (
        gradient(*(x + h * dx for x, dx in zip(point, along, strict=True))) for h in (1e-5, -1e-5)
    )
    for k, column in enumerate(zip(*products, strict=True)):
        for product in column[1:]:
            np.testing.assert_allclose(product, column[0], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose((after[k] - before[k]) / 2e-5, column[0], rtol=1e-4, atol=1e-5)


def check_writes(seed: int, size: int) -> None:
    """A random function that writes through views and aliases: what NumPy computes, and finite differences.

    It may be refused where what NumPy does depends on an order in memory that is not known.
    """
    function = aliasing.function_of(aliasing.random_writes(seed, size))
    x, v, i = aliasing.inputs(seed)
    rng = np.random.default_rng(seed)
    weights = [rng.uniform(-1, 1, np.shape(a)) for a in function(x.copy(), v.copy(), i)]
    dx, dv = rng.uniform(-1, 1, x.shape), rng.uniform(-1, 1, v.shape)

    def loss(x: Any, v: Any, i: Any) -> Any:
        return sum(np.sum(np.sin(a) * w) for a, w in zip(function(x, v, i), weights, strict=True))

    try:
        made = ad.jit(function, interpret=bool(seed % 4))(x, v, i)
    except ad.TracingError as error:
        assert "order of elements in memory" in error.message
        return
    for actual, expected in zip(made, function(x.copy(), v.copy(), i), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-14)
    if [np.shape(a) for a in made[:2]] == [x.shape, v.shape]:
        check_writes_in_a_loop(function, x, v, interpret=bool(seed % 4))
    slopes = ad.grad(loss, argnums=(0, 1), interpret=bool(seed % 4))(x, v, i)
    after, before = (loss(x + h * dx, v + h * dv, i) for h in (1e-6, -1e-6))
    slope = np.sum(slopes[0] * dx) + np.sum(slopes[1] * dv)
    assert abs(slope - (after - before) / 2e-6) <= 1e-6 * (1 + abs(slope))


def check_writes_in_a_loop(function: Any, x: Any, v: Any, *, interpret: bool) -> None:
    """The same function as the body of a loop, which hands two arrays on."""
    iterations = 2  # that `i` is inside of all arrays was tried for 1

    def looped(x: Any, v: Any) -> Any:
        return ad.fori_loop(0, iterations, lambda i, carry: function(*carry, i)[:2], (x, v))

    expected = x, v
    for i in range(iterations):
        expected = function(*(np.copy(a) for a in expected), i)[:2]
    for actual, right in zip(ad.jit(looped, interpret=interpret)(x, v), expected, strict=True):
        np.testing.assert_allclose(actual, right, rtol=1e-11, atol=1e-13)


CHECKS: dict[str, Callable[[int, int], None]] = {
    "stages": check_meaning,
    "derivatives": check_smooth,
    "second-derivatives": check_second,
    "functions": check_functions,
    "python": check_python,
    "python-functions": check_python_functions,
    "writes": check_writes,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("check", CHECKS)
def test_random_programs(check, seed):
    CHECKS[check](seed, random.Random(seed).randint(2, LARGEST))


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of several vectors and a rest, and kernels scheduled as if all work were large."""
    extents = (1, 2, 3, 5, 8, 17, 33)
    monkeypatch.setattr(builder, "LARGEST_ARRAY", 700)
    monkeypatch.setattr(builder.ProgramBuilder, "extent", lambda self: self.rng.choice(extents))
    monkeypatch.setattr(lanes, "MINIMAL_WORK", 0)
    monkeypatch.setattr(lanes, "MINIMAL_PACK_ELEMENTS", 0)
    monkeypatch.setattr(lanes, "GAIN", 100)
    monkeypatch.setattr(scatters, "MINIMAL_WORK", 0)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("check", ["stages", "derivatives"])
def test_random_programs_in_vectors(check, seed):
    CHECKS[check](seed, random.Random(seed).randint(2, 10))


@pytest.mark.fuzz
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("check", [name for name in CHECKS if not name.startswith(("python", "writes"))])
def test_many_random_programs_in_vectors(check, fuzz_seconds, judged):
    run_for(CHECKS[check], f"{check} in vectors", fuzz_seconds, judged)


@pytest.mark.fuzz
@pytest.mark.parametrize("check", CHECKS)
def test_many_random_programs(check, fuzz_seconds, judged):
    run_for(CHECKS[check], check, fuzz_seconds, judged)


def run_for(check: Callable[[int, int], None], name: str, seconds: float, judged: Counter[str]) -> None:
    """Check fresh programs, most of them small, until the time is over; go on after one that fails."""
    end = time.monotonic() + seconds
    seeds = random.SystemRandom()
    wrong: list[str] = []
    while time.monotonic() < end and len(wrong) < MOST_FAILURES:
        seed, size = seeds.randrange(2**32), round(2 + (LARGEST_OF_FUZZING - 2) * seeds.random() ** 2)
        judged[name] += 1
        try:
            check(seed, size)
        except Exception:
            smallest, trace = _smallest_failing(check, seed, size)
            wrong.append(f"{name} fails for seed {seed}, size {smallest} (found at {size})\n{trace}")
    assert not wrong, "\n\n".join(wrong)


def _smallest_failing(check: Callable[[int, int], None], seed: int, size: int) -> tuple[int, str]:
    """The least size at which the program of this seed fails, and how it does."""
    for smaller in range(1, size + 1):
        try:
            check(seed, smaller)
        except Exception:
            return smaller, traceback.format_exc(limit=-6)
    return size, "not when tried again"
