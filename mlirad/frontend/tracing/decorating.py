"""Transformations as decorators that take their options first.

@ad.grad(argnums=1)                         the same as  f = ad.grad(f, argnums=1)
def f(x, y): ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def decorating(transformation: Callable[..., Any]) -> Callable[..., Any]:
    """The transformation; called without a function it gives one that takes the function alone."""

    @functools.wraps(transformation)
    def transform(*args: Any, **kwargs: Any) -> Any:
        if args or "function" in kwargs:
            return transformation(*args, **kwargs)
        return functools.partial(transformation, **kwargs)

    return transform
