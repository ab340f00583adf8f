"""Forms of the array language: operators, calls by the names that NumPy has, and regions as functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, Region

from mlirad.dialects.array import control, indexing, ordering, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import element_of, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.tools.mathematics.form import Form, Texts
from mlirad.tools.mathematics.notation import LOOSE, PREFIX, PRODUCT, SUM, Text
from mlirad.tools.mathematics.values import literal, positions, properties_of, result_shape, shape

COMPARED = LOOSE + 2
"""The binding of comparisons."""

POWER = PREFIX + 1
"""The binding of powers."""


def infix(symbol: str, binding: int, *, is_associative: bool = False) -> Form:
    """`x symbol y`; of operators that are not associative, the right operand is tighter."""

    def form(w: Texts, op: Operation) -> Text:
        left, right = own_operands(op)
        after = w.of(right, binding if is_associative else binding + 1)
        return Text(f"{w.of(left, binding)} {symbol} {after}", binding)

    return form


def named(name: str) -> Form:
    """`name(x, y)` without the properties."""
    return lambda w, op: Text(f"{name}({w.list_of(own_operands(op))})")


_PREDICATES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _compare(w: Texts, op: ew.CompareOp) -> Text:
    symbol = _PREDICATES[op.predicate.data]
    return Text(f"{w.of(op.lhs, SUM)} {symbol} {w.of(op.rhs, SUM)}", COMPARED)


def _shaped(name: str) -> Form:
    """`name(x, shape of the result, properties)`, for what the operands do not tell."""

    def form(w: Texts, op: Operation) -> Text:
        texts = [*(w.of(o) for o in own_operands(op)), result_shape(op, w.notation), *properties_of(op)]
        return Text(f"{name}({', '.join(texts)})")

    return form


def _iota(w: Texts, op: structural.IotaOp) -> Text:
    kept = [] if len(shape_of(op.result)) == 1 else [f"dim={op.dim.value.data}"]
    return Text(f"iota({', '.join([result_shape(op, w.notation), *kept])})")


def _build(w: Texts, op: indexing.BuildOp) -> Text:
    extents = shape_of(op.result)[: len(op.body.block.args)]
    return Text(f"build({shape(extents, w.notation)}, {w.function(op.body)})")


def _gather(w: Texts, op: indexing.GatherOp) -> Text:
    extents = shape_of(op.result)[: len(op.body.block.args)]
    return Text(f"gather({w.of(op.operand)}, {shape(extents, w.notation)}, {w.function(op.body)})")


def _scatter(w: Texts, op: indexing.ScatterOp) -> Text:
    extents = shape_of(op.result)[: len(yields(op.body))]
    return Text(f"scatter({w.of(op.operand)}, {shape(extents, w.notation)}, {w.function(op.body)})")


def _update(w: Texts, op: indexing.UpdateOp) -> Text:
    return Text(f"{op.kind.data}_at({w.of(op.base)}, {w.of(op.operand)}, {w.function(op.body)})")


def _reduction(name: str | None = None) -> Form:
    """`name(x)`, with the dimensions where they are not all of them."""

    def form(w: Texts, op: reductions.SumOp | reductions.ReduceOp) -> Text:
        title = name or (op.kind.data if isinstance(op, reductions.ReduceOp) else "sum")
        dims = values_of(op.dims)
        whole = len(dims) == len(shape_of(op.operand))
        return Text(f"{title}({w.of(op.operand)}{'' if whole else f', dims={positions(dims)}'})")

    return form


def _dot(w: Texts, op: reductions.DotOp) -> Text:
    left, right = len(shape_of(op.lhs)), len(shape_of(op.rhs))
    plain = not values_of(op.lhs_batch) and values_of(op.lhs_contract) == (left - 1,)
    if plain and values_of(op.rhs_contract) == (max(right - 2, 0),):
        return Text(f"{w.of(op.lhs, PRODUCT)} @ {w.of(op.rhs, PRODUCT + 1)}", PRODUCT)
    return Text(f"dot({w.of(op.lhs)}, {w.of(op.rhs)}, {', '.join(properties_of(op))})")


def _along(name: str) -> Form:
    """`name(x)` of an array of rank 1, with the dimension otherwise."""

    def form(w: Texts, op: Operation) -> Text:
        (operand,) = own_operands(op)
        dropped = ("kind", "dim") if len(shape_of(operand)) == 1 else ("kind",)
        title = f"{name}{op.kind.data}" if isinstance(op, ordering.CumulativeOp) else name
        return Text(f"{title}({', '.join([w.of(operand), *properties_of(op, dropped)])})")

    return form


# Loops and branches --------------------------------------------------------------------------------


def _given(w: Texts, values: Sequence[Any], word: str) -> list[str]:
    return [f"{word} {w.of(v)}" for v in values]


def _scan(w: Texts, op: control.ScanOp) -> Text:
    parts = [str(op.iterations), *_given(w, op.init, "from"), *_given(w, op.xs, "in")]
    parts += [*properties_of(op, ("carries", "length")), w.function(op.body)]
    return Text(f"scan({', '.join(parts)})")


def _while(w: Texts, op: control.WhileOp) -> Text:
    parts = [*_given(w, op.init, "from"), *properties_of(op), w.function(op.condition), w.function(op.body)]
    return Text(f"while({', '.join(p for p in parts if p)})")


def _replay(w: Texts, op: control.ReplayOp) -> Text:
    init = _given(w, op.init, "from")
    return Text(f"replay({', '.join([w.of(op.tape), *init, *properties_of(op), w.function(op.body)])})")


def branches(w: Texts, condition: str, then: Region, otherwise: Region) -> Text:
    """`if c then x else y`, in lines of their own where they have several."""
    first, second = w.function(then), w.function(otherwise)
    if "\n" in first + second:
        lines = [f"if {condition} then", _moved(first), "else", _moved(second)]
        return Text("\n".join(lines), LOOSE + 1)
    return Text(f"if {condition} then {first} else {second}", LOOSE + 1)


def _moved(text: str) -> str:
    return "  " + text.replace("\n", "\n  ")


def _switch(w: Texts, op: control.SwitchOp) -> Text:
    return Text(f"switch({', '.join([w.of(op.index), *(w.function(r) for r in op.branches)])})")


def _custom(w: Texts, op: CustomOp) -> Text:
    regions = (w.function(op.body), *(w.function(rule) for rule in op.rules))
    return Text(f"custom({', '.join([*(w.of(x) for x in op.inputs), *regions])})")


ARRAY_FORMS: Mapping[type[Operation], Form] = {
    ew.NegOp: lambda w, op: Text(f"-{w.of(op.operand, PREFIX)}", PREFIX),
    ew.AddOp: infix("+", SUM),
    ew.SubOp: infix("-", SUM),
    ew.MulOp: infix("*", PRODUCT),
    ew.AbsorbingMulOp: infix("*", PRODUCT),
    ew.DivOp: infix("/", PRODUCT),
    ew.FloorDivOp: infix("//", PRODUCT),
    ew.RemOp: infix("%", PRODUCT),
    ew.PowOp: lambda w, op: Text(f"{w.of(op.lhs, POWER + 1)} ** {w.of(op.rhs, POWER)}", POWER),
    ew.AndOp: infix("&", COMPARED + 2),
    ew.OrOp: infix("|", COMPARED + 1),
    ew.XorOp: infix("^", COMPARED + 1),
    ew.ShiftLeftOp: infix("<<", COMPARED + 3),
    ew.ShiftRightOp: infix(">>", COMPARED + 3),
    ew.CompareOp: _compare,
    ew.SelectOp: named("where"),
    ew.ConvertOp: lambda w, op: Text(f"{element_of(op.result)}({w.of(op.operand)})"),
    structural.ConstantOp: lambda w, op: literal(op, w.notation),
    structural.IotaOp: _iota,
    structural.SizeOp: lambda w, op: Text(str(op.extent.data)),
    structural.BroadcastOp: _shaped("broadcast"),
    structural.ReshapeOp: _shaped("reshape"),
    indexing.IndexOp: lambda w, op: Text(f"{w.of(op.operand, POWER + 1)}[{w.list_of(op.positions)}]"),
    indexing.BuildOp: _build,
    indexing.GatherOp: _gather,
    indexing.ScatterOp: _scatter,
    indexing.UpdateOp: _update,
    reductions.SumOp: _reduction(),
    reductions.ReduceOp: _reduction(),
    reductions.ArgmaxOp: _along("argmax"),
    reductions.ArgminOp: _along("argmin"),
    reductions.DotOp: _dot,
    ordering.SortOp: _along("sort"),
    ordering.ArgsortOp: _along("argsort"),
    ordering.CumulativeOp: _along("cum"),
    control.ScanOp: _scan,
    control.WhileOp: _while,
    control.ReplayOp: _replay,
    control.IfOp: lambda w, op: branches(w, w.of(op.condition), op.then, op.otherwise),
    control.SwitchOp: _switch,
    CustomOp: _custom,
    CheckpointOp: lambda w, op: Text(f"checkpoint({w.function(op.body)})"),
    CallOp: lambda w, op: Text(f"{w.title(op.callee.root_reference.data)}({w.list_of(own_operands(op))})"),
}
"""The ops of the array language that have a form of their own."""
