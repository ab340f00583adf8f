"""The code of one iteration of a kernel as LLVM IR, for any processor and any number of lanes.

`body.py` says what a body depends on, `code.py` writes its ops, `elementwise.py` one elementwise op,
`access.py` a load or a store, `buffers.py` where arrays lie, `reductions.py` how partial results combine.
Loops around a body are not made here: those of a CPU are `mlirad/lower/cpu/emit/`.
"""
