"""CPU code from kernels: schedules, recurrences, splits for threads, and the LLVM IR text of all that.

Passes state their decisions as properties of kernels; `emit/` prints kernels with complete schedules, and
decides nothing.

- `form_recurrences/`: loops that work element by element become one kernel where that costs less. Their
  elements stay in registers. Values that a recurrence stacks may have rows that lie apart (`pitch`); such a
  value is not row-major, nothing overwrites it, and only kernels of its block read it.
- `split_reductions/`: long reductions become parts, and strips groups, that threads can compute.
- `schedule_kernels/`: says how each nest runs: splits, lane, width, tile, order of loops, layouts, packs;
  what threads share.
- `eliminate_dead_elements/`: leaves out triangles of results that nobody reads.
- `complete_schedules/`: states all that is left, once it is known where results lie: the segments of loops,
  accumulators, fast paths, tiles of products. A new choice is a property, its rule in the verifier
  (`dialects/kernel/schedules.py`), a hand-written schedule in `lit/lower/schedules.mlir`.
- `product_tiles.py`: the register tiles of products of matrices, and what cutting these costs.
- `emit/`: prints planned kernels as LLVM IR text.
- `fourier/`: Fourier transforms: butterflies, passes, and the rows or blocks of columns that they consist of.

**Threads.** A property states what threads may share: `parallel` of a nest, a dot or a transform,
`kernel.parallel` of a loop (`dialects/kernel/parallel.py`, which says which loops are independent).
`schedule_kernels/parallel.py` decides it by costs, emission follows; with sizes, both it and the number of
tasks (`emit/parallel.py`) are extents. It must depend on nothing but shapes and the target, as tasks decide
the order of additions.

- Kernels with independent memory are one group of tasks (`emit/kernel_calls.py`). A kernel cut into tasks is
  held back until something needs its memory, so code written between calls of kernels must `flush` first.
- A task writes only what no other reads or writes. A remainder that overlaps the end of its loop belongs to
  the last task, and so do two strips that overlap. Kernels in a shared loop have scratch memory of the thread
  in place of their part of the arena; the calling thread uses the arena itself.
- Each thread has a record of the call. The pool (`runtime/pool.c`) links it to the running loop, whose status
  polls read, so what ends one thread ends all. Workers hold no Python lock, never report, and look for no
  signals. A shared loop inside another runs on its thread.
- Tests share everything by lower costs (`tests/threads/sharing.py`), and count tasks (`pool.counts`).
"""
