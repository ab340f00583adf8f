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
from dataclasses import field
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp

from mlirad.dialects.function import PartialOp, closure_type
from mlirad.dialects.shapes import Value
from mlirad.errors import DtypeError, TracingError
from mlirad.frontend.compiling.transformed import run_compiled
from mlirad.frontend.constructs.eager import as_it_stands
from mlirad.frontend.tracing.frames import Frame, current_frame, emitting
from mlirad.frontend.tracing.function_names import (
    argument_hints,
    argument_paths,
    definition_of,
    function_name,
)
from mlirad.frontend.tracing.functions import Traced, trace_inner
from mlirad.frontend.tracing.naming import Named
from mlirad.frontend.tracing.open_traces import eager_mode, is_tracing
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.structure_types import structure_type
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.frontend.tracing.values import Higher, StructureType
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass

ATTEMPTS = 8
"""The number of times that a recursive function is traced until the type of its result stays."""


class UnknownResult(Exception):
    """A recursive call is met while the type of the result is not known."""


@dataclass
class Kept:
    """A function of the program: `frame` is the one around it, whose values it may capture."""

    name: str
    frame: Frame
    result: StructureType | None
    captured: tuple[Value, ...] = ()
    inner: Frame | None = None
    is_finished: bool = False
    is_recursive: bool = False
    calls: list[Frame] = field(default_factory=list[Frame])
    """The frames that it is called in before it is finished."""


