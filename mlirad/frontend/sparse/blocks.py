"""The entries of a pattern that repeats, from one product for each row of its block.

    blocks(arguments...)  ->  (others..., entries of each result, by block row)

The map is rebuilt as a map from what is gathered from the inputs
(`mlirad.linear_maps.sparsity.block_rows`). Its transpose is applied to the vector that is 1 in one row of
every block (or in several that share no column): that gives this row of all blocks. Entries are put in order
by slices and concatenations, and the program writes the blocks of each result straight into its part of the
array of all entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value, components_of, element_of, product_type, shape_of
from mlirad.frontend.compiling.compilation import Executable
from mlirad.frontend.sparse.expressions import Expression, common_dtype, with_map
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.jit.arguments import type_of_element
from mlirad.jit.call import NativeFunction
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.fold import topological
from mlirad.linear_maps.sparsity import BlockRows
from mlirad.linear_maps.sparsity.block_rows import Block, gathers_of_inputs

MAX_ROWS_WRITTEN_OUT = 16
"""The number of products that the program of a pattern that repeats may have."""


@dataclass(frozen=True)
class Blocks:
    """The key of a program for blocks: for each result its height, colours, and entries."""

    layout: tuple[tuple[int, tuple[int, ...], bytes, bytes, bytes], ...]

    @classmethod
    def of(cls, block_rows: BlockRows) -> Blocks:
        """The layout of a pattern that repeats."""
        return cls(
            tuple(
                (b.height, b.colours, b.rows.tobytes(), b.sources.tobytes(), b.elements.tobytes())
                for b in block_rows.blocks
            )
        )


def pays(block_rows: BlockRows) -> bool:
    """Return whether blocks need few products, no more than a row has entries."""
    products = sum(max(b.colours, default=-1) + 1 for b in block_rows.blocks if len(b.rows))
    longest = max((int(np.bincount(b.rows).max()) for b in block_rows.blocks if len(b.rows)), default=1)
    return products <= max(longest, len(block_rows.blocks)) and products <= MAX_ROWS_WRITTEN_OUT


def blocks_module(expression: Expression, block_rows: BlockRows) -> ModuleOp:
    """The program as a module, the map not yet applied."""

    def entries(b: ArrayBuilder, map_: Value, extra: Sequence[Value]) -> list[Value]:
        return _entries(b, map_, expression, block_rows)

    return with_map(expression, (), entries)


def _entries(b: ArrayBuilder, map_: Value, expression: Expression, block_rows: BlockRows) -> list[Value]:
    element = ELEMENT_TYPES[common_dtype(expression.outputs, expression.inputs)]
    space = product_type([s.space for s in block_rows.sources])
    of_gathered = _out_of_gathered(b, map_, block_rows, space)
    codomain = codomain_of(map_)
    parts: list[Value] = []
    for (k, _), block in zip(expression.outputs, block_rows.blocks, strict=True):
        if not len(block.rows):
            continue
        is_part = isinstance(codomain, TupleType)
        own = b.compose(b.project(codomain, k), of_gathered) if is_part else of_gathered
        parts.append(_block(b, own, block, components_of(codomain)[k], space, element))
    return parts


def _out_of_gathered(b: ArrayBuilder, map_: Value, block_rows: BlockRows, space: Attribute) -> Value:
    """The map as one whose inputs are the sources."""
    gathers = gathers_of_inputs(map_)
    domain = domain_of(map_)

    def source(k: int) -> Value:
        return b.project(space, k) if len(block_rows.sources) > 1 else b.identity_map(space)

    direct = {s.leaf: source(k) for k, s in enumerate(block_rows.sources) if s.node is None}
    gathered = [source(k) for k, s in enumerate(block_rows.sources) if s.node is not None]
    made: dict[Value, Value] = dict(zip(gathers, gathered, strict=True))
    for node in topological(map_, tuple(gathers)):
        op = node.owner
        b.name_hint = None
        match op:
            case _ if node in made:
                pass
            case linear.ComposeOp():
                outer, inner = own_operands(op)
                made[node] = b.compose(outer, made[inner])
            case linear.AddOp():
                left, right = own_operands(op)
                made[node] = b.add_maps(made[left], made[right])
            case linear.VcatOp():
                made[node] = b.vcat(space, [made[m] for m in own_operands(op)])
            case linear.ProjectOp():
                made[node] = direct[op.index.value.data]
            case linear.ZeroOp():
                made[node] = b.zero_map(space, op.codomain)
            case _:
                assert not isinstance(domain, TupleType)
                made[node] = b.compose(node, direct[0])
    return made[map_]


def _block(
    b: ArrayBuilder, map_: Value, block: Block, type_: Attribute, space: Attribute, element: Attribute
) -> Value:
    """The entries of one result, an array of block rows by entries."""
    shape = shape_of(type_)
    types = linear.carried(space)
    rows: list[list[Value]] = []
    for colour in range(max(block.colours) + 1):
        chosen = np.array([c == colour for c in block.colours]).reshape(shape[1:])
        seed = _seed(b, chosen, type_)
        images = b.insert(linear.ApplyTransposeOp, [map_, seed], types).results
        rows.append([b.reshape(v, (block.count, prod(shape_of(v)[1:]))) for v in images])
    pieces: list[Value] = []
    for first, last in block.runs():
        row = rows[block.colours[int(block.rows[first])]][int(block.sources[first])]
        elements = block.elements[first:last]
        for begin, end in _consecutive(elements):
            low, high = int(elements[begin]), int(elements[end - 1]) + 1
            pieces.append(b.convert(b.slice(row, [0, low], [block.count, high], [1, 1]), element))
    return pieces[0] if len(pieces) == 1 else b.concatenate(pieces, 1)


def _consecutive(elements: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The positions in runs of consecutive elements."""
    bounds = [0, *(np.flatnonzero(np.diff(elements) != 1) + 1).tolist(), len(elements)]
    return list(pairwise(bounds))


def _seed(b: ArrayBuilder, chosen: NDArray[np.bool_], type_: Attribute) -> Value:
    """The vector that is 1 in the chosen rows of every block row."""
    if chosen.all():
        return b.splat(1.0, type_)
    element = element_of(type_)
    row = b.constant(chosen.astype(np.float64), element)
    return b.broadcast(row, shape_of(type_), range(1, len(shape_of(type_))))


def entries_of_blocks(
    expression: Expression,
    block_rows: BlockRows,
    call: Executable,
    native: NativeFunction | None,
    leaves: Sequence[Any],
) -> tuple[NDArray[Any], tuple[Any, ...]]:
    """All entries, and what else the function returns; compiled code writes the entries where they belong."""
    shapes = [(b.count, len(b.rows)) for b in block_rows.blocks if len(b.rows)]
    entries = np.empty(sum(map(prod, shapes)), common_dtype(expression.outputs, expression.inputs))
    ends = np.cumsum([prod(shape) for shape in shapes])
    parts = [
        entries[end - prod(shape) : end].reshape(shape)
        for shape, end in zip(shapes, ends.tolist(), strict=True)
    ]
    if native is not None:
        specs = native.program.outputs[: expression.others]
        others = [np.empty(spec.shape, type_of_element[spec.dtype]) for spec in specs]
        native.into([*others, *parts], *leaves)
        return entries, tuple(other[()] for other in others)
    results: Any = call(*leaves)
    made = cast("tuple[Any, ...]", results) if isinstance(results, tuple) else (results,)
    for part, values in zip(parts, made[expression.others :], strict=True):
        part[:] = values
    return entries, made[: expression.others]
