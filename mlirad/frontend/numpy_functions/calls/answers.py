"""Answers to calls of library functions and methods that have traced arguments.

functions_called({"expm": hand})                        hand(own, args, kwargs) for `scipy.linalg.expm(x)`
functions_calling({"brentq": (hand, reads_traced)})     the same of `brentq(lambda x: x**3 - a, 0, 2)`
methods_called(lambda: {"norm": {"pdf": hand}})         hand(norm, own, args, kwargs) for `stats.norm.pdf(x)`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from types import FunctionType, ModuleType
from typing import Any, TypeAlias, cast

from mlirad.errors import MliradError
from mlirad.frontend.indexing.masks import MaskedElements, unknown_length
from mlirad.frontend.splicing.questions import MISS, Question, Values
from mlirad.frontend.tracing.library_calls import Answer, Finding
from mlirad.frontend.tracing.operations import contains_traced

Handing: TypeAlias = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""The behaviour of a function, given the library's own, on arguments that include traced ones."""

Reading: TypeAlias = Callable[..., bool]
"""Tells whether a call without traced arguments calls a function that reads traced values."""

MethodHanding: TypeAlias = Callable[[Any, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""The same of a method, given the object too."""


def both(one: Finding, other: Finding) -> Finding:
    """Return what two of them find."""
    return lambda module: chain(one(module), other(module))


def functions_called(names: Mapping[str, Handing], *, takes_selections: bool = False) -> Finding:
    """Find the functions of a module that have these names and are written in Python.

    With `takes_selections` they stand for calls on `x[mask]`, too; without, the library computes such calls
    by its own code, reading the selection.
    """

    def found(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
        for name, handing in names.items():
            function = getattr(module, name, None)
            if isinstance(function, FunctionType):
                yield function, partial(_of_function, handing, takes_selections)

    return found


def _of_function(handing: Handing, takes_selections: bool, question: Question, values: Values) -> Any:
    given = [*question.given(values)]
    if not contains_traced(given):
        if not any(map(_is_selection, given)):
            return MISS
        if not takes_selections:
            return _of_selections(question, values)
    return handing(question.own, *question.arguments(values))


def _is_selection(value: Any) -> bool:
    return isinstance(value, MaskedElements)


def _of_selections(question: Question, values: Values) -> Any:
    """Return what the library's own function computes of `x[mask]`, if it needs no length."""
    args, kwargs = question.arguments(values)
    try:
        return question.own(*args, **kwargs)
    except MliradError as error:
        raise unknown_length(f"SciPy's {question.function.__name__}") from error


def functions_calling(names: Mapping[str, tuple[Handing, Reading]]) -> Finding:
    """Find functions that call one of the program's, answered where that reads traced values.

    None of the arguments need be traced.
    """

    def found(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
        for name, (handing, reads_traced) in names.items():
            function = getattr(module, name, None)
            if isinstance(function, FunctionType):
                yield function, partial(_of_calling, handing, reads_traced)

    return found


def _of_calling(handing: Handing, reads_traced: Reading, question: Question, values: Values) -> Any:
    args, kwargs = question.arguments(values)
    if not contains_traced([*question.given(values)]) and not reads_traced(*args, **kwargs):
        return MISS
    return handing(question.own, args, kwargs)


def methods_called(owners: Callable[[], Mapping[str, Mapping[str, MethodHanding]]]) -> Finding:
    """Return what finds methods by the name of a class, or of an object of one, and their own.

    They are answered for objects of these very classes.
    """

    def found(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
        by_function: dict[FunctionType, dict[type[Any], MethodHanding]] = {}
        for owner, methods in owners().items():
            known: Any = getattr(module, owner, None)
            kind = cast("type[Any]", known if isinstance(known, type) else type(known))
            for name, handing in methods.items():
                function = getattr(kind, name, None)
                if isinstance(function, FunctionType):
                    by_function.setdefault(function, {})[kind] = handing
        for function, kinds in by_function.items():
            yield function, partial(_of_method, kinds)

    return found


def _of_method(kinds: Mapping[type[Any], MethodHanding], question: Question, values: Values) -> Any:
    own: object = next(question.given(values))
    handing = kinds.get(type(own))
    if handing is None:
        return MISS
    args, kwargs = question.arguments(values)
    return handing(args[0], partial(question.own, args[0]), args[1:], kwargs)
