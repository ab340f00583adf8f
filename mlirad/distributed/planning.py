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

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.extents import ANY_SIZE, LEAST_SIZE, SizeRange, size, sizes_within
from mlirad.dialects.extents.ranges import MOST_SIZE, NOMINAL_SIZE
from mlirad.dialects.shapes import Shape
from mlirad.distributed.few_rows import dimensions_of_rows, plan_of_few
from mlirad.distributed.plan import Plan
from mlirad.errors import MliradError, SizeNeeded, SplitError, TracingError
from mlirad.frontend.compiling import run_compiler
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
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
    function asks whether there are as many as it reads, or for their number.

    `split` has for each leaf of the arguments the dimension of its rows, None where it is passed whole.
    Raises `SplitError` for what needs rows of other chunks, with the user's line, and for reading rows that
    are not there what is raised on one machine.
    """
    return _Planning(function, args, kwargs, tuple(split), residuals).planned()


@dataclass(frozen=True)
class _SizeNeeded:
    """Why a function has no plan for numbers of rows in a range."""

    message: str
    location: str | None


class _Planning:
    """The plan of a call, by traces of its function."""

    def __init__(
        self,
        function: Transformed,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        split: tuple[int | None, ...],
        residuals: Residuals,
    ):
        self.function = function
        self.args = tuple(args)
        self.kwargs = dict(kwargs)
        self.split = split
        self.residuals: Residuals = residuals

    def planned(self) -> Planned:
        leaves, _ = flatten(self.function.moving(self.args, self.kwargs)[1])
        total = min(np.shape(x)[dim] for x, dim in zip(leaves, self.split, strict=True) if dim is not None)
        if total < LEAST_SIZE:
            return self.few(total)
        # The bounds for x[3] hold from half as many rows on, those for x[n - 1] from as many; where
        # x[3:9] ends is known for that number alone.
        half = 1 << (total.bit_length() - 1)
        for least in (LEAST_SIZE, half, total):
            found = self.within(least, MOST_SIZE)
            if not isinstance(found, _SizeNeeded):
                return found
        try:
            found = self.within(total, total)
        except SplitError:
            raise
        except MliradError:
            self.few(total)  # raises it, too, and has that number in the text
            raise
        if isinstance(found, _SizeNeeded):
            raise SplitError(found.message, location=found.location or user_line(), hint=KNOWN)
        return found

    def within(self, least: int, most: int) -> Planned | _SizeNeeded:
        """The plan for all numbers of rows from `least` to `most`."""

        def make(module: ModuleOp, result: Tree, arguments: Tree) -> Planned:
            module = self.of_arrays(module)
            return Planned(plan_of_module(module, ROWS, self.residuals), arguments, result)

        nominal = min(max(least, NOMINAL_SIZE), most)
        purpose = self.split, self.residuals, least, most
        return sizes_within(ANY_SIZE, {ROWS: SizeRange(least, most, nominal)})(self.function.traced_for)(
            self.args, self.kwargs, self.opened, ("split", *purpose), make, _unless_size_needed
        )

    def few(self, total: int) -> Planned:
        """The plan for so few rows that no size stands for their number (`few_rows.py`)."""

        def make(module: ModuleOp, result: Tree, arguments: Tree) -> Planned:
            found = self.of_results(total)
            like = found[1] if found is not None and found[0] == result else None
            plan = plan_of_few(self.of_arrays(module), ROWS, self.split, like)
            return Planned(plan, arguments, result)

        return self.function.traced_for(
            self.args, self.kwargs, self.stated, ("few", self.split), make, lambda _: None
        )

    def of_results(self, total: int) -> tuple[Tree, Sequence[tuple[Shape, int | None]]] | None:
        """The structure of the result, and what is found of its parts; None where that is unknown."""

        def make(module: ModuleOp, result: Tree, _: Tree) -> tuple[Tree, Sequence[tuple[Shape, int | None]]]:
            return result, dimensions_of_rows(module, ROWS, total)

        try:
            return sizes_within(ANY_SIZE, {ROWS: SizeRange(total, total, total)})(self.function.traced_for)(
                self.args, self.kwargs, self.opened, ("results", self.split, total), make, lambda _: None
            )
        except MliradError:
            return None

    def of_arrays(self, module: ModuleOp) -> ModuleOp:
        module = module.clone()
        run_compiler.brought_to("arrays", module, self.function.options)
        return module

    def opened(self, types: Sequence[LeafType]) -> list[LeafType]:
        """The types with the number of rows left open."""
        return [_opened(t, dim) for t, dim in zip(types, self.split, strict=True)]

    def stated(self, types: Sequence[LeafType]) -> list[LeafType]:
        """The types as they are."""
        return list(types)


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
