"""Array code to native programs, in packages that processors share and one for each processor.

    array code -> kernels -> schedule, memory plan -> LLVM IR text

`kernels` makes and plans kernels as every processor has them, `llvm` writes LLVM IR text and elementary
functions, `bodies` writes the code of one iteration of a kernel, and `cpu` chooses how kernels run on a CPU
and prints them. Beside them stand what they share: costs (`machine.py`), sizes of dynamic dimensions
(`large_sizes.py`), and what is passed to `jit` (`native_program.py`).

A new pass goes to `kernels` if its decisions hold for every processor, and to `cpu` if they weigh costs of
vectors, caches or threads. `pipelines` says when it runs.
"""
