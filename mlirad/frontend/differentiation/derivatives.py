"""Differentiation inside a trace: every transformation as ops `linear.linearize` and its applications.

The differentiated function is traced as a function of its own, of the leaves with respect to which it is
differentiated; `linear.linearize` names it, and the map is applied to tangents (`jvp`) or, transposed, to
cotangents (`vjp`, `grad`). Whatever else the function reads is a parameter without a tangent, so
transformations nest in any order.

At the top level the same functions run, in a trace of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import SymbolRefAttr, i64
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import (
    Value,
    ints,
    is_float,
    product_type,
    tangent_type,
)
from mlirad.errors import DifferentiationError, ShapeError, of_class
from mlirad.frontend.differentiation.argnums import Argnums, argument_positions
from mlirad.frontend.linear_map.spaces import vector
from mlirad.frontend.tracing.argument_types import leaf_type
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.frames import Frame, current_frame, emitting
from mlirad.frontend.tracing.function_names import function_name, hint_of, parameter_names
from mlirad.frontend.tracing.functions import Traced, trace_inner
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.run_time_checks import marked_still
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import resume
from mlirad.frontend.tracing.values import Higher
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Linearization:
    """A function linearised at a point of the trace: what it returned, and its derivative there.

    `leaves` are all leaves of the differentiated arguments and `moving` says which of them are floats.
    """

    traced: Traced
    frame: Frame
    operands: tuple[Array, ...]
    arguments: Tree
    leaves: int
    moving: tuple[int, ...]
    results: tuple[Array, ...]

    @property
    def value(self) -> Any:
        """Return what the function returned."""
        return self.traced.tree.unflatten(self.results)

    @property
    def points(self) -> tuple[Array, ...]:
        """The moving leaves, at which the function is linearised."""
        return self.operands[: len(self.moving)]

    def outputs(self, function: Callable[..., Any], has_aux: bool) -> tuple[Tree, Tree | None, list[int]]:
        """The structures of what is differentiated and of aux, and which leaves of the former are floats.

        Raises `DifferentiationError` where there is no aux or no float.
        """
        tree, aux = self.traced.tree, None
        if has_aux:
            if tree.kind is not tuple or len(tree.children) != 2:
                raise DifferentiationError(
                    f"{function_name(function)} must return (value, aux) with has_aux=True",
                    location=user_line(),
                    hint="return a tuple of the value and what comes with it",
                )
            tree, aux = tree.children
        rows = [k for k in range(tree.size) if self.results[k].dtype.kind == "f"]
        if not rows:
            raise DifferentiationError(
                f"{function_name(function)} returns no floats: there is nothing to differentiate",
                location=user_line(),
                hint="return floats: x.astype(float)",
            )
        return tree, aux, rows

    def cotangents(self, leaves: Sequence[Any]) -> Any:
        """Cotangents of the leaves of the differentiated arguments, in their structure."""
        return self.arguments.unflatten(self.arguments.conjugated(leaves))

    def image(self, tangents: Sequence[Array]) -> list[Array | None]:
        """The derivative applied to one tangent per moving leaf; `None` for results without derivative."""
        images = iter(
            self._apply(linear.ApplyOp, tangents, [t for t in self.traced.result_types if is_float(t)])
        )
        return [next(images) if is_float(t) else None for t in self.traced.result_types]

    def transposed_image(self, cotangents: Sequence[Array]) -> list[Array | None]:
        """The transposed derivative applied to one cotangent per float result; `None` for unmoving leaves."""
        moving = [p.value.type for p in self.points]
        images = iter(self._apply(linear.ApplyTransposeOp, cotangents, moving))
        return [next(images) if k in self.moving else None for k in range(self.leaves)]

    def map(self, operands: Sequence[Value]) -> Value:
        """The derivative as a value, of the operands of the linearisation."""
        return _linearize(self.traced, operands, len(self.moving))[-1]

    def _apply(
        self, op_class: type[linear.ApplicationOp], arguments: Sequence[Array], types: Sequence[Attribute]
    ) -> list[Array]:
        b = emitting()
        map_ = self.map([o.value for o in self.operands])
        op = b.insert(op_class, [map_, *(a.value for a in marked_still(arguments))], list(types))
        return [made(value) for value in op.results]


@dataclass(frozen=True)
class Point:
    """A function traced by itself, to be differentiated at a point: its operands are the moving leaves of the
    differentiated arguments, then what it captures."""

    traced: Traced
    operands: tuple[Value, ...]
    arguments: Tree
    leaves: int
    moving: tuple[int, ...]

    def arrays(self, results: list[Value]) -> tuple[Array, ...]:
        """The results of the function, as values of the trace; its token is taken on."""
        if self.traced.has_token:
            resume(made(results.pop()))
        return tuple(made(v, weak=t.weak) for v, t in zip(results, self.traced.results.leaves, strict=True))

    @property
    def result_types(self) -> list[Attribute]:
        """The types of the results, with that of a token."""
        traced = self.traced
        return [*traced.result_types, i64] if traced.has_token else traced.result_types


def point_of(function: Callable[..., Any], args: tuple[Any, ...], wrt: Sequence[int]) -> Point:
    """The function by the arguments at the positions `wrt`; the others are passed as they are."""
    chosen = tuple(args[k] for k in wrt)
    leaves, tree = flatten(chosen)
    names = parameter_names(function, len(args))
    paths = [path for k, child in zip(wrt, tree.children, strict=True) for path in child.paths(names[k])]
    for leaf, path in zip(leaves, paths, strict=True):
        if isinstance(leaf, Higher):
            raise DifferentiationError(
                f"{path} is {leaf.noun}, and there is no derivative with respect to one",
                location=user_line(),
                hint="differentiate with respect to the arrays that it is made of; what is only used is an "
                "argument that argnums does not name, or a variable from outside",
            )
    types = [leaf_type(leaf, path) for leaf, path in zip(leaves, paths, strict=True)]
    moving = [k for k, t in enumerate(types) if t.dtype.kind == "f"]
    if not moving and leaves:
        shown = ", ".join(f"{p} of dtype {t.dtype}" for p, t in zip(paths, types, strict=True))
        raise DifferentiationError(
            f"{function_name(function)} has no floating-point argument to differentiate with respect to: "
            f"it is given {shown}",
            location=user_line(),
            hint="pass floats (3.0 instead of 3), or choose other arguments with argnums; formal derivatives "
            'of integers and booleans are sweeps: ad.sweep(lambda n: n * n, instance="naturals")(3)',
        )

    def rebuild(parameters: list[Array]) -> tuple[Any, ...]:
        inner = list(leaves)
        for k, parameter in zip(moving, parameters, strict=True):
            inner[k] = parameter
        rebuilt = list(args)
        for k, value in zip(wrt, tree.unflatten(inner), strict=True):
            rebuilt[k] = value
        return tuple(rebuilt)

    points = [as_array(leaves[k]) for k in moving]
    hints = [hint_of(paths[k]) for k in moving]
    traced = trace_inner(function, rebuild, [types[k] for k in moving], hints)
    operands = (*(p.value for p in points), *traced.captured)
    return Point(traced, operands, tree, len(leaves), tuple(moving))


def linearize_at(function: Callable[..., Any], args: tuple[Any, ...], wrt: Sequence[int]) -> Linearization:
    """Linearise with respect to the arguments at the positions `wrt`; the others are passed as they are."""
    point = point_of(function, args, wrt)
    b, frame = emitting(), current_frame()
    arrays = point.arrays(_linearize(point.traced, point.operands, len(point.moving))[:-1])
    b.location = emitting().location
    operands = tuple(made(v) for v in point.operands)
    return Linearization(point.traced, frame, operands, point.arguments, point.leaves, point.moving, arrays)


def _linearize(traced: Traced, operands: Sequence[Value], moving: int) -> list[Value]:
    """The results of the function and the map, by an op that is shared with an equal one."""
    b = emitting()
    domain = product_type([tangent_type(v.type) for v in operands[:moving]])
    made_types = [*traced.result_types, i64] if traced.has_token else traced.result_types
    codomain = product_type([tangent_type(t) for t in made_types])
    properties = {"callee": SymbolRefAttr(traced.name), "wrt": ints(tuple(range(moving)))}
    types = [*made_types, linear.MapType(domain, codomain)]
    return list(b.insert(linear.LinearizeOp, operands, types, properties).results)


# The transformations on traced arguments ---------------------------------------------------------


def positions_or_all(function: Callable[..., Any], argnums: Argnums | None, count: int) -> list[int]:
    """The positions that `argnums` means; those of all arguments if it is `None`."""
    return list(range(count)) if argnums is None else argument_positions(function, argnums, count)


def value_and_grad(
    function: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    args: tuple[Any, ...],
    holomorphic: bool = False,
) -> tuple[Any, Any]:
    """The value (with aux, if there is) and the gradient, structured like the chosen arguments."""
    positions = argument_positions(function, argnums, len(args))
    at = linearize_at(function, args, positions)
    value: Any = at.value
    if has_aux and not (isinstance(value, tuple) and len(cast("tuple[Any, ...]", value)) == 2):
        raise DifferentiationError(
            f"{function_name(function)} must return (value, aux) with has_aux=True",
            location=user_line(),
            hint="return a tuple of the value and what comes with it",
        )
    objective = cast(Any, value)[0] if has_aux else cast(Any, value)
    if holomorphic:
        require_holomorphic(function, at, objective)
    elif isinstance(objective, ComplexArray):
        raise DifferentiationError(
            f"{function_name(function)} returns a complex number, and a gradient is of a real one",
            location=user_line(),
            hint="return z.real or np.abs(z), or write holomorphic=True for the derivative of a holomorphic "
            "function of complex arguments",
        )
    _require_scalar(objective.real if holomorphic else objective, function)
    one = as_array(1.0, at.results[0].dtype)
    zeros = [np.zeros_like(cast(Any, r)) for r in at.results[1:] if r.dtype.kind == "f"]
    leaves = at.transposed_image([one, *zeros])
    gradient = at.cotangents(leaves)
    return cast(Any, value), gradient[0] if isinstance(argnums, int | str) else gradient


def require_holomorphic(function: Callable[..., Any], at: Linearization, result: Any) -> None:
    """Require a complex result, and complex arguments to differentiate with respect to."""
    floats = [k for k, is_imaginary in enumerate(at.arguments.imaginary()) if not is_imaginary]
    imaginary = sum(at.arguments.imaginary())
    results = flatten(result)[1]
    if len(floats) != imaginary or 2 * sum(results.imaginary()) != results.size:
        raise DifferentiationError(
            f"holomorphic=True is for complex results of complex arguments, and {function_name(function)} "
            "has real ones",
            location=user_line(),
            hint="convert them with .astype(np.complex128), or leave holomorphic out",
        )


def _require_scalar(objective: Any, function: Callable[..., Any]) -> None:
    name = function_name(function)
    if not isinstance(objective, Array):
        raise DifferentiationError(
            f"{name} returns {of_class(objective)}, and a gradient is of one scalar",
            location=user_line(),
            hint="return has_aux pairs with has_aux=True; use ad.vjp for functions with several results",
        )
    if objective.shape:
        raise DifferentiationError(
            f"{name} returns an array of shape {objective.shape}, and a gradient is of one scalar",
            location=user_line(),
            hint="sum it, or use ad.vjp or ad.jvp for functions with array results",
        )
    if objective.dtype.kind != "f":
        raise DifferentiationError(
            f"{name} returns a scalar of dtype {objective.dtype}, which has no derivative",
            location=user_line(),
            hint="return a float",
        )


def jvp(
    function: Callable[..., Any], argnums: Argnums | None, primals: tuple[Any, ...], tangents: Any
) -> tuple[Any, Any]:
    """The value, and the derivative with respect to the chosen arguments, or all, applied to the tangents."""
    at = linearize_at(function, primals, positions_or_all(function, argnums, len(primals)))
    return at.value, at.traced.tree.unflatten(at.image(tangents_of(at, tangents, "tangents")))


def tangents_of(at: Linearization, given: Any, what: str) -> list[Array]:
    """Tangents structured like the arguments, as one array per moving leaf."""
    leaves = _structured(
        at.arguments, tuple(cast("list[Any]", given)) if isinstance(given, list) else given, what
    )
    paths = at.arguments.paths(what)
    return [_vector(leaves[k], at.operands[n], paths[k]) for n, k in enumerate(at.moving)]


def cotangents_of(at: Linearization, given: Any, what: str) -> list[Array]:
    """Cotangents structured like the results, as one array per float result."""
    tree = at.traced.tree
    leaves, paths = _structured(tree, given, what), tree.paths(what)
    vectors = [
        _vector(leaf, result, path) if result.dtype.kind == "f" else None
        for leaf, result, path in zip(leaves, at.results, paths, strict=True)
    ]
    return [v for v in tree.conjugated(vectors) if v is not None]


def _structured(tree: Tree, given: Any, what: str) -> list[Any]:
    try:
        return tree.flatten_like(given, what)
    except ValueError as error:
        raise ShapeError(
            str(error),
            location=user_line(),
            hint="pass vectors in the structure of what they belong to; None stands for zero",
        ) from error


def _vector(given: Any, like: Array, path: str) -> Array:
    """An element of the tangent space at `like`; `None` is 0."""
    return as_array(vector(given, LeafType(like.shape, like.dtype), path))
