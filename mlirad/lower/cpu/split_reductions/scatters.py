"""A scatter that adds, cut along its longest loop: each iteration makes sums of its own, which are then
added.

    kernel.scatter add %base, %labels, %values (%i) {space = [1000000]}        sums of 1000 segments

      -->  %p = array.scan (%t) {carries = 0, length = 37} {                   37 x 1000 sums, from 0 on
             kernel.scatter add %t, %labels, %values (%i) {space = [27024], from_zero}
           }
           %s = kernel.nest %p (%j, %t) {space = [1000], reduction = [37], combiners = [add]}
           %u = kernel.nest %base, %s ...                                      unless the base is 0
           kernel.scatter add %u, %labels, %values (%i) {space = [112]}        what is left over

Two iterations may add to one element, so threads need sums of their own. These are made on one thread, too,
so there are only as many as cost little beside what is added: none for a scatter to as many elements as it
adds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import ScatterOp
from mlirad.dialects.shapes import FLAG, Value, array_type, element_of, integer, ints, shape_of
from mlirad.lower.cpu.schedule_kernels.kernel_costs import cycles_of
from mlirad.lower.cpu.schedule_kernels.parallel import task_count
from mlirad.lower.cpu.split_reductions.blocks import block_body, even_rows, first_row, literal_row
from mlirad.lower.cpu.split_reductions.totals import combined_parts, is_identity, most_parts
from mlirad.lower.kernels.moves import considered
from mlirad.lower.kernels.strip_mine.totals import combined, loaded
from mlirad.lower.large_sizes import are_static


def split_scatter(op: ScatterOp, vector_bytes: int) -> None:
    """Cut a scatter that adds along its longest loop if it is worth it."""
    is_plain = not any(p in op.properties for p in ("in_place", "masked", "lane", "layouts", "places"))
    if op.kind.data != "add" or not is_plain or not op.extents or not are_static(op.extents):
        return
    if _base(op) in loaded(op.body.block):
        return
    d = max(range(len(op.extents)), key=lambda x: (op.extents[x], -x))
    extent = op.extents[d]
    cycles = cycles_of(op, vector_bytes)
    tasks = task_count(cycles, most_parts(cycles, [op.result], extent // 2))
    if tasks < 2:
        return
    rows = even_rows(extent, tasks)
    considered(op, f"sums of {rows} of {extent}, for threads", cycles, cycles / tasks, is_done=True)
    _replace(op, d, rows, extent // rows)


def _base(op: ScatterOp) -> Value | None:
    """Return what a scatter adds to; None if that is 0."""
    return None if op.from_zero is not None else op.inputs[0]


def _replace(op: ScatterOp, d: int, rows: int, iterations: int) -> None:
    """Put a loop over blocks of a given number of rows along loop d, and what adds up its sums, where a
    scatter is.
    """
    assert op.parent is not None
    block = Block(arg_types=[i64])
    iteration = block.args[0]
    part = _part(op, d, rows, None, lambda body: first_row(body, iteration, rows))
    block.add_ops([part, YieldOp.create(operands=[part.result])])
    element = element_of(op.result)
    parts = ScanOp.create(
        operands=[],
        result_types=[array_type((iterations, *shape_of(op.result)), element)],
        properties={"carries": integer(0), "length": integer(iterations)},
        regions=[Region(block)],
        location=op.location,
    )
    total = combined_parts(list(parts.results), ArrayAttr([StringAttr("add")]), op)
    made: list[Operation] = [parts, total]
    base = _base(op)
    if base is not None and not is_identity(base, "add"):
        made.append(combined([(base, total.roots[0], "add")], op))
    left = op.extents[d] - rows * iterations
    if left:
        made.append(
            _part(op, d, left, made[-1].results[0], lambda body: literal_row(body, rows * iterations))
        )
    op.parent.insert_ops_before(made, op)
    new = made[-1].results[0]
    new.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(new)
    op.detach()
    op.erase()
    if (
        base is not None
        and isinstance(base.owner, Operation)
        and all(r.first_use is None for r in base.owner.results)
    ):
        base.owner.detach()
        base.owner.erase()


def _part(op: ScatterOp, d: int, rows: int, base: Value | None, first: Callable[[Block], Value]) -> ScatterOp:
    """The scatter over a given number of iterations of loop d, from the one that `first` writes the number
    of.
    """
    body = block_body(op.body.block, d, first)
    extents = tuple(rows if k == d else e for k, e in enumerate(op.extents))
    properties: dict[str, Attribute] = {"kind": op.kind, "space": ints(extents)}
    operands: Sequence[Value] = loaded(body)
    if base is None:
        properties["from_zero"] = FLAG
    else:
        operands = [base, *operands]
    return ScatterOp.create(
        operands=operands,
        result_types=[op.result.type],
        properties=properties,
        regions=[Region(body)],
        location=op.location,
    )
