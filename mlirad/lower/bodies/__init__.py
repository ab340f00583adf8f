"""The code of one iteration of a kernel as LLVM IR, for any processor and any number of lanes.

`body.py` says what a body depends on, `code.py` writes its ops, `elementwise.py` one elementwise op,
`access.py` a load or a store, `buffers.py` where arrays lie, `reductions.py` how partial results combine.
Loops around a body are not made here: those of a CPU are in `lower/cpu/emit/`.

A body with a fast path is printed twice by `BodyCode`: under `Assumptions` (`assumptions.py`), which say
which guards hold, which products are plain and what is tested, and without them
(`lower/cpu/emit/fast_path.py`); a third time with plain products alone where many blocks lie at borders. An
op that is NaN wherever an operand is may be listed in `_KEEP_NAN`. A `Buffer` `passes` if it is a slice of a
stacked array that no cache holds (`streaming.py`); kernels prefetch such slices.
"""
