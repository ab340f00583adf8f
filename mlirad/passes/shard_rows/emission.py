"""New ops in a function that is changed in place.

total = before(op, ew.AddOp, [a, b], a.type)        in front of an op, at its place in the user's code
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.shapes import Value


def before(
    place: Operation,
    op_class: type[Operation],
    operands: list[Value],
    type_: Attribute,
    properties: Mapping[str, Attribute] | None = None,
    regions: list[Region] | None = None,
) -> Value:
    """The result of a new op in front of another one."""
    op = op_class.create(
        operands=operands,
        result_types=[type_],
        properties=dict(properties or {}),
        regions=regions or [],
        location=place.location,
    )
    block = place.parent
    assert block is not None
    block.insert_op_before(op, place)
    return op.results[0]


def replace(op: Operation, value: Value) -> None:
    """Put a value in the place of the result of an op."""
    op.results[0].replace_all_uses_with(value)
    op.detach()
    op.erase()
