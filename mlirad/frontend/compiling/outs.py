"""Results written to arrays that the caller gives: `f(x, out=buffer)`.

written(result, tree, buffer)        buffer, which then holds the result

The buffers are structured like the result and have its shapes and dtypes: nothing is converted and nothing
broadcast. They may overlap arguments, which are read before anything is written here, but not each other.

`out` is a name of the call, unless the function has it. A method `into` would leave no doubt, but NumPy's
functions have `out=`. Functions with a parameter of that name, or of any name, keep it, and can donate
instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.errors import ArgumentError, DtypeError, ShapeError
from mlirad.frontend.compiling.arguments import OUT
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.memory import has_own_elements


def written(result: object, tree: Tree, out: object) -> object:
    """`out`, after a result of the structure `tree` has been written to the arrays in it.

    Raises `ArgumentError`, `DtypeError` or `ShapeError` for what does not fit, before anything is written.
    """
    try:
        buffers = tree.flatten_like(out, OUT)
    except ValueError as error:
        raise ArgumentError(
            str(error), location=user_line(), hint="pass an array for each array of the result"
        ) from error
    leaves, paths = flatten(result)[0], tree.paths(OUT)
    for leaf, buffer, path in zip(leaves, buffers, paths, strict=True):
        _require_fitting(np.asarray(leaf), buffer, path)
    _require_apart(buffers, paths)
    # A result may lie in a donated argument, and any buffer may share memory with that.
    apart = [_apart(leaf, k, buffers) for k, leaf in enumerate(leaves)]
    for leaf, buffer in zip(apart, buffers, strict=True):
        np.copyto(buffer, leaf)
    return out


def _apart(leaf: Any, k: int, buffers: Sequence[Any]) -> Any:
    """Result number k where no write to a buffer changes it before it has been read."""
    if leaf is buffers[k] or not any(np.may_share_memory(leaf, buffer) for buffer in buffers):
        return leaf
    return np.copy(leaf)


def _require_fitting(leaf: npt.NDArray[Any], buffer: object, path: str) -> None:
    like = f"np.empty({leaf.shape}, np.{leaf.dtype})"
    if type(buffer) is not np.ndarray:
        raise ArgumentError(
            f"{path} is of the type {type(buffer).__name__}, and results are written to plain arrays",
            location=user_line(),
            hint=f"pass {like}",
        )
    array: npt.NDArray[Any] = buffer
    if array.shape != leaf.shape:
        raise ShapeError(
            f"{path} has shape {array.shape}, and the result has {leaf.shape}",
            location=user_line(),
            hint=f"pass {like}",
        )
    if array.dtype != leaf.dtype:
        raise DtypeError(
            f"{path} has dtype {array.dtype}, and the result has {leaf.dtype}",
            location=user_line(),
            hint=f"pass {like}",
        )
    if not array.flags.writeable:
        raise ArgumentError(
            f"{path} is read-only, so no result can be written to it",
            location=user_line(),
            hint=f"pass {like}",
        )
    if not has_own_elements(array):
        raise ArgumentError(
            f"{path} has elements that share memory, so it cannot hold a result",
            location=user_line(),
            hint=f"pass {like}",
        )


def _require_apart(buffers: Sequence[Any], paths: Sequence[str]) -> None:
    for k, buffer in enumerate(buffers):
        for j in range(k):
            if np.may_share_memory(buffer, buffers[j]) and np.shares_memory(buffer, buffers[j]):
                raise ArgumentError(
                    f"{paths[j]} and {paths[k]} share memory, and each is to hold a result",
                    location=user_line(),
                    hint="pass different arrays",
                )
