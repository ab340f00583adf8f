"""Sparsity patterns that repeat along the leading axis of the results: the same small block in each.

A program that works on each of p observations separately, on rows that it gathers from its arguments, has the
derivative M G: G gathers, and M has a block for each observation. Blocks are computed by few products, one
for each row of a block (or for rows that share no column), and every entry of the matrix is one of a block:

    %c = gather(cameras)   %x = gather(points)         G: block row i reads row camera_of[i], point_of[i]
    residuals[i] = f(%c[i], %x[i], weights[i])         M: 2 x (11 + 3 + 1) entries for block row i

`find_block_rows` looks for gathers applied to the inputs themselves, takes their results as new inputs, and
checks whether the pattern with respect to these repeats.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of, shape_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.elements import assembled, components
from mlirad.linear_maps.fold import topological
from mlirad.linear_maps.sparsity.elements import Patterns, coordinates, dimension
from mlirad.linear_maps.sparsity.images import image
from mlirad.linear_maps.sparsity.known_values import Known
from mlirad.linear_maps.sparsity.patterns import JOINED_PAIRS, Pattern, Term, over_axes
from mlirad.linear_maps.sparsity.primitives import MapContext
from mlirad.linear_maps.sparsity.relations import Ints, Relation, relation

MAX_HEIGHT = 64
"""The number of rows that a block may have."""


@dataclass(frozen=True, eq=False)
class Source:
    """A new input: an input itself, number `leaf`, or what a gather makes of one, the value `node`.

    Patterns k of block row i is the coordinate `head[i] + offsets[k]` of the inputs.
    """

    leaf: int
    node: Value | None
    space: Attribute
    head: Ints
    offsets: Ints


@dataclass(frozen=True, eq=False)
class Block:
    """The entries of one block row of a result, by row and then by column.

    Entry e stands in row `rows[e]` of the block row and is of element `elements[e]` of source `sources[e]`.
    """

    count: int
    height: int
    rows: Ints
    sources: Ints
    elements: Ints

    def runs(self) -> list[tuple[int, int]]:
        """The entries in runs of one row and one source, as where each begins and ends."""
        changes = (np.diff(self.rows) != 0) | (np.diff(self.sources) != 0)
        bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), len(self.rows)]
        return [(i, j) for i, j in pairwise(bounds) if i < j]

    @cached_property
    def colours(self) -> tuple[int, ...]:
        """A colour for each row of a block row; rows of one colour share no element."""
        taken: list[set[tuple[int, int]]] = []
        colours: list[int] = []
        for row in range(self.height):
            chosen = self.rows == row
            own = set(zip(self.sources[chosen].tolist(), self.elements[chosen].tolist(), strict=True))
            colour = next((k for k, t in enumerate(taken) if t.isdisjoint(own)), len(taken))
            if colour == len(taken):
                taken.append(set())
            taken[colour] |= own
            colours.append(colour)
        return tuple(colours)


@dataclass(frozen=True, eq=False)
class BlockRows:
    """A sparsity pattern that repeats: the new inputs, and a block for each result."""

    sources: tuple[Source, ...]
    blocks: tuple[Block, ...]

    def columns(self, dtype: type[np.signedinteger[Any]]) -> list[NDArray[Any]]:
        """For each result the columns of the entries, as an array of block rows by entries."""
        heads = [s.head.astype(dtype)[:, None] for s in self.sources]
        offsets = [s.offsets.astype(dtype) for s in self.sources]
        arrays: list[NDArray[Any]] = []
        for block in self.blocks:
            columns = np.empty((block.count, len(block.rows)), dtype)
            for first, last in block.runs():
                k = int(block.sources[first])
                chosen = offsets[k][block.elements[first:last]]
                np.add(heads[k], chosen, out=columns[:, first:last])
            arrays.append(columns)
        return arrays


def find_block_rows(map_: Value, known: Known, outputs: Sequence[int]) -> BlockRows | None:
    """The repeated pattern of the results `outputs` of a map in spine form, `None` where it has none."""
    place = MapContext(known, known.top)
    domain, codomain = domain_of(map_), codomain_of(map_)
    spaces = components_of(domain)
    if any(isinstance(s, TupleType) or not shape_of(s) for s in spaces):
        return None
    sources = _sources(map_, place, spaces)
    if sources is None:
        return None
    given: dict[Value, Patterns] = {}
    inputs: list[Patterns] = [None] * len(spaces)
    first = 0
    for source in sources:
        own = coordinates((), source.space, first)
        first += dimension(source.space)
        if source.node is None:
            inputs[source.leaf] = own
        else:
            given[source.node] = own
    found = image(place, map_, assembled(inputs, domain), given)
    parts = components(found, codomain)
    blocks: list[Block] = []
    for k in outputs:
        part = parts[k]
        assert not isinstance(part, list)
        block = _block(part, shape_of(components_of(codomain)[k]), sources)
        if block is None:
            return None
        blocks.append(block)
    return BlockRows(tuple(sources), tuple(blocks))


def gathers_of_inputs(map_: Value) -> dict[Value, int]:
    """The nodes of a spine that gather from an input, with the number of the input."""
    found: dict[Value, int] = {}
    for node in topological(map_, ()):
        leaf = _gathered(node)
        if leaf is not None:
            found[node] = leaf
    return found


def _gathered(node: Value) -> int | None:
    """The number of the input that a node gathers from."""
    match node.owner:
        case linear.GatherOp():
            return 0
        case linear.ComposeOp() as op if isinstance(op.outer.owner, linear.GatherOp):
            match own_operands(op)[1].owner:
                case linear.ProjectOp() as projection:
                    return projection.index.value.data
                case linear.IdentityOp():
                    return 0
                case _:
                    return None
        case _:
            return None


def _sources(map_: Value, place: MapContext, spaces: Sequence[Attribute]) -> list[Source] | None:
    """The new inputs, if all are arrays with a leading axis."""
    gathers = gathers_of_inputs(map_)
    firsts = np.cumsum([0, *(dimension(s) for s in spaces)])
    direct: set[int] = set()
    for node in topological(map_, tuple(gathers)):
        match node.owner:
            case _ if node in gathers:
                pass
            case linear.ProjectOp() as op:
                direct.add(op.index.value.data)
            case linear.ComposeOp() | linear.AddOp() | linear.VcatOp() | linear.ZeroOp():
                pass
            case _ if len(spaces) == 1:
                direct.add(0)
            case _:
                return None
    sources: list[Source] = []
    for leaf in sorted(direct):
        shape, width = shape_of(spaces[leaf]), prod(shape_of(spaces[leaf])[1:])
        head = firsts[leaf] + width * np.arange(shape[0])
        sources.append(Source(leaf, None, spaces[leaf], head, np.arange(width)))
    domain = coordinates((), domain_of(map_))
    for node, leaf in gathers.items():
        made = image(place, node, domain)
        source = made if made is None or isinstance(made, list) else _gathered_source(node, leaf, made)
        if not isinstance(source, Source):
            return None
        sources.append(source)
    return sources


def _gathered_source(node: Value, leaf: int, made: Pattern) -> Source | None:
    """Return what a gather makes as an input, if every block row reads the same elements of one row."""
    found = _by_lane(made)
    if found is None or len(found) != 1:
        return None
    head, own = found[0]
    if not own.is_function_on(prod(made.shape[1:])):
        return None
    return Source(leaf, node, codomain_of(node), head, own.offsets)


def _by_lane(x: Pattern) -> list[tuple[Ints, Relation]] | None:
    """Each term as a function of the block row and a relation over other axes; `None` for other patterns."""
    count, rest = x.shape[0], tuple(range(1, len(x.shape)))
    found: list[tuple[Ints, Relation]] = []
    for term in x.terms:
        head = [f for f in term.factors if 0 in f.axes]
        if len(head) != 1 or head[0].axes != (0,) or not head[0].relation.is_function_on(count):
            return None
        others = Term(tuple(f for f in term.factors if f is not head[0]), term.constants)
        if prod(len(f.relation) for f in others.factors) * len(others.constants) > JOINED_PAIRS:
            return None
        raw = over_axes(others, rest, x.shape)
        found.append((head[0].relation.offsets, relation(raw.rows, raw.offsets)))
    return found


def _block(part: Pattern | None, shape: tuple[int, ...], sources: Sequence[Source]) -> Block | None:
    """The entries of a block row of one result, whose columns are elements of the sources."""
    height = prod(shape[1:])
    if not shape or shape[0] < 2 or height > MAX_HEIGHT:
        return None
    if part is None or not part.terms:
        nothing = np.zeros(0, np.int64)
        return Block(shape[0], height, nothing, nothing, nothing)
    terms = _by_lane(part)
    if terms is None:
        return None
    firsts = np.cumsum([0, *(dimension(s.space) for s in sources)])
    rows: list[Ints] = []
    origin: list[Ints] = []
    elements: list[Ints] = []
    for head, own in terms:
        # In block row i, an element of a source has the number first + width i + element.
        which = np.searchsorted(firsts, own.offsets, "right") - 1
        for k in _different(which):
            source, chosen = sources[k], which == k
            extents = shape_of(source.space)
            width = prod(extents[1:])
            local = own.offsets[chosen] - firsts[k]
            if extents[0] != shape[0] or (local >= width).any():
                return None
            if not np.array_equal(head, width * np.arange(shape[0])):
                return None
            rows.append(own.rows[chosen])
            elements.append(local)
            origin.append(np.full(len(local), k))
    joined = np.concatenate(rows), np.concatenate(origin), np.concatenate(elements)
    return _sorted(shape[0], height, *joined, sources)


def _sorted(
    count: int, height: int, rows: Ints, origin: Ints, elements: Ints, sources: Sequence[Source]
) -> Block | None:
    """The entries in the order of their columns, which must be the same in all block rows."""
    # Sources are put in the order of their heads; if two cannot be told apart in all rows, there is no order.
    for a, b in combinations(_different(origin), 2):
        difference = sources[b].head - sources[a].head
        low, high = int(difference.min()), int(difference.max())
        in_a, in_b = (np.unique(sources[k].offsets[elements[origin == k]]) for k in (a, b))
        gaps = in_a[:, None] - in_b
        if ((gaps >= low) & (gaps <= high)).any():
            return None
    columns = np.zeros(len(origin), np.int64)
    for k in _different(origin):
        columns[origin == k] = sources[k].head[0] + sources[k].offsets[elements[origin == k]]
    order = np.lexsort((columns, rows))
    return Block(count, height, rows[order], origin[order], elements[order])


def _different(numbers: Ints) -> list[int]:
    return [int(k) for k in np.unique(numbers)]
