"""Which arrays calls and their reverse sweeps pass to each other, by the ops that read the parameters.

    wanted whole    an op other than an index, a slice, a gather or the base of an update reads it: the
                    reverse sweep may need the array, and the caller, who may have it, passes it too
    moved           it is the base of an update, a carry of a loop, a result: the cotangent of a result may
                    become that of the parameter, so it is returned, and no sum is given to add to

Parameters of which a call reads only elements are neither. Then the call keeps the elements, and adds their
cotangents to a sum that it is given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, Use

from mlirad.dialects import linear
from mlirad.dialects.array import control, indexing, structural
from mlirad.dialects.shapes import Shape, Value, is_array, shape_of
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import CallGraph, callee_name, calls_of
from mlirad.ir.free_values import own_operands

_PARTIAL_READS = (indexing.IndexOp, indexing.GatherOp, structural.SliceOp)

_HANDS_ON = (indexing.YieldOp, ReturnOp)


def wanted_whole(functions: Mapping[str, FuncOp], known: dict[str, Shape]) -> dict[str, Shape]:
    """`known`, what callers of some functions pass to their reverse sweeps, and the arrays wanted whole."""
    found = dict(known)

    def resolved(function: FuncOp) -> list[tuple[str, Operation]]:
        return [(name, op) for name, op in calls_of(function) if name in functions and name not in known]

    for name in CallGraph(functions, resolved).postorder(functions):
        if name not in found:
            args = function_block(functions[name]).args
            found[name] = tuple(
                k for k, a in enumerate(args) if _is_large(a) and any(_is_whole(use, found) for use in a.uses)
            )
    return found


def moved(functions: Mapping[str, FuncOp]) -> dict[str, frozenset[int]]:
    """The parameters of each function that may take over the cotangent of a result."""
    found: dict[str, frozenset[int]] = dict.fromkeys(functions, frozenset[int]())
    changed = True
    while changed:
        changed = False
        for name, function in functions.items():
            args = function_block(function).args
            now = frozenset(
                k for k, a in enumerate(args) if _is_large(a) and any(_moves(use, found) for use in a.uses)
            )
            changed = changed or now != found[name]
            found[name] = now
    return found


def _is_large(value: Value) -> bool:
    return is_array(value.type) and bool(shape_of(value))


def _is_whole(use: Use, wanted: Mapping[str, Collection[int]]) -> bool:
    op, k = use.operation, use.index
    match op:
        case CallOp():
            return k in wanted.get(callee_name(op), (k,))
        case control.ScanOp():
            return k >= op.carry_count
        case control.WhileOp():
            return False
        case _:
            return not isinstance(op, _HANDS_ON) and not (
                k == 0 and isinstance(op, (*_PARTIAL_READS, indexing.UpdateOp))
            )


def _moves(use: Use, known: Mapping[str, Collection[int]]) -> bool:
    op, k = use.operation, use.index
    match op:
        case CallOp():
            return k in known.get(callee_name(op), (k,))
        case control.ScanOp():
            return k < op.carry_count
        case control.WhileOp():
            return True
        case indexing.UpdateOp():
            return k == 0
        case linear.PullOp():
            return k >= len(own_operands(op)) - len(op.positions("wrt"))
        case _:
            return isinstance(op, _HANDS_ON)
