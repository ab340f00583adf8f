"""How kernels run on a CPU: schedules, recurrences, splits for threads, and the LLVM IR text of all that.

Passes state their decisions as properties of kernels; `emit/` prints scheduled and planned kernels, with
`fourier/` for Fourier transforms.
"""
