"""The ops of a block in their order: kernels as functions and calls of them, loops and branches around them.

    call void @k0_map(ptr ..., ptr ...)
    br label %t.body                           a loop
    call void @mlirad_call_f(...)              a call of the program
    ...

The block belongs to a function of the program, or to a task of a parallel loop, which is a function too. The
writer of a kind of kernel is imported when a program has such a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.func import CallOp
from xdsl.ir import Block

from mlirad.dialects import kernel
from mlirad.dialects.array.frames import NextRowOp, RestoreOp, SaveOp
from mlirad.dialects.kernel.plans import stated_updates
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.lower.bodies.buffers import MemorySlot
from mlirad.lower.cpu.emit.activation_records import write_next_row, write_restore, write_save
from mlirad.lower.cpu.emit.addresses import ValueAddresses
from mlirad.lower.cpu.emit.control import ControlEmitter
from mlirad.lower.cpu.emit.kernel_calls import KernelCalls
from mlirad.lower.cpu.emit.kernels import KernelEmitter
from mlirad.lower.cpu.emit.nest import emit_nest
from mlirad.lower.kernels.concurrent_contractions import BARRIERS
from mlirad.lower.llvm.text import Value


class BlockEmitter:
    """Writes blocks, on the addresses that their values have in one function.

    Calls of the program are given the `cells`, and are one deeper than `depth`.
    """

    def __init__(self, kernels: KernelEmitter, at: ValueAddresses, cells: Sequence[MemorySlot], depth: Value):
        self._kernels = kernels
        self._at = at
        self._cells = cells
        self._depth = depth
        self._calls = KernelCalls(kernels, at)
        self.control = ControlEmitter(
            kernels, at, self.write, lambda at: BlockEmitter(kernels, at, cells, depth).control
        )

    def write(self, block: Block) -> None:
        """Write what the ops of a block do."""
        kernels = self._kernels
        for op in block.ops:
            if isinstance(op, BARRIERS):
                self._calls.flush()
            match op:
                case kernel.NestOp():
                    emit_nest(kernels, op)
                case kernel.RecurrenceOp():
                    from mlirad.lower.cpu.emit.recurrences import emit_recurrence

                    emit_recurrence(kernels, op)
                case kernel.ScatterOp():
                    from mlirad.lower.cpu.emit.scatter import emit_scatter

                    emit_scatter(kernels, op)
                case kernel.DotOp():
                    from mlirad.lower.cpu.emit.dot import emit_dot

                    emit_dot(kernels, op)
                case kernel.CumulativeOp():
                    from mlirad.lower.cpu.emit.cumulative import emit_cumulative

                    emit_cumulative(kernels, op)
                case kernel.SortOp():
                    from mlirad.lower.cpu.emit.sort import emit_sort

                    emit_sort(kernels, op)
                case kernel.FactorisationOp():
                    from mlirad.lower.cpu.emit.factorisations import emit_factorisation

                    emit_factorisation(kernels, op)
                case kernel.TriangularSolveOp():
                    from mlirad.lower.cpu.emit.triangular_solve import emit_triangular_solve

                    emit_triangular_solve(kernels, op)
                case kernel.FftOp():
                    from mlirad.lower.cpu.emit.transforms import emit_fft

                    emit_fft(kernels, op)
                case kernel.ReportOp():
                    from mlirad.lower.cpu.emit.reports import emit_report

                    emit_report(kernels, op)
                case kernel.CallbackOp():
                    from mlirad.lower.cpu.emit.callbacks import emit_callback

                    emit_callback(kernels, op)
                case CallOp():
                    self._write_call(op)
                case SaveOp():
                    write_save(self._at, op)
                case RestoreOp():
                    write_restore(self._at, op, checked=kernels.program.address_checks)
                case NextRowOp():
                    write_next_row(self._at, op)
                case _ if isinstance(op, LOWERED_CONTROL):
                    self.control.write(op)
                case _:
                    pass
            if isinstance(op, kernel.KERNEL_RESULT_OPS):
                for result in op.results:
                    self._at.pointer(result)
            for call in kernels.calls:
                self._calls.write(call)
            kernels.calls.clear()
        self._calls.flush()

    def _write_call(self, op: CallOp) -> None:
        """Pass the addresses of operands and results in a table, one for both where one is overwritten."""
        f, at = self._at.f, self._at
        operands = [at.pointer(v) for v in op.operands]
        results = [at.pointer(v) for v in op.results]
        for k, j in stated_updates(op).items():
            at.copy(at.buffer(op.operands[j]), at.buffer(op.results[k]))
            operands[j] = results[k]
        pointers = [*operands, *results]
        table = f.alloca("ptr", max(1, len(pointers)), 8)
        for k, pointer in enumerate(pointers):
            f.store(pointer, f.gep(table, k, "ptr"))
        cells = [at.pointers[place] for place in self._cells]
        f.call_stopping(
            called_name(op.callee.root_reference.data), [table, *cells, f.add(self._depth, 1), f.context]
        )


def called_name(name: str) -> str:
    """The name of the LLVM function of a called function."""
    return "mlirad_call_" + re.sub(r"[^A-Za-z0-9_]", lambda m: f".{ord(m[0])}.", name)
