"""Machine code from LLVM IR text, called with NumPy arrays. No other package imports llvmlite.

- `target.py`, `processor_names.py`: the processor that code is made for, and whether LLVM knows it.
- `engine.py`, `llvm_binding.py`, `stacks.py`, `memory_left.py`: LLVM IR text to machine code; whether there
  is memory for it.
- `machine_program.py`: a program as object code, not loaded, which is all that is kept on disk.
- `glue.py`: machine code between Python and programs, loaded with the addresses of this process or kept
  without them. Its texts may hold addresses of the process only by `pointer` (`pointers.py`): any other
  number of the process makes a new text in every process, and each would be kept (`tests/test_imports.py`
  notices).
- `linked_text.py`, `system_text.py`: parts of the run-time library with the addresses that they call, and
  with the code of this system.
- `call.py`, `sized.py`: `NativeFunction`, a program that can be called; the code of one with sizes, called at
  each size.
- `entry.py`, `entry_table.py`, `c_functions.py`, `object_layout.py`: the fast path of calls, in machine code:
  the table that it reads, and the fields of objects.
- `general_path.py`, `arguments.py`, `memory.py`: the path of calls for all other arguments.
- `pool.py`, `threads.py`: parallel loops and their worker threads, started when a call may have several;
  their number.
- `kept_memory.py`: memory of records and tapes, reused; `result_memory.py`: that of large results.
- `caches.py`, `peaks.py`, `perf_map.py`: the caches of this machine and the peak rates of a core; names of
  kernels for `perf`.
- `c_library.py`: addresses of functions in the C library; `switches.py`: environment variables for on and
  off.
- `guards.py`, `container_guards.py`, `array_guards.py`, `guard_kinds.py`: check that the values a program was
  compiled for are unchanged.
- `host.py`, `reporting.py`, `external.py`, `pointers.py`: what programs call while they run.
- `blas.py`, `ufunc_loops.py`, `standard_mode_text.py`, `colouring.py`: BLAS and LAPACK, the inner loops of
  ufuncs, their floating-point mode, and the colouring of sparsity patterns.
- `guarded.py`: calls that find reads and writes of memory that a program does not own.
- `forking.py`, `once.py`: locks under which a process can be forked; objects that exist once per process, as
  machine code holds their address.

A routine of BLAS or LAPACK is a line in `blas.py`. Another processor is named in `target.py`
(`tests/jit/test_target.py`); another operating system, Python or NumPy needs `object_layout.py`,
`runtime/host.c` and `blas.py` (`tests/jit/`).
"""
