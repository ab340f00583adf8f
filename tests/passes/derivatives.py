"""Derivatives of functions of modules, and the checks that every derivative must pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects import linear
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.interpreter import run_function
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import is_local
from mlirad.ir.parsing import make_context, parse_module
from mlirad.ir.verification import verify_module
from mlirad.registry import make_passes

EXPAND = "linearize,apply-linear-maps,outline-derivatives,mlirad-canonicalize,mlirad-dce"


def run_passes(module: ModuleOp, passes: str) -> ModuleOp:
    """The module after the passes, verified after each."""
    context = make_context()
    for pass_ in make_passes(passes):
        pass_.apply(context, module)
        verify_module(module)
    return module


def function_of(module: ModuleOp, name: str) -> FuncOp:
    """The function of that name."""
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == name)


def differentiated(text: str | ModuleOp, function: str, wrt: tuple[int, ...], *modes: str) -> ModuleOp:
    """The module with the derivatives of a function in the given modes, as array code."""
    module = parse_module(text) if isinstance(text, str) else text.clone()
    names = ",".join(map(str, wrt))
    inserts = [f"differentiate{{function={function} wrt={names} mode={mode}}}" for mode in modes]
    return run_passes(module, ",".join([*inserts, EXPAND]))


def float_arguments(module: ModuleOp, function: str) -> tuple[int, ...]:
    """The positions of the float arguments."""
    types = function_of(module, function).function_type.inputs.data
    return tuple(k for k, t in enumerate(types) if is_float(t))


def is_spine(derivative: Value) -> bool:
    """Return whether a map is in spine form: every node a map out of the same space, left operands local."""
    seen: set[Value] = set()
    pending = [derivative]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        match node.owner:
            case linear.ComposeOp() as op:
                if not (isinstance(op.outer.owner, linear.MapOp) and is_local(op.outer.owner)):
                    return False
                pending.append(op.inner)
            case linear.AddOp() | linear.VcatOp() as op:
                pending += own_operands(op)
            case linear.MapOp() as op if is_local(op):
                pass
            case _:
                return False
    return True


def inner(xs: list[Any], ys: list[Any]) -> tuple[float, float]:
    """The inner product of two lists of arrays, and the sum of the magnitudes of its terms."""
    terms = [np.asarray(x, np.float64) * np.asarray(y, np.float64) for x, y in zip(xs, ys, strict=True)]
    return sum(float(t.sum()) for t in terms), sum(float(np.abs(t).sum()) for t in terms)


def drawn(types: list[Any], rng: np.random.Generator) -> list[Any]:
    """A normal array of every type."""
    return [np.asarray(rng.normal(size=shape_of(t)), numpy_dtype(t))[()] for t in types]


def check_derivatives(
    text: str | ModuleOp,
    arguments: list[Any],
    *,
    function: str = "f",
    wrt: tuple[int, ...] | None = None,
    finite_differences: bool = True,
    tolerance: float = 1e-6,
) -> None:
    """The three witnesses: both modes preserve the value, agree with each other, and with differences."""
    source = parse_module(text) if isinstance(text, str) else text
    wrt = float_arguments(source, function) if wrt is None else wrt
    module = differentiated(source, function, wrt, "forward", "reverse")
    type_ = function_of(source, function).function_type
    inputs, outputs = type_.inputs.data, type_.outputs.data
    floats = [k for k, t in enumerate(outputs) if is_float(t)]
    single = any(numpy_dtype(inputs[k]) == np.float32 for k in wrt) or any(
        numpy_dtype(outputs[k]) == np.float32 for k in floats
    )
    rng = np.random.default_rng(1)
    tangents = drawn([inputs[k] for k in wrt], rng)
    is_scalar = len(outputs) == 1 and not shape_of(outputs[0])
    cotangents = drawn([outputs[k] for k in floats], rng)
    if is_scalar:
        cotangents = [np.ones_like(c) for c in cotangents]
    primal = run_function(source, arguments, function=function)
    forward = run_function(module, [*arguments, *tangents], function=f"{function}_jvp")
    seeds = [] if is_scalar else cotangents
    reverse = run_function(module, [*arguments, *seeds], function=f"{function}_grad")
    for k, value in enumerate(primal):
        np.testing.assert_allclose(forward[k], value, rtol=1e-6 if single else 1e-11, atol=0)
        np.testing.assert_allclose(reverse[k], value, rtol=1e-6 if single else 1e-11, atol=0)
    images, gradient = list(forward[len(primal) :]), list(reverse[len(primal) :])
    assert [np.shape(g) for g in gradient] == [shape_of(inputs[k]) for k in wrt]
    left, scale = inner(images, cotangents)
    right, other = inner(tangents, gradient)
    assert abs(left - right) <= (1e-4 if single else 1e-11) * (scale + other)
    if finite_differences and not single:
        _check_differences(source, function, arguments, wrt, floats, tangents, images, tolerance)


def _check_differences(
    source: ModuleOp,
    function: str,
    arguments: list[Any],
    wrt: tuple[int, ...],
    floats: list[int],
    tangents: list[Any],
    images: list[Any],
    tolerance: float,
) -> None:
    """Central differences along the tangents, extrapolated once."""

    def moved(step: float) -> list[Any]:
        at = list(arguments)
        for k, dx in zip(wrt, tangents, strict=True):
            at[k] = np.asarray(arguments[k] + step * dx)[()]
        results = run_function(source, at, function=function)
        return [np.asarray(results[k]) for k in floats]

    def difference(step: float) -> list[Any]:
        return [(p - m) / (2 * step) for p, m in zip(moved(step), moved(-step), strict=True)]

    step = 1e-4
    for coarse, fine, image in zip(difference(2 * step), difference(step), images, strict=True):
        estimate = (4 * fine - coarse) / 3
        size = max(1.0, float(np.max(np.abs(image), initial=0.0)))
        np.testing.assert_allclose(image, estimate, rtol=tolerance, atol=tolerance * size)
