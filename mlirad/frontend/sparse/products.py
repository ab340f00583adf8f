"""The entries of a matrix from a compression: programs that make products, and where in these they are.

    products(arguments..., colours)  ->  (others..., the products)

The products are a `build` over the colours, of the map applied to the vector that is 1 at the coordinates of
that colour; there is an array of them for each component of the images. Colours are an argument, so all
patterns that need as many products share a program. The entries are taken out of the products by one pass
of NumPy: fused with the products, it would recompute them.

NumPy takes entries out of products. Fused into the program, a gather would recompute each product where it
reads it, with a division per entry to find out where. One pass over an index array is as fast as native code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import UNIT, Value, array_type, components_of, element_of, shape_of, size_of
from mlirad.frontend.sparse.colouring import Compression
from mlirad.frontend.sparse.expressions import Expression, common_dtype, with_map
from mlirad.ir.arrays import ArrayBuilder
from mlirad.lazy_dataclass import dataclass

MAX_ELEMENTS = 1 << 25
"""The number of elements that the products that one call of a program makes may have, unless it makes only
one."""


@dataclass(frozen=True)
class Products:
    """The key of a program for products: their kind and number.

    `everywhere` says that the one vector is 1 at all coordinates, and that there is no argument of colours.
    """

    is_transposed: bool
    count: int
    everywhere: bool = False


Run: TypeAlias = "Callable[[Products, Sequence[NDArray[np.int64]]], Sequence[NDArray[Any]]]"
"""From a program and its argument of colours, if it has one, to the products."""


@dataclass(frozen=True, eq=False)
class ProductCall:
    """One call of a program, and the entries that it gives: those `chosen` stand at `places` of the products.

    `chosen` is `None` for all entries; so is `places` if these are the products as they come.
    """

    products: Products
    colours: NDArray[np.int64] | None
    chosen: NDArray[np.int64] | None
    places: NDArray[np.int64] | None


def steps_of(expression: Expression, c: Compression) -> list[ProductCall]:
    """The calls that a compression needs."""
    height = sum(prod(t.shape) for _, t in expression.outputs)
    steps: list[ProductCall] = []
    first = 0
    for is_transposed, colours, count, length in (
        (False, c.columns, c.column_products, height),
        (True, c.rows, c.row_products, len(c.columns)),
    ):
        block = max(1, min(count, MAX_ELEMENTS // max(length, 1)))
        for k in range(0, count, block):
            low, high = first + k * length, first + min(k + block, count) * length
            everywhere = count == 1 and bool((colours == 0).all())
            inside = (c.places >= low) & (c.places < high)
            chosen = None if inside.all() else np.flatnonzero(inside)
            places = c.places - low if chosen is None else c.places[chosen] - low
            in_order = len(places) == high - low and np.array_equal(places, np.arange(high - low))
            steps.append(
                ProductCall(
                    Products(is_transposed, block, everywhere),
                    None if everywhere else colours - k,
                    chosen,
                    None if in_order and chosen is None else places,
                )
            )
        first += count * length
    return steps or [ProductCall(Products(False, 0), c.columns, None, None)]


def products_module(expression: Expression, products: Products) -> ModuleOp:
    """The program as a module, the map not yet applied."""

    def emit(b: ArrayBuilder, map_: Value, extra: Sequence[Value]) -> list[Value]:
        return _Emission(b, expression, products, map_, extra).all()

    leaves = [t for _, t in expression.outputs] if products.is_transposed else expression.inputs
    size = sum(prod(t.shape) for t in leaves)
    extra = () if products.everywhere else (array_type((size,), i64),)
    return with_map(expression, extra, emit)


class _Emission:
    """The emission of products of one kind."""

    def __init__(
        self,
        b: ArrayBuilder,
        expression: Expression,
        products: Products,
        map_: Value,
        extra: Sequence[Value],
    ):
        self.b, self.products, self.map = b, products, map_
        self.element = ELEMENT_TYPES[common_dtype(expression.outputs, expression.inputs)]
        self.colours = extra[0] if extra else None
        type_ = linear.map_type(map_.type, "map")
        chosen = {k for k, _ in expression.outputs}
        # Among the components of the codomain that carry data, those that are rows of the matrix.
        spaces = components_of(type_.codomain)
        is_row = [k in chosen for k, space in enumerate(spaces) if space != UNIT]
        domain, codomain = linear.carried(type_.domain), linear.carried(type_.codomain)
        self.source, self.target = (domain, [True] * len(domain)), (codomain, is_row)
        self.op_class: type[linear.ApplicationOp] = linear.ApplyOp
        if products.is_transposed:
            self.source, self.target = self.target, self.source
            self.op_class = linear.ApplyTransposeOp

    def all(self) -> list[Value]:
        """The products, an array for each component of the images."""
        b, count = self.b, self.products.count
        _, is_chosen = self.target
        if count == 0:
            return [b.zeros(array_type((0,), self.element))]
        places = [k for k, chosen in enumerate(is_chosen) if chosen]
        if count == 1:
            images = self._images(b.index_constant(0))
            return [b.reshape(v, (1, *shape_of(v))) for v in (images[k] for k in places)]

        def stacked(k: int) -> Value:
            def product(colour: Value) -> Value:
                return self._images(colour)[k]

            return b.build((count,), product)

        return [stacked(k) for k in places]

    def _images(self, colour: Value) -> list[Value]:
        types, _ = self.target
        seeds = self._seeds(colour, *self.source)
        images = self.b.insert(self.op_class, [self.map, *seeds], types).results
        return [self.b.convert(v, self.element) for v in images]

    def _seeds(self, colour: Value, types: Sequence[Attribute], is_chosen: Sequence[bool]) -> list[Value]:
        """1 where a coordinate has the colour, everywhere if there are no colours; 0 where not chosen."""
        b, first = self.b, 0
        seeds: list[Value] = []
        for type_, chosen in zip(types, is_chosen, strict=True):
            if not chosen:
                seeds.append(b.zeros(type_))
            elif self.colours is None:
                seeds.append(b.splat(1.0, type_))
            else:
                size = size_of(type_)
                own = b.reshape(b.slice(self.colours, [first], [first + size], [1]), shape_of(type_))
                hit = b.compare("eq", own, b.broadcast(colour, shape_of(type_), ()))
                seeds.append(b.convert(hit, element_of(type_)))
                first += size
        return seeds


def entries_from(steps: Sequence[ProductCall], count: int, run: Run) -> NDArray[Any]:
    """All entries; `run` gives the products of a program for its argument of colours."""
    entries: NDArray[Any] | None = None
    for step in steps:
        parts = run(step.products, [] if step.colours is None else [step.colours])
        flat = [part.reshape(len(part), prod(part.shape[1:])) for part in parts]
        made = (flat[0] if len(flat) == 1 else np.concatenate(flat, axis=1)).reshape(-1)
        if step.places is None:
            return made
        if step.chosen is None:
            return made.take(step.places)
        if entries is None:
            entries = np.empty(count, made.dtype)
        entries[step.chosen] = made.take(step.places)
    assert entries is not None
    return entries
