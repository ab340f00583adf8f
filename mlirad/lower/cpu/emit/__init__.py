"""Printing lowered functions to LLVM IR text.

    program = emit_program(function)
    NativeFunction(program)(x, y)

The function holds kernels with complete schedules, loops and branches of kernels, and calls, all with places
in memory. See
`function.py` for the functions of a program, `kernels.py` for those of its kernels, `nest.py` for how loops
are written, `code.py` for bodies, `access.py` for memory.

The loops of a nest over its output are in `nest.py`, those of its reductions in registers in
`reduction_loops.py`. `fast_path.py` writes a body under assumptions and without them,
`lower/bodies/lane_comparisons.py` how the index of the lane loop is compared with what lanes share.
Loops and branches of the program are control flow of `mlirad_main`. Scalars of loops are stack slots, so a
loop on scalars runs in registers, and so do the elements of a `kernel.recurrence`, whose iterations are
inside the kernel. Called functions allocate their arena.

- Kernels prefetch slices of stacked arrays that no cache holds (`prefetches.py`). Each iteration prefetches
  the record of the next one (`fetch_records.py`), at addresses that may lie beyond all records.
- A record of each call is on the host's stack (`lower/native_program.py`); `runtime/host.c` has what polls
  and reports call: it looks for signals and the time limit, and releases Python's lock in programs that turn
  out to be long.
- Memory allocated while a program runs lies in chunk stores (`runtime/chunk_store.c`, `chunk_store.py`): the
  tapes of loops (`tapes.py`), and the activation records of calls (`activation_records.py`), one stack for
  all calls.
- A routine of BLAS or LAPACK is a line in `jit/blas.py` and a call through `LibraryCalls`
  (`library_calls.py`). LAPACK's workspace is a result of the kernel, so that it is planned like any other
  (`dialects/kernel/factorisations.py`). The parts of one factorisation are results of one kernel, inserted
  once for all of them.
- A library Fourier transform is one call of the loop that `numpy.fft` calls, with all rows (`transforms.py`).
- `begin_kernel` notes the line, bytes and operations of every kernel (`NativeProgram.kernels`), from which
  `Stats` is made. A profiled program reads the clock around kernels (`profiling.py`) and adds to a constant,
  which `frontend/compiling/profile.py` reads; other programs have no trace of it.
"""

from mlirad.lower.cpu.emit.program import emit_program

__all__ = ["emit_program"]
