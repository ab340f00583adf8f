"""Running a plan on chunks of NumPy arrays in this process: what every engine computes, to the bit.

    run(plan, [w, X, y], rows=[100, 7, 93])         flat results; w whole, X and y of 200 rows

`prepare` makes of a program and the number of rows of a chunk something that can be called; by default that
is machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.instances import function_at, sizes_in_function
from mlirad.distributed.combinations import Partials, combine
from mlirad.distributed.plan import (
    Argument,
    ChunkNumber,
    Combined,
    Extent,
    FirstRow,
    Plan,
    Program,
    Residual,
    Source,
)
from mlirad.distributed.plan import Rows as RowsOf
from mlirad.distributed.trees import Node, climb
from mlirad.errors import ShapeError
from mlirad.frontend.compiling.compilation import executable
from mlirad.frontend.compiling.options import Options
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import parse_module
from mlirad.lazy_dataclass import dataclass

Array: TypeAlias = npt.NDArray[Any]
Executable: TypeAlias = Callable[..., Any]
Prepare: TypeAlias = Callable[[str, int], Executable]
"""From the text of a program and the number of rows of a chunk to what takes and returns arrays."""


@lru_cache(maxsize=256)
def at_rows(text: str, rows: int) -> ModuleOp:
    """The module of a program for chunks of so many rows, which may be 0 or 1."""
    module = parse_module(text)
    for function in functions_of(module):
        sized = function_at(function, dict.fromkeys(sizes_in_function(function), rows))
        block = function.parent
        assert block is not None
        block.insert_op_before(sized, function)
        function.detach()
        function.erase()
    return module


@lru_cache(maxsize=256)
def compiled(text: str, rows: int) -> Executable:
    """Machine code for chunks of so many rows."""
    return executable(at_rows(text, rows).clone(), Options(), start="arrays")[0]


def run(plan: Plan, leaves: Sequence[Any], rows: Sequence[int], prepare: Prepare = compiled) -> list[Array]:
    """The flat results of a plan; `rows` are those of the chunks, empty ones count for nothing.

    Results with rows are those of all chunks, joined. Raises `ShapeError` where arguments have other rows.
    """
    return _Run(plan, leaves, rows, prepare).results()


@dataclass(frozen=True)
class _Chunk:
    number: int
    first: int
    rows: int


class _Run:
    def __init__(self, plan: Plan, leaves: Sequence[Any], rows: Sequence[int], prepare: Prepare):
        total = sum(rows)
        for leaf, dim in zip(leaves, plan.split, strict=True):
            if dim is not None and np.shape(leaf)[dim] != total:
                raise ShapeError(f"an argument of shape {np.shape(leaf)} for chunks of {total} rows in all")
        kept = [r for r in rows if r] or [0]
        firsts = [0, *accumulate(kept)]
        self.plan = plan
        self.leaves = leaves
        self.total = total
        self.prepare = prepare
        self.chunks = [_Chunk(k, firsts[k], r) for k, r in enumerate(kept)]
        self.combined: dict[int, Array] = {}
        self.residuals: dict[tuple[int, Residual], Array] = {}

    def results(self) -> list[Array]:
        for number, stage in enumerate(self.plan.stages):
            if stage.shortcut is not None:
                is_needed, *spared = self._call(stage.shortcut, None)
                if not is_needed:
                    self.combined.update(zip(stage.partials, spared, strict=True))
                    continue
            nodes: dict[Node, Partials] = {}
            count = len(stage.partials)
            for chunk in self.chunks:
                made = self._call(stage.program, chunk)
                nodes[0, chunk.number] = made[:count]
                for slot, value in enumerate(made[count:]):
                    self.residuals[chunk.number, Residual(number, slot)] = value
            (total,) = climb(nodes, len(self.chunks), combine(stage)).values()
            self.combined.update(zip(stage.partials, total, strict=True))
        final = self.plan.final
        whole = [] if final is None else self._call(final, None)
        return [
            np.concatenate([self._value(r.source, c) for c in self.chunks], axis=r.dimension)
            if isinstance(r, RowsOf)
            else whole[r.index]
            for r in self.plan.results
        ]

    def _call(self, program: Program, chunk: _Chunk | None) -> list[Array]:
        function = self.prepare(program.text, self.total if chunk is None else chunk.rows)
        made = function(*(self._value(source, chunk) for source in program.inputs))
        results: tuple[Any, ...] = made if isinstance(made, tuple) else (made,)  # pyright: ignore[reportUnknownVariableType]
        return [np.asarray(v) for v in results]

    def _value(self, source: Source, chunk: _Chunk | None) -> Any:
        match source:
            case Argument(index):
                leaf, dim = self.leaves[index], self.plan.split[index]
                if dim is None:
                    return leaf
                assert chunk is not None
                part = (slice(None),) * dim + (slice(chunk.first, chunk.first + chunk.rows),)
                return np.asarray(leaf)[part]
            case Combined(number):
                return self.combined[number]
            case Residual():
                assert chunk is not None
                return self.residuals[chunk.number, source]
            case Extent(scale, offset):
                return np.int64(scale * self.total + offset)
            case FirstRow():
                assert chunk is not None
                return np.int64(chunk.first)
            case ChunkNumber():
                assert chunk is not None
                return np.int64(chunk.number)
