"""Arrays that calls and their reverse sweeps pass to each other, by the ops that read the parameters.

    wanted whole    an op other than an index, a slice, a gather or the base of an update reads it: the
                    reverse sweep may need the array, and the caller, who may have it, passes it too
    moved           it is the base of an update, a carry of a loop, a result: the cotangent of a result may
                    become that of the parameter, so it is returned, and no sum is given to add to

Parameters whose elements alone a call reads are neither, also where recursion passes them on unchanged: a
call that updates such an array would keep all of it. Then the call keeps the elements, and adds their
cotangents to a sum that it is given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Use

from mlirad.dialects import linear
from mlirad.dialects.array import control, indexing, structural
from mlirad.dialects.shapes import Shape, Value, is_array, shape_of
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import callee_name
from mlirad.ir.free_values import own_operands

_PARTIAL_READS = (indexing.IndexOp, indexing.GatherOp, structural.SliceOp)

_HANDS_ON = (indexing.YieldOp, ReturnOp)


def wanted_whole(functions: Mapping[str, FuncOp], invariant: Mapping[str, Shape]) -> dict[str, Shape]:
    """The parameters that callers of each function pass to its reverse sweep as well.

    `invariant` are the parameters that recursive functions pass on unchanged. Of these the small ones are
    passed, and the arrays that are wanted whole, by the function or by what it calls; of other functions the
    arrays that are wanted whole.
    """
    args = {name: function_block(functions[name]).args for name in functions}
    large = {name: [k for k, a in enumerate(own) if _is_large(a)] for name, own in args.items()}
    found = {name: tuple(k for k in invariant.get(name, ()) if k not in large[name]) for name in functions}
    changed = True
    while changed:
        changed = False
        for name, own in args.items():
            whole = {k for k in large[name] if any(_is_whole(use, found) for use in own[k].uses)}
            now = tuple(k for k in invariant.get(name, large[name]) if k in whole or k not in large[name])
            changed = changed or now != found[name]
            found[name] = now
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
