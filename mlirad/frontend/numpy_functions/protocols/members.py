"""Members added to classes of traced values: operators, functions of NumPy as methods, members of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, cast

import numpy as np


def give_functions(cls: type, names: Iterable[str]) -> None:
    """Give a class methods that call NumPy's functions of these names, as `x.sum()` calls `np.sum(x)`."""
    for name in names:
        setattr(cls, name, _method(name))


def give_members(cls: type, source: type) -> None:
    """Give a class the methods and properties that another one defines."""
    for name, member in vars(source).items():
        if isinstance(member, FunctionType | property):
            setattr(cls, name, member)


def give_operators(
    cls: type, ufuncs: Mapping[str, np.ufunc], operator: Callable[..., Any], in_place: Callable[..., Any]
) -> None:
    """Give a class operators of two operands, named as in `__add__`, with those reflected and in place.

    They are `operator(ufunc)`, `operator(ufunc, is_reflected=True)` and `in_place(ufunc)`.
    """
    for name, ufunc in ufuncs.items():
        setattr(cls, f"__{name}__", operator(ufunc))
        setattr(cls, f"__r{name}__", operator(ufunc, is_reflected=True))
        setattr(cls, f"__i{name}__", in_place(ufunc))


def _method(name: str) -> Callable[..., Any]:
    function = cast("Callable[..., Any]", getattr(np, name))

    def method(self: object, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)

    method.__name__, method.__doc__ = name, f"As `np.{name}`."
    return method
