"""Plans for arrays of one row, or of none: a size is 2 at least, and one row broadcasts, is squeezed, and has
no x[1].

    plan = plan_of_few(module, split=(None, 0), like=None)     the module is of that number of rows

All rows are in one chunk, so its program is the whole function, as one machine runs it. Results by rows stay
results by rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from mlirad.dialects.extents import evaluate, is_static
from mlirad.dialects.shapes import Shape, shape_of
from mlirad.distributed.plan import (
    Argument,
    Combination,
    Combined,
    Plan,
    Program,
    Residual,
    Rows,
    Stage,
    Whole,
)
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.free_values import own_operands
from mlirad.ir.printing import text_of

ONLY: Final = "first"
"""The combination of what one chunk has."""


def dimensions_of_rows(module: ModuleOp, size: str, rows: int) -> tuple[tuple[Shape, int | None], ...]:
    """Return for each result of a traced function its shape for `rows` rows, and the dimension of the rows,
    None without one.
    """
    found: list[tuple[Shape, int | None]] = []
    for type_ in functions_by_name(module)["main"].function_type.outputs.data:
        extents = shape_of(type_)
        open_ = [d for d, extent in enumerate(extents) if not is_static(extent)]
        shape = tuple(evaluate(extent, {size: rows}) for extent in extents)
        found.append((shape, open_[0] if len(open_) == 1 else None))
    return tuple(found)


def plan_of_few(
    module: ModuleOp, size: str, split: Sequence[int | None], like: Sequence[tuple[Shape, int | None]] | None
) -> Plan:
    """The plan of a function of array code without sizes, all of whose rows are in one chunk.

    `split` has for each argument the dimension of its rows, None without rows. `like` is what
    `dimensions_of_rows` finds for its results, None where that is unknown: then all are whole. Changes the
    module.
    """
    main = functions_by_name(module)["main"]
    last = main.body.block.last_op
    assert last is not None
    values = list(own_operands(last))
    by_rows: list[int | None] = [None] * len(values)
    if like is not None:
        # Squeezed and broadcast values have other dimensions than with many rows.
        found = zip(values, like, strict=True)
        by_rows = [dim if shape_of(value) == shape else None for value, (shape, dim) in found]
    whole = [k for k, dim in enumerate(by_rows) if dim is None]
    rows = [k for k, dim in enumerate(by_rows) if dim is not None]
    returned = [values[k] for k in (*whole, *rows)]
    main.body.block.erase_op(last)
    main.body.block.add_op(ReturnOp(*returned))
    types = [value.type for value in returned]
    main.function_type = FunctionType.from_lists(list(main.function_type.inputs.data), types)
    program = Program(text_of(module), tuple(Argument(k) for k in range(len(split))))
    numbers = range(len(whole))
    stage = Stage(program, tuple(Combination(ONLY, (k,)) for k in numbers), len(rows))
    final = Program(_passing(types[: len(whole)]), tuple(map(Combined, numbers))) if whole else None
    results: list[Whole | Rows] = []
    for k, dim in enumerate(by_rows):
        results.append(Whole(whole.index(k)) if dim is None else Rows(Residual(0, rows.index(k)), dim))
    return Plan(size, tuple(split), (stage,), final, tuple(results))


def _passing(types: Sequence[Attribute]) -> str:
    """The text of a program that returns what it takes."""
    block = Block(arg_types=types)
    block.add_op(ReturnOp(*block.args))
    return text_of(ModuleOp([FuncOp("main", FunctionType.from_lists(types, types), Region(block))]))
