"""Taylor mode: the Taylor coefficients of a function along a curve, to any order, by recurrences.

    taylor{function=f order=3 wrt=0}        @f_taylor(x, x1, x2, x3) -> (y, y1, y2, y3)
                                            with f(x + x1 t + x2 t^2 + x3 t^3) = y + y1 t + ... + O(t^4)

The pass adds the function with a `linear.jet` op, which `linearize` expands (`expansion.py`): every value
gets its coefficients by the series table (`mlirad.rules.series`), at a cost of order^2 operations for each
op, where nested derivatives take 2^order.

`expansion.py` expands `linear.jet`, `jets.py` has the coefficients of values by the series table,
`control.py` those of loops, branches and calls.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, integer, ints, is_float
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_by_name
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.differentiate import add_beside, check_wrt, chosen


@dataclass(frozen=True)
class TaylorPass(ModulePass):
    """Adds `@f_taylor`. Without a name, the function is `@main` or the only one."""

    name = "taylor"
    function: str | None = None
    order: int = 2
    wrt: tuple[int, ...] = (0,)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Put the new function after the one whose coefficients it computes."""
        if self.order < 1:
            raise UnsupportedError(
                f"order is {self.order}, and the lowest is 1", hint="write taylor{order=3}"
            )
        functions = functions_by_name(op)
        function = chosen(functions, self.function)
        add_beside(function, _taylor(function, self.order, self.wrt), functions)


def _taylor(function: FuncOp, order: int, wrt: tuple[int, ...]) -> FuncOp:
    """The function of the arguments, and of coefficients of those at `wrt`, argument by argument."""
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    name = function.sym_name.data
    check_wrt(function, wrt)
    floats = [t for t in outputs if is_float(t) for _ in range(order)]
    series = [inputs[k] for k in wrt for _ in range(order)]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        b.location = function.location
        properties = {"callee": SymbolRefAttr(name), "wrt": ints(wrt), "order": integer(order)}
        return list(b.insert(linear.JetOp, args, [*outputs, *floats], properties).results)

    hints = [a.name_hint for a in function_block(function).args]
    more = [h if h is None else f"{h}_{k}" for h in (hints[k] for k in wrt) for k in range(1, order + 1)]
    new = new_function(f"{name}_taylor", [*inputs, *series], body, None, [*hints, *more])
    new.location = function.location
    return new
