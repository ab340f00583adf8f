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

from mlirad.dialects.extents import ANY_SIZE, LEAST_SIZE, SizeRange, size, sizes_within
from mlirad.dialects.extents.ranges import MOST_SIZE, NOMINAL_SIZE
from mlirad.distributed.plan import Plan
from mlirad.errors import MliradError, SizeNeeded, SplitError, TracingError
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
    """The plan of a call, made once for all numbers of rows, or for each of their powers of two where the
    function asks whether there are as many as it reads.

    `split` has for each leaf of the arguments the dimension of its rows, None where it is passed whole.
    Raises `SplitError` for what needs rows of other chunks, with the user's line.
    """

    rows: list[int] = []

    def opened(types: Sequence[LeafType]) -> list[LeafType]:
        rows.extend(t.shape[dim] for t, dim in zip(types, split, strict=True) if dim is not None)
        return [_opened(t, dim) for t, dim in zip(types, split, strict=True)]

    def planned(module: Any, result: Tree, arguments: Tree) -> Planned:
        module = module.clone()
        making.brought_to("arrays", module, function.options)
        return Planned(plan_of_module(module, ROWS, residuals), arguments, result)

    def of_rows(least: int) -> Planned | _SizeNeeded:
        purpose = ("split", tuple(split), residuals, least)
        range_ = SizeRange(least, MOST_SIZE, max(least, NOMINAL_SIZE))
        return sizes_within(ANY_SIZE, {ROWS: range_})(function.traced_for)(
            args, kwargs, opened, purpose, planned, _unless_size_needed
        )

    found = of_rows(LEAST_SIZE)
    if isinstance(found, _SizeNeeded):
        # What x[3] asks holds for half as many rows as there are, and what x[n - 1] asks for as many.
        total = max(min(rows), LEAST_SIZE)
        for least in (1 << (total.bit_length() - 1), total):
            found = of_rows(least)
            if not isinstance(found, _SizeNeeded):
                return found
        raise SplitError(found.message, location=found.location, hint=KNOWN)
    return found


@dataclass(frozen=True)
class _SizeNeeded:
    """Why a function has no plan for numbers of rows in a range."""

    message: str
    location: str | None


def _unless_size_needed(error: MliradError) -> _SizeNeeded | None:
    if isinstance(error, SizeNeeded) or (isinstance(error, TracingError) and error.asks_size):
        return _SizeNeeded(error.message, error.location)
    return None


def _opened(leaf: LeafType, dim: int | None) -> LeafType:
    if dim is None:
        return leaf
    shape = list(leaf.shape)
    shape[dim] = size(ROWS)
    return replace(leaf, shape=tuple(shape))