class Function(Named):
    """A function that calls keep as a function. Outside of a trace, calling it compiles and runs it."""

    CAPTURED: ClassVar = ("_function", "_returns")

    def __init__(self, function: Callable[..., Any], returns: Any = None):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._returns = returns

    def __call__(self, *args: Any) -> Any:
        if not is_tracing():
            if eager_mode.is_on:
                return as_it_stands(self._function, args)
            return run_compiled(self, args, {})
        leaves, tree = flatten(args)
        paths = argument_paths(self._function, tree) if leaves else []
        kept = self._kept(structure_type(leaves, tree, paths))
        operands = [leaf.value if isinstance(leaf, Higher) else as_array(leaf).value for leaf in leaves]
        captured, result = self._referenced(kept)
        op = emitting().insert(
            CallOp, [*operands, *captured], result.types, {"callee": SymbolRefAttr(kept.name)}
        )
        if not kept.is_finished:
            kept.calls.append(current_frame())
        return result.made(op.results)

    def partial(self, parameters: StructureType) -> tuple[Value, StructureType]:
        """The function of arguments of these types as a value, and what it returns."""
        kept = self._kept(parameters)
        captured, result = self._referenced(kept)
        type_ = closure_type(parameters.types, result.types)
        op = emitting().insert(PartialOp, captured, [type_], {"callee": SymbolRefAttr(kept.name)})
        if not kept.is_finished:
            kept.calls.append(current_frame())
        return op.results[0], result

    def __repr__(self) -> str:
        return f"<{function_name(self._function)}, a function of the program>"

    # Finding the function ------------------------------------------------------------------------

    def _kept(self, parameters: StructureType) -> Kept:
        frame = current_frame()
        key: Hashable = (self, parameters)
        known = frame.functions.kept.setdefault(key, [])
        around = set(map(id, frame.around()))
        for kept in known:
            if not kept.captured or id(kept.frame) in around:
                return kept
        kept = Kept(frame.functions.fresh_name(function_name(self._function)), frame, self._stated())
        known.append(kept)
        try:
            self._trace(kept, parameters)
        except BaseException:
            known.remove(kept)
            raise
        return kept

    def _stated(self) -> StructureType | None:
        """The type that `returns` gives: an example of the result."""
        if self._returns is None:
            return None
        leaves, tree = flatten(self._returns)
        return structure_type(leaves, tree, tree.paths("returns")).strong()

    # Tracing -------------------------------------------------------------------------------------

    def _trace(self, kept: Kept, parameters: StructureType) -> None:
        """Trace until what the recursive calls were taken to return is what the function returns."""
        functions = current_frame().functions
        is_stated = kept.result is not None
        for _ in range(ATTEMPTS):
            finished = len(functions.finished)
            others = {key: list(known) for key, known in functions.kept.items()}
            kept.calls, kept.is_recursive = [], False
            try:
                traced = self._attempt(kept, parameters)
            except UnknownResult as error:
                if any(k is not kept and not k.is_finished for known in others.values() for k in known):
                    raise  # the branch that knows may be in the function that called this one
                raise TracingError(
                    f"{function_name(self._function)} calls itself before it is known what it returns",
                    location=definition_of(self._function),
                    hint="end the recursion by ad.cond or ad.switch, or give an example of the result: "
                    "@ad.function(returns=np.zeros(3))",
                ) from error
            found = traced.results
            if _agree(kept.result, found) or not (is_stated or kept.calls or kept.is_recursive):
                kept.result = found if kept.result is None else kept.result
                kept.captured, kept.is_finished = traced.captured, True
                self._complete(kept, traced, functions.finished[-1])
                return
            if is_stated:
                raise DtypeError(
                    f"{function_name(self._function)} returns {_shown(found)}, and `returns` says "
                    f"{_shown(cast(StructureType, kept.result))}",
                    location=definition_of(self._function),
                    hint="make returns= an example with the structure, shapes and dtypes of the result",
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

    def _attempt(self, kept: Kept, parameters: StructureType) -> Traced:
        def rebuild(arguments: list[Any]) -> tuple[Any, ...]:
            kept.inner = current_frame()
            return parameters.tree.unflatten(arguments)

        hints = argument_hints(self._function, parameters.tree)
        return trace_inner(self._function, rebuild, parameters.leaves, hints, kept.name, is_sealed=True)

    def _complete(self, kept: Kept, traced: Traced, code: FuncOp) -> None:
        """Give the recursive calls the values that the function captures, now that they are known."""
        if not traced.captured or not kept.calls:
            return
        inner = cast(Frame, kept.inner)
        if any(frame is not inner for frame in kept.calls):
            raise TracingError(
                f"{function_name(self._function)} uses traced values from outside and calls itself inside "
                f"another function",
                location=definition_of(self._function),
                hint="pass what it uses as arguments",
            )
        own = [inner.captured[value] for value in traced.captured]
        callee = SymbolRefAttr(kept.name)
        for op in nested_ops(code.body):
            if op.properties.get("callee") == callee:
                op.operands = [*op.operands, *own]

    # Calling -------------------------------------------------------------------------------------

    def _referenced(self, kept: Kept) -> tuple[list[Value], StructureType]:
        """Return what the function captures, as values to be used here, and what it returns."""
        if kept.result is None:
            kept.is_recursive = True
            raise UnknownResult
        frame, scope = current_frame(), kept.frame.scopes[0]
        return [frame.value(value, scope) for value in kept.captured], kept.result


@plain_errors
def function(f: Callable[..., Any] | None = None, *, returns: Any = None) -> Any:
    """`f` as a function of the program: differentiated once, called from many places, possibly recursive.

    `returns`, an example of the result, is needed by recursive functions where no branch of a `cond` or
    `switch` ends the recursion. Recursion must end for the arguments that occur, by a condition on them. It
    has derivatives of every order, in forward and reverse mode, at a cost proportional to that of the calls.

        >>> @ad.function
        ... def power(x, n):
        ...     return ad.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))
        >>> ad.value_and_grad(power)(2.0, 5)
        (np.float64(32.0), np.float64(80.0))
    """
    if f is None:
        return functools.partial(Function, returns=returns)
    return Function(f, returns)


def _agree(assumed: StructureType | None, found: StructureType) -> bool:
    """Return whether a function returns what its recursive calls were taken to return."""
    if assumed is None or assumed.strong() != found.strong():
        return False
    return all(a.weak == f.weak or not a.weak for a, f in zip(assumed.leaves, found.leaves, strict=True))


def _shown(result: StructureType) -> str:
    return ", ".join(map(str, result.leaves))
