"""Printing lowered functions to LLVM IR text.

    program = emit_program(function, vector_bytes=64)
    NativeFunction(program)(x, y)

The function's body holds `kernel.nest`, `kernel.scatter`, `kernel.dot` and `array.constant` ops only. See
`nest.py` for how loops are written, `code.py` for bodies, `access.py` for memory.
"""

from mlirad.lower.emit.program import emit_program

__all__ = ["emit_program"]
