"""Kernels as every processor has them: formed, fused, unrolled, cut into strips, given memory, verified.

Passes here take array code or kernels to kernels. They know costs (`mlirad/lower/machine.py`) but no
instructions, vectors or text. What each pass considered is told by `moves.py`.
"""
