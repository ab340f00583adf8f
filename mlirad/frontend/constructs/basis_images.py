"""Images of basis vectors: what a linear function makes of every vector with a single 1.

images_of_basis(apply, [x, y], 0)      apply([e, 0]) for all e of the shape of x, along the dimensions of x
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlirad.frontend.constructs.build import build_over
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, positions, xp
from mlirad.frontend.tracing.pytree import flatten


def images_of_basis(
    apply: Callable[[list[Array]], Any],
    like: Sequence[LeafType],
    n: int,
    *,
    come_last: bool = False,
    chunk: int | None = None,
) -> list[Array]:
    """The leaves of `apply` on vectors like these, with number n running over its basis.

    The dimensions of number n lead, or come last. `chunk` is that of the `build` over its basis.
    """
    own = like[n]
    rank = len(own.shape)

    def image(*position: Array) -> Any:
        return apply(
            [
                _one_at(position, own) if k == n else made(emitting().zeros(leaf.type))
                for k, leaf in enumerate(like)
            ]
        )

    images: list[Any] = flatten(build_over(own.shape, image, chunk))[0]
    if not come_last:
        return images
    return [xp.moveaxis(i, tuple(range(rank)), tuple(range(i.ndim - rank, i.ndim))) for i in images]


def _one_at(position: tuple[Array, ...], like: LeafType) -> Array:
    """The array that is 1 at a position and 0 elsewhere."""
    hit: Any = True
    for d, (p, extent) in enumerate(zip(position, like.shape, strict=True)):
        line = xp.reshape(positions(extent), [extent if k == d else 1 for k in range(len(like.shape))])
        hit = (line == p) & hit
    one = like.dtype.type
    return as_array(xp.where(hit, one(1), one(0))) if like.shape else as_array(1, like.dtype)
