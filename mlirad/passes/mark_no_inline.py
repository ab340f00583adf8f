"""Mark the functions whose calls are not inlined, so that shared code is not multiplied.

    func.func private @f(%x: f64) -> f64 attributes {no_inline} {...}

Calls of a function are replaced by its body if that is small, if there is one call, or as long as the program
grows by no more than a budget. In a tree of functions that each call the next one twice the lowest become one
function, and the others call it. All later passes go by the mark. A program may also set the mark itself;
calls of recursive functions stay without it.

A call that stays is differentiated like that of a recursive function (`dual_arrays/calls.py`), has a form
over a batch (`bulk_operations/calls.py`), and is a call in native code.

The budget is threefold growth: it leaves the programs that people write in one piece, where kernels fuse.
Callees of remaining calls are differentiated once. The residuals of such a call are an activation record,
since a function that returned those of its callees too would return 2^n of them.
"""

from __future__ import annotations

from collections import Counter

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.shapes import FLAG, is_float
from mlirad.errors import UnsupportedError
from mlirad.ir.call_graph import CallGraph, calls_of, functions_by_name
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass

NO_INLINE = "no_inline"
"""Attribute of functions that are not inlined."""

SMALL_BODY = 40
"""Weight up to which a body is always inlined; a call costs about as much in native code."""

LEAST_GROWTH = 1000
"""The growth that a program may have in any case. Weight 1000 compiles in about two seconds."""

GROWTH = 2
"""Growth beyond that, as a multiple of the program's weight."""

MOST_GROWTH = 200_000
"""Growth by functions that have to be inlined."""

_FUNCTION_WEIGHT = 16
"""Weight of a float function that is not arithmetic, such as sin: it is inlined LLVM IR."""

_REGIONS_WEIGHT = 16
"""Weight of a loop, a branch or a checkpoint beside the ops in it: its derivative has several."""

_ARITHMETIC = (
    *(ew.AddOp, ew.SubOp, ew.MulOp, ew.AbsorbingMulOp, ew.DivOp, ew.NegOp, ew.AbsOp, ew.SqrtOp),
    *(ew.MaxOp, ew.MinOp, ew.SelectOp, ew.ConvertOp, ew.StopGradientOp, ew.CopysignOp, ew.SignOp),
    *(ew.FloorOp, ew.CeilOp, ew.RoundOp, ew.TruncOp, ew.DeviationOp),
)


@dataclass(frozen=True)
class MarkNoInlinePass(ModulePass):
    """Mark the functions that are not inlined, as copies would make the program grow too much."""

    name = "mark-no-inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Mark the functions; their code stays as it is."""
        mark_kept(op)


def kept_functions(functions: dict[str, FuncOp]) -> dict[str, None]:
    """Return the functions that are not inlined, in order: marked ones, and those that reach themselves."""
    recursive = CallGraph(functions).recursive()
    marked = {name for name, f in functions.items() if NO_INLINE in f.attributes and not has_maps(f)}
    return {name: None for name in functions if name in marked or name in recursive}


def mark_kept(module: ModuleOp) -> None:
    """Mark the functions whose copies would let the program grow beyond its budget."""
    functions = functions_by_name(module)
    sites = Counter(name for f in functions.values() for name, _ in calls_of(f))
    if not any(sites[name] > 1 for name in functions):
        return
    kept = kept_functions(functions)
    own = {name: sum(map(_weight, nested_ops(f.body))) for name, f in functions.items()}
    budget = LEAST_GROWTH + GROWTH * sum(own.values())

    def resolved(function: FuncOp) -> list[tuple[str, Operation]]:
        return [(name, op) for name, op in calls_of(function) if name in functions and name not in kept]

    weights: dict[str, int] = {}
    for name in CallGraph(functions, resolved).postorder(functions):
        function = functions[name]
        weight = own[name] + sum(weights[callee] for callee, _ in resolved(function))
        weights[name] = weight
        if name in kept or sites[name] < 2 or weight <= SMALL_BODY:
            continue
        growth = weight * (sites[name] - 1)
        if has_maps(function):
            _require_room(function, growth)
        elif growth <= budget:
            budget -= growth
        else:
            kept[name] = None
            function.attributes[NO_INLINE] = FLAG


def has_maps(function: FuncOp) -> bool:
    """Tell whether linear maps cross calls of a function, which inlining resolves."""
    types = (*function.function_type.inputs.data, *function.function_type.outputs.data)
    return any(isinstance(t, linear.MapType) for t in types)


def _require_room(function: FuncOp, growth: int) -> None:
    """Raise where copies of a function that has to be written out are too many."""
    if growth > MOST_GROWTH:
        raise UnsupportedError(
            f"@{function.sym_name.data} takes or returns linear maps and is inlined where it is called, "
            f"in about {growth} operations",
            location=location_of(function),
            hint="call it less often, or return the result of applying the map",
        )


def _weight(op: Operation) -> int:
    """Weigh the code of an op; calls and elementary functions have weights of their own."""
    match op:
        case ConstantOp() | SizeOp() | YieldOp() | ReturnOp():
            return 0
        case _ if op.regions:
            return _REGIONS_WEIGHT
        case ew.ElementwiseOp() if is_float(op.results[0]) and not isinstance(op, _ARITHMETIC):
            return _FUNCTION_WEIGHT
        case _:
            return 1
