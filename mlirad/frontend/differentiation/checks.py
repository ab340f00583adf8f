"""`check_derivatives`: does the derivative of a function belong to it, and do its two modes agree?

Three tests, in random directions, one argument at a time:

    <J dx, ct> = <dx, J^T ct>                        the two modes are transposes of each other
    |f(x + h dx) - f(x) - h J dx| = O(h^2)           the remainder of Taylor's formula shrinks quadratically
    J (s dx) = s J dx, J (dx + dy) = J dx + J dy     each is linear, at vectors of several sizes

A custom rule may serve one mode only. If that is reverse mode, the second test is of <f, ct>.

The order of the remainder is measured by halving h. It is 2 for a correct derivative, 1 for a wrong one;
where the function is linear the remainder is rounding, and the order counts as infinite. A test that fails
names the argument, and the first op whose derivative fails when the function is cut off after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from mlirad.dialects.shapes import is_float
from mlirad.errors import DerivativeCheckError, DifferentiationError, MliradError
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.constructs import repeated
from mlirad.frontend.differentiation.linearity_check import require_linear
from mlirad.frontend.differentiation.linearization import linearize
from mlirad.frontend.differentiation.remainders import (
    Arrays,
    DerivativeCheck,
    Function,
    Modes,
    Setting,
    measured,
)
from mlirad.frontend.tracing.argument_kinds import checked_flag, checked_integer, checked_number
from mlirad.frontend.tracing.argument_types import leaf_types
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.function_names import argument_paths, function_name
from mlirad.frontend.tracing.functions import require_function, trace_module
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.builder import function_block
from mlirad.ir.locations import location_of


@plain_errors
def check_derivatives(
    function: Callable[..., Any],
    *args: Any,
    interpret: bool = False,
    step: float = 1e-2,
    tolerance: float | None = None,
    seed: int = 0,
) -> DerivativeCheck:
    """Check the derivatives of `function` at `args` in both modes; raises `DerivativeCheckError`.

    `step` is the first h, relative to the size of the arguments; `tolerance` bounds the relative error of the
    derivative (by default 1e4 units of rounding). Near a kink, choose a step that does not cross it.

        >>> check = ad.check_derivatives(lambda x: np.sum(np.sin(x) * x), np.array([1.0, 2.0]))
        >>> round(check.orders["x"], 1)
        2.0
        >>> square = ad.custom_derivative(lambda x: x * x)
        >>> _ = square.rule(lambda x: lambda dx: 3 * x * dx)  # wrong
        >>> try:
        ...     ad.check_derivatives(square, 1.5)
        ... except ad.DerivativeCheckError as error:
        ...     print(error.message)
        lambda: the derivative with respect to x does not belong to the function: ...
    """
    require_function(function, "check_derivatives")
    interpret = checked_flag(interpret, "check_derivatives: interpret")
    checked_number(step, "check_derivatives: step", math.inf, "write step=1e-3, or leave it out")
    if tolerance is not None:
        hint = "write tolerance=1e-6, or leave it out"
        checked_number(tolerance, "check_derivatives: tolerance", math.inf, hint)
    checked_integer(seed, "check_derivatives: seed", 0, "write seed=1, or leave it out")
    leaves, tree = flatten(args)
    paths = argument_paths(function, tree)
    points = [plain_array(leaf) for leaf in leaves]
    differentiable = [k for k, p in enumerate(points) if p.dtype.kind == "f"]
    if not differentiable:
        raise DifferentiationError(
            f"{function_name(function)} has no floating-point argument",
            location=user_line(),
            hint="pass floats, such as 1.0 for 1",
        )
    setting = Setting(points, paths, differentiable, step, tolerance, seed)
    compiled = Transformed(function, repeated.call, "jit", Options(interpret))

    def value(at: Arrays) -> Arrays:
        return _floats(compiled(*tree.unflatten(_with_scalars(at, leaves))))

    _, derivative = linearize(function, *args, interpret=interpret)
    results, results_tree = flatten(compiled(*args))
    shapes = [np.asarray(r) for r in results]

    def forward(tangents: Arrays) -> Arrays:
        given = iter(tangents)
        moved = [next(given) if k in differentiable else None for k in range(len(points))]
        return _floats(derivative(*tree.unflatten(moved)))

    def transposed(cotangents: Arrays) -> Arrays:
        rest = iter(cotangents)
        seeds = [next(rest) if s.dtype.kind == "f" else None for s in shapes]
        back = derivative.T(results_tree.unflatten(seeds))
        leaves = flatten(back)[0] if len(tree.children) > 1 else flatten((back,))[0]
        return [np.asarray(b) for b in leaves if b is not None]

    floats = [s for s in shapes if s.dtype.kind == "f"]
    modes = _available(forward, transposed, [points[k] for k in differentiable], floats)
    try:
        require_linear(modes, [points[k] for k in differentiable], floats, tolerance, seed)
        return measured(value, modes, setting)
    except DerivativeCheckError as error:
        if modes.forward is None or modes.transposed is None:
            raise
        culprit = _culprit(function, args, setting)
        if culprit is None:
            raise
        raise DerivativeCheckError(
            f"{function_name(function)}: {error.message}; the derivative fails first after {culprit.name}",
            location=location_of(culprit) or user_line(),
            hint="look at the rule of the op that it names; near a kink give a smaller step",
        ) from error


# Measuring ---------------------------------------------------------------------------------------


def _available(forward: Function, transposed: Function, points: Arrays, results: Arrays) -> Modes:
    """The modes that the function has; raises where it has none."""
    found: list[Function | None] = []
    error: DifferentiationError | None = None
    for mode, like in ((forward, points), (transposed, results)):
        try:
            mode([np.zeros_like(a) for a in like])
            found.append(mode)
        except DifferentiationError as missing:
            found.append(None)
            error = missing
    if error is not None and found == [None, None]:
        raise error
    return Modes(*found)


def _floats(result: Any) -> Arrays:
    leaves = [np.asarray(leaf) for leaf in flatten(result)[0] if leaf is not None]
    return [leaf for leaf in leaves if leaf.dtype.kind == "f"]


def _with_scalars(arrays: Arrays, leaves: Sequence[Any]) -> list[Any]:
    """Arrays as the leaves that they stand for: a Python scalar again where it was one."""
    return [a.item() if type(leaf) in (int, float) else a for a, leaf in zip(arrays, leaves, strict=True)]


# Finding the op ----------------------------------------------------------------------------------


def _culprit(function: Callable[..., Any], args: tuple[Any, ...], setting: Setting) -> Operation | None:
    """The first op after which the derivative is wrong, `None` if every one is right by itself."""
    leaves, tree = flatten(args)
    types = leaf_types(function, leaves, tree)
    points = [np.asarray(leaf, t.dtype) for leaf, t in zip(leaves, types, strict=True)]
    setting = replace(setting, points=points)
    module = trace_module(function, tree, types)[0]
    main = next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    candidates = [
        k for k, op in enumerate(function_block(main).ops) if any(is_float(r.type) for r in op.results)
    ]
    first, last = 0, len(candidates)
    while first < last:
        middle = (first + last) // 2
        try:
            _check_prefix(module, candidates[middle], setting)
            first = middle + 1
        except MliradError:
            last = middle
    ops = list(function_block(main).ops)
    return ops[candidates[first]] if first < len(candidates) else None


def _check_prefix(module: ModuleOp, place: int, setting: Setting) -> None:
    """Check the function that returns the float results of its op number `place`, by the interpreter."""
    from mlirad.frontend.compiling.run_compiler import brought_to
    from mlirad.interpreter import run_function
    from mlirad.passes.differentiate import differentiate

    points = setting.points
    cut = module.clone()
    main = next(op for op in cut.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    ops = list(function_block(main).ops)
    results = [r for r in ops[place].results if is_float(r.type)]
    for op in reversed(ops[place + 1 :]):
        op.detach()
        op.drop_all_references()
    function_block(main).add_op(ReturnOp(*results))
    main.properties["function_type"] = FunctionType.from_lists(
        list(main.function_type.inputs.data), [r.type for r in results]
    )
    wrt = tuple(setting.differentiable)
    ahead, back = differentiate(main, wrt, "forward"), differentiate(main, wrt, "reverse")
    cut.body.block.add_ops([ahead, back])
    compiling(brought_to)("arrays", cut, Options())

    def value(at: Arrays) -> Arrays:
        return [np.asarray(r) for r in run_function(cut, at, function="main")]

    count = len(results)

    def forward(tangents: Arrays) -> Arrays:
        images = run_function(cut, [*points, *tangents], function="main_jvp")[count:]
        return [np.asarray(a) for a in images]

    def transposed(cotangents: Arrays) -> Arrays:
        seeds = cotangents if len(back.function_type.inputs.data) > len(points) else []
        images = run_function(cut, [*points, *seeds], function="main_grad")[count:]
        scale = 1.0 if seeds else cast(Any, cotangents[0])
        return [np.asarray(b) * scale for b in images]

    measured(value, Modes(forward, transposed), setting)
