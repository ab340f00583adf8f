"""The pass `convert-from-array`: functions on arrays over `arith`, `math`, `tensor`, `linalg` and `scf`.

    %s = array.dot %x, %y {lhs_contract = [1], rhs_contract = [0], ...}

    -->  %z = arith.constant dense<0.0> : tensor<3x5xf64>
         %s = linalg.generic {...} ins(%x, %y : ...) outs(%z : ...) { arith.mulf, arith.addf }

Its results are on tensors: the compiler that reads them fuses, bufferizes and schedules. Functions of the C
library that upstream has no op for are declared, and called by their names. `REFUSED` says what has no
upstream form.
"""

from __future__ import annotations

from typing import ClassVar, Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import FRAME_OPS
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.factorisations import FACTORISATION_OPS
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.array.structural import SizeOp
from mlirad.dialects.array.transforms import FftOp
from mlirad.errors import UnsupportedError
from mlirad.ir.call_graph import functions_of
from mlirad.ir.foreign import UPSTREAM, ConversionPass
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.convert_from_array.arrays import ARRAYS
from mlirad.passes.convert_from_array.control import CONTROL
from mlirad.passes.convert_from_array.conversion import Handler, convert_function
from mlirad.passes.convert_from_array.reductions import REDUCTIONS
from mlirad.passes.expand_formulas import expand_formulas
from mlirad.passes.function_pass import replace_function

HANDLERS: Final[dict[type[Operation], Handler]] = {**ARRAYS, **REDUCTIONS, **CONTROL}
"""The converters of all ops that are not elementwise."""

REFUSED: Final[dict[type[Operation], str]] = {
    ew.SpecialOp: "upstream has no such special function",
    ew.PolygammaOp: "upstream has no polygamma functions",
    ew.ErfinvOp: "upstream has no inverse of the error function",
    ReplayOp: "a tape of iterations whose number depends on data has no form in upstream dialects",
    SizeOp: "programs with sizes are converted for numbers: instantiate-sizes puts them in",
    FftOp: "upstream has no Fourier transforms on tensors of real numbers",
    ReportOp: "upstream has no op that reports while a program runs",
    CallbackOp: "upstream has no op that calls Python while a program runs",
    **dict.fromkeys(
        FACTORISATION_OPS, "LAPACK computes factorisations, and upstream has no op that calls it"
    ),
    **dict.fromkeys(FRAME_OPS, "activation records of recursive functions have no form in upstream dialects"),
}
"""Ops without an upstream form, and why."""


@dataclass(frozen=True)
class ConvertFromArrayPass(ConversionPass):
    """Turns functions on arrays into functions of arith, math, tensor, linalg and scf."""

    name = "convert-from-array"
    LEAVES: ClassVar = frozenset(UPSTREAM)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every function, and declare the functions of the C library that they call."""
        functions = functions_of(op)
        names = {function.sym_name.data: function for function in functions}
        declared: dict[str, FuncOp] = {}
        for function in functions:
            new, emitter = convert_function(expand_formulas(function), HANDLERS, REFUSED)
            replace_function(function, new)
            for name, signature in emitter.c_functions.items():
                if name in names:
                    raise UnsupportedError(
                        f"the function @{name} has the name of one of the C library that the program needs",
                        location=location_of(names[name]),
                        hint="give it another name",
                    )
                inputs, output = signature
                declared[name] = FuncOp.external(name, inputs, [output])
        op.body.block.add_ops(declared.values())
