"""The register tiles of the products that a contraction consists of."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import ArrayAttr

from mlirad.dialects.kernel import DotOp
from mlirad.dialects.kernel.schedules import ProductAttr, TiledProduct
from mlirad.dialects.shapes import Value, integer
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.bodies.matrices import Matrices, blocks_of, matrices_of, tiled_way
from mlirad.lower.cpu.product_tiles import LEAST_VECTOR_BYTES, Product
from mlirad.lower.llvm.text import BYTES

LEAST_ROWS: Final = 4
"""Fewer rows are not a tile: BLAS has routines for a row, and for rows that are multiplied one by one."""


def state_products(op: DotOp, buffers: dict[Value, Buffer], vector_bytes: int) -> None:
    """State the tiles of the products of a contraction that code of our own computes."""
    for name in ("width", "products"):
        op.properties.pop(name, None)
    out = buffers[op.result]
    matrices = matrices_of(op, buffers[op.lhs], buffers[op.rhs], out)
    if matrices is None or vector_bytes < LEAST_VECTOR_BYTES or out.kind not in ("double", "float"):
        return
    element = BYTES[out.kind]
    stated = [
        product
        for block in blocks_of(op, matrices)
        if (product := _tiled(block, element, vector_bytes)) is not None
    ]
    if stated:
        op.properties["width"] = integer(vector_bytes // element)
        op.properties["products"] = ArrayAttr([ProductAttr(p) for p in dict.fromkeys(stated)])


def _tiled(matrices: Matrices, element: int, vector_bytes: int) -> TiledProduct | None:
    """The tiles of one product; None if BLAS is to compute it."""
    lanes = vector_bytes // element
    way = tiled_way(matrices, lanes)
    if way is None or way[0].extents[0] < LEAST_ROWS:
        return None
    a, _, c = way
    turns = a.lies_by_columns and a.extents[0] >= lanes
    product = Product(*c.extents, a.extents[1], element, vector_bytes, turns_left=turns)
    tile = product.tile
    return TiledProduct(*matrices[2].extents, tile.rows, tile.vectors, product.is_turned)
