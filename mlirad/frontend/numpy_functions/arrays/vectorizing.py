"""`np.vectorize` of a function, which is traced once, for every position, as a build.

np.vectorize(f)(x, y)                                     f of the elements of x and y, broadcast
np.vectorize(np.linalg.inv, signature="(n,n)->(n,n)")     f of the matrices in an array of more dimensions
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from mlirad.frontend.constructs.build import build
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.operations import broadcast_shapes, contains_traced, xp
from mlirad.frontend.tracing.raising import shape_error

_OPERAND: Final = re.compile(r"\(([^()]*)\)")


def vectorized(function: Any, own: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A call of an `np.vectorize`, as NumPy makes it where nothing is traced.

    Raises `ShapeError` for arguments that do not have the dimensions of the signature, or do not broadcast.
    """
    if not contains_traced([*args, *kwargs.values()]):
        return own(*args, **kwargs)
    excluded: Any = function.excluded
    places = [k for k in range(len(args)) if k not in excluded]
    names = [name for name in kwargs if name not in excluded]
    arrays = [real_or_complex(a) for a in (*(args[k] for k in places), *(kwargs[n] for n in names))]
    signature = None if function.signature is None else dimensions(function.signature)
    ranks = [0] * len(arrays) if signature is None else _checked_ranks(arrays, *signature)
    shape = broadcast_shapes(
        [a.shape[: a.ndim - r] for a, r in zip(arrays, ranks, strict=True)], "np.vectorize"
    )
    whole = [xp.broadcast_to(a, (*shape, *a.shape[a.ndim - r :])) for a, r in zip(arrays, ranks, strict=True)]

    def element(*at: Any) -> Any:
        values = [a[at] for a in whole]
        given, named = list(args), dict(kwargs)
        for place, value in zip(places, values, strict=False):
            given[place] = value
        named.update(zip(names, values[len(places) :], strict=True))
        return function.pyfunc(*given, **named)

    found = build(shape, element) if shape else element()
    if signature is not None:
        _check_results(found, signature[1], len(shape))
    kinds = function.otypes
    if kinds is None:
        return found
    if isinstance(found, tuple):
        return tuple(xp.astype(f, kind) for f, kind in zip(cast("Any", found), kinds, strict=True))
    return xp.astype(found, kinds[0])


def dimensions(signature: str) -> tuple[list[list[str]], list[list[str]]]:
    """The names of the dimensions of each operand, and of each result. NumPy has checked the syntax."""
    inputs, outputs = (
        [[name.strip() for name in part.split(",") if name.strip()] for part in _OPERAND.findall(side)]
        for side in signature.split("->")
    )
    return inputs, outputs


def _checked_ranks(arrays: list[Any], inputs: list[list[str]], _: list[list[str]]) -> list[int]:
    """Return how many dimensions of each operand the function gets."""
    if len(arrays) != len(inputs):
        raise shape_error(
            f"np.vectorize: the signature has {len(inputs)} operands, and the call {len(arrays)}",
            "pass one array for each operand",
        )
    extents: dict[str, int] = {}
    for array, names in zip(arrays, inputs, strict=True):
        if array.ndim < len(names):
            raise shape_error(
                f"np.vectorize: shape {array.shape} has too few dimensions for ({','.join(names)})",
                "write np.expand_dims(x, axis), or another signature",
            )
        for name, extent in zip(names, array.shape[array.ndim - len(names) :], strict=True):
            if extents.setdefault(name, extent) != extent:
                raise shape_error(
                    f"np.vectorize: the dimension {name} has the extents {extents[name]} and {extent}",
                    "dimensions of one name have one extent",
                )
    return [len(names) for names in inputs]


def _check_results(found: Any, outputs: list[list[str]], outer: int) -> None:
    """Require as many results as the signature has, with as many dimensions."""
    results: tuple[Any, ...] = cast("Any", found) if isinstance(found, tuple) else (found,)
    if len(results) != len(outputs):
        raise shape_error(
            f"np.vectorize: the signature has {len(outputs)} results, the function {len(results)}",
            "write one pair of parentheses for each result",
        )
    for result, names in zip(results, outputs, strict=True):
        rank = len(xp.shape(result)) - outer
        if rank != len(names):
            raise shape_error(
                f"np.vectorize: a result has {rank} dimensions, and ({','.join(names)}) in the signature",
                "write the dimensions of what the function returns",
            )
