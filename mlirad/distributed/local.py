"""Running a plan on chunks of NumPy arrays in this process: what every engine computes, to the bit.

    run(plan, [w, X, y], rows=[100, 7, 93])         flat results; w whole, X and y of 200 rows

`prepare` makes of a program and the number of rows of a chunk something that can be called; by default that
is machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.concrete_sizes import function_at, sizes_in_function
from mlirad.distributed.chunks import Chunk, chunk_source, flat_results
from mlirad.distributed.combinations import Partials, combine
from mlirad.distributed.plan import Argument, Plan, Program, Residual, Source
from mlirad.distributed.plan import Rows as RowsOf
from mlirad.distributed.ranks import searched
from mlirad.distributed.trees import Node, climb
from mlirad.errors import ShapeError
from mlirad.frontend.compiling.compilation import executable
from mlirad.frontend.compiling.options import Options
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import parse_module
from mlirad.passes.function_pass import replace_function

Array: TypeAlias = npt.NDArray[Any]
Executable: TypeAlias = Callable[..., Any]
Prepare: TypeAlias = Callable[[str, int], Executable]
"""From the text of a program and the number of rows of a chunk to what takes and returns arrays."""


@lru_cache(maxsize=256)
def at_rows(text: str, rows: int) -> ModuleOp:
    """The module of a program for chunks of `rows` rows, which may be 0 or 1."""
    module = parse_module(text)
    for function in functions_of(module):
        replace_function(function, function_at(function, dict.fromkeys(sizes_in_function(function), rows)))
    return module


@lru_cache(maxsize=256)
def compiled(text: str, rows: int) -> Executable:
    """Machine code for chunks of `rows` rows."""
    return executable(at_rows(text, rows).clone(), Options(), start="arrays")[0]


def run(plan: Plan, leaves: Sequence[Any], rows: Sequence[int], prepare: Prepare = compiled) -> list[Array]:
    """The flat results of a plan; `rows` are those of the chunks, empty ones count for nothing.

    A split argument has one element for each row, or some, next to each other. Results with rows are those of
    all chunks, joined. Raises `ShapeError` where arguments have other rows.
    """
    return _Run(plan, leaves, rows, prepare).results()


class _Run:
    def __init__(self, plan: Plan, leaves: Sequence[Any], rows: Sequence[int], prepare: Prepare):
        total = sum(rows)
        for leaf, dim in zip(leaves, plan.split, strict=True):
            if dim is not None and (np.shape(leaf)[dim] % total if total else np.shape(leaf)[dim]):
                raise ShapeError(f"an argument of shape {np.shape(leaf)} for chunks of {total} rows in all")
        kept = [r for r in rows if r] or [0]
        firsts = [0, *accumulate(kept)]
        self.plan = plan
        self.total = total
        self.prepare = prepare
        self.whole = {k: leaf for k, leaf in enumerate(leaves) if plan.split[k] is None}
        self.chunks = [
            Chunk(k, first, r, {index: part(first, r) for index, part in self._parts(leaves).items()})
            for k, (first, r) in enumerate(zip(firsts, kept, strict=False))
        ]
        self.combined: dict[int, Array] = {}
        self.residuals: dict[tuple[int, Residual], Array] = {}

    def _parts(self, leaves: Sequence[Any]) -> dict[int, Callable[[int, int], Array]]:
        """For each split argument a function that cuts rows out of it: the first, and their number."""

        def cutting(array: Array, dim: int) -> Callable[[int, int], Array]:
            before, k = (slice(None),) * dim, array.shape[dim] // (self.total or 1)
            return lambda first, rows: array[(*before, slice(k * first, k * (first + rows)))]

        split = enumerate(self.plan.split)
        return {k: cutting(np.asarray(leaves[k]), dim) for k, dim in split if dim is not None}

    def results(self) -> list[Array]:
        for number, stage in enumerate(self.plan.stages):
            if stage.shortcut is not None:
                is_needed, *spared = self._call(stage.shortcut, None)
                if not is_needed:
                    self.combined.update(zip(stage.partials, spared, strict=True))
                    continue
            ranks = () if stage.ranks is None else self._call(stage.ranks.program, None)
            found = searched(stage, ranks, partial(self._round, number))
            self.combined.update(zip(stage.partials, found, strict=True))
        final = self.plan.final
        whole = [] if final is None else self._call(final, None)
        return [
            r.cut(
                np.concatenate([self._value(r.source, c) for c in self.chunks], axis=r.dimension), self.total
            )
            if isinstance(r, RowsOf)
            else whole[r.index]
            for r in self.plan.results
        ]

    def _round(self, number: int, pivots: Mapping[int, Array]) -> Partials:
        """The partials of a stage over all chunks; residuals stay."""
        self.combined.update(pivots)
        stage = self.plan.stages[number]
        nodes: dict[Node, Partials] = {}
        count = len(stage.partials)
        for chunk in self.chunks:
            made = self._call(stage.program, chunk)
            nodes[0, chunk.number] = made[:count]
            for slot, value in enumerate(made[count:]):
                self.residuals[chunk.number, Residual(number, slot)] = value
        (total,) = climb(nodes, len(self.chunks), combine(stage)).values()
        return total

    def _call(self, program: Program, chunk: Chunk | None) -> list[Array]:
        function = self.prepare(program.text, self.total if chunk is None else chunk.rows)
        made = function(*(self._value(source, chunk) for source in program.inputs))
        return [np.asarray(v) for v in flat_results(made)]

    def _value(self, source: Source, chunk: Chunk | None) -> Any:
        if chunk is not None and isinstance(source, Residual):
            return self.residuals[chunk.number, source]
        if chunk is not None and isinstance(source, Argument) and source.index in chunk.arrays:
            return chunk.arrays[source.index]
        return chunk_source(source, self.total, chunk, self.whole, self.combined)
