"""Questions that call nothing of a traced value, such as `type(x) is float`: the answers of plain Python."""

# ruff: noqa: E712, E714, E721, UP003

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.splicing.plain import plain_code
from mlirad.frontend.tracing.told_functions import is_told


def _is_float(x: Any) -> bool:
    return type(x) is float


def _is_true(flag: Any) -> bool:
    return flag is True


def _chain(x: Any) -> bool:
    return _second(x)


def _second(x: Any) -> bool:
    return _third(x)


def _third(x: Any) -> bool:
    return _fourth(x)


def _fourth(x: Any) -> bool:
    return _is_float(x)


class _Kernel:
    def method(self, x: Any) -> bool:
        return type(x) in (int, np.float64)

    @staticmethod
    def static(x: Any) -> bool:
        return float is type(x)

    @classmethod
    def of_class(cls, x: Any) -> bool:
        return type(x) is np.ndarray

    def __call__(self, x: Any) -> Any:
        return self.method(x)

    def __radd__(self, x: Any) -> Any:
        return type(x) is float


class _Holder:
    def __init__(self) -> None:
        self.kernel = _Kernel()
        self.kernels = [_Kernel()]
        self.table = {"float": _is_float}


class _Made:
    def __init__(self, x: Any) -> None:
        self.is_float = type(x) is float


