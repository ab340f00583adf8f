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
    active = [k for k, v in enumerate(sources) if v in d.maps]
    d.b.name_hint = None
    map_ = derivative_map(d.b, callee, along, operands, active, numbers, results)
    d.enter_image(results, map_, [sources[k] for k in active])


def derivative_map(
    b: ArrayBuilder,
    callee: Attribute,
    along: tuple[Shape, ...],
    operands: Sequence[Value],
    wrt: Sequence[int],
    numbers: Shape,
    results: Sequence[Value],
) -> Value:
    """The map from tangents of the operands `wrt` of a derived function to those of results `numbers`."""
    properties = linear.properties_of(callee, along, numbers, wrt=tuple(wrt))
    domain, codomain = tuple_type([operands[k].type for k in wrt]), tuple_type([v.type for v in results])
    return b.map_of(linear.DerivativeOp, domain, codomain, operands, properties)


def pull(d: DualArrays, op: linear.PullOp) -> None:
    """Emit the op with the map of its results: symmetric in the operands, linear in cotangents and sums."""
    b = d.b
    new = b.rebuild_unfolded(op, d.env)
    sources = op.primals
    cotangents, sums = op.extra[: len(op.positions("results"))], op.extra[len(op.positions("results")) :]
    codomain = tuple_type([v.type for v in op.results])
    terms: list[Value] = []
    b.name_hint = None
    by = [k for k, v in enumerate(sources) if v in d.maps]
    if by:
        whole = b.vcat(d.space, [d.maps[sources[k]] for k in by])
        terms.append(b.compose(curvature_map(b, op, own_operands(new), by), whole))
    active = [k for k, v in enumerate(cotangents) if v in d.maps]
    if active:
        whole = b.vcat(d.space, [d.maps[cotangents[k]] for k in active])
        terms.append(b.compose(transposed_map(b, op, own_operands(new), active), whole))
    for k, (result, before) in enumerate(zip(op.results, sums, strict=True)):
        parts = [b.compose(b.project(codomain, k), m) for m in terms]
        if before in d.maps:
            parts.append(d.maps[before])
        if parts:
            d.enter(result, reduce(b.add_maps, parts))


def curvature_map(b: ArrayBuilder, op: linear.PullOp, operands: Sequence[Value], by: Sequence[int]) -> Value:
    """The map from tangents of some operands of the derived function to those of the results of a pull."""
    results = op.positions("results")
    properties = linear.properties_of(
        op.properties["callee"], op.groups, results, by=tuple(by), wrt=op.positions("wrt")
    )
    given = operands[: len(op.primals) + len(results)]
    domain, codomain = tuple_type([given[k].type for k in by]), tuple_type([v.type for v in op.results])
    return b.map_of(linear.CurvatureOp, domain, codomain, given, properties)


def transposed_map(
    b: ArrayBuilder, op: linear.PullOp, operands: Sequence[Value], cotangents: Sequence[int]
) -> Value:
    """The map from tangents of some cotangents to those of the results of a pull."""
    results, count = op.positions("results"), len(op.primals)
    numbers = tuple(results[k] for k in cotangents)
    properties = linear.properties_of(op.properties["callee"], op.groups, numbers, wrt=op.positions("wrt"))
    properties["transposed"] = FLAG
    domain = tuple_type([operands[count + k].type for k in cotangents])
    codomain = tuple_type([v.type for v in op.results])
    return b.map_of(linear.DerivativeOp, domain, codomain, operands[:count], properties)


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
