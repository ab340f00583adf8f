"""`function`: a user function that stays a function of the program, called from many places, even by itself.

    @ad.function
    def power(x, n):
        return ad.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))

For each structure, shapes and dtypes of arguments it is traced once, into a `func.func`; every call is a
`func.call`. A recursive call needs the type of its result before that is known. It comes from the branches of
`cond` and `switch` that do not call, by tracing the function once without the others, or from `returns`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, shape_of
from mlirad.errors import DtypeError, TracingError
from mlirad.frontend.compiling.transformed import run_compiled
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import Frame, current_frame, emitting, is_tracing
from mlirad.frontend.tracing.functions import (
    LeafType,
    Traced,
    argument_hints,
    definition_of,
    function_name,
    leaf_type,
    leaf_types,
    trace_inner,
)
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten

ATTEMPTS = 8
"""How often a recursive function is traced until the type of its result stays."""


class UnknownResult(Exception):
    """A recursive call is met while the type of the result is not known."""


@dataclass(frozen=True)
class ResultType:
    """What a function returns: the structure, and the type of each leaf."""

    tree: Tree
    leaves: tuple[LeafType, ...]


@dataclass
class Kept:
    """A function of the program: `frame` is the one around it, whose values it may capture."""

    name: str
    frame: Frame
    result: ResultType | None
    captured: tuple[Value, ...] = ()
    inner: Frame | None = None
    is_finished: bool = False
    is_recursive: bool = False
    calls: list[tuple[Operation, Frame]] = field(default_factory=list[tuple[Operation, Frame]])


class Function:
    """A function that calls keep as a function. Outside of a trace, calling it compiles and runs it."""

    CAPTURED: ClassVar = ("_function", "_returns")

    def __init__(self, function: Callable[..., Any], returns: Any = None):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._returns = returns

    def __call__(self, *args: Any) -> Any:
        if not is_tracing():
            return run_compiled(self, args, {})
        leaves, tree = flatten(args)
        types = leaf_types(self._function, leaves, tree)
        operands = [as_array(leaf).value for leaf in leaves]
        return self._call(self._kept(tree, types), operands)

    def __repr__(self) -> str:
        return f"<{function_name(self._function)}, a function of the program>"

    # Finding the function ------------------------------------------------------------------------

    def _kept(self, tree: Tree, types: list[LeafType]) -> Kept:
        frame = current_frame()
        key: Hashable = (self, tree, tuple(types))
        known = frame.functions.kept.setdefault(key, [])
        around = set(map(id, _frames_around(frame)))
        for kept in known:
            if not kept.captured or id(kept.frame) in around:
                return kept
        kept = Kept(frame.functions.fresh_name(function_name(self._function)), frame, self._stated())
        known.append(kept)
        try:
            self._trace(kept, tree, types)
        except BaseException:
            known.remove(kept)
            raise
        return kept

    def _stated(self) -> ResultType | None:
        """The type that `returns` gives: an example of the result."""
        if self._returns is None:
            return None
        leaves, result = flatten(self._returns)
        paths = result.paths("returns")
        found = [leaf_type(leaf, path) for leaf, path in zip(leaves, paths, strict=True)]
        return ResultType(result, tuple(LeafType(t.shape, t.dtype) for t in found))

    # Tracing -------------------------------------------------------------------------------------

    def _trace(self, kept: Kept, tree: Tree, types: list[LeafType]) -> None:
        """Trace until what the recursive calls were taken to return is what the function returns."""
        functions = current_frame().functions
        is_stated = kept.result is not None
        for _ in range(ATTEMPTS):
            finished = len(functions.finished)
            others = {key: list(known) for key, known in functions.kept.items()}
            kept.calls, kept.is_recursive = [], False
            try:
                traced = self._attempt(kept, tree, types)
            except UnknownResult as error:
                if any(k is not kept and not k.is_finished for known in others.values() for k in known):
                    raise  # the branch that knows may be in the function that called this one
                raise TracingError(
                    f"{function_name(self._function)} calls itself before it is known what it returns",
                    location=definition_of(self._function),
                    hint="end the recursion by ad.cond or ad.switch, or give an example of the result: "
                    "@ad.function(returns=np.zeros(3))",
                ) from error
            found = ResultType(
                traced.tree,
                tuple(map(_leaf_type_of, traced.result_types, traced.weak)),
            )
            if not (kept.calls or kept.is_recursive) or _agree(kept.result, found):
                kept.result = found if kept.result is None else kept.result
                kept.captured, kept.is_finished = traced.captured, True
                self._complete(kept, traced)
                return
            if is_stated:
                raise DtypeError(
                    f"{function_name(self._function)} returns {_shown(found)}, and `returns` says "
                    f"{_shown(cast(ResultType, kept.result))}",
                    location=definition_of(self._function),
                )
            kept.result = found
            del functions.finished[finished:]
            functions.kept.clear()
            functions.kept.update(others)
        raise TracingError(
            f"the type of what {function_name(self._function)} returns does not settle",
            location=definition_of(self._function),
            hint="give an example of the result: @ad.function(returns=np.zeros(3))",
        )

    def _attempt(self, kept: Kept, tree: Tree, types: list[LeafType]) -> Traced:
        def rebuild(arguments: list[Array]) -> tuple[Any, ...]:
            kept.inner = current_frame()
            return tree.unflatten(arguments)

        hints = argument_hints(self._function, tree)
        return trace_inner(self._function, rebuild, types, hints, kept.name, is_sealed=True)

    def _complete(self, kept: Kept, traced: Traced) -> None:
        """Give the recursive calls the values that the function captures, now that they are known."""
        if not traced.captured or not kept.calls:
            return
        inner = cast(Frame, kept.inner)
        if any(frame is not inner for _, frame in kept.calls):
            raise TracingError(
                f"{function_name(self._function)} uses traced values from outside and calls itself inside "
                f"another function",
                location=definition_of(self._function),
                hint="pass what it uses as arguments",
            )
        own = [inner.captured[value] for value in traced.captured]
        for call, _ in kept.calls:
            call.operands = [*call.operands, *own]

    # Calling -------------------------------------------------------------------------------------

    def _call(self, kept: Kept, operands: list[Value]) -> Any:
        frame, b = current_frame(), emitting()
        if kept.result is None:
            kept.is_recursive = True
            raise UnknownResult
        scope = kept.frame.scopes[0]
        captured = [frame.value(value, scope) for value in kept.captured]
        types: list[Attribute] = [t.type for t in kept.result.leaves]
        arguments = [*operands, *captured]
        call = b.insert(CallOp, arguments, types, {"callee": SymbolRefAttr(kept.name)})
        if not kept.is_finished:
            kept.calls.append((call, frame))
        results = [made(v, weak=t.weak) for v, t in zip(call.results, kept.result.leaves, strict=True)]
        return kept.result.tree.unflatten(results)


def function(f: Callable[..., Any] | None = None, *, returns: Any = None) -> Any:
    """`f` as a function of the program: differentiated once, called from many places, possibly recursive.

    `returns`, an example of the result, is needed by recursive functions where no branch of a `cond` or
    `switch` ends the recursion. Recursion must end for the arguments that occur, by a condition on them. It
    has derivatives of every order, in forward and reverse mode, at a cost proportional to that of the calls.
    """
    if f is None:
        return functools.partial(Function, returns=returns)
    return Function(f, returns)


def _frames_around(frame: Frame | None) -> list[Frame]:
    found: list[Frame] = []
    while frame is not None:
        found.append(frame)
        frame = frame.parent
    return found


def _leaf_type_of(type_: Attribute, weak: bool) -> LeafType:
    return LeafType(shape_of(type_), numpy_dtype(type_), weak)


def _agree(assumed: ResultType | None, found: ResultType) -> bool:
    """Whether a function returns what its recursive calls were taken to return."""
    if assumed is None or assumed.tree != found.tree:
        return False
    return all(
        a.shape == f.shape and a.dtype == f.dtype and (a.weak == f.weak or not a.weak)
        for a, f in zip(assumed.leaves, found.leaves, strict=True)
    )


def _shown(result: ResultType) -> str:
    return ", ".join(f"{t.dtype}{list(t.shape)}" for t in result.leaves)
