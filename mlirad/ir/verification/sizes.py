"""Verification of sizes: functions that can be called from outside state theirs, which arguments have.

func.func @main(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]}

The sizes of `@main` are those that itself and the functions that it reaches mention. They are read from its
arguments, so each is, alone, an extent of a parameter. Private functions state none: a size is one number
throughout a program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects.concrete_sizes import SIZES, alone, sizes_in_function, stated_sizes
from mlirad.dialects.extents_attribute import is_size_name
from mlirad.dialects.shapes import shape_of
from mlirad.ir.call_graph import CallGraph, is_private, references_of
from mlirad.ir.verification.errors import error_at


def check_stated_sizes(function: FuncOp) -> None:
    """Require the names of different sizes that can all be read from arguments."""
    if SIZES not in function.attributes:
        return
    name = function.sym_name.data
    names = _names(function.attributes[SIZES])
    if names is None or len(set(names)) != len(names) or not all(map(is_size_name, names)):
        raise error_at(function, f"{SIZES} of @{name} must be a list of different names")
    if is_private(function):
        raise error_at(function, f"@{name} is private: sizes are stated where arguments come from outside")
    read = {alone(e) for type_ in function.function_type.inputs.data for e in shape_of(type_)}
    for size in names:
        if size not in read:
            raise error_at(
                function,
                f"@{name} states a size {size} that cannot be read from its arguments",
                f"take an array that has {size} elements along one dimension",
            )


def _names(attribute: Attribute) -> list[str] | None:
    if not isinstance(attribute, ArrayAttr):
        return None
    items = cast("ArrayAttr[Attribute]", attribute).data
    return (
        [item.data for item in items if isinstance(item, StringAttr)]
        if all(isinstance(item, StringAttr) for item in items)
        else None
    )


def check_sizes(functions: Mapping[str, FuncOp]) -> None:
    """Require functions that can be called from outside to state all sizes that they reach."""
    found = {name: sizes_in_function(function) for name, function in functions.items()}
    graph = CallGraph(dict(functions), references_of)
    for name, function in functions.items():
        if is_private(function):
            continue
        missing = {size for reached in graph.reachable([name]) for size in found[reached]}
        missing -= set(stated_sizes(function))
        if missing:
            names = ", ".join(f'"{size}"' for size in sorted(missing))
            raise error_at(
                function,
                f"@{name}, or a function that it calls, mentions sizes that it does not state: {names}",
                f"state all of its sizes, attributes {{{SIZES} = [{names}]}}",
            )
