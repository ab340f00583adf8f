"""Scalars passed to constructs, traced or not: conditions, integers, indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from mlirad.errors import DtypeError, PositionError, ShapeError
from mlirad.frontend.tracing.source import user_line

_TO_INTEGERS = "convert it with .astype(np.int64)"


class _ArrayLike(Protocol):
    """A traced array, or one of NumPy."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...


A = TypeVar("A", bound=_ArrayLike)


def require_condition(found: _ArrayLike, what: str) -> None:
    """Raise for an array of several conditions, or of none; one of one element has a truth, as in NumPy."""
    if prod(found.shape) != 1:
        raise ShapeError(
            f"{what}: the condition has shape {found.shape}, and one boolean is expected",
            location=user_line(),
            hint="reduce it with np.any or np.all; to choose element by element write np.where",
        )


def require_integer(found: _ArrayLike, shown: object, what: str, hint: str = "") -> None:
    """Raise for what is not an integer scalar, with a further hint."""
    if found.shape or found.dtype.kind != "i":
        raise DtypeError(
            f"{what} must be an integer scalar, got {shown!r}",
            location=user_line(),
            hint=f"{_TO_INTEGERS}{hint}",
        )


def read_positions(given: Any, shape: Sequence[int], what: str, read: Callable[[Any], A]) -> list[A]:
    """Positions in an array of a shape, as `read` makes them arrays; raises for too many, or for what is no
    integer.
    """
    listed = cast("Sequence[Any]", given) if isinstance(given, tuple | list) else (given,)
    if len(listed) > len(shape):
        raise PositionError(
            f"{what}: {len(listed)} positions for an array of shape {tuple(shape)}",
            location=user_line(),
            hint="pass a tuple with a position for each dimension",
        )
    found = [read(one) for one in listed]
    for position in found:
        if position.dtype.kind != "i" or position.shape:
            raise PositionError(
                f"{what}: a position must be an integer scalar, got {position!r}",
                location=user_line(),
                hint=_TO_INTEGERS,
            )
    return found
