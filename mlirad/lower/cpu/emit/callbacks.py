"""`kernel.callback` as a call of the host, which calls the Python function.

The values are the condition, the operands and the results. The description has the name of the function, the
source, whether elements of the batch are passed together, how many axes the batch has, and of each value the
dtype and shape.
"""

from __future__ import annotations

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.kernel import CallbackOp
from mlirad.dialects.shapes import shape_of
from mlirad.ir.locations import location_of
from mlirad.lower.cpu.emit.host_calls import HostCall
from mlirad.lower.cpu.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.llvm.text import constant
from mlirad.lower.native_program import CALLBACK, PYTHON

WORK = 10_000
"""The scalar operations that a call of Python is taken for."""


def emit_callback(emitter: KernelEmitter, op: CallbackOp) -> None:
    """Write the function of a callback and the call of it."""
    given = [emitter.buffers[o] for o in op.operands]
    made = [emitter.buffers[r] for r in op.results]
    calls = 1 if op.vectorized is not None else given[0].size
    kernel = begin_kernel(emitter, op, "callback", given, made, WORK * calls)
    source = None if op.source is None else op.source.data
    described = {
        "kind": CALLBACK,
        "message": op.function.data,
        "source": source,
        "batch_rank": op.batch_rank.value.data,
        "vectorized": op.vectorized is not None,
        "values": [[numpy_dtype(v.type).name, shape_of(v)] for v in op.operands],
        "results": [[numpy_dtype(v.type).name, shape_of(v)] for v in op.results],
    }
    host = HostCall(kernel, PYTHON, described, [*given, *made])
    emitter.program.reports.append(host.note(CALLBACK, op.function.data, source or location_of(op)))
    host.write(constant("i64", 0))
    kernel.f.ret()
