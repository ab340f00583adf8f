"""Folding constructors of sorting and prefix reductions, which do nothing along a dimension of extent 1."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from mlirad.dialects.array.ordering import ArgsortOp, CumulativeOp, SortOp
from mlirad.dialects.array.structural import BroadcastOp, IotaOp
from mlirad.dialects.extents import at_most
from mlirad.dialects.shapes import FLAG, Value, array_type, integer, keyword, shape_of, values_of
from mlirad.ir.indexing import IndexingBuilder


class OrderingBuilder(IndexingBuilder):
    """Constructors of `sort`, `argsort` and `cumulative`."""

    def sort(self, x: Value, dim: int) -> Value:
        """The elements along `dim` in ascending order."""
        owner = x.owner
        if self._is_uniform(x, dim) or (isinstance(owner, SortOp) and owner.dim.value.data == dim):
            return x
        if isinstance(owner, IotaOp):
            return x
        return self.emit(SortOp, (x,), x.type, {"dim": integer(dim)})

    def argsort(self, x: Value, dim: int) -> Value:
        """The positions of the sorted elements along `dim`. Equal elements stay in order."""
        owner = x.owner
        if self._is_uniform(x, dim) or (isinstance(owner, IotaOp | SortOp) and owner.dim.value.data == dim):
            return self.iota(shape_of(x), dim)
        return self.emit(ArgsortOp, (x,), array_type(shape_of(x), i64), {"dim": integer(dim)})

    def cumulative(self, kind: str, x: Value, dim: int, reverse: bool = False) -> Value:
        """Prefix reduction by `sum`, `prod`, `max` or `min` along `dim`, from its end with `reverse`."""
        if at_most(shape_of(x)[dim], 1) or (kind in ("max", "min") and self._is_uniform(x, dim)):
            return x
        properties: dict[str, Attribute] = {"kind": keyword(kind), "dim": integer(dim)}
        if reverse:
            properties["reverse"] = FLAG
        return self.emit(CumulativeOp, (x,), x.type, properties)

    def _is_uniform(self, x: Value, dim: int) -> bool:
        """Return whether the elements along `dim` are all the same."""
        owner = x.owner
        return at_most(shape_of(x)[dim], 1) or (
            isinstance(owner, BroadcastOp) and dim not in values_of(owner.dims)
        )
