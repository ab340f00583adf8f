"""`check_derivatives`: does the derivative of a function belong to it, and do its two modes agree?

Two tests, in random directions, one argument at a time:

    <J dx, ct> = <dx, J^T ct>                        forward and transposed are transposes of each other
    |f(x + h dx) - f(x) - h J dx| = O(h^2)           the remainder of Taylor's formula shrinks quadratically

The order of the remainder is measured from halvings of h. It is 2 for a right derivative, 1 for a wrong one;
where the function is linear the remainder is rounding, and the order counts as infinite. A test that fails
names the argument, and the first op whose derivative fails when the function is cut off after it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from mlirad.dialects.shapes import is_float
from mlirad.errors import DerivativeCheckError, DifferentiationError, MliradError
from mlirad.frontend.compilation import compiling, expand
from mlirad.frontend.dtypes import plain_array
from mlirad.frontend.functions import argument_paths, function_name, leaf_type, trace_module
from mlirad.frontend.linearization import linearize
from mlirad.frontend.pytree import flatten
from mlirad.frontend.source import user_line
from mlirad.frontend.tracebacks import plain_errors
from mlirad.interpreter import run_function
from mlirad.ir.builder import function_block
from mlirad.ir.locations import location_of
from mlirad.passes.differentiate import differentiate

HALVINGS = 12
"""How many steps h are tried."""

LEAST_ORDER = 1.7
"""The order of the remainder below which a derivative is wrong."""

NOISE = 200.0
"""How many units of rounding of the function's values a remainder must exceed to be one."""

Arrays = list[npt.NDArray[Any]]
Function = Callable[[Arrays], Arrays]
Applied = Callable[[Arrays, Arrays], tuple[Arrays, Arrays]]
"""From the point and tangents (of the float leaves) and cotangents (of the float results) to both images."""


