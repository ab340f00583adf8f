"""The entries of a matrix from a compression: one program makes all products and puts the entries in order.

    entries(arguments..., colours of columns, colours of rows, places)  ->  (others..., entries)

The products of one kind are a `build` over the colours, of the map applied to the vector that is 1 at the
coordinates of that colour. Colours and places are arguments, so structures of one size share a program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import (
    UNIT,
    Value,
    array_type,
    components_of,
    is_float,
    shape_of,
    size_of,
)
from mlirad.frontend.sparse.colouring import Compression
from mlirad.frontend.sparse.expressions import Expression, common_dtype, with_map
from mlirad.ir.arrays import ArrayBuilder


@dataclass(frozen=True)
class Shape:
    """What a program for products depends on: how many there are of each kind, and how entries are placed.

    `all_columns` says that the one product of columns is with ones everywhere, `in_order` that the entries
    are the elements of the products as they come.
    """

    columns: int
    rows: int
    count: int
    all_columns: bool
    in_order: bool


def shape_of_program(expression: Expression, c: Compression) -> Shape:
    """The program that a compression needs."""
    height = sum(prod(t.shape) for _, t in expression.outputs)
    length = c.column_products * height + c.row_products * len(c.columns)
    in_order = len(c.places) == length and np.array_equal(c.places, np.arange(length))
    return Shape(c.column_products, c.row_products, len(c.places), bool((c.columns == 0).all()), in_order)


def arguments_of(shape: Shape, c: Compression) -> list[NDArray[np.int64]]:
    """The arguments of the program beside those of the function."""
    given: list[NDArray[np.int64]] = []
    if shape.columns and not shape.all_columns:
        given.append(c.columns)
    if shape.rows:
        given.append(c.rows)
    if not shape.in_order:
        given.append(c.places)
    return given


def products_module(expression: Expression, shape: Shape) -> ModuleOp:
    """The program as a module, the map not yet applied."""

    def entries(b: ArrayBuilder, map_: Value, extra: Sequence[Value]) -> list[Value]:
        return [_Products(b, expression, shape, map_, extra).entries()]

    return with_map(expression, _extra_types(expression, shape), entries)


def _extra_types(expression: Expression, shape: Shape) -> list[Attribute]:
    width = sum(prod(t.shape) for t in expression.inputs)
    height = sum(prod(t.shape) for _, t in expression.outputs)
    sizes: list[int] = []
    if shape.columns and not shape.all_columns:
        sizes.append(width)
    if shape.rows:
        sizes.append(height)
    if not shape.in_order:
        sizes.append(shape.count)
    return [array_type((size,), i64) for size in sizes]


class _Products:
    """The emission of the products and of the entries."""

    def __init__(
        self, b: ArrayBuilder, expression: Expression, shape: Shape, map_: Value, extra: Sequence[Value]
    ):
        self.b, self.expression, self.shape, self.map = b, expression, shape, map_
        self.element = ELEMENT_TYPES[common_dtype(expression.outputs, expression.inputs)]
        type_ = linear.map_type(map_.type, "map")
        self.domain, self.codomain = linear.carried(type_.domain), linear.carried(type_.codomain)
        rest = iter(extra)
        self.columns = next(rest) if shape.columns and not shape.all_columns else None
        self.rows = next(rest) if shape.rows else None
        self.places = None if shape.in_order else next(rest)
        chosen = {k for k, _ in expression.outputs}
        # Among the components that carry data, those that are rows of the matrix.
        spaces = components_of(type_.codomain)
        self.is_row = [k in chosen for k, space in enumerate(spaces) if space != UNIT]

    def entries(self) -> Value:
        """All entries, in the order of the structure."""
        b = self.b
        parts: list[Value] = []
        if self.shape.columns:
            parts.append(self._all(self.shape.columns, self._image))
        if self.shape.rows:
            parts.append(self._all(self.shape.rows, self._transposed_image))
        if not parts:
            return b.zeros(array_type((0,), self.element))
        flat = parts[0] if len(parts) == 1 else b.concatenate(parts, 0)
        if self.places is None:
            return flat
        places = self.places

        def place(k: Value) -> tuple[Value]:
            return (b.index(places, [k]),)

        return b.gather(flat, (self.shape.count,), place)

    def _all(self, count: int, product: Callable[[Value], Value]) -> Value:
        b = self.b
        if count == 1:
            return product(b.index_constant(0))
        stacked = b.build((count,), product)
        return b.reshape(stacked, (size_of(stacked),))

    def _image(self, colour: Value) -> Value:
        seeds = self._seeds(self.columns, colour, self.domain, [True] * len(self.domain))
        images = self.b.insert(linear.ApplyOp, [self.map, *seeds], self.codomain).results
        return self._flat([v for v, chosen in zip(images, self.is_row, strict=True) if chosen])

    def _transposed_image(self, colour: Value) -> Value:
        seeds = self._seeds(self.rows, colour, self.codomain, self.is_row)
        return self._flat(self.b.insert(linear.ApplyTransposeOp, [self.map, *seeds], self.domain).results)

    def _seeds(
        self, colours: Value | None, colour: Value, types: Sequence[Attribute], chosen: Sequence[bool]
    ) -> list[Value]:
        """1 where a coordinate has the colour, everywhere if there are no colours; 0 where not chosen."""
        b, first = self.b, 0
        seeds: list[Value] = []
        for type_, is_chosen in zip(types, chosen, strict=True):
            assert is_float(type_)
            if not is_chosen:
                seeds.append(b.zeros(type_))
                continue
            if colours is None:
                seeds.append(b.splat(1.0, type_))
                continue
            size = size_of(type_)
            own = b.reshape(b.slice(colours, [first], [first + size], [1]), shape_of(type_))
            hit = b.compare("eq", own, b.broadcast(colour, shape_of(type_), ()))
            seeds.append(b.convert(hit, linear.element_of(type_)))
            first += size
        return seeds

    def _flat(self, values: Sequence[Value]) -> Value:
        b = self.b
        parts = [b.convert(b.reshape(v, (size_of(v),)), self.element) for v in values]
        return parts[0] if len(parts) == 1 else b.concatenate(parts, 0)
