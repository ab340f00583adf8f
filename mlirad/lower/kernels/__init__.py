"""Kernels as every processor has them: formed, fused, unrolled, cut into strips, given memory, verified.

Passes here take array code or kernels to kernels. They know costs (`lower/machine.py`) but no instructions,
vectors or text.

- `join_contractions.py`: contractions that a loop sums become one contraction after it.
- `assign_fft_layouts.py`, `transform_plans.py`: compiled Fourier transforms get planes, library ones rows of
  pairs; the factors of lengths.
- `form_kernels/`: array values become kernels in value semantics (`kernel.nest`, `kernel.scatter`,
  `kernel.dot`, `kernel.cumulative`, `kernel.sort`); values that are not stored are read element by element.
- `fuse_kernels.py`: kernels over the same loops become one.
- `unroll_rows/`: kernels that compute a few elements for each row become one, with unrolled loops.
- `element_loops.py`: scans that work element by element, which processors make one kernel of.
- `strip_mine/`: kernels along one dimension run strip by strip where that costs less (`kernel.strips`).
- `plan_memory/`, `plan_verification.py`: give every result memory, and check any such plan.
- `concurrent_contractions.py`: groups contractions that threads run at the same time and that keep their
  operands for each other.
- `kernel_groups.py`: groups of kernels that become others.
- `reads.py`, `triangles.py`: which elements of results are read, as bounds of differences of indices.
- `arena_offsets.py`: when memory ranges with sizes in them are disjoint.
- `moves.py`: what passes considered, what they expected of it, and whether it was done; read by
  `.stats().explain()` and `mlirad-opt --explain`.
"""
