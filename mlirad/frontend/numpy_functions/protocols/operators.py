"""Operators of traced arrays, and those of their methods that are functions of NumPy: what `Array` is given.

x + y      np.add(x, y)          x += y     np.add(x, y, out=x)          x.sum(axis=0)     np.sum(x, axis=0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.constructs.raising_later import refuse_where
from mlirad.frontend.numpy_functions.protocols import masked_elements
from mlirad.frontend.numpy_functions.protocols.array_methods import ArrayMethods
from mlirad.frontend.numpy_functions.protocols.members import give_functions, give_members, give_operators
from mlirad.frontend.numpy_functions.protocols.ufunc_protocol import apply_in_place
from mlirad.frontend.numpy_functions.protocols.ufuncs import apply_operator
from mlirad.frontend.tracing.array import Array, is_scalar
from mlirad.frontend.tracing.complex_array import ComplexArray, holds_complex
from mlirad.frontend.tracing.expected_errors import OF_DIVISIONS, expected
from mlirad.frontend.tracing.operations import as_array, xp

FUNCTIONS = (
    "sum", "mean", "max", "min", "all", "any", "argmax", "argmin", "var", "std", "dot", "ravel", "squeeze",
    "swapaxes", "take", "round", "diagonal", "trace", "repeat", "ptp",
    "searchsorted", "prod", "cumsum", "cumprod", "argsort", "nonzero", "argpartition", "choose",
)  # fmt: skip
"""The methods that are functions of NumPy."""

BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "mod": np.remainder,
    "floordiv": np.floor_divide, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
"""The operators of two operands that can be reflected and in place, by what their methods are called."""

OTHERS = {
    "divmod": np.divmod, "rdivmod": np.divmod, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal, "neg": np.negative, "pos": np.positive,
    "abs": np.absolute, "invert": np.invert,
}  # fmt: skip


def bind(cls: type[Array]) -> None:
    """Give `cls` the operators and methods."""
    give_functions(cls, FUNCTIONS)
    give_operators(cls, BINARY, _operator, _in_place)
    for name, ufunc in OTHERS.items():
        setattr(cls, f"__{name}__", _operator(ufunc, is_reflected=name == "rdivmod"))
    masked_elements.bind(
        BINARY | {n: u for n, u in OTHERS.items() if n != "rdivmod"},
        {f"r{n}": u for n, u in BINARY.items()} | {"rdivmod": np.divmod},
    )
    give_members(cls, ArrayMethods)


_DIVIDING = (np.true_divide, np.floor_divide, np.remainder, np.divmod)


def _dividing(method: Callable[[Any, Any], Any], *, is_reflected: bool = False) -> Callable[[Any, Any], Any]:
    """The method of an operator that raises an exception in Python where a number is divided by 0."""

    def checked(self: Array, other: object) -> Any:
        if self.weak and (other.weak if isinstance(other, Array) else _is_number(other, is_reflected)):
            name = expected(OF_DIVISIONS)
            if name is not None:
                divisor = as_array(self if is_reflected else other)
                what = f"ZeroDivisionError is raised where a number is divided by 0, and `except {name}`"
                refuse_where(xp.equal(divisor, 0), what)
        return method(self, other)

    return checked


def _is_number(other: object, is_dividend: bool) -> bool:
    """Tell whether an operand is a number of Python's, that is divided or may be 0."""
    return type(other) in (int, float) and (is_dividend or not other)


def _operator(ufunc: np.ufunc, *, is_reflected: bool = False) -> Callable[..., Any]:
    method = _method(ufunc, is_reflected=is_reflected)
    return _dividing(method, is_reflected=is_reflected) if ufunc in _DIVIDING else method


def _method(ufunc: np.ufunc, *, is_reflected: bool) -> Callable[..., Any]:
    def method(self: Array, *other: object) -> Any:
        if holds_complex(other):
            return NotImplemented if _is_complex_array(other) else _complex(ufunc, self, other, is_reflected)
        return apply_operator(ufunc, *other, self) if is_reflected else apply_operator(ufunc, self, *other)

    return method


def _is_complex_array(others: tuple[object, ...]) -> bool:
    return any(isinstance(other, ComplexArray) for other in others)


def _complex(ufunc: np.ufunc, x: Array, others: tuple[object, ...], is_reflected: bool) -> Any:
    """An operator of a real array and a complex number or array of NumPy."""
    operands = (*others, x) if is_reflected else (x, *others)
    return ComplexArray.apply_operator(ufunc, *operands)


def _in_place(ufunc: np.ufunc) -> Callable[[Array, object], Any]:
    method = _method_in_place(ufunc)
    return _dividing(method) if ufunc in _DIVIDING else method


def _method_in_place(ufunc: np.ufunc) -> Callable[[Array, object], Any]:
    def method(self: Array, other: object) -> Any:
        if holds_complex((other,)):
            options = {} if is_scalar(self) else {"out": (self,)}
            return ComplexArray.apply_ufunc(ufunc, "__call__", (self, other), options)
        return apply_in_place(ufunc, self, other)

    return method
