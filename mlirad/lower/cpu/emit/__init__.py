"""Printing lowered functions to LLVM IR text.

    program = emit_program(function, vector_bytes=64)
    NativeFunction(program)(x, y)

The function holds kernels, loops and branches of kernels, and calls, all with places in memory. See
`function.py` for the functions of a program, `kernels.py` for those of its kernels, `nest.py` for how loops
are written, `code.py` for bodies, `access.py` for memory.
"""

from mlirad.lower.cpu.emit.program import emit_program

__all__ = ["emit_program"]
