"""The check that a program is of first order: that it has no functions, tuples, sums or maps as values.

    require_first_order(module)          raises at the first op that makes, takes or yields such a value

Passes that differentiate or lower begin with it. CHAD's specification passes linear maps on as values.
`maps-to-closures` makes closures of them, and `map_value_op` finds those that are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.function import (
    COMBINATOR_OPS,
    FUNCTION_OPS,
    ClosureType,
    InductiveType,
    RepType,
    SumType,
)
from mlirad.errors import UnsupportedError
from mlirad.ir.locations import location_of


def is_higher(type_: Attribute) -> bool:
    """Return whether values of a type are made by the `function` dialect: closures, sums, tuples and
    names.
    """
    return isinstance(type_, ClosureType | SumType | TupleType | InductiveType | RepType)


def hands_on_functions(function: FuncOp) -> bool:
    """Tell whether a function takes or returns values of the `function` dialect."""
    type_ = function.function_type
    return any(map(is_higher, (*type_.inputs.data, *type_.outputs.data)))


def may_have_records(module: ModuleOp) -> bool:
    """Tell whether a module has functions as values and derivatives, so that records may become rows."""
    return {"function", "linear"} <= {op.name.partition(".")[0] for op in module.walk()}


def higher_order_op(program: Operation) -> Operation | None:
    """An op of the `function` dialect in a program, or a function that takes or returns its values.

    So are branches and loops that yield linear maps, and code on elements that are not arrays, as CHAD
    makes it. None for a program of first order: no other op can have such values either.
    """
    pending = [program]
    while pending:
        op = pending.pop()
        if type(op) in _SUSPECTS and _is_higher_order(op):
            return op
        for region in reversed(op.regions):
            for block in region.blocks:
                pending.extend(reversed(block.ops))
    return None


def _is_higher_order(op: Operation) -> bool:
    if type(op) in _FUNCTION_OPS or _is_of_maps(op):
        return True
    return isinstance(op, FuncOp) and hands_on_functions(op)


def map_value_op(program: Operation) -> Operation | None:
    """An op that takes linear maps for values: of closures, tuples and sums, of branches and of loops."""
    for op in program.walk():
        types = (*(o.type for o in op.operands), *op.result_types)
        if _is_of_maps(op) or (type(op) in _FUNCTION_OPS and any(map(_has_maps, types))):
            return op
    return None


def _is_of_maps(op: Operation) -> bool:
    """Return whether an op is a combinator, yields maps as a branch or loop, or is code on function
    spaces.
    """
    if type(op) in _COMBINATORS:
        return True
    if isinstance(op, FuncOp):
        signature = op.function_type
        return any(isinstance(t, RepType) for t in (*signature.inputs.data, *signature.outputs.data))
    if isinstance(op, linear.LambdaOp):
        spaces = (op.domain, op.codomain)
        return not all(map(linear.is_plain, spaces))
    if isinstance(op, (*CONTROL_OPS, CheckpointOp)):
        return any(isinstance(t, linear.MapType) for t in op.result_types)
    return isinstance(op, (linear.ApplyOp, *linear.ELEMENT_OPS)) and any(
        isinstance(t, linear.ElementSpace) for t in op.result_types
    )


@cache
def _has_maps(type_: Attribute) -> bool:
    match type_:
        case linear.MapType():
            return True
        case ClosureType():
            return any(map(_has_maps, (*type_.inputs, *type_.outputs)))
        case TupleType() | SumType():
            return any(map(_has_maps, cast("Sequence[Attribute]", type_.types.data)))
        case _:
            return False


_FUNCTION_OPS = frozenset[type[Operation]](FUNCTION_OPS)
_COMBINATORS = frozenset[type[Operation]](COMBINATOR_OPS)
_SUSPECTS = frozenset[type[Operation]](
    (*FUNCTION_OPS, *COMBINATOR_OPS, *CONTROL_OPS, FuncOp, linear.LambdaOp, linear.ApplyOp, CheckpointOp)
)
"""The ops that can make, take or yield values of higher order."""


def require_first_order(program: Operation) -> None:
    """Raise `UnsupportedError` for a module or function that is not of first order.

    Passes that differentiate or lower begin with it: for them a closure would be a value without derivative.
    """
    op = higher_order_op(program)
    if op is not None:
        if _is_of_maps(op):
            raise no_map_values(op)
        what = op.name if not isinstance(op, FuncOp) else f"@{op.sym_name.data}"
        raise UnsupportedError(
            f"{what} makes, takes or returns functions, tuples or sums as values",
            location=location_of(op),
            hint="run the pass eliminate-functions before",
        )


def no_map_values(op: Operation) -> UnsupportedError:
    """The error that an op takes maps, or elements of spaces of functions, for values."""
    return UnsupportedError(
        f"{op.name} takes linear maps, combinators or elements of spaces of functions for values",
        location=location_of(op),
        hint="run maps-to-closures behind chad and curry",
    )