@dataclass(frozen=True)
class DerivativeCheck:
    """What a check measured, by argument: order of the remainder, relative difference of the modes."""

    orders: dict[str, float]
    differences: dict[str, float]

    def __str__(self) -> str:
        lines = [f"{'argument':<24}{'order':>8}{'difference':>14}"]
        lines += [f"{p:<24}{o:>8.2f}{self.differences[p]:>14.1e}" for p, o in self.orders.items()]
        return "\n".join(lines)


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

    `step` is the first h, relative to the size of the arguments; `tolerance` bounds the relative difference
    of the modes (by default 1e4 units of rounding). Near a kink, choose a step that does not cross it.
    """
    from mlirad.frontend.transformations import jit

    leaves, tree = flatten(args)
    paths = argument_paths(function, tree)
    points = [plain_array(leaf) for leaf in leaves]
    moving = [k for k, p in enumerate(points) if p.dtype.kind == "f"]
    if not moving:
        raise DifferentiationError(
            f"{function_name(function)} has no floating-point argument", location=user_line()
        )
    compiled = jit(function, interpret=interpret)

    def value(at: Arrays) -> Arrays:
        return _floats(compiled(*tree.unflatten(_with_scalars(at, leaves))))

    _, derivative = linearize(function, *args, interpret=interpret)
    results, _ = flatten(compiled(*args))
    shapes = [np.asarray(r) for r in results]

    def applied(tangents: Arrays, cotangents: Arrays) -> tuple[Arrays, Arrays]:
        given = iter(tangents)
        moved = [next(given) if k in moving else None for k in range(len(points))]
        forward = derivative(*tree.unflatten(moved))
        rest = iter(cotangents)
        seeds = [next(rest) if s.dtype.kind == "f" else None for s in shapes]
        back = derivative.T(flatten(compiled(*args))[1].unflatten(seeds))
        backward = flatten(back)[0]
        if len(tree.children) == 1:
            backward = flatten((back,))[0]
        return _floats(forward), [np.asarray(b) for b in backward if b is not None]

    try:
        return _measured(value, applied, points, moving, paths, step, tolerance, seed)
    except DerivativeCheckError as error:
        culprit = _culprit(function, args, step, tolerance, seed)
        if culprit is None:
            raise
        raise DerivativeCheckError(
            f"{function_name(function)}: {error.message}; the derivative fails first after {culprit.name}",
            location=location_of(culprit) or user_line(),
        ) from error


# Measuring ---------------------------------------------------------------------------------------


def _measured(
    value: Function,
    applied: Applied,
    points: Arrays,
    moving: Sequence[int],
    paths: Sequence[str],
    step: float,
    tolerance: float | None,
    seed: int,
) -> DerivativeCheck:
    rng = np.random.default_rng(seed)
    base = value(points)
    cotangents = [rng.normal(size=b.shape).astype(b.dtype) for b in base]
    orders: dict[str, float] = {}
    differences: dict[str, float] = {}
    for n, k in enumerate(moving):
        direction = (rng.normal(size=points[k].shape) * max(1.0, _largest([points[k]]))).astype(
            points[k].dtype
        )
        tangents = [direction if m == n else np.zeros_like(points[j]) for m, j in enumerate(moving)]
        forward, backward = applied(tangents, cotangents)
        unit = max(float(np.finfo(a.dtype).eps) for a in [*base, direction])
        differences[paths[k]] = _difference(forward, cotangents, tangents, backward)
        orders[paths[k]] = _order(value, points, k, direction, base, forward, step, unit)
        allowed = 1e4 * unit if tolerance is None else tolerance
        if not differences[paths[k]] <= allowed:
            raise DerivativeCheckError(
                f"forward and transposed derivative with respect to {paths[k]} differ by "
                f"{differences[paths[k]]:.1e}, relative to their size",
                location=user_line(),
            )
        if not orders[paths[k]] >= LEAST_ORDER:
            raise DerivativeCheckError(
                f"the derivative with respect to {paths[k]} does not belong to the function: the remainder "
                f"of Taylor's formula has order {orders[paths[k]]:.2f}, and 2 is right",
                location=user_line(),
                hint="a step that crosses a kink looks the same: try a smaller `step`",
            )
    return DerivativeCheck(orders, differences)


def _difference(forward: Arrays, cotangents: Arrays, tangents: Arrays, backward: Arrays) -> float:
    """The difference of the two inner products, relative to the sum of the magnitudes of their terms."""
    ahead = [a.astype(np.float64) * b for a, b in zip(forward, cotangents, strict=True)]
    behind = [a.astype(np.float64) * b for a, b in zip(tangents, backward, strict=True)]
    size = sum(float(np.sum(np.abs(t))) for t in [*ahead, *behind])
    difference = sum(float(np.sum(t)) for t in ahead) - sum(float(np.sum(t)) for t in behind)
    return abs(difference) / size if size else abs(difference)


def _order(
    value: Function,
    points: Arrays,
    k: int,
    direction: npt.NDArray[Any],
    base: Arrays,
    forward: Arrays,
    step: float,
    unit: float,
) -> float:
    """The order of the remainder along a direction, from the smallest steps where it is not rounding."""
    noise = NOISE * unit * max(_largest(base), 1e-300)
    remainders: list[float] = []
    for n in range(HALVINGS):
        h = step * 0.5**n
        moved = [p + points[k].dtype.type(h) * direction if j == k else p for j, p in enumerate(points)]
        differences = [
            after.astype(np.float64) - before - h * slope.astype(np.float64)
            for after, before, slope in zip(value(moved), base, forward, strict=True)
        ]
        found = _largest(differences)
        if not np.isfinite(found):
            return math.nan
        if found <= noise:
            break
        remainders.append(found)
    orders = [math.log2(a / b) for a, b in itertools.pairwise(remainders)]
    return float(np.median(orders[-3:])) if orders else math.inf


def _largest(arrays: Arrays) -> float:
    return max((float(np.max(np.abs(a), initial=0.0)) for a in arrays), default=0.0)


def _floats(result: Any) -> Arrays:
    leaves = [np.asarray(leaf) for leaf in flatten(result)[0] if leaf is not None]
    return [leaf for leaf in leaves if leaf.dtype.kind == "f"]


def _with_scalars(arrays: Arrays, leaves: Sequence[Any]) -> list[Any]:
    """Arrays as the leaves that they stand for: a Python scalar again where it was one."""
    return [a.item() if type(leaf) in (int, float) else a for a, leaf in zip(arrays, leaves, strict=True)]


# Finding the op ----------------------------------------------------------------------------------


def _culprit(
    function: Callable[..., Any], args: tuple[Any, ...], step: float, tolerance: float | None, seed: int
) -> Operation | None:
    """The first op after which the derivative is wrong, `None` if every one is right by itself."""
    leaves, tree = flatten(args)
    paths = argument_paths(function, tree)
    types = [leaf_type(leaf, path) for leaf, path in zip(leaves, paths, strict=True)]
    points = [np.asarray(leaf, t.dtype) for leaf, t in zip(leaves, types, strict=True)]
    moving = [k for k, t in enumerate(types) if t.dtype.kind == "f"]
    module = trace_module(function, tree, types)[0]
    main = next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    candidates = [
        k for k, op in enumerate(function_block(main).ops) if any(is_float(r.type) for r in op.results)
    ]
    first, last = 0, len(candidates)
    while first < last:
        middle = (first + last) // 2
        try:
            _check_prefix(module, candidates[middle], points, moving, paths, step, tolerance, seed)
            first = middle + 1
        except MliradError:
            last = middle
    ops = list(function_block(main).ops)
    return ops[candidates[first]] if first < len(candidates) else None


def _check_prefix(
    module: ModuleOp,
    place: int,
    points: Arrays,
    moving: Sequence[int],
    paths: Sequence[str],
    step: float,
    tolerance: float | None,
    seed: int,
) -> None:
    """Check the function that returns the float results of its op number `place`, by the interpreter."""
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
    wrt = tuple(moving)
    forward, backward = differentiate(main, wrt, "forward"), differentiate(main, wrt, "reverse")
    cut.body.block.add_ops([forward, backward])
    with compiling():
        expand(cut, "dual-arrays")

    def value(at: Arrays) -> Arrays:
        return [np.asarray(r) for r in run_function(cut, at, function="main")]

    def applied(tangents: Arrays, cotangents: Arrays) -> tuple[Arrays, Arrays]:
        count = len(results)
        ahead = run_function(cut, [*points, *tangents], function="main_jvp")[count:]
        seeds = cotangents if len(backward.function_type.inputs.data) > len(points) else []
        behind = run_function(cut, [*points, *seeds], function="main_grad")[count:]
        scale = 1.0 if seeds else cast(Any, cotangents[0])
        return [np.asarray(a) for a in ahead], [np.asarray(b) * scale for b in behind]

    _measured(value, applied, points, moving, paths, step, tolerance, seed)
