"""`kernel.report` as a loop over a batch that calls the host for the elements whose condition holds.

The host gets a description of the report, the addresses of the values and the number of the batch element.
The description is text in JSON: kind, message, source, and of each value the dtype and its shape in a batch
element. It says whether the call is to go on, which it is not if a print fails or the user interrupts it.
"""

from __future__ import annotations

import json

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.kernel import ReportOp
from mlirad.dialects.shapes import shape_of
from mlirad.ir.locations import location_of
from mlirad.lower.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.native_program import REPORT, ReportNote


def emit_report(emitter: KernelEmitter, op: ReportOp) -> None:
    """Write the function of a report and the call of it."""
    token, condition, *values = (emitter.buffers[o] for o in op.operands)
    output = emitter.buffers[op.result]
    batch = condition.size
    kernel = begin_kernel(emitter, op, "report", [token, condition, *values], [output], 4 * batch)
    f = kernel.f
    f.module.external(REPORT, "i64", ["ptr", "ptr", "ptr", "i64"], "nounwind")
    batch_rank = op.batch_rank.value.data
    source = None if op.source is None else op.source.data
    described = {
        "kind": op.kind.data,
        "message": op.message.data,
        "source": source,
        "values": [[numpy_dtype(v.type).name, shape_of(v)[batch_rank:]] for v in op.values],
    }
    text = [*json.dumps(described).encode(), 0]
    description = f.module.table("i8", [c - 256 if c > 127 else c for c in text])
    line = source or location_of(op)
    emitter.program.reports.append(ReportNote(description.text, op.kind.data, op.message.data, line))
    table = f.alloca("ptr", max(1, len(values)), 8)
    for k, value in enumerate(values):
        f.store(kernel.pointers[value.place], f.gep(table, k, "ptr"))
    holds = kernel.pointers[condition.place]
    with f.loop(0, batch, name="element") as loop:
        applies = f.load(f.gep(holds, loop.index, "i8"), "i8")
        with f.conditional(f.icmp("ne", applies, 0), unlikely=True):
            status = f.call(REPORT, [f.context, description, table, loop.index], "i64")
            assert status is not None
            f.stop_if(f.icmp("ne", status, 0))
    f.store(f.load(kernel.pointers[token.place], "i64"), kernel.pointers[output.place])
    f.ret()
