"""Random programs of arrays with n rows: random programs in which one extent becomes a size.

    module = random_row_program(seed=7, size=12)          None where the program holds for one extent alone

Extents of a random program are 1, 2, 3 and `STANDING`, which stands for n. Wherever that or a multiple of it
is an extent, n or the multiple of n takes its place, and n - 1 and n - 2 that of what is one or two less;
literals of these become arguments. A module that is a
program then is one for every n. `random_row_lanes` makes programs of one row, mapped over n rows.
"""

from __future__ import annotations

import random
from typing import Final, cast

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.concrete_sizes import state_sizes
from mlirad.dialects.extents import is_static, size
from mlirad.dialects.shapes import (
    Shape,
    array_type,
    element_of,
    integer,
    ints,
    is_ints,
    shape_of,
    values_of,
)
from mlirad.errors import MliradError
from mlirad.ir.verification import verify_module
from tests.generators.builder import ProgramBuilder
from tests.generators.lanes import over_lanes
from tests.generators.makers import add_random_op
from tests.generators.programs import ELEMENT_WEIGHTS, RANKS, SMOOTH_WEIGHTS, random_program

STANDING: Final = 7
"""The extent that stands for n."""

FEWER: Final = (STANDING - 1, STANDING - 2)
"""The extents that stand for n - 1 and n - 2."""

MOST_RESULTS: Final = 5


class _RowBuilder(ProgramBuilder):
    """Draws extents among which one stands for n."""

    def extent(self) -> int:
        return self.rng.choices((1, 2, 3, STANDING), (2, 4, 4, 6))[0]


def random_row_program(seed: int, size_: int, *, smooth: bool = False) -> ModuleOp | None:
    """A module with one function @main of arrays with n rows; None if this seed has no such module."""
    rng = random.Random(seed)
    weights = SMOOTH_WEIGHTS if smooth else ELEMENT_WEIGHTS
    block = Block()
    g = _RowBuilder(rng, block, elements=weights, ranks=RANKS, smooth=smooth)
    g.grow = lambda: add_random_op(g)
    g.allows = lambda op_class: op_class is not CallbackOp
    main = max(weights, key=lambda e: weights[e])
    shapes: list[Shape] = [(STANDING,), (STANDING, 3), (3,), g.shape(), g.shape()]
    for shape in shapes:
        g.scopes[0].append(block.insert_arg(array_type(shape, main), len(block.args)))
    for _ in range(size_):
        g.grow()
    results = [v for v in g.scopes[0] if not v.uses][-MOST_RESULTS:]
    block.add_op(ReturnOp.create(operands=results))
    types = [a.type for a in block.args], [r.type for r in results]
    return opened(ModuleOp([FuncOp("main", types, Region(block))]))


def random_row_lanes(seed: int, size_: int) -> ModuleOp:
    """A random program of one row, for each of n rows."""
    module = over_lanes(random_program(seed, size_, smooth=True), (size("n"),), seed)
    state_sizes(cast(FuncOp, module.body.block.first_op))
    return module


def opened(module: ModuleOp) -> ModuleOp | None:
    """The module with n in place of `STANDING`; changes it."""
    function = cast(FuncOp, module.body.block.first_op)
    block = function.body.block
    for op in list(function.walk()):
        if isinstance(op, ConstantOp) and any(_extent(e) != e for e in shape_of(op.result)):
            argument = block.insert_arg(op.result.type, len(block.args))
            op.result.replace_all_uses_with(argument)
            op.detach()
            op.erase()
    try:
        for op in list(function.walk()):
            for region in op.regions:
                for inner in region.blocks:
                    for argument in inner.args:
                        argument._type = _opened(argument.type)
            for result in op.results:
                result._type = _opened(result.type)
            for name, value in op.properties.items():
                op.properties[name] = _property(op, name, value)
        last = cast(Operation, block.last_op)
        made = FuncOp("main", ([a.type for a in block.args], [v.type for v in last.operands]), Region())
        function.detach()
        made = FuncOp(
            "main", ([a.type for a in block.args], [v.type for v in last.operands]), function.detach_region(0)
        )
        state_sizes(made)
        if any(e != size("n") and not is_static(e) for a in block.args for e in shape_of(a)):
            return None
        found = ModuleOp([made])
        verify_module(found)
    except MliradError:
        return None
    return found


def _extent(e: int) -> int:
    if e in FEWER:
        return size("n") + (e - STANDING)
    return e // STANDING * size("n") if e and e % STANDING == 0 else e


def _opened(type_: Attribute) -> Attribute:
    if not isinstance(type_, TensorType):
        return type_
    return array_type(tuple(map(_extent, shape_of(type_))), element_of(type_))


def _property(op: Operation, name: str, value: Attribute) -> Attribute:
    if name == "length":
        return integer(_extent(cast("IntegerAttr", value).value.data))
    if name == "limits" and is_ints(value):
        extents = zip(shape_of(op.operands[0]), shape_of(op.results[0]), strict=True)
        pairs = zip(values_of(value), extents, strict=True)
        return ints(
            tuple(_extent(v) if _extent(v) == old or not is_static(new) else v for v, (old, new) in pairs)
        )
    return value
