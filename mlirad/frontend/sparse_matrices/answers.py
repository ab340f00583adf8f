"""Calls of `scipy.sparse` with traced values, and what answers them.

sp.csr_array((values, indices, indptr))     `__init__` asks: a matrix of traced values
a @ x, a.multiply(x), a + b                 methods of SciPy's matrices ask, of traced operands
sp.kron(a, b)                               functions ask
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from types import FunctionType, ModuleType
from typing import Any, cast

from mlirad.frontend.sparse_matrices import construction, direct, iterative, methods, operators
from mlirad.frontend.sparse_matrices.objects import (
    FORMATS,
    class_of,
    holds_traced,
    plain_class,
    traced,
)
from mlirad.frontend.splicing.questions import MISS, Question, Values
from mlirad.frontend.tracing.library_calls import Answer
from mlirad.frontend.tracing.raising import unsupported_error

_ALL_FORMATS = (*FORMATS, "lil", "dok")


def sparse_calls(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """The functions and methods of `scipy.sparse` that ask, and what answers them."""
    kinds = [
        cast("type[Any]", getattr(module, f"{form}_{kind}"))
        for form in _ALL_FORMATS
        for kind in ("array", "matrix")
    ]
    for base in dict.fromkeys(chain.from_iterable(k.__mro__ for k in kinds)):
        for name, function in vars(base).items():
            if isinstance(function, FunctionType):
                if name in methods.ARITHMETIC:
                    yield function, partial(_operated, name)
                elif name == "__init__" and base.__name__.removeprefix("_").startswith(
                    (*_ALL_FORMATS, "cs_")
                ):
                    yield function, _constructed
                elif name == "__setitem__":
                    yield function, _written
    for name, handing in construction.FUNCTIONS.items():
        function = getattr(module, name, None)
        if isinstance(function, FunctionType):
            yield function, partial(_called, handing)


def _operated(name: str, question: Question, values: Values) -> Any:
    """A method of two operands: of a matrix of SciPy's own with a traced operand, that of traced matrices."""
    own, *others = values
    if not holds_traced(list(values)):
        return MISS
    method: Callable[..., Any] = getattr(class_of(traced(own)), name)
    return method(traced(own), *others[:1])


def _constructed(question: Question, values: Values) -> Any:
    own, *others = values
    if not holds_traced(others):
        return MISS
    args, kwargs = question.arguments(values)
    construction.construct(own, question.own, args[1:], kwargs)
    return None


def _written(question: Question, values: Values) -> Any:
    own, key, value = values
    if not holds_traced([key, value]):
        return MISS
    raise unsupported_error(
        f"a traced value is written into a {plain_class(class_of(own)).__name__}, whose values are known",
        "build it of traced values: scipy.sparse.coo_array((values, (rows, columns)), shape=shape)",
    )


def _called(handing: Callable[..., Any], question: Question, values: Values) -> Any:
    if not holds_traced([*question.given(values)]):
        return MISS
    args, kwargs = question.arguments(values)
    return handing(question.own, args, kwargs)


def solver_calls(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """The functions of `scipy.sparse.linalg` and methods of its operators that ask, and what answers them."""
    for name, solve in _OF_VALUES.items():
        yield from _asking(module, name, partial(_solved, solve))
    for name, make in _OF_MATRICES.items():
        yield from _asking(module, name, partial(_always, make))
    for name, method in operators.METHODS.items():
        yield from _asking(module.LinearOperator, name, partial(_always, method))
    yield from _asking(module.LinearOperator, "_init_dtype", partial(_always, operators.init_dtype))


def _asking(owner: Any, name: str, answer: Answer) -> Iterator[tuple[FunctionType, Answer]]:
    function = getattr(owner, name, None)
    if isinstance(function, FunctionType):
        yield function, answer


_OF_VALUES: dict[str, Callable[..., Any]] = {
    "norm": construction.norm,
    "spsolve": direct.spsolve,
    "aslinearoperator": operators.aslinearoperator,
}
"""The functions that ask if an argument is traced."""

_OF_MATRICES: dict[str, Callable[..., Any]] = {
    "splu": direct.splu,
    "spilu": direct.spilu,
    "factorized": direct.factorized,
    "cg": iterative.cg,
    "gmres": iterative.gmres,
    "bicgstab": iterative.bicgstab,
}
"""The functions that ask always: operators may read traced values, and factors may meet them later."""


def _solved(solve: Callable[..., Any], question: Question, values: Values) -> Any:
    return _always(solve, question, values) if holds_traced([*question.given(values)]) else MISS


def _always(make: Callable[..., Any], question: Question, values: Values) -> Any:
    args, kwargs = question.arguments(values)
    return make(*args, **kwargs)
