"""LLVM IR text: its writer (`text/`), elementary functions, and what depends on a processor's instructions.

Nothing here knows kernels. An elementary function with code of its own is a file or a function in
`elementary/` and an entry of its table `ELEMENTARY`.
"""
