"""Nests and bodies of kernels, built of functions from positions to the elements there.

builder.nest((100,), (8,), "add", t, lambda reader, p: [reader.at(x, tuple(p))])      the sums of rows
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Region

from mlirad.dialects import kernel
from mlirad.dialects.shapes import Shape, Value, ints, keyword
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.dead_code import erase_unused
from mlirad.lower.kernels.form_kernels.reader import ElementReader

Body = Callable[[ElementReader, Sequence[Value]], Sequence[Value]]


class NestBuilder:
    """Builds nests. `buffers` maps stored values to new ones."""

    def __init__(self, b: ArrayBuilder, buffers: Environment):
        self.b = b
        self.buffers = buffers

    def nest(
        self, space: Shape, reduction: Shape, combiner: str | None, type_: Attribute, body: Body
    ) -> Value:
        """A nest with one root."""
        region, inputs = self.region((*space, *reduction), body)
        properties: dict[str, Attribute] = {"space": ints(space), "reduction": ints(reduction)}
        if combiner is not None:
            properties["combiners"] = ArrayAttr([keyword(combiner)])
        return self.b.emit(kernel.NestOp, inputs, type_, properties, (region,))

    def region(self, extents: Shape, body: Body) -> tuple[Region, list[Value]]:
        """A kernel body over loops of the given extents, and the buffers it loads from."""
        reader = ElementReader(self.b, self.buffers)

        def over(*positions: Value) -> Sequence[Value]:
            reader.inside.loops = dict(zip(positions, extents, strict=True))
            return body(reader, positions)

        region = self.b.index_region(extents, over)
        erase_unused(region.block)
        loaded = {op.buffer for op in region.block.ops if isinstance(op, kernel.LoadOp | kernel.LoadIfOp)}
        return region, [buffer for buffer in reader.buffers if buffer in loaded]
