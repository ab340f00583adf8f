"""Verification of a single function: its properties, its type, and the terminators of its body."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute

from mlirad.dialects.array.control import TapeType
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.shapes import element_of
from mlirad.ir.call_graph import is_private
from mlirad.ir.verification.errors import check_same_types, error_at
from mlirad.ir.verification.types import TypeChecks

_PUBLIC = StringAttr("public")

_FUNCTION_PROPERTIES = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


def check_function(function: FuncOp, types: TypeChecks, *, may_lack_body: bool = False) -> None:
    """Require a body that agrees with the type of the function, and no tape or public frame in this."""
    _check_parts(function)
    name = function.sym_name.data
    if not function.body.blocks:
        if may_lack_body:
            return
        raise error_at(function, f"@{name} has no body", "declarations cannot be compiled: give it one")
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    for what, stated in (("argument", inputs), ("result", outputs)):
        for k, type_ in enumerate(stated):
            types.check(function, f"{what} {k} of @{name}", type_)
            if isinstance(type_, TapeType):
                raise error_at(function, f"{what} {k} of @{name} is a tape: no function takes or returns one")
            if isinstance(element_of(type_), FrameType) and not is_private(function):
                raise error_at(
                    function,
                    f"{what} {k} of @{name} is a frame, which only private functions take and return",
                )
    entry = function.body.first_block
    assert entry is not None
    check_same_types(function, f"@{name} takes", entry.arg_types, inputs)
    last = entry.last_op
    if isinstance(last, ReturnOp):
        check_same_types(last, f"@{name} returns", last.arguments.types, outputs)


def _check_parts(function: FuncOp) -> None:
    # The op's own rules walk its whole body for values from outside, which the walk here finds.
    if not isinstance(function.properties.get("sym_name"), StringAttr):
        raise error_at(function, "property 'sym_name' must be a string")
    if not isinstance(function.properties.get("function_type"), FunctionType):
        raise error_at(function, "property 'function_type' must be a function type")
    for name in function.properties:
        if name not in _FUNCTION_PROPERTIES:
            raise error_at(function, f"property '{name}' is not one of a function")
    counts = {
        "arg_attrs": len(function.function_type.inputs),
        "res_attrs": len(function.function_type.outputs),
    }
    for name, count in counts.items():
        attributes = function.properties.get(name)
        if attributes is not None and not _is_dictionaries(attributes, count):
            raise error_at(function, f"property '{name}' must hold {count} dictionaries")
    if not isinstance(function.properties.get("sym_visibility", _PUBLIC), StringAttr):
        raise error_at(function, "property 'sym_visibility' must be a string")
    if len(function.regions) != 1 or function.operands or function.results:
        raise error_at(function, "takes its body as one region, and has no operands and no results")


def _is_dictionaries(attribute: Attribute, count: int) -> bool:
    if not isinstance(attribute, ArrayAttr):
        return False
    entries = cast("ArrayAttr[Attribute]", attribute).data
    return len(entries) == count and all(isinstance(entry, DictionaryAttr) for entry in entries)
