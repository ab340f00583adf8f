"""Makers of random loops and branches; see `elementwise` for what a maker is.

Every loop ends: a `while` has a counter as its first carry. In smooth mode branches and the number of
iterations depend on integers only, and carries stay bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import (
    ELEMENTS,
    FLAG,
    Value,
    array_type,
    element_of,
    integer,
    is_boolean,
    keyword,
    shape_of,
)
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker

MAX_DEPTH = 3
MAX_BODY_OPS = 3
CARRY_BOUND = 2.0


def _some_values(g: ProgramBuilder, least: int, most: int) -> list[Value]:
    return [g.some(ELEMENTS) for _ in range(g.rng.randint(least, most))]


def _grow(g: ProgramBuilder) -> None:
    for _ in range(g.rng.randint(1, MAX_BODY_OPS)):
        g.grow()


def _made_here(g: ProgramBuilder, type_: Attribute) -> Value:
    """A value of a type, one that the innermost region defines where there is one."""
    here = [v for v in g.scopes[-1] if v.type == type_]
    return g.rng.choice(here[-3:]) if here and g.rng.random() < 0.8 else g.like(type_)


def _carry_bound(g: ProgramBuilder, init: Value) -> float:
    return max(CARRY_BOUND, g.bound(init))


def _next_carry(g: ProgramBuilder, argument: Value) -> Value:
    """The value of a carry in the next iteration; sometimes the carry itself or a value from outside."""
    choice = g.rng.random()
    if choice < 0.1:
        return argument
    made = g.like(argument.type) if choice < 0.2 else _made_here(g, argument.type)
    if made is argument:
        operator = ew.XorOp if is_boolean(argument) else g.rng.choice((ew.AddOp, ew.MulOp, ew.SubOp))
        made = g.emit(operator, [argument, g.like(argument.type)], argument.type)
    return g.at_most(made, g.bound(argument))


def _iteration(
    g: ProgramBuilder, init: Sequence[Value], first: int, extra: Callable[[], Sequence[Value]]
) -> Callable[[Sequence[Value]], Sequence[Value]]:
    """A body with carries from argument `first` on; `extra` chooses what it yields after them."""

    def body(args: Sequence[Value]) -> Sequence[Value]:
        carries = args[first : first + len(init)]
        for carry, value in zip(carries, init, strict=True):
            g.bounds[carry] = _carry_bound(g, value)
        _grow(g)
        return [*(_next_carry(g, carry) for carry in carries), *extra()]

    return body


def scan(g: ProgramBuilder) -> Value | None:
    if len(g.blocks) >= MAX_DEPTH:
        return None
    init = _some_values(g, 0, 3)
    first = g.some(ELEMENTS, least_rank=1) if g.rng.random() < 0.6 else None
    length = g.extent() if first is None else shape_of(first)[0]
    xs = [] if first is None else [first]
    if first is not None and g.rng.random() < 0.4:
        xs.append(g.like(array_type((length, *g.shape()[:1]), g.element(ELEMENTS))))
    slices = [array_type(shape_of(x)[1:], element_of(x)) for x in xs]
    stacked: list[Value] = []

    def stack() -> Sequence[Value]:
        for _ in range(g.rng.randint(0 if init else 1, 2)):
            value = g.rng.choice(g.scopes[-1])
            stacked.append(value if g.fits((length, *shape_of(value))) else g.scopes[-1][0])
        return stacked

    def body(args: Sequence[Value]) -> Sequence[Value]:
        for x, part in zip(xs, args[1 + len(init) :], strict=True):
            g.bounds[part] = g.bound(x)
        return _iteration(g, init, 1, stack)(args)

    region = g.typed_region([i64, *(v.type for v in init), *slices], body, indices=1)
    properties: dict[str, Attribute] = {"carries": integer(len(init)), "length": integer(length)}
    if g.rng.random() < 0.4:
        properties["reverse"] = FLAG
    if g.rng.random() < 0.3:
        properties["checkpoint"] = keyword(g.rng.choice(control.CHECKPOINTS))
    types = [v.type for v in init] + [array_type((length, *shape_of(y)), element_of(y)) for y in stacked]
    bounds = [_carry_bound(g, v) for v in init] + [g.bound(y) for y in stacked]
    return g.emit_all(control.ScanOp, [*init, *xs], types, properties, [region], bounds)[-1]


def _while(g: ProgramBuilder, recorded: int | None) -> tuple[list[Value], list[float]]:
    """A loop of at most 3 iterations: its results, and bounds of the values that it records."""
    init = [g.constant(0, i64), *_some_values(g, 0, 2)]
    types = [v.type for v in init]
    limit = g.rng.randint(0, 3)

    def condition(args: Sequence[Value]) -> Sequence[Value]:
        for argument, value in zip(args, init, strict=True):
            g.bounds[argument] = _carry_bound(g, value)
        less = {"predicate": keyword("lt")}
        goes_on = g.emit(ew.CompareOp, [args[0], g.constant(limit, i64)], i1, less)
        if g.rng.random() < 0.3:
            goes_on = g.emit(ew.AndOp, [goes_on, g.like(i1)], i1)
        return [goes_on]

    recording: list[Value] = []

    def record() -> Sequence[Value]:
        recording.extend(g.rng.choice(g.scopes[-1]) for _ in range(recorded or 0))
        return recording

    def body(args: Sequence[Value]) -> Sequence[Value]:
        rest = _iteration(g, init[1:], 1, record)(args)
        return [g.emit(ew.AddOp, [args[0], g.constant(1, i64)], i64), *rest]

    regions = [g.typed_region(types, condition), g.typed_region(types, body)]
    bounds = [_carry_bound(g, v) for v in init]
    if recorded is None:
        return g.emit_all(control.WhileOp, init, types, {}, regions, bounds), []
    tape = control.tape_type([v.type for v in recording])
    properties = {"record": integer(recorded)}
    results = g.emit_all(control.WhileOp, init, [*types, tape], properties, regions, [*bounds, 0])
    return results, [g.bound(v) for v in recording]


def while_(g: ProgramBuilder) -> Value | None:
    if len(g.blocks) >= MAX_DEPTH:
        return None
    return _while(g, None)[0][-1]


def replay(g: ProgramBuilder) -> Value | None:
    if len(g.blocks) >= MAX_DEPTH:
        return None
    results, entry_bounds = _while(g, g.rng.randint(0, 2))
    tape, init = results[-1], _some_values(g, 1, 2)
    entry = control.entry_types(tape)

    def body(args: Sequence[Value]) -> Sequence[Value]:
        g.bounds.update(zip(args, entry_bounds, strict=False))
        return _iteration(g, init, len(entry), list)(args)

    region = g.typed_region([*entry, *(v.type for v in init)], body)
    properties = {"reverse": FLAG} if g.rng.random() < 0.6 else {}
    bounds = [_carry_bound(g, v) for v in init]
    return g.emit_all(control.ReplayOp, [tape, *init], [v.type for v in init], properties, [region], bounds)[
        -1
    ]


def _branches(g: ProgramBuilder, op_class: type[control.BranchOp], choice: Value, count: int) -> Value:
    types = [v.type for v in _some_values(g, 1, 2)]
    yielded: list[Sequence[Value]] = []

    def body(args: Sequence[Value]) -> Sequence[Value]:
        _grow(g)
        yielded.append([_made_here(g, t) for t in types])
        return yielded[-1]

    regions: list[Region] = [g.typed_region([], body) for _ in range(count)]
    bounds = [max(g.bound(v) for v in values) for values in zip(*yielded, strict=True)]
    return g.emit_all(op_class, [choice], types, {}, regions, bounds)[-1]


def if_(g: ProgramBuilder) -> Value | None:
    if len(g.blocks) >= MAX_DEPTH:
        return None
    return _branches(g, control.IfOp, g.like(i1), 2)


def switch(g: ProgramBuilder) -> Value | None:
    if len(g.blocks) >= MAX_DEPTH:
        return None
    return _branches(g, control.SwitchOp, g.position(depth=1), g.rng.randint(1, 3))


CONTROL_MAKERS: dict[type[Operation], Maker] = {
    control.ScanOp: scan,
    control.WhileOp: while_,
    control.IfOp: if_,
    control.SwitchOp: switch,
    control.ReplayOp: replay,
}
