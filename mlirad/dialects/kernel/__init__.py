"""The `kernel` dialect: what lowering decided, in a form that can be read, tested and printed to LLVM IR.

A nest is one perfect loop nest over an output space and a reduction space, with one straight-line body of
scalar `array` ops between loads and what it yields. Values keep value semantics: a nest reads arrays and
results in arrays; the layouts and places of its results are properties.

    %z = kernel.nest %x, %y (%i, %r) {space = [100], reduction = [8], combiners = [add], lane = 0, width = 8}
        : tensor<100x8xf64>, tensor<8xf64> -> tensor<100xf64> {
      %a = kernel.load %x[%i, %r] : tensor<100x8xf64> -> f64
      %b = kernel.load %y[%r] : tensor<8xf64> -> f64
      %p = array.mul %a, %b : f64
      array.yield %p : f64
    }

Region arguments are the loop indices: output space first, reduction space after it.

A new property of a kernel is declared here with the rules that the verifier checks, and changed in every way
by `tests/acceptance/hostile_kernels.py`: a text states it for speed, never for safety. Properties of memory
plans are in `plans.py`.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlirad.dialects.kernel.factorisations import FactorisationOp, TriangularSolveOp
from mlirad.dialects.kernel.loads import LoadIfOp, LoadOp
from mlirad.dialects.kernel.nests import NestOp
from mlirad.dialects.kernel.recurrences import RecurrenceOp
from mlirad.dialects.kernel.scatters import ScatterOp
from mlirad.dialects.kernel.schedules import LoopAttr, ProductAttr
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.kernel.transforms import FftOp
from mlirad.dialects.kernel.whole_arrays import CallbackOp, CumulativeOp, DotOp, ReportOp, SortOp

KERNEL_RESULT_OPS = (
    NestOp,
    ScatterOp,
    RecurrenceOp,
    DotOp,
    CumulativeOp,
    SortOp,
    FactorisationOp,
    TriangularSolveOp,
    FftOp,
    ReportOp,
    CallbackOp,
)
"""The ops of the dialect that write arrays."""

KERNEL_OPS = (*KERNEL_RESULT_OPS, LoadOp, LoadIfOp, StripsOp)
"""Every op of the dialect."""

Kernel = Dialect("kernel", [*KERNEL_OPS], [LoopAttr, ProductAttr])

__all__ = [
    "KERNEL_OPS",
    "KERNEL_RESULT_OPS",
    "CallbackOp",
    "CumulativeOp",
    "DotOp",
    "FactorisationOp",
    "FftOp",
    "Kernel",
    "LoadIfOp",
    "LoadOp",
    "NestOp",
    "RecurrenceOp",
    "ReportOp",
    "ScatterOp",
    "SortOp",
    "StripsOp",
    "TriangularSolveOp",
]
