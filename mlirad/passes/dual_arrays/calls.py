"""D of calls that stay calls, of the pushes and pulls of their derivatives, and of loops treated as calls.

    y = call @f(x)                  -->   the call, and linear.derivative of @f at x
    dy = linear.push @f ...         -->   the op, and linear.derivative of the function that it names
    v = linear.pull @f (x, ct) + s  -->   the op, and   d_v = curvature d_x + derivativeᵀ d_ct + d_s
    c = while c0 {p} {t}            -->   the loop, and linear.derivative of a function that is this loop

The last line is for code that is to be differentiated further: the reverse sweep of the loop remains an op,
whose derivative is known without looking at the tape of the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.shapes import FLAG, Shape, Value, is_float, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.free_values import free_values, own_operands
from mlirad.passes.dual_arrays.duals import Construct, DualArrays
from mlirad.passes.dual_arrays.loops import while_


def call(d: DualArrays, op: CallOp) -> None:
    """Emit the call with the map of its float results."""
    new = d.b.rebuild_unfolded(op, d.env)
    floats = [v for v in op.results if is_float(v)]
    _enter(d, own_operands(op), own_operands(new), op.callee, (), tuple(range(len(floats))), floats)


def push(d: DualArrays, op: linear.PushOp) -> None:
    """Emit the op with the map of its results."""
    new = d.b.rebuild_unfolded(op, d.env)
    callee = op.properties["callee"]
    _enter(d, own_operands(op), own_operands(new), callee, op.groups, op.positions("results"), op.results)


def _enter(
    d: DualArrays,
    sources: Sequence[Value],
    operands: Sequence[Value],
    callee: Attribute,
    along: tuple[Shape, ...],
    numbers: Shape,
    results: Sequence[Value],
) -> None:
    """Enter the results number `numbers` of a derived function by its derivative."""
    if not results:
        return
    b = d.b
    active = [k for k, v in enumerate(sources) if v in d.maps]
    properties = linear.properties_of(callee, along, numbers, wrt=tuple(active))
    domain = tuple_type([operands[k].type for k in active])
    codomain = tuple_type([v.type for v in results])
    b.name_hint = None
    map_ = b.map_of(linear.DerivativeOp, domain, codomain, operands, properties)
    d.enter_image(results, map_, [sources[k] for k in active])


def pull(d: DualArrays, op: linear.PullOp) -> None:
    """Emit the op with the map of its results: symmetric in the operands, linear in cotangents and sums."""
    b = d.b
    new = b.rebuild_unfolded(op, d.env)
    callee, wrt, results = op.properties["callee"], op.positions("wrt"), op.positions("results")
    primals, count = op.primals, len(results)
    cotangents, sums = op.extra[:count], op.extra[count:]
    given = own_operands(new)[: len(primals)]
    codomain = tuple_type([v.type for v in op.results])
    terms: list[Value] = []
    b.name_hint = None
    by = tuple(k for k, v in enumerate(primals) if v in d.maps)
    if by:
        properties = linear.properties_of(callee, op.groups, results, by=by, wrt=wrt)
        domain = tuple_type([given[k].type for k in by])
        operands = own_operands(new)[: len(primals) + count]
        curvature = b.map_of(linear.CurvatureOp, domain, codomain, operands, properties)
        terms.append(b.compose(curvature, b.vcat(d.space, [d.maps[primals[k]] for k in by])))
    active = [k for k, v in enumerate(cotangents) if v in d.maps]
    if active:
        numbers = tuple(results[k] for k in active)
        properties = linear.properties_of(callee, op.groups, numbers, wrt=wrt)
        properties["transposed"] = FLAG
        domain = tuple_type([cotangents[k].type for k in active])
        transposed = b.map_of(linear.DerivativeOp, domain, codomain, given, properties)
        terms.append(b.compose(transposed, b.vcat(d.space, [d.maps[cotangents[k]] for k in active])))
    for k, (result, before) in enumerate(zip(op.results, sums, strict=True)):
        parts = [b.compose(b.project(codomain, k), m) for m in terms]
        if before in d.maps:
            parts.append(d.maps[before])
        if parts:
            d.enter(result, reduce(b.add_maps, parts))


def loop_as_call(add: Callable[[FuncOp], str]) -> Construct:
    """D of a data-dependent loop as of a call; `add` takes a function of the loop and returns its name."""

    def construct(d: DualArrays, op: control.WhileOp) -> None:
        free = free_values(op)
        if op.record is not None or any(isinstance(v.type, control.TapeType) for v in free):
            while_(d, op)
            return

        def body(b: ArrayBuilder, *args: Value) -> Sequence[Value]:
            env: Environment = dict(zip(free, args, strict=True))
            return b.rebuild_unfolded(op, env).results

        function = new_function("loop", [v.type for v in free], body, "private", [v.name_hint for v in free])
        function.location = op.location
        d.b.rebuild_unfolded(op, d.env)
        floats = [v for v in op.results if is_float(v)]
        operands = [d.value(v) for v in free]
        name = SymbolRefAttr(add(function))
        _enter(d, free, operands, name, (), tuple(range(len(floats))), floats)

    return construct
