"""Sorts: by one key, or by several lexicographically, each ascending or descending."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import i1, i32, i64

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import FLOATS, Value, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_stablehlo.converter import Converter, meaning, number
from mlirad.passes.convert_stablehlo.regions import expression
from mlirad.passes.convert_stablehlo.types import is_unsigned

_ARGUMENT = r"a(\d+)"

_CANONICAL = re.compile(
    r"stablehlo\.select\(stablehlo\.compare<NE>\((a\d+),\1\),stablehlo\.constant<nan>\(\),"
    r"stablehlo\.select\(stablehlo\.compare<EQ>\(\1,stablehlo\.constant<0\.0>\(\)\),"
    r"stablehlo\.constant<0\.0>\(\),\1\)\)"
)
"""A float with one zero and one NaN, as JAX compares it: the order in which the language sorts."""

_COMPARE = re.compile(r"stablehlo\.compare<(LT|GT)>\(a(\d+),a(\d+)\)")

_THEN = re.compile(
    r"stablehlo\.or\((stablehlo\.compare<(?:LT|GT)>\(a\d+,a\d+\)),"
    r"stablehlo\.and\(stablehlo\.compare<EQ>\(a\d+,a\d+\),(.*)\)\)"
)

_CHOSEN = re.compile(
    r"stablehlo\.select\(stablehlo\.compare<EQ>\(a\d+,a\d+\),(.*),(stablehlo\.compare<(?:LT|GT)>\(a\d+,a\d+\))\)"
)
"""The two ways in which a comparison by a first key goes on to the next."""


def _keys(text: str) -> list[tuple[int, bool]] | None:
    """The operands that a comparison is by, and whether descending; `None` if it is no such comparison."""
    simple = _COMPARE.fullmatch(text)
    if simple is not None:
        direction, left, right = simple[1], int(simple[2]), int(simple[3])
        if left // 2 != right // 2 or left == right:
            return None
        return [(left // 2, (direction == "GT") == (left < right))]
    for pattern, first, rest in ((_THEN, 1, 2), (_CHOSEN, 2, 1)):
        found = pattern.fullmatch(text)
        if found is not None:
            head, tail = _keys(found[first]), _keys(found[rest])
            return None if head is None or tail is None else [*head, *tail]
    return None


@meaning("stablehlo.sort")
def _sort(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    b, rank = c.b, len(shape_of(o[0])) if o else 0
    if not rank:
        raise c.refuse(op, "sorts no dimension")
    dim = number(op, "dimension", -1) % rank
    keys = _keys(_CANONICAL.sub(r"\1", expression(op.regions[0])))
    if keys is None:
        raise c.refuse(op, "its comparison does not compare its operands by LT or GT, one after the other")
    if any(is_unsigned(own_operands(op)[k].type) for k, _ in keys):
        raise c.refuse(op, "unsigned integers are not sorted")
    if len(o) == 1 and element_of(o[0]) != i1:
        ascending = b.sort(o[0], dim)
        return [b.reverse(ascending, [dim]) if keys[0][1] else ascending]
    order: Value | None = None
    # A stable sort by the last key first leaves equal elements of the others in its order.
    for k, descending in reversed(keys):
        key = o[k] if order is None else taken(b, o[k], order, dim)
        step = b.argsort(_descending(b, key) if descending else _sortable(b, key), dim)
        order = step if order is None else taken(b, order, step, dim)
    assert order is not None
    return [_sorted(b, x, order, dim) for x in o]


def _sorted(b: ArrayBuilder, x: Value, order: Value, dim: int) -> Value:
    """The operand in the order found; counting positions, it is the order itself."""
    counted = b.iota(shape_of(x), dim)
    if x is counted:
        return order
    if element_of(x) == i32 and x is b.convert(counted, i32):
        return b.convert(order, i32)
    return taken(b, x, order, dim)


def _sortable(b: ArrayBuilder, x: Value) -> Value:
    return b.convert(x, i32) if element_of(x) == i1 else x


def _descending(b: ArrayBuilder, x: Value) -> Value:
    """A key that ascends where x descends."""
    return b.neg(x) if element_of(x) in FLOATS else b.unary(ew.NotOp, _sortable(b, x))


def taken(b: ArrayBuilder, x: Value, order: Value, dim: int) -> Value:
    """The elements of `x` along `dim` at the positions `order`."""
    shape = shape_of(order)

    def positions(*i: Value) -> Sequence[Value]:
        return [*i[:dim], b.index(order, i), *i[dim + 1 :]]

    return b.gather(x, shape, positions)


@meaning("chlo.top_k")
def _top_k(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    b, x = c.b, o[0]
    rank, count = len(shape_of(x)), number(op, "k")
    order = b.argsort(_descending(b, x), rank - 1)
    first = (*shape_of(x)[:-1], count)
    order = b.slice(order, [0] * rank, first, [1] * rank)
    position = element_of(op.results[1].type)
    return [taken(b, x, order, rank - 1), b.convert(order, i32 if position == i32 else i64)]
