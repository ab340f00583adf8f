"""Properties of a kernel's results: the order in which each is stored, and its slot in memory."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.shapes import Value, is_ints, shape_of, values_of


class LayoutReader:
    """An op that reads operands in the order in which they are stored, whatever it is."""

    def reads_layouts(self, operand: int) -> bool:
        """Return whether the operand with this index may be stored in any order."""
        return operand >= 0


def check_layouts(op: Operation, layouts: ArrayAttr[Attribute] | None) -> None:
    """Require a storage order per result, if there are layouts; few ops read what is not row-major."""
    if layouts is None:
        return
    if len(layouts.data) != len(op.results):
        raise VerifyException(f"{len(layouts.data)} layouts for {len(op.results)} results")
    for layout, result in zip(layouts.data, op.results, strict=True):
        order = values_of(layout) if is_ints(layout) else None
        row_major = tuple(range(len(shape_of(result))))
        if order is None or tuple(sorted(order)) != row_major:
            raise VerifyException(f"a layout must be a permutation of {len(row_major)} dimensions")
        if order != row_major:
            check_readers(result)


def check_readers(value: Value) -> None:
    """Require that a value that is not row-major is read by ops alone that know of its layout."""
    for use in value.uses:
        op = use.operation
        knows = isinstance(op, LayoutReader) and op.reads_layouts(use.index)
        if not knows and not isinstance(op, ReturnOp):
            raise VerifyException(f"a result with a layout of its own is read by {op.name}")


def check_places(op: Operation, places: DenseArrayBase[I64] | None) -> None:
    """Require a place per result, if there are places."""
    if places is not None and len(values_of(places)) != len(op.results):
        raise VerifyException(f"{len(values_of(places))} places for {len(op.results)} results")
