"""Splitting a function of a point and of vectors into what depends on the point alone and maps of vectors.

    @main(%x, %dx) -> (%y, %dy)   with  y = f(x),  dy = f'(x) dx

becomes

    @primal(%x) -> (%y, residuals...)        everything that does not read %dx
    @forward(residuals..., %dx) -> %dy       everything that does

The residuals are the values of the first part that the second one reads. What costs nothing to make again
(literals, index values, broadcasts) is made again instead of kept. So is the tape of a loop, which no caller
can hold: the loop is run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from mlirad.dialects.array.control import TapeType
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, IotaOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import free_values

_FREE = (ConstantOp, IotaOp, BroadcastOp)


@dataclass(frozen=True)
class Part:
    """One map to split off: its name, and which parameters and results of the function are its own."""

    name: str
    parameters: range
    results: range


@dataclass(frozen=True)
class Split:
    """The parts: `primal` returns the results of no part and then all residuals.

    `maps[k]` takes the residuals at the positions `residuals[k]` and then the parameters of part k.
    """

    primal: FuncOp
    maps: tuple[FuncOp, ...]
    residuals: tuple[tuple[int, ...], ...]


def split_linear_map(function: FuncOp, parts: Sequence[Part]) -> Split:
    """Split a function of array code. Its parameters before the first part are the point."""
    block = function_block(function)
    results = returned(function)
    own = [[block.args[k] for k in part.parameters] for part in parts]
    vectors = _depending(block.ops, {v for values in own for v in values})
    needed = [_needed([results[k] for k in part.results], vectors) for part in parts]
    kept = list(dict.fromkeys(v for part in needed for v in part))
    claimed = {k for part in parts for k in part.results}
    values = [r for k, r in enumerate(results) if k not in claimed]
    point: list[Value] = [a for a in block.args if not any(a in values for values in own)]
    primal = _extract("primal", point, [*values, *kept])
    maps = tuple(
        _extract(part.name, [*residuals, *arguments], [results[k] for k in part.results])
        for part, residuals, arguments in zip(parts, needed, own, strict=True)
    )
    positions = tuple(tuple(kept.index(v) for v in residuals) for residuals in needed)
    return Split(primal, maps, positions)


def _depending(ops: Iterable[Operation], vectors: set[Value]) -> set[Value]:
    """All values computed from `vectors`, these included."""
    found = set(vectors)
    for op in ops:
        if any(v in found for v in free_values(op)):
            found.update(op.results)
    return found


def _needed(results: Sequence[Value], vectors: set[Value]) -> list[Value]:
    """The values outside `vectors` that computing `results` reads, in the order they are met."""
    pending, seen = list(results), set[Value]()
    needed: dict[Value, None] = {}
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Operation) and (value in vectors or _is_made_again(value, owner)):
            pending += free_values(owner)
        elif value not in vectors:
            needed[value] = None
    return list(needed)


def _is_made_again(value: Value, owner: Operation) -> bool:
    return isinstance(owner, _FREE) or isinstance(value.type, TapeType)


def _extract(name: str, parameters: Sequence[Value], results: Sequence[Value]) -> FuncOp:
    """The function that computes `results` from `parameters` by the ops that lead from these to those."""

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(parameters, args, strict=True))
        for op in _leading_to(results, set(parameters)):
            b.rebuild(op, env)
        return [env.get(r, r) for r in results]

    hints = [p.name_hint for p in parameters]
    return new_function(name, [p.type for p in parameters], body, None, hints)


def _leading_to(results: Sequence[Value], given: set[Value]) -> list[Operation]:
    """The ops that compute `results` from `given`, each after those it reads."""
    order: dict[Operation, None] = {}
    pending: list[Operation | Value] = list(results)
    opened: set[Operation] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, Operation):
            order[item] = None
            continue
        owner = item.owner
        if (
            item in given
            or not isinstance(owner, Operation)
            or owner in opened
            or isinstance(owner, ReturnOp)
        ):
            continue
        opened.add(owner)
        pending.append(owner)
        pending += free_values(owner)
    return list(order)
