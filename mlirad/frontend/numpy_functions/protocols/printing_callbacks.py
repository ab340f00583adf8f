"""Functions of SciPy that C code calls which prints their errors: those of MINPACK and ODRPACK.

    optimize.leastsq(lambda u: u**2 - x, u0)      TracingError: SciPy's leastsq works on NumPy arrays, ...

They try each function once before, in Python. Its result is looked at there, so that a traced value is
refused by one error: the C code would print it with its traceback, and ODRPACK's can crash by it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, cast

from mlirad.frontend.splicing.questions import Question, Values
from mlirad.frontend.tracing.library_calls import Answer
from mlirad.frontend.tracing.operations import contains_traced
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.scipy_frames import asking_function, hint_for


def trying_functions(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """The functions of `_minpack_py` or `_odrpack` that try others, and what answers them."""
    if hasattr(module, "ODR"):
        yield module.ODR._check, _model
    else:
        yield module._check_func, _function


def _function(question: Question, values: Values) -> Any:
    checker, argument, function, *rest = values
    return question.own(checker, argument, _watched(function, asking_function()), *rest)


def _model(question: Question, values: Values) -> Any:
    fit = values[0]
    model = cast("dict[str, Any]", vars(fit.model))
    name = asking_function()
    functions = {part: model[part] for part in ("fcn", "fjacb", "fjacd") if model[part] is not None}
    model.update({part: _watched(function, name) for part, function in functions.items()})
    try:
        return question.own(fit)
    finally:
        model.update(functions)


def _watched(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function whose traced results are an error."""

    @functools.wraps(function)
    def watched(*args: Any) -> Any:
        found = function(*args)
        if contains_traced(found):
            raise tracing_error(
                f"SciPy's {name} works on NumPy arrays, and {found!r} is traced", hint_for(name)
            )
        return found

    return watched
