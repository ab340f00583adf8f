"""Literals, shapes and properties as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import Shape, shape_of, values_of
from mlirad.tools.mathematics.notation import ATOM, PREFIX, Notation, Text

MAX_WRITTEN_ELEMENTS = 8
"""Literals of more elements are written by their shape."""


def number(value: float) -> str:
    """A number, without the point where it is whole."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def literal(op: ConstantOp, notation: Notation) -> Text:
    """The value of a literal; of a large one, its shape."""
    array = literal_array(op)
    if not array.ndim:
        text = number(array.item())
        return Text(text, PREFIX if text.startswith("-") else ATOM)
    if array.size and (array == array.flat[0]).all():
        return Text(f"full({shape(array.shape, notation)}, {number(array.flat[0].item())})")
    if array.size > MAX_WRITTEN_ELEMENTS:
        return Text(f"literal({shape(array.shape, notation)})")
    return Text(_nested(array.tolist()))


def _nested(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, cast('list[object]', value)))}]"
    return number(cast(float, value))


def shape(extents: Shape, notation: Notation) -> str:
    """Extents of dimensions."""
    return notation.times.join(map(str, extents)) if extents else "()"


def result_shape(op: Operation, notation: Notation) -> str:
    """The shape of the only result of an op."""
    return shape(shape_of(op.results[0]), notation)


def positions(values: Sequence[int]) -> str:
    """One number, or several in brackets."""
    return str(values[0]) if len(values) == 1 else f"[{', '.join(map(str, values))}]"


def properties_of(op: Operation, leave_out: Sequence[str] = ()) -> list[str]:
    """The properties of an op as `name=value`; those that list no dimension are left out."""
    found: list[str] = []
    for name, attribute in op.properties.items():
        text = _attribute(attribute)
        if name not in leave_out and text != "[]":
            found.append(f"{name}={text}" if text else name)
    return found


def _attribute(attribute: Attribute) -> str:
    match attribute:
        case DenseArrayBase():
            return positions(values_of(cast("DenseArrayBase[Any]", attribute)))
        case IntegerAttr():
            return str(attribute.value.data)
        case StringAttr():
            return attribute.data
        case SymbolRefAttr():
            return attribute.root_reference.data
        case UnitAttr():
            return ""
        case _:
            return str(attribute)


def bracketed(parts: Sequence[str]) -> str:
    """Parts in brackets; nothing for none."""
    return f"[{', '.join(parts)}]" if parts else ""
