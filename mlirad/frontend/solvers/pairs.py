"""Two functions of a user, as the one that a compiled program belongs to.

pair_of(f, solver)(x)        f(x)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Pair:
    """A function, and another one that is called beside it; both are watched for what they read."""

    CAPTURED: ClassVar = ("f", "other")

    f: Callable[..., Any]
    other: Callable[..., Any]

    def __call__(self, *args: Any) -> Any:
        return self.f(*args)


_known = lru_cache(maxsize=64)(Pair)


def pair_of(f: Callable[..., Any], other: Callable[..., Any]) -> Pair:
    """The same object for the same functions, where these can be compared."""
    try:
        return _known(f, other)
    except TypeError:  # one of them has no hash
        return Pair(f, other)
