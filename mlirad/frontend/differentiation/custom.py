"""`custom_derivative`: a function with a derivative of the user's own.

    @ad.custom_derivative
    def log1pexp(x):
        return np.log1p(np.exp(x))

    @log1pexp.rule
    def _(x):
        slope = 1 - 1 / (1 + np.exp(x))
        return lambda dx: slope * dx

A rule gives the derivative at the arguments, as the application of it or of its transpose. In that direction
it is applied as it is written, and higher-order derivatives differentiate it like other code. From a rule
that is linear both modes follow. Beside one that is not, the other mode takes a rule of its own.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Region

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.linear import dependences
from mlirad.dialects.shapes import FLAG, Value, is_float
from mlirad.errors import DifferentiationError, ShapeError, of_class
from mlirad.frontend.constructs.eager import called
from mlirad.frontend.differentiation.checkpoints import traced_region
from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.tracing.argument_kinds import checked_flag
from mlirad.frontend.tracing.array import Array, copied_leaves, made
from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.function_names import definition_of, function_name
from mlirad.frontend.tracing.naming import Named
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import last_token, resume, sealed
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.builder import yields
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass


class _Open(threading.local):
    """The functions whose rules are being traced."""

    def __init__(self) -> None:
        self.rules: tuple[CustomDerivative, ...] = ()


_open = _Open()

Rule = Callable[..., Callable[..., Any]]


@dataclass(frozen=True)
class _Given:
    """A rule as it was given, and its direction."""

    CAPTURED: ClassVar = ("rule", "is_transposed", "reads_result")

    rule: Rule
    is_transposed: bool
    reads_result: bool

    @property
    def vectors(self) -> str:
        """Return what the rule takes."""
        return "cotangents" if self.is_transposed else "tangents"


class CustomDerivative(Named):
    """A function whose derivative is given by a rule. Outside of a trace it is the function."""

    CAPTURED: ClassVar = ("_function", "_rules")

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._rules: dict[bool, _Given] = {}

    def rule(self, rule: Any = None, *, reads_result: bool = False) -> Any:
        """Use `rule(*args)`, a function of one tangent per argument, or a `LinearMap`, for forward mode.

        It returns the tangent of the result, in the structure of the result. Leaves without a derivative have
        `None` as tangent, and `None` returned stands for 0. It serves reverse mode, too, if it is linear.

        With `reads_result=True` it is called with the result and the arguments. The result has this
        derivative there too: so a rule that is made of what the result solves gives derivatives of every
        order.
        """
        return self._enter(rule, False, reads_result)

    def transposed_rule(self, rule: Any = None, *, reads_result: bool = False) -> Any:
        """Use `rule(*args)`, a function of a cotangent of the result, or a map, for reverse mode.

        It returns the cotangent of the argument, or a tuple of them if there are several. It serves forward
        mode, too, if it is linear. `reads_result` is that of `rule`.
        """
        return self._enter(rule, True, reads_result)

    def _enter(self, rule: Any, is_transposed: bool, reads_result: bool) -> Any:
        if rule is None:
            return functools.partial(self._enter, is_transposed=is_transposed, reads_result=reads_result)
        self._rules[is_transposed] = _Given(rule, is_transposed, checked_flag(reads_result, "reads_result"))
        return rule

    def __call__(self, *args: Any) -> Any:
        if not self._rules:
            raise DifferentiationError(
                f"{function_name(self._function)} has a custom derivative without a rule",
                location=definition_of(self._function),
                hint="give it one: @f.rule before a function of the arguments that returns a linear function",
            )
        if not is_tracing():
            return called(self._function, args, "custom_derivative")
        if self in _open.rules:
            return copied_leaves(as_traced(self._function)(*copied_leaves(args)))
        leaves, arguments = flatten(args)
        return self._emit([as_array(leaf) for leaf in leaves], arguments)

    def __repr__(self) -> str:
        return f"<{function_name(self._function)}, with a derivative of its own>"

    # Tracing -------------------------------------------------------------------------------------

    def _emit(self, inputs: list[Array], arguments: Tree) -> Any:
        b, frame = emitting(), current_frame()
        types: list[Attribute] = [x.value.type for x in inputs]
        weak = [x.weak for x in inputs]
        last = last_token()
        region, tree, results = traced_region(
            self._function, types, lambda values: arguments.unflatten(_arrays(values, weak))
        )
        regions = [region]
        made_types = [v.type for v in yields(regions[0])]
        vectors = [[t for t in space if is_float(t)] for space in (types, made_types)]
        reads_results = any(given.reads_result for given in self._rules.values())
        known = [*types, *made_types] if reads_results else types
        for given in (self._rules[k] for k in sorted(self._rules)):

            def derivative(*values: Value, given: _Given = given) -> list[Value]:
                with frame.open_scope():
                    resume(None if last is None else made(b.constant(0, i64)))
                    point = _arrays(values[: len(inputs)], weak)
                    found = [made(v) for v in values[len(inputs) : len(known)]]
                    moved = [made(v) for v in values[len(known) :]]
                    read = (tree.unflatten(found[: tree.size]),) if given.reads_result else ()
                    image = self._image(given, arguments, point, read, moved, tree, results)
                    return sealed([t.value for t in image])

            regions.append(b.region([*known, *vectors[given.is_transposed]], derivative))
            self._require_no_constant(given, regions[-1], regions[-1].block.args[len(known) :])
        properties: dict[str, Attribute] = {"results": FLAG} if reads_results else {}
        if len(regions) == 2 and True in self._rules:
            properties["transposed"] = FLAG
        op = b.insert(CustomOp, [x.value for x in inputs], made_types, properties, regions)
        if last is not None:
            resume(made(op.results[-1]))
        return tree.unflatten([made(v, weak=r.weak) for v, r in zip(op.results, results, strict=False)])

    def _require_no_constant(self, given: _Given, code: Region, vectors: Sequence[Value]) -> None:
        """Raise if the code of the rule has a part that does not go away with the vectors."""
        for found in dependences(code, vectors):
            if found.has_fixed_part:
                where = None if found.op is None else location_of(found.op)
                raise DifferentiationError(
                    f"the rule of {function_name(self._function)} is not linear: what it returns is not 0 "
                    f"where the {given.vectors} are 0",
                    location=where or definition_of(given.rule),
                    hint=f"return a sum of {given.vectors} times factors, without a constant part",
                )

    def _image(
        self,
        given: _Given,
        arguments: Tree,
        point: list[Array],
        read: tuple[Any, ...],
        vectors: list[Array],
        tree: Tree,
        results: Sequence[Array],
    ) -> list[Array]:
        """Return what a rule makes of tangents of the float arguments, or of cotangents of the float
        results.
        """
        spaces = (arguments, point), (tree, list(results))
        source, target = spaces[::-1] if given.is_transposed else spaces
        before = _open.rules
        try:
            _open.rules = (*before, self)
            return self._applied(given, (*read, *arguments.unflatten(point)), vectors, source, target)
        finally:
            _open.rules = before

    def _applied(
        self, given: _Given, args: Any, vectors: list[Array], source: _Space, target: _Space
    ) -> list[Array]:
        rule = given.rule
        application = as_traced(rule)(*args)
        if not callable(application):
            raise DifferentiationError(
                f"the rule of {function_name(self._function)} returns {of_class(application)}",
                location=definition_of(rule),
                hint=f"return a linear function of the {given.vectors}: lambda dx: slope * dx",
            )
        if isinstance(application, LinearMap):
            return _image_of_map(application, vectors, _floats(target), rule)
        tree, leaves = source
        rest = iter(vectors)
        given_leaves = [next(rest) if _is_float(x) else None for x in leaves]
        moved = tree.unflatten(tree.conjugated(given_leaves) if given.is_transposed else given_leaves)
        result = application(moved) if given.is_transposed else application(*moved)
        tree, leaves = target
        # The cotangent of a single argument is given by itself.
        whole = (result,) if given.is_transposed and len(tree.children) == 1 else result
        what = f"the {given.vectors.removesuffix('s')}{'s' * given.is_transposed} that the rule returns"
        try:
            made_leaves = tree.flatten_like(whole, what)
        except ValueError as error:
            raise ShapeError(
                str(error),
                location=definition_of(application) or definition_of(rule),
                hint="return vectors in the structure of what they belong to",
            ) from error
        if given.is_transposed:
            made_leaves = tree.conjugated(made_leaves)
        return [
            _fitted(leaf, like, given, application)
            for leaf, like in zip(made_leaves, leaves, strict=True)
            if _is_float(like)
        ]


_Space: TypeAlias = tuple[Tree, list[Array]]
"""The structure of arguments or results, and their leaves."""


def _is_float(leaf: Array) -> bool:
    return leaf.dtype.kind == "f"


def _floats(space: _Space) -> list[Array]:
    return [leaf for leaf in space[1] if _is_float(leaf)]


@plain_errors
def custom_derivative(function: Callable[..., Any]) -> CustomDerivative:
    """`function` with a derivative that rules give: see `CustomDerivative.rule` and `.transposed_rule`.

    A rule may call the function; there it is differentiated as it is written. So it is with respect to values
    that it reads from outside: a rule is for its arguments.

        >>> @ad.custom_derivative
        ... def rounded(x):
        ...     return np.round(x)
        >>> @rounded.rule
        ... def slope_one(x):
        ...     return lambda dx: dx
        >>> ad.grad(lambda x: rounded(x) * x)(1.8)
        np.float64(3.8)
    """
    return CustomDerivative(function)


def _arrays(values: Sequence[Value], weak: Sequence[bool]) -> list[Array]:
    return [made(v, weak=w) for v, w in zip(values, weak, strict=True)]


def _image_of_map(
    map_: LinearMap, vectors: Sequence[Array], target: Sequence[Array], rule: Rule
) -> list[Array]:
    """The images of tangents by a map between the float leaves of arguments and of results, or back."""
    for space, leaves, what in (
        (map_.domain, vectors, "starts from"),
        (map_.codomain, target, "ends in"),
    ):
        if [(t.shape, t.dtype) for t in space.moving] != [(a.shape, a.dtype) for a in leaves]:
            expected = ", ".join(f"{a.dtype}{list(a.shape)}" for a in leaves) or "no floats"
            raise ShapeError(
                f"the rule's map {what} {space}, and the function has {expected} there",
                location=definition_of(rule) or user_line(),
                hint="a rule gives the map from tangents of all float arguments to those of the results, a "
                "transposed rule the map from cotangents of the results to those of the arguments",
            )
    return list(map_.image(vectors))


def _fitted(leaf: Any, like: Array, given: _Given, application: Callable[..., Any]) -> Array:
    """A tangent of the type of what it belongs to."""
    if leaf is None:
        return as_array(np.zeros(like.shape, like.dtype))
    tangent = as_array(leaf)
    if tangent.shape != like.shape:
        raise ShapeError(
            f"the rule returns a {given.vectors.removesuffix('s')} of shape {tangent.shape}, "
            f"and {like.shape} is expected",
            location=definition_of(application) or definition_of(given.rule) or user_line(),
            hint="a tangent or cotangent has the shape of what it belongs to",
        )
    return as_array(tangent, like.dtype)
