"""The code of a product of matrices: panels, tiles of rows, sums in registers.

    for k in blocks of the contracted extent:
      for j in panels of columns:
        panel = the block's rows of B, columns from j on, one after the other
        for i in tiles of rows:
          sums = 0
          for r in the block: sums += A[i + <tile>, k + r] * panel[r]
          C[i + <tile>, j + <panel>] = sums, or += sums from the second block on

The panel lies in one piece whatever the strides of B, so that its lines do not share a few sets of the
caches, and is transposed in registers where B lies by columns. Elements of A are read where they lie, or from
a copy by rows if it lies by columns. The last tile of rows begins early enough to be whole: what it computes
again it stores again, and so does the last vector of the last panel. Where sums are added to memory, which
must happen once, the last rows are a tile of their own.

Each element is the sum of the blocks of the contracted extent, each of them added up in order: bits depend on
neither tiles nor vectors, nor on the blocks of rows and columns that threads compute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlirad.dialects.kernel import DotOp
from mlirad.dialects.kernel.schedules import TiledProduct, lanes_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.bodies.matrices import Matrices, blocks_of, tiled_way
from mlirad.lower.bodies.transposition import transposed
from mlirad.lower.cpu.product_tiles import MOST_TURNED_BYTES, Tile, inner_block
from mlirad.lower.llvm.text import BYTES, IRBuilder, Kind, Value, constant


class ProductWriter:
    """Writes the products of matrices, of floats of one kind, that a contraction states tiles for.

    Raises `CompileError` for tiles that do not fit a product.
    """

    def __init__(self, f: IRBuilder, kind: Kind, op: DotOp, matrices: Matrices):
        self._f = f
        self._kind: Kind = kind
        self._location = location_of(op)
        self._lanes = lanes_of(op.width)
        stated = {} if op.products is None else {p.data[:2]: p.data for p in op.products.data}
        self._tiled = {
            block[2].extents: self._fitting(stated[block[2].extents], block)
            for block in blocks_of(op, matrices)
            if block[2].extents in stated
        }
        block = inner_block(matrices[0].extents[1]) if stated else 0
        self._panel = block * self._lanes * max((p.tile_vectors for p, _ in self._tiled.values()), default=0)
        turned = [way[0].extents[0] * block for p, way in self._tiled.values() if p.turned]
        self.memory_elements = self._panel + max(turned, default=0)
        """The elements of the memory in which products are computed."""

    def _fitting(self, stated: TiledProduct, block: Matrices) -> tuple[TiledProduct, Matrices]:
        """The tiles of a product, and the matrices that are multiplied: they may be the transposed ones."""
        way = tiled_way(block, self._lanes)
        if way is None or not _fits(stated, way, self._lanes, self._kind):
            raise CompileError(
                f"the tiles of #kernel.product<{stated.text}> do not fit the contraction",
                location=self._location,
                hint="take away its products and its width, and they are chosen for it",
            )
        return stated, way

    def takes(self, matrices: Matrices) -> bool:
        """Return whether tiles are stated for a product."""
        return matrices[2].extents in self._tiled

    def write(self, pointers: Sequence[Value], matrices: Matrices, memory: Value) -> None:
        """Write C = A B for matrices that it takes, in a function that is not to be part of others: it may
        have much memory on the stack.
        """
        self._f.is_inlined_if_short = False
        memories = memory, self._f.gep(memory, self._panel, self._kind)
        stated, way = self._tiled[matrices[2].extents]
        left, right, to = pointers
        given = (left, right, to) if way[2] == matrices[2] else (right, left, to)
        with self._f.checks_itself():
            _Product(self._f, self._kind, self._lanes, memories, given, way, stated).write()


def _fits(stated: TiledProduct, way: Matrices, lanes: int, kind: Kind) -> bool:
    """Return whether a product can be written by the tiles that are stated: a last vector overlaps one of its
    own panel, and a left operand that is copied by rows lies by columns, and is not too large.
    """
    (rows, inner), columns = way[0].extents, way[1].extents[1]
    least = 2 if columns % lanes else 1
    nbytes = rows * inner_block(inner) * BYTES[kind]
    may_turn = way[0].lies_by_columns and rows >= lanes and nbytes <= MOST_TURNED_BYTES
    fits = stated.tile_rows <= rows and least <= stated.tile_vectors <= -(-columns // lanes)
    return fits and (may_turn or not stated.turned)


class _Product:
    """Writes one product."""

    def __init__(
        self,
        f: IRBuilder,
        kind: Kind,
        lanes: int,
        memories: tuple[Value, Value],
        pointers: Sequence[Value],
        matrices: Matrices,
        stated: TiledProduct,
    ):
        self._f = f
        self._kind: Kind = kind
        self._panel, self._turned = memories
        self._lanes = lanes
        self._a, self._b, self._c = matrices
        self._from_a, self._from_b, self._to = pointers
        self._columns, self._inner = self._c.extents[1], self._a.extents[1]
        self._tile, self._turns_left = Tile(stated.tile_rows, stated.tile_vectors), stated.turned
        self._block = inner_block(self._inner)
        self._left_strides = (self._block, 1) if self._turns_left else self._a.strides

    def write(self) -> None:
        """Write all blocks."""
        f = self._f
        with f.loop(0, self._inner, self._block, name="block") as loop:
            count = constant("i64", self._block)
            if self._inner % self._block:
                count = f.intrinsic("smin", f.sub(self._inner, loop.index), self._block)
            left = f.gep(self._from_a, f.mul(loop.index, self._a.strides[1]), self._kind)
            if self._turns_left:
                self._turn(left, count)
                left = self._turned
            for lower, upper, vectors in self._panels():
                with f.loop(lower, upper, vectors * self._lanes, name="panel") as panel:
                    places = self._vector_places(panel.index, vectors)
                    self._copy(loop.index, count, places)
                    self._tiles(loop.index, count, left, places)

    def _turn(self, source: Value, count: Value) -> None:
        """Copy a block of columns of A, which lie in one piece each, as rows."""
        f, rows, lanes, kind = self._f, self._c.extents[0], self._lanes, self._kind
        along = self._a.strides[1]
        with (
            f.loop(0, rows, lanes, name="down") as down,
            f.loop(0, count, lanes, name="across", at_most=-(-self._block // lanes)) as across,
        ):
            i = f.intrinsic("smin", down.index, rows - lanes) if rows % lanes else down.index
            k = f.intrinsic("smin", across.index, f.sub(count, lanes))
            first = f.gep(f.gep(source, f.mul(k, along), kind), i, kind)
            columns = [f.load(f.gep(first, lane * along, kind), kind, lanes) for lane in range(lanes)]
            to = f.gep(f.gep(self._turned, f.mul(i, self._block), kind), k, kind)
            for lane, row in enumerate(transposed(f, columns)):
                f.store(row, f.gep(to, lane * self._block, kind))

    def _panels(self) -> Iterator[tuple[int, int, int]]:
        """The loops over panels: from where to where, of how many vectors. A narrow one comes first."""
        most = self._tile.vectors
        first = -(-self._columns // self._lanes) % most
        if first:
            yield 0, first * self._lanes, first
        if first * self._lanes < self._columns:
            yield first * self._lanes, self._columns, most

    def _vector_places(self, start: Value, vectors: int) -> list[Value]:
        """The first columns of the vectors of a panel. The last vector may overlap the one before."""
        f = self._f
        places = [f.add(start, v * self._lanes) for v in range(vectors)]
        if self._columns % self._lanes:
            places[-1] = f.intrinsic("smin", places[-1], self._columns - self._lanes)
        return places

    def _copy(self, block: Value, count: Value, places: Sequence[Value]) -> None:
        """Copy the panel of a block of rows of B."""
        f, (down, across) = self._f, self._b.strides
        width = len(places) * self._lanes
        first = f.gep(self._from_b, f.mul(block, down), self._kind)
        starts = [f.gep(first, f.mul(place, across), self._kind) for place in places]
        if across == 1:
            with f.loop(0, count, name="row", at_most=self._block, at_least=1) as row:
                to = f.gep(self._panel, f.mul(row.index, width), self._kind)
                for v, start in enumerate(starts):
                    vector = f.load(f.gep(start, f.mul(row.index, down), self._kind), self._kind, self._lanes)
                    f.store(vector, f.gep(to, v * self._lanes, self._kind))
            return
        with f.loop(0, count, self._lanes, name="rows", at_most=-(-self._block // self._lanes)) as rows:
            row = f.intrinsic("smin", rows.index, f.sub(count, self._lanes))
            to = f.gep(self._panel, f.mul(row, width), self._kind)
            for v, start in enumerate(starts):
                source = f.gep(start, row, self._kind)
                columns = [
                    f.load(f.gep(source, lane * across, self._kind), self._kind, self._lanes)
                    for lane in range(self._lanes)
                ]
                for k, vector in enumerate(transposed(f, columns)):
                    f.store(vector, f.gep(to, k * width + v * self._lanes, self._kind))

    def _tiles(self, block: Value, count: Value, left: Value, places: Sequence[Value]) -> None:
        """The tiles of one panel."""
        f, rows, most = self._f, self._c.extents[0], self._tile.rows
        rest = rows % most if self._inner > self._block else 0
        with f.loop(0, rows - rest, most, name="tile") as loop:
            start = loop.index
            if rows % most and not rest:
                start = f.intrinsic("smin", start, rows - most)
            self._multiply((block, count), left, places, start, most)
        if rest:
            self._multiply((block, count), left, places, constant("i64", rows - rest), rest)

    def _multiply(
        self, block: tuple[Value, Value], left: Value, places: Sequence[Value], start: Value, rows: int
    ) -> None:
        """One tile, from row `start` on: its sums over a block, given by its start and extent, to memory."""
        f, lanes, kind = self._f, self._lanes, self._kind
        (down, along), vectors = self._left_strides, len(places)
        source = f.gep(left, f.mul(start, down), kind)
        sums = [f.widen(constant(kind, 0.0), lanes)] * (rows * vectors)
        with f.loop(0, block[1], carries=sums, name="k", at_most=self._block, at_least=1) as k:
            element = f.gep(source, f.mul(k.index, along), kind)
            row = f.gep(self._panel, f.mul(k.index, vectors * lanes), kind)
            found = list(k.carries)
            self._add(element, row, rows, vectors, found)
            k.carry(*found)
        to = f.gep(self._to, f.mul(start, self._c.strides[0]), kind)
        targets = [
            f.gep(f.gep(to, place, kind), i * self._c.strides[0], kind)
            for i in range(rows)
            for place in places
        ]
        totals = k.results
        if self._inner > self._block:
            with f.conditional(f.icmp("ne", block[0], 0), totals) as later:
                before = [f.load(target, kind, lanes) for target in targets]
                later.give(*(f.fadd(b, t) for b, t in zip(before, totals, strict=True)))
            totals = later.results
        for total, target in zip(totals, targets, strict=True):
            f.store(total, target)

    def _add(self, element: Value, row: Value, rows: int, vectors: int, sums: list[Value]) -> None:
        """Add the products of one element of each row of A and one row of the panel.

        Registers hold the factors that are fewer, while the others come one by one.
        """
        f, lanes, kind = self._f, self._lanes, self._kind

        def left(i: int) -> Value:
            return f.widen(f.load(f.gep(element, i * self._left_strides[0], kind), kind), lanes)

        def right(v: int) -> Value:
            return f.load(f.gep(row, v * lanes, kind), kind, lanes)

        if rows < vectors:
            held = [left(i) for i in range(rows)]
            pairs = ((i, v, a, b) for v in range(vectors) for b in [right(v)] for i, a in enumerate(held))
        else:
            held = [right(v) for v in range(vectors)]
            pairs = ((i, v, a, b) for i in range(rows) for a in [left(i)] for v, b in enumerate(held))
        for i, v, a, b in pairs:
            at = i * vectors + v
            sums[at] = f.multiply_add(a, b, sums[at])
