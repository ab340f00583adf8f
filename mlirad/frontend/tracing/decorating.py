"""Transformations as decorators that take their options first.

@ad.grad(argnums=1)                         the same as  f = ad.grad(f, argnums=1)
def f(x, y): ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast, overload

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
P_co = ParamSpec("P_co")


class Decorating(Protocol, Generic[P_co, R_co]):
    """A transformation that, called by names only, waits for the function."""

    @overload
    def __call__(self, function: Callable[..., Any], /, *args: P_co.args, **kwargs: P_co.kwargs) -> R_co: ...

    @overload
    def __call__(self, **kwargs: Any) -> Callable[[Callable[..., Any]], R_co]: ...


def decorating(transformation: Callable[Concatenate[Callable[..., Any], P], R]) -> Decorating[P, R]:
    """The transformation; called without a function it gives one that takes the function alone."""

    @functools.wraps(transformation)
    def transform(*args: Any, **kwargs: Any) -> Any:
        if args or "function" in kwargs:
            return transformation(*args, **kwargs)
        return functools.partial(transformation, **kwargs)

    return cast("Decorating[P, R]", transform)