def _decorating(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


@_decorating
def _decorated(x: Any) -> bool:
    return type(x) is float


def _by_name(*, x: Any) -> bool:
    return type(x) is float


def _generated(values: Any) -> Iterator[bool]:
    for x in values:
        yield type(x) is np.ndarray


def _tried(x: Any) -> Any:
    try:
        return type(x) is float
    except TypeError:
        return None


_holder = _Holder()
_nested = {"outer": {"inner": _is_float}}


def _is_scalar(x: Any) -> bool:
    return np.ndim(x) == 0


OF_TYPES: dict[str, Callable[[Any], Any]] = {
    "is": lambda x: type(x) is float,
    "is not": lambda x: type(x) is not float,
    "not is": lambda x: not type(x) is float,
    "==": lambda x: type(x) == float,
    "!=": lambda x: type(x) != np.ndarray,
    "is np.ndarray": lambda x: type(x) is np.ndarray,
    "is np.float64": lambda x: type(x) is np.float64,
    "is bool": lambda x: type(x) is bool,
    "is int": lambda x: type(x) is int,
    "float is": lambda x: float is type(x),
    "in": lambda x: type(x) in (int, float),
    "not in": lambda x: type(x) not in (int, float),
    "in a list": lambda x: type(x) in [int, float, bool],
    "in a set": lambda x: type(x) in {np.ndarray, float},
    "in its bases": lambda x: np.ndarray in type(x).__mro__,
    "method of the type": lambda x: np.generic in type(x).mro(),
    "issubclass": lambda x: issubclass(type(x), np.ndarray),
    "issubclass of several": lambda x: issubclass(type(x), (float, int)),
    "name": lambda x: type(x).__name__ == "float",
    "name in": lambda x: type(x).__name__ in ("ndarray", "float64"),
    "module": lambda x: type(x).__module__ == "numpy",
    "attribute": lambda x: x.__class__ is float,
    "key": lambda x: {float: True, np.float64: True}.get(type(x), False),
    "that of a number": lambda x: type(x) is type(1.0),
    "that of an array": lambda x: type(x) == type(np.ones(1)),
    "that of another traced one": lambda x: type(x) is type(x * 2),
    "pair": lambda x: (type(x), type(1)) == (float, int),
    "any": lambda x: any(type(v) is float for v in (x, 1)),
    "all": lambda x: all(type(v) is float for v in [x]),
    "set comprehension": lambda x: {type(v) for v in [x]} == {float},
    "map": lambda x: list(map(type, [x])) == [float],
    "map of isinstance": lambda x: list(map(isinstance, [x], [float])) == [True],
    "map of isinstance of arrays": lambda x: all(map(isinstance, (x, x), (np.ndarray, np.generic))),
    "map of isinstance by several": lambda x: next(map(isinstance, [x], [(int, float)])),
    "map of hasattr": lambda x: list(map(hasattr, [x], ["shape"]))[0],  # noqa: RUF015
    "map of getattr": lambda x: next(map(getattr, [x], ["shape"], [None])) is None,
    "walrus": lambda x: (kind := type(x)) is float and kind is not int,
    "kept": lambda x: [kind for kind in [type(x)]][0] is float,  # noqa: C416, RUF015
    "argument": lambda x: isinstance(1.5, type(x)),
    "conversion": lambda x: _is_scalar(x) and type(type(x)(2.5)) is float,
    "and": lambda x: _is_scalar(x) and type(x) is float,
    "after an operation": lambda x: [x + 1, type(x) is float][1],
    "of an operation": lambda x: type(x * 2.0) is float,
    "of a function": lambda x: type(np.sin(x)) is np.float64,
    "of a sum": lambda x: type(np.sum(x)) is np.float64,
    "of a vector": lambda x: type(np.atleast_1d(x)) is np.ndarray,
    "lambda": lambda x: (lambda v: type(v) is float)(x),
    "generator": lambda x: next(_generated([x])),
    "helper": lambda x: _is_float(x),
    "chain of helpers": lambda x: _chain(x),
    "table": lambda x: _nested["outer"]["inner"](x),
    "table of an object": lambda x: _holder.table["float"](x),
    "method": lambda x: _holder.kernel.method(x),
    "method of a listed object": lambda x: _holder.kernels[0].method(x),
    "method of a local object": lambda x: (lambda kernel: kernel.method(x))(_Kernel()),
    "method by its name": lambda x: getattr(_holder.kernel, "method")(x),  # noqa: B009
    "static method": lambda x: _Kernel.static(x),
    "class method": lambda x: _Kernel.of_class(x),
    "call of an object": lambda x: _holder.kernel(x),
    "constructor": lambda x: _Made(x).is_float,
    "decorated": lambda x: _decorated(x),
    "by keyword": lambda x: _by_name(x=x),
    "partial": functools.partial(lambda one, x: type(x) is float, 1),
    "filter": lambda x: len(list(filter(_is_float, [x]))) == 1,
    "helper that is mapped": lambda x: list(map(_is_float, [x]))[0],  # noqa: RUF015
    "global by its name": lambda x: globals()["_is_float"](x),
    "module of the program": lambda x: sys.modules[__name__]._is_float(x),
    "try": lambda x: _tried(x),
}

OF_TRUTHS: dict[str, Callable[[Any], Any]] = {
    "is True": lambda x: (x > 0) is True,
    "is False": lambda x: (x > 0) is False,
    "is not True": lambda x: (x > 0) is not True,
    "is not False": lambda x: (x > 0) is not False,
    "not is": lambda x: not ((x > 0) is True),
    "True is": lambda x: True is (x > 0),
    "is np.True_": lambda x: (x > 0) is np.True_,
    "is np.False_": lambda x: (x > 0) is np.False_,
    "kept": lambda x: [flag is True for flag in [x > 0]][0],  # noqa: RUF015
    "helper": lambda x: _is_true(x > 0),
    "lambda": lambda x: (lambda flag: flag is True)(x > 0),
    "two": lambda x: (x > 0) is True and (x < 5) is True,
    "&": lambda x: ((x > 0) & (x < 5)) is True,
    "np.all": lambda x: np.all(x > 0) is True,
    "np.any": lambda x: np.any(x > 0) is np.True_,
    "bool": lambda x: bool(np.all(x > 0)) is True,
    "or": lambda x: (x > 0) is True or np.ndim(x) > 0,
    "argument is True": lambda x: x is True,
    "argument is False": lambda x: x is False,
    "==": lambda x: _is_scalar(x) and (x > 0) == True,
    "in": lambda x: _is_scalar(x) and (x > 0) in (True, False),
    "of not": lambda x: _is_scalar(x) and (not (x > 0)) is True,
    "of and": lambda x: _is_scalar(x) and (x > 0 and x < 5) is True,
    "of a chain": lambda x: _is_scalar(x) and (0 < x < 5) is True,
    "sum of chains": lambda x: _is_scalar(x) and (0 < x < 5) + (x > 0 and x > 1) == 2,
}

QUESTIONS = {
    **{f"type {name}": ask for name, ask in OF_TYPES.items()},
    **{f"truth {name}": ask for name, ask in OF_TRUTHS.items()},
}

VALUES = (
    1.5, -1.5, 2, True, False, np.float64(1.5), np.float32(-1.5), np.int64(2), np.bool_(True), np.ones(2),
    np.arange(1, 3), np.ones((1, 2), np.float32),
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::mlirad.ControlFlowWarning", "ignore::mlirad.CaptureWarning")
@pytest.mark.parametrize("control", ["auto", "plain", "rewrite"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_that_call_nothing(name: str, control: Any) -> None:
    """The answers of plain Python; without rewriting, or of truth values of unknown kinds, also an error."""
    ask = QUESTIONS[name]

    def f(x: Any) -> Any:
        return x * (2.0 if ask(x) else 3.0)

    for value in VALUES:
        expected = f(value)
        try:
            found = ad.jit(f, control=control, interpret=True)(value)
        except ad.TracingError:
            assert control == "plain" or (control == "rewrite" and name.startswith("truth")), repr(value)
        else:
            np.testing.assert_array_equal(found, expected, err_msg=repr(value))


def test_types_in_texts_are_not_asked_for() -> None:
    def f(x: Any) -> Any:
        if np.ndim(x) > 5:
            raise TypeError(f"{type(x).__name__} of {type(x)}")
        return x * 2

    code = f.__code__
    ad.jit(f)(1.0)
    assert f.__code__ is code


def test_code_that_is_not_the_users_is_left_alone() -> None:
    def f(x: Any) -> Any:
        return x * (2.0 if type(x) is float else 3.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ad.grad(f)(1.5) == 2.0
    assert is_told(f.__code__) and not is_told(plain_code(f.__code__))
    packages = ("mlirad.", "xdsl.", "llvmlite.", "numpy.", "json.", "functools")
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith(packages)]
    modules = [m for m in modules if not m.__name__.startswith("numpy.polynomial")]  # traced as it stands
    functions = [v for module in modules for v in vars(module).values() if isinstance(v, FunctionType)]
    assert len(functions) > 1000 and not any(is_told(function.__code__) for function in functions)
