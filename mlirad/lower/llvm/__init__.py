"""LLVM IR text: its writer, elementary functions, and what depends on a processor's instructions.

Nothing here knows kernels.

- `text/`: `IRBuilder`, the writer of text. Equal functions are merged; `call_sites.py` says which calls are
  inlined.
- `elementary/`: elementary functions as straight-line code. One with code of its own is a file or a function
  there and an entry of its table `ELEMENTARY`. A special function of SciPy is a call of the loop of its
  ufunc, on stack slots that hold a vector of each operand (`special.py`).
- `instructions.py`, `float_control.py`: whether the processor has instructions for which code is written in
  two ways; its floating-point mode.

**Status of a call.** A failure (memory, depth, stack, time, an interrupt) writes a status to the record of
the call (`lower/native_program.py`), and every active function goes to its end at once, where it frees what
it owns: no code runs on values that do not exist. `IRBuilder.fail_if`, `stop_if` and `poll` do it. The writer
counts instructions and makes loops that may run long poll (`text/polling.py`); emitters at most say how many
iterations a loop makes.
"""
