"""Random programs that write a loop out: the same code for every repetition, on other parts of the arguments.

    unrolled_program(5)     a function of x [16, 3], y [3, 16], v [16], h [3], s
    written_table(5)        the same, of the cells of a table, row by row

The ops of a repetition read rows, columns, windows and elements that move evenly, go backwards, wrap or jump;
constants that are the same, even or irregular; results of it and those before it; and arrays that it updates.
Some results are read after the last repetition, others of every one or of one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import f64
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type, shape_of
from mlirad.ir.arrays import ArrayBuilder, new_function

EXTENT, WIDTH = 16, 3
TYPES = [array_type(s, f64) for s in ((EXTENT, WIDTH), (WIDTH, EXTENT), (EXTENT,), (WIDTH,), ())]

History = list[list[Value]]
"""The values that the repetitions have made, the last one under construction."""

Code = Callable[[ArrayBuilder, int, History], Value]
"""One op of every repetition, and what it reads."""


def unrolled_program(seed: int) -> FuncOp:
    """A function of `TYPES`, from a number."""
    rng = random.Random(seed)

    def body(b: ArrayBuilder, *arguments: Value) -> Sequence[Value]:
        count = rng.randint(8, 13)
        given = list(arguments)
        code = [_code(rng, given, k, count) for k in range(rng.randint(1, 6))]
        if rng.random() < 0.8:
            code.append(_everything(given))
        history: History = []
        for repetition in range(count):
            history.append([])
            for op in code:
                history[-1].append(op(b, repetition, history))
        return _results(b, rng, history)

    return new_function("main", TYPES, body, hints=("x", "y", "v", "h", "s"))


def written_table(seed: int) -> FuncOp:
    """A function of `TYPES`: cells of numbers or short rows, each of cells to the left of it and above.

    Beside the table lie constants, or numbers of the arguments; perhaps not all rows begin in one column.
    """
    rng = random.Random(seed)

    def body(b: ArrayBuilder, *arguments: Value) -> Sequence[Value]:
        x, _, v, h, s = arguments
        rows, columns = rng.randint(8, 11), rng.randint(8, 11)
        wide = rng.random() < 0.3
        border = b.constant(rng.choice((0.0, 2.0, 0.5)), f64) if rng.random() < 0.7 else s
        edge = b.broadcast(border, (WIDTH,), []) if wide else border
        slope = rng.choice((0, 0, 0, 1))
        neighbours = rng.sample([(0, -1), (-1, 0), (-1, -1), (-1, 1), (-2, 0)], rng.randint(1, 4))
        ops = [rng.choice((ew.AddOp, ew.MaxOp, ew.SubOp)) for _ in neighbours]
        by_row, by_column = rng.random() < 0.7, rng.random() < 0.7
        table: dict[tuple[int, int], Value] = {}
        for i in range(rows):
            for j in range(slope * i, columns):
                cell = h if wide else s
                if by_row:
                    own = b.index(x, [b.index_constant(i)])
                    cell = b.mul(cell, own if wide else b.index(own, [b.index_constant(1)]))
                if by_column:
                    own = b.index(v, [b.index_constant(j)])
                    cell = b.add(cell, b.broadcast(own, (WIDTH,), []) if wide else own)
                for (down, right), op in zip(neighbours, ops, strict=True):
                    cell = b.unary(ew.SinOp, b.binary(op, cell, table.get((i + down, j + right), edge)))
                table[i, j] = cell
        last = [value for (i, _), value in table.items() if i == rows - 1 - 3 * slope]
        whole = b.stack(last if rng.random() < 0.5 else list(table.values()), 0)
        return [whole, table[0, 0]] if rng.random() < 0.7 else [last[-1]]

    return new_function("main", TYPES, body, hints=("x", "y", "v", "h", "s"))


def _results(b: ArrayBuilder, rng: random.Random, history: History) -> list[Value]:
    results = [history[-1][-1]]
    for k in range(len(history[0])):
        made = [repetition[k] for repetition in history]
        made = [value for value in made if value.type == made[-1].type]
        match rng.randrange(6):
            case 0:
                results.append(b.stack(made, rng.randint(0, len(shape_of(made[0])))))
            case 1:
                results.append(made[rng.randrange(len(made))])
            case 2 if shape_of(made[0]):
                results.append(b.concatenate(made, 0))
            case 3:
                total = made[0]
                for value in made[1:]:
                    total = b.add(total, value)
                results.append(total)
            case _:
                pass
    return results


def _code(rng: random.Random, given: Sequence[Value], number: int, count: int) -> Code:
    """One op; `number` are before it in its repetition."""
    kinds = [_part, _constant] if number == 0 else [_part, _constant, *[_computed] * 4, _updated]
    return rng.choice(kinds)(rng, given, number, count)


def _position(rng: random.Random, extent: int, count: int) -> Callable[[int], int]:
    """The positions that repetition k reads, inside of an extent."""
    first = rng.randint(0, max(0, extent - count))
    order = rng.sample(range(extent), min(extent, count))
    return rng.choice(
        (
            lambda k: min(first + k, extent - 1),
            lambda k: (first + k) % extent,
            lambda k: max(extent - 1 - first - k, 0),
            lambda k: order[k % len(order)],
            lambda k: first,
        )
    )


def _part(rng: random.Random, given: Sequence[Value], number: int, count: int) -> Code:
    x, y, v, *_ = given
    at, column = _position(rng, EXTENT, count), rng.randrange(WIDTH)
    start = _position(rng, EXTENT - WIDTH, count)

    def row(b: ArrayBuilder, k: int, history: History) -> Value:
        return b.index(x, [b.index_constant(at(k))])

    def element(b: ArrayBuilder, k: int, history: History) -> Value:
        return b.index(x, [b.index_constant(at(k)), b.index_constant(column)])

    def line(b: ArrayBuilder, k: int, history: History) -> Value:
        return b.reshape(b.slice(y, (0, at(k)), (WIDTH, at(k) + 1), (1, 1)), (WIDTH,))

    def window(b: ArrayBuilder, k: int, history: History) -> Value:
        return b.slice(v, (start(k),), (start(k) + WIDTH,), (1,))

    return rng.choice((row, element, line, window))


def _constant(rng: random.Random, given: Sequence[Value], number: int, count: int) -> Code:
    values = [rng.choice((0.5, 1.0, rng.random())) for _ in range(count)]
    numbers = rng.choice((lambda k: 0.25, lambda k: 0.125 * (k + 1), lambda k: values[k]))
    return lambda b, k, history: b.constant(numbers(k), f64)


def _operand(rng: random.Random, given: Sequence[Value], number: int) -> Code:
    """An operand of an op: a result of its repetition, of one before it, or an argument."""
    which, lag, other = rng.randrange(number), rng.choice((0, 0, 1, 1, 2)), given[rng.choice((3, 4))]
    if rng.random() < 0.2:
        return lambda b, k, history: other
    return lambda b, k, history: history[k - lag][which] if k >= lag else other


def _computed(rng: random.Random, given: Sequence[Value], number: int, count: int) -> Code:
    first, second = _operand(rng, given, number), _operand(rng, given, number)
    binary = rng.choice((ew.AddOp, ew.MulOp, ew.SubOp, ew.MaxOp))
    kind = rng.randrange(5)

    def code(b: ArrayBuilder, k: int, history: History) -> Value:
        x, y = first(b, k, history), second(b, k, history)
        if kind == 0 and shape_of(x):
            return b.sum(b.unary(ew.SinOp, x), [0])
        if kind == 1 and shape_of(x) == shape_of(y) == (WIDTH,):
            return b.dot(x, y, lhs_contract=[0], rhs_contract=[0])
        if kind == 2:
            return b.unary(ew.TanhOp, x)
        shape = max(shape_of(x), shape_of(y))
        x, y = (v if shape_of(v) == shape else b.broadcast(v, shape, []) for v in (x, y))
        return b.unary(ew.SinOp, b.binary(binary, x, y))

    return code


def _everything(given: Sequence[Value]) -> Code:
    """All that the repetition has made, added to what came of this in the one before: nothing is dead."""

    def code(b: ArrayBuilder, k: int, history: History) -> Value:
        total = history[k - 1][-1] if k else given[3]
        for x in history[k]:
            total = b.add(total, x if shape_of(x) else b.broadcast(x, shape_of(total), []))
        return b.unary(ew.SinOp, total)

    return code


def _updated(rng: random.Random, given: Sequence[Value], number: int, count: int) -> Code:
    """An array with one element set or added to at a position."""
    base, element = _operand(rng, given, number), _operand(rng, given, number)
    at, kind = _position(rng, WIDTH, count), rng.choice(("add", "set"))
    h = given[3]

    def code(b: ArrayBuilder, k: int, history: History) -> Value:
        x, y = base(b, k, history), element(b, k, history)
        x = x if shape_of(x) == (WIDTH,) else h
        y = b.sum(y, [0]) if shape_of(y) else y
        return b.update(kind, x, y, 0, lambda: [b.index_constant(at(k))])

    return code
