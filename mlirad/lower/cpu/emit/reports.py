"""`kernel.report` as a loop over a batch that calls the host for the elements whose condition holds.

The number that the host gets is that of the batch element. The description has kind, message, source, and of
each value the dtype and its shape in a batch element.
"""

from __future__ import annotations

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.kernel import ReportOp
from mlirad.dialects.shapes import shape_of
from mlirad.ir.locations import location_of
from mlirad.lower.cpu.emit.host_calls import HostCall
from mlirad.lower.cpu.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.native_program import CALL, PYTHON, REPORT


def emit_report(emitter: KernelEmitter, op: ReportOp) -> None:
    """Write the function of a report and the call of it."""
    token, condition, *values = (emitter.buffers[o] for o in op.operands)
    output = emitter.buffers[op.result]
    batch, kind, message = condition.size, op.kind.data, op.message.data
    kernel = begin_kernel(emitter, op, "report", [token, condition, *values], [output], 4 * batch)
    f = kernel.f
    batch_rank = op.batch_rank.value.data
    source = None if op.source is None else op.source.data
    described = {
        "kind": kind,
        "message": message,
        "source": source,
        "values": [[numpy_dtype(v.type).name, shape_of(v)[batch_rank:]] for v in op.values],
    }
    host = HostCall(kernel, PYTHON if kind == CALL else REPORT, described, values)
    emitter.program.reports.append(host.note(kind, message, source or location_of(op)))
    holds = kernel.pointers[condition.place]
    with f.loop(0, batch, name="element") as loop:
        applies = f.load(f.gep(holds, loop.index, "i8"), "i8")
        with f.conditional(f.icmp("ne", applies, 0), unlikely=True):
            host.write(loop.index)
    f.store(f.load(kernel.pointers[token.place], "i64"), kernel.pointers[output.place])
    f.ret()
