"""The stages that a program passes on its way to native code; each must compute the same.

    source     the program as it was written
    expanded   array code without builds and linear maps
    kernels    the scheduled and planned kernels, interpreted
    native     machine code that checks every address, run under guard

Floats agree within the rounding of reordered sums and of elementary functions, all else bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.dialects.array.indexing import BuildOp
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.pipelines import expansion, lowering
from tests.cases.case import ones_like
from tests.lower.native import compiled_program
from tests.passes.derivatives import differentiated, drawn, float_arguments, function_of, inner, run_passes

Run = Callable[..., tuple[Any, ...]]

TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 2e-4}
NUDGE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-6}


def native(module: ModuleOp, function: str) -> Run:
    """A function of array code as machine code that checks its addresses, called under guard.

    A derivative may hold builds: what is left of a loop whose iterations do not depend on each other.
    """
    target = find_target()
    module = run_passes(
        module.clone(),
        "bulk-operations,lower-custom-derivatives,expand-solves,expand-formulas,lower-checkpoints",
    )
    program = compiled_program(module, function, checks=True)
    return NativeFunction(program, target=target, debug=True)


def interpreted(module: ModuleOp, function: str) -> Run:
    """A function run by the interpreter."""
    return lambda *args: run_function(module, args, function=function)


def stages(source: ModuleOp, function: str) -> dict[str, Run]:
    """The function at every stage; the source stays as it is."""
    expanded = run_passes(source.clone(), ",".join(expansion()))
    assert not any(isinstance(op, BuildOp) for op in expanded.walk())
    kernels = run_passes(expanded.clone(), ",".join(lowering()))
    verify_module(kernels)
    verify_plan(function_of(kernels, function))
    return {
        "expanded": interpreted(expanded, function),
        "kernels": interpreted(kernels, function),
        "native": native(expanded, function),
    }


def value_and_cotangents(function: Callable[..., Any], moving: Sequence[int]) -> Callable[..., Any]:
    """A function that returns the value and J^T ones, with respect to the arguments in `moving`."""

    def transformed(*arguments: Any) -> Any:
        def of_moving(*chosen: Any) -> Any:
            given = list(arguments)
            for k, value in zip(moving, chosen, strict=True):
                given[k] = value
            return function(*given)

        value, pullback = ad.vjp(of_moving, *(arguments[k] for k in moving))
        return value, pullback(ones_like(value))

    return transformed


def assert_same(actual: Sequence[Any], expected: Sequence[Any], stage: str) -> None:
    """Equal results: of one dtype and shape, floats up to rounding relative to the largest finite element."""
    assert len(actual) == len(expected)
    for k, (got, want) in enumerate(zip(actual, expected, strict=True)):
        got, want = np.asarray(got), np.asarray(want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape), f"{stage}, result {k}"
        tolerance = TOLERANCE.get(want.dtype, 0.0)
        finite = np.abs(want[np.isfinite(want)])
        atol = tolerance * float(np.max(finite, initial=1.0)) if tolerance else 0.0
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=atol, err_msg=f"{stage}, result {k}")


def check_stages(source: ModuleOp, function: str, *calls: Sequence[Any]) -> None:
    """Every stage computes what the source means, for the arguments of each call.

    Elements that rounding decides, such as the sine of a huge number, say nothing: they are those that leave
    the tolerance when the float arguments change in the twelfth digit.
    """
    runs = stages(source, function)
    for arguments in calls:
        expected = run_function(source, arguments, function=function)
        nudged = [a * a.dtype.type(1 + NUDGE[a.dtype]) if a.dtype in NUDGE else a for a in arguments]
        moved = run_function(source, nudged, function=function)
        for stage, run in runs.items():
            assert_same(kept(run(*arguments), expected, moved), expected, stage)


def kept(actual: Sequence[Any], expected: Sequence[Any], moved: Sequence[Any]) -> list[Any]:
    """The results, replaced by the expected ones where these are not the moved ones."""
    chosen: list[Any] = []
    for got, want, other in zip(actual, expected, moved, strict=True):
        tolerance = TOLERANCE.get(np.asarray(want).dtype, 0.0)
        is_stable = np.isclose(other, want, rtol=tolerance, atol=tolerance, equal_nan=True)
        fits = np.shape(got) == np.shape(want) and np.asarray(got).dtype == np.asarray(want).dtype
        chosen.append(np.where(is_stable, got, want) if fits else got)
    return chosen


def check_derivatives_natively(source: ModuleOp, arguments: Sequence[Any], function: str = "main") -> None:
    """Both modes, compiled: they preserve the value, are transposes of each other, and agree with the
    interpreter and with finite differences."""
    wrt = float_arguments(source, function)
    module = differentiated(source, function, wrt, "forward", "reverse")
    type_ = function_of(source, function).function_type
    inputs, outputs = type_.inputs.data, type_.outputs.data
    rng = np.random.default_rng(1)
    tangents, cotangents = drawn([inputs[k] for k in wrt], rng), drawn(list(outputs), rng)
    is_scalar = len(outputs) == 1 and not np.ndim(cotangents[0])
    if is_scalar:
        cotangents = [np.ones_like(cotangents[0])]
    forward_arguments = [*arguments, *tangents]
    reverse_arguments = [*arguments, *([] if is_scalar else cotangents)]
    forward = native(module, f"{function}_jvp")(*forward_arguments)
    reverse = native(module, f"{function}_grad")(*reverse_arguments)
    assert_same(forward, run_function(module, forward_arguments, function=f"{function}_jvp"), "jvp")
    assert_same(reverse, run_function(module, reverse_arguments, function=f"{function}_grad"), "grad")
    primal = run_function(source, arguments, function=function)
    assert_same(forward[: len(primal)], primal, "primal of jvp")
    assert_same(reverse[: len(primal)], primal, "primal of grad")
    left, left_scale = inner(list(forward[len(primal) :]), cotangents)
    right, right_scale = inner(tangents, list(reverse[len(primal) :]))
    assert abs(left - right) <= 1e-11 * (left_scale + right_scale + 1)
    check_differences(source, function, arguments, wrt, tangents, forward[len(primal) :])


def check_differences(
    source: ModuleOp,
    function: str,
    arguments: Sequence[Any],
    wrt: Sequence[int],
    tangents: Sequence[Any],
    images: Sequence[Any],
) -> None:
    """Central differences along the tangents, extrapolated once; trusted less where the step matters.

    Each result has the step at which the difference changes least when the step is halved.
    """

    def moved(step: float) -> tuple[Any, ...]:
        at = list(arguments)
        for k, dx in zip(wrt, tangents, strict=True):
            at[k] = np.asarray(arguments[k] + step * dx)[()]
        return run_function(source, at, function=function)

    def difference(step: float) -> list[Any]:
        return [(p - m) / (2 * step) for p, m in zip(moved(step), moved(-step), strict=True)]

    def change(coarse: Any, fine: Any) -> float:
        return float(np.max(np.abs(fine - coarse), initial=0.0))

    pairs = [zip(difference(2 * h), difference(h), strict=True) for h in (1e-5, 1e-6)]
    for known, image in zip(zip(*pairs, strict=True), images, strict=True):
        coarse, fine = min(known, key=lambda pair: change(*pair))
        size = max(1.0, float(np.max(np.abs(image), initial=0.0)))
        steep = change(coarse, fine)
        atol = 1e-6 * size + 1e-2 * steep
        np.testing.assert_allclose(image, (4 * fine - coarse) / 3, rtol=1e-6, atol=atol)
