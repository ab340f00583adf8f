"""`linear.jet` as code: the callee with the Taylor coefficients of all that depends on the curve.

A callee is brought to array code first, as for any derivative (`mlirad.passes.callees`). A function whose
calls stay gets one of values and coefficients, once for each order and choice of operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, is_float, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import Construct
from mlirad.passes.taylor.control import JET_RULES
from mlirad.passes.taylor.jets import Jets
from mlirad.passes.taylor.stand_ins import settle, settled


class Prepared(Protocol):
    """The functions of a module as array code: `mlirad.passes.callees.Callees`."""

    functions: dict[str, FuncOp]
    added: list[FuncOp]
    with_coefficients: dict[tuple[str, tuple[int, ...], int], str]
    higher_order: dict[type[Operation], Construct]

    def prepared(self, op: linear.DifferentiationOp) -> FuncOp:
        """The callee of an op without maps, builds and calls but those that stay."""
        ...


def expand_jet(b: ArrayBuilder, op: linear.JetOp, env: Environment, callees: Prepared) -> None:
    """Emit what a `linear.jet` computes, and enter its results."""
    function = callees.prepared(op)
    given = [env.get(v, v) for v in op.given]
    series = [[env.get(v, v) for v in group] for group in op.coefficients]
    location = b.location
    made = _emitted(b, function, given, values_of(op.wrt), series, op.degree, callees)
    b.location = location
    env.update(zip(op.primals, made, strict=True))


def _emitted(
    b: ArrayBuilder,
    function: FuncOp,
    given: Sequence[Value],
    wrt: Sequence[int],
    series: Sequence[Sequence[Value]],
    order: int,
    callees: Prepared,
) -> list[Value]:
    """Emit the code of a function with coefficients; its results, then those of the floats among them."""
    block = function_block(function)
    functions, before = _Functions(callees), b.block.last_op
    t = Jets(b, order, functions.name, JET_RULES, {**CONSTRUCTS, **callees.higher_order})
    t.env.update(zip(block.args, given, strict=True))
    for k, coefficients in zip(wrt, series, strict=True):
        t.enter_input(block.args[k], given[k], coefficients)
    t.transform(block.ops)
    results = returned(function)
    made = [*map(t.value, results), *(c for v in results if is_float(v) for c in t.jet(v))]
    found = [settled(v) for v in made]
    settle(b.block, before)
    return found


class _Functions:
    """The functions of values and coefficients, made when a call asks for them."""

    def __init__(self, callees: Prepared):
        self._callees = callees

    def name(self, name: str, group: tuple[int, ...], order: int) -> str:
        """The name of the function of order `order` of the operands in `group`."""
        callees = self._callees
        known = callees.with_coefficients
        key = (name, group, order)
        if key not in known:
            count = len(known)
            while (own := f"{name}_taylor{count}") in callees.functions:
                count += 1
            known[key] = own
            made = self._made(callees.functions[name], own, group, order)
            callees.functions[own] = made
            callees.added.append(made)
        return known[key]

    def _made(self, function: FuncOp, name: str, group: tuple[int, ...], order: int) -> FuncOp:
        types = list(function_block(function).arg_types)

        def body(b: ArrayBuilder, *args: Value) -> list[Value]:
            rest = args[len(types) :]
            series = [rest[k : k + order] for k in range(0, len(rest), order)]
            return _emitted(b, function, args[: len(types)], group, series, order, self._callees)

        more = [types[k] for k in group for _ in range(order)]
        made = new_function(name, [*types, *more], body, "private")
        made.location = function.location
        return eliminate_dead_code(made)
