"""The plan of a call: a function traced with its rows open, differentiated, and split (`passes/shard_rows`).

    planned = plan_of(ad.grad(loss), (w, X, y), {}, split=(None, 0, 0))
    planned.plan                 a Plan: for all numbers of rows
    planned.result               how its flat results are put together

An array that is in chunks is stood in for by one of its shape and dtype, which takes no memory:
`np.broadcast_to(np.zeros((), dtype), shape)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mlirad.dialects.extents import size
from mlirad.distributed.plan import Plan
from mlirad.errors import SizeNeeded, SplitError, TracingError
from mlirad.frontend.compiling import making
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.shard_rows import Residuals, plan_of_module

KNOWN: Final = "chunks leave the number of rows n open: pass the array whole, or a part that is not split"

ROWS: Final = "n"
"""The size that rows have in programs."""


@dataclass(frozen=True)
class Planned:
    """A plan, and the structures of the arguments and of the result."""

    plan: Plan
    arguments: Tree
    result: Tree


def plan_of(
    function: Transformed,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    split: Sequence[int | None],
    *,
    residuals: Residuals = "cost",
) -> Planned:
    """The plan of a call, made once for all numbers of rows.

    `split` has for each leaf of the arguments the dimension of its rows, None where it is passed whole.
    Raises `SplitError` for what needs rows of other chunks, with the user's line.
    """

    def opened(types: Sequence[LeafType]) -> list[LeafType]:
        return [_opened(t, dim) for t, dim in zip(types, split, strict=True)]

    def planned(module: Any, result: Tree, arguments: Tree) -> Planned:
        module = module.clone()
        making.brought_to("arrays", module, function.options)
        return Planned(plan_of_module(module, ROWS, residuals), arguments, result)

    try:
        return function.traced_for(args, kwargs, opened, ("split", tuple(split), residuals), planned)
    except (SizeNeeded, TracingError) as error:
        if not isinstance(error, SizeNeeded) and not isinstance(error.__cause__, SizeNeeded):
            raise
        raise SplitError(error.message, location=error.location, hint=KNOWN) from error


def _opened(leaf: LeafType, dim: int | None) -> LeafType:
    if dim is None:
        return leaf
    shape = list(leaf.shape)
    shape[dim] = size(ROWS)
    return replace(leaf, shape=tuple(shape))
