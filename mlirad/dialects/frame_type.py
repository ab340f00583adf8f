"""The type of activation records: what a call keeps for its reverse sweep, under a name.

    !array.frame<power_record>        every record of this type holds values of the same types

A record holds the records of the calls that its call has made, which for a recursive function are of the same
type. So the type has a name in the place of the types of what it holds; the verifier requires all ops of
a module that save or restore records of one name to agree on these (`mlirad.ir.verification`).

A record is an element: arrays of records exist, since loops stack those of their iterations.

Activation records are values, not a stack. A stack of residuals would have to be threaded through every call,
branch and loop, and used in strict order. A record is an immutable value, so loops stack records, branches
yield them, and rematerialised code may save again. Memory use is the same: a reverse sweep ends before
anything else begins, so everything is freed at once where a stack would shrink step by step.

Their types have names. The record of a recursive function holds records of the same function, so a type that
listed its contents would be infinite. A name stands for the list, and the verifier compares what all ops of a
module save and restore under it. So a record needs no description of itself in memory, and reading one needs
no check of its layout.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_attr_definition, param_def

from mlirad.dialects.type_lists import TypeByName


@irdl_attr_definition
class FrameType(TypeByName):
    """The type of activation records of one name, which only `array.save` and `array.no_frame` make."""

    name = "array.frame"
    type_name: StringAttr = param_def()


def frame_type(name: str) -> FrameType:
    """The type of activation records of the given name."""
    return FrameType(StringAttr(name))
