"""`custom_derivative`: a function with a derivative of the user's own, and `checkpoint`.

    @ad.custom_derivative
    def log1pexp(x):
        return np.log1p(np.exp(x))

    @log1pexp.rule
    def _(x):
        slope = 1 - 1 / (1 + np.exp(x))
        return lambda dx: slope * dx

A rule gives one linear map, at the arguments: by its application, or by that of its transpose. Both modes
follow from it, and so do derivatives of higher order, because the rule is differentiated like other code.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Region

from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.errors import DifferentiationError, ShapeError
from mlirad.frontend.derivatives import linearize_at
from mlirad.frontend.frames import current_frame, emitting, is_tracing
from mlirad.frontend.functions import call, definition_of, function_name
from mlirad.frontend.linear_maps import LinearMap
from mlirad.frontend.linearity import zero_with
from mlirad.frontend.operations import as_array, made
from mlirad.frontend.pytree import Tree, flatten
from mlirad.frontend.reports import has_reports, last_token, resume, sealed, token
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array
from mlirad.frontend.views import copied_leaves
from mlirad.ir.builder import yields


class _Open(threading.local):
    """The functions whose rules are being traced."""

    def __init__(self) -> None:
        self.rules: list[CustomDerivative] = []


_open = _Open()

Rule = Callable[..., Callable[..., Any]]
F = TypeVar("F", bound=Callable[..., Any])


class CustomDerivative:
    """A function whose derivative is given by a rule. Outside of a trace, calling it compiles and runs it."""

    CAPTURED: ClassVar = ("_function", "_rule", "_is_transposed")

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._rule: Rule | None = None
        self._is_transposed = False

    def rule(self, rule: F) -> F:
        """Use `rule(*args)`, a linear function of one tangent per argument, or a `LinearMap`.

        It returns the tangent of the result, in the structure of the result. Leaves without a derivative have
        `None` as tangent, and `None` returned stands for 0.
        """
        self._rule, self._is_transposed = rule, False
        return rule

    def transposed_rule(self, rule: F) -> F:
        """Use `rule(*args)`, a linear function of a cotangent of the result, as in reverse mode, or a map.

        It returns the cotangent of the argument, or a tuple of them if there are several.
        """
        self._rule, self._is_transposed = rule, True
        return rule

    def __call__(self, *args: Any) -> Any:
        if not is_tracing():
            from mlirad.frontend.transformations import jit

            return jit(self)(*args)
        if self._rule is None:
            raise DifferentiationError(
                f"{function_name(self._function)} has a custom derivative without a rule",
                location=definition_of(self._function),
                hint="give it one: @f.rule before a function of the arguments that returns a linear function",
            )
        if self in _open.rules:
            return copied_leaves(self._function(*copied_leaves(args)))
        leaves, arguments = flatten(args)
        return self._emit(self._rule, [as_array(leaf) for leaf in leaves], arguments)

    def __repr__(self) -> str:
        return f"<{function_name(self._function)}, with a derivative of its own>"

    # Tracing -------------------------------------------------------------------------------------

    def _emit(self, rule: Rule, inputs: list[Array], arguments: Tree) -> Any:
        b, frame = emitting(), current_frame()
        types: list[Attribute] = [x.value.type for x in inputs]
        weak = [x.weak for x in inputs]
        found: list[tuple[Tree, list[Array]]] = []

        def body(*values: Value) -> list[Value]:
            with frame.open_scope():
                results, tree = call(self._function, arguments.unflatten(_arrays(values, weak)))
                found.append((tree, results))
                return _with_token([r.value for r in results])

        def derivative(*values: Value) -> list[Value]:
            with frame.open_scope():
                point = _arrays(values[: len(inputs)], weak)
                rest = iter(values[len(inputs) :])
                tangents = [made(next(rest)) if is_float(t) else None for t in types]
                tree, results = found[0]
                image = self._image(rule, arguments, point, tangents, tree, results)
                return sealed([t.value for t in image])

        last = last_token()
        first = b.region(types, body)
        resume(None if last is None else made(b.constant(0, i64)))
        second = b.region([*types, *(t for t in types if is_float(t))], derivative)
        self._require_linear(rule, second, second.block.args[len(inputs) :])
        tree, results = found[0]
        made_types = [v.type for v in yields(first)]
        op = b.insert(CustomOp, [x.value for x in inputs], made_types, None, (first, second))
        if last is not None:
            resume(made(op.results[-1]))
        return tree.unflatten([made(v, weak=r.weak) for v, r in zip(op.results, results, strict=False)])

    def _require_linear(self, rule: Rule, code: Region, vectors: Sequence[Value]) -> None:
        """Raise if the code of the rule has a part that does not go away with the vectors."""
        if not all(zero_with(code, vectors)):
            what = "cotangents" if self._is_transposed else "tangents"
            raise DifferentiationError(
                f"the rule of {function_name(self._function)} is not linear: what it returns is not 0 where "
                f"the {what} are 0",
                location=definition_of(rule),
                hint=f"return a sum of {what} times factors that do not depend on {what}, nothing else",
            )

    def _image(
        self,
        rule: Rule,
        arguments: Tree,
        point: list[Array],
        tangents: Sequence[Array | None],
        tree: Tree,
        results: Sequence[Array],
    ) -> list[Array]:
        """The tangents of the float results."""
        _open.rules.append(self)
        try:
            return self._applied(rule, arguments, point, tangents, tree, results)
        finally:
            _open.rules.remove(self)

    def _applied(
        self,
        rule: Rule,
        arguments: Tree,
        point: list[Array],
        tangents: Sequence[Array | None],
        tree: Tree,
        results: Sequence[Array],
    ) -> list[Array]:
        application = rule(*arguments.unflatten(point))
        if not callable(application):
            raise DifferentiationError(
                f"the rule of {function_name(self._function)} returns a {type(application).__name__}",
                location=definition_of(rule),
                hint="return a linear function of the tangents: lambda dx: slope * dx",
            )
        if isinstance(application, LinearMap):
            map_ = application.T if self._is_transposed else application
            return _image_of_map(map_, tangents, results, rule)
        if self._is_transposed:
            return self._transposed(rule, application, arguments, tangents, tree, results)
        image = application(*arguments.unflatten(tangents))
        try:
            given = tree.flatten_like(image, "the tangent that the rule returns")
        except ValueError as error:
            raise ShapeError(str(error), location=definition_of(rule)) from error
        return [
            _fitted(leaf, like, rule)
            for leaf, like in zip(given, results, strict=True)
            if like.dtype.kind == "f"
        ]

    def _transposed(
        self,
        rule: Rule,
        application: Callable[..., Any],
        arguments: Tree,
        tangents: Sequence[Array | None],
        tree: Tree,
        results: Sequence[Array],
    ) -> list[Array]:
        """The tangents of the float results, by a linear function of cotangents: the transpose of its own."""
        zeros = [np.zeros(r.shape, r.dtype) if r.dtype.kind == "f" else None for r in results]
        moving = [k for k, t in enumerate(tangents) if t is not None]

        def backward(cotangent: Any) -> Any:
            given = application(cotangent)
            whole = (given,) if len(arguments.children) == 1 else given
            try:
                leaves = arguments.flatten_like(whole, "the cotangents that the rule returns")
            except ValueError as error:
                raise ShapeError(str(error), location=definition_of(application)) from error
            return tuple(_fitted(leaves[k], cast(Array, tangents[k]), application) for k in moving)

        at = linearize_at(backward, (tree.unflatten(zeros),), (0,))
        code = current_frame().functions.finished[-1].body
        self._require_linear(rule, code, code.block.args[: len(at.moving)])
        images = at.transposed_image([cast(Array, tangents[k]) for k in moving])
        return [t for t in images if t is not None]


def custom_derivative(function: Callable[..., Any]) -> CustomDerivative:
    """`function` with a derivative that a rule gives: see `CustomDerivative.rule` and `.transposed_rule`.

    A rule may call the function; there it is differentiated as it is written. So is the function by values
    that it reads from outside: a rule is for its arguments.
    """
    return CustomDerivative(function)


def checkpoint(function: F) -> F:
    """`function`, of whose inside derivatives keep nothing: reverse mode runs it again.

    That saves memory for time. What is kept of a loop's trips, `checkpoint=` of the loops says.
    """

    @functools.wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        if not is_tracing():
            from mlirad.frontend.transformations import jit

            return jit(checkpointed)(*args, **kwargs)
        b, frame = emitting(), current_frame()
        found: list[tuple[Tree, list[Array]]] = []

        def body() -> list[Value]:
            with frame.open_scope():
                results, tree = call(functools.partial(function, **copied_leaves(kwargs)), args)
                found.append((tree, results))
                return _with_token([r.value for r in results])

        last = last_token()
        region = b.region((), body)
        tree, results = found[0]
        types = [v.type for v in yields(region)]
        op = b.insert(CheckpointOp, (), types, None, (region,))
        if last is not None:
            resume(made(op.results[-1]))
        return tree.unflatten([made(v, weak=r.weak) for v, r in zip(op.results, results, strict=False)])

    return cast(F, checkpointed)


def _with_token(values: list[Value]) -> list[Value]:
    """The values that a region returns and, where there are reports, the last token."""
    return [*values, token().value] if has_reports() else values


def _arrays(values: Sequence[Value], weak: Sequence[bool]) -> list[Array]:
    return [made(v, weak=w) for v, w in zip(values, weak, strict=True)]


def _image_of_map(
    map_: LinearMap, tangents: Sequence[Array | None], results: Sequence[Array], rule: Rule
) -> list[Array]:
    """The tangents of the float results by a map between the float leaves of arguments and of results."""
    moving = [t for t in tangents if t is not None]
    floats = [r for r in results if r.dtype.kind == "f"]
    for space, leaves, what in (
        (map_.domain, moving, "starts from"),
        (map_.codomain, floats, "ends in"),
    ):
        if [(t.shape, t.dtype) for t in space.moving] != [(a.shape, a.dtype) for a in leaves]:
            expected = ", ".join(f"{a.dtype}{list(a.shape)}" for a in leaves) or "no floats"
            raise ShapeError(
                f"the rule's map {what} {space}, and the function has {expected} there",
                location=definition_of(rule) or user_line(),
                hint="a rule gives the map from tangents of all float arguments to those of the results, a "
                "transposed rule the map from cotangents of the results to those of the arguments",
            )
    return list(map_.image(moving))


def _fitted(leaf: Any, like: Array, rule: Callable[..., Any]) -> Array:
    """A tangent of the type of what it belongs to."""
    if leaf is None:
        return as_array(np.zeros(like.shape, like.dtype))
    tangent = as_array(leaf)
    if tangent.shape != like.shape:
        raise ShapeError(
            f"the rule returns a tangent of shape {tangent.shape}, and {like.shape} is expected",
            location=definition_of(rule) or user_line(),
            hint="a tangent or cotangent has the shape of what it belongs to",
        )
    return as_array(tangent, like.dtype)
