"""Functions as values, tuples and sums become arrays, branches and calls, before anything is differentiated.

    %f = array.if %p : i1 -> !function.closure<(f64) -> f64> {
      %g = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {... reads %w ...}
      array.yield %g : !function.closure<(f64) -> f64>
    } else {
      %h = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {...}
      array.yield %h : !function.closure<(f64) -> f64>
    }
    %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  -->
    %r = array.if %p : i1 -> f64 {... func.call @g(%x, %w) ...} else {... func.call @h(%x) ...}

In four steps: `order.py` writes out what is of second order, `flow.py` finds which closures may be where,
`layout.py` says what stands for each value, and `rewriting.py` emits it. The code of a closure becomes a
private function of its parameters and of its environment, once. Closures that may hold closures of their own
kind are records (`records.py`), and arrays that these hold, too (`boxes.py`).
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.concrete_sizes import sizes_in_function
from mlirad.dialects.function.combinators import PullbackOp
from mlirad.dialects.linear import DifferentiationOp, MapType
from mlirad.errors import SizeNeeded, UnsupportedError
from mlirad.ir.call_graph import CallGraph, functions_by_name, functions_of, references_of
from mlirad.ir.first_order import higher_order_op, map_value_op, no_map_values, require_first_order
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import drop_unreferenced


@dataclass(frozen=True)
class MapsToClosuresPass(ModulePass):
    """Makes closures of linear maps that are values, and collections of cells of elements of copowers."""

    name = "maps-to-closures"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite all functions, if maps are values in one, and derivatives are expanded."""
        if (higher_order_op(op) is None or map_value_op(op) is None) and not _recursion_gives_maps(op):
            return
        if any(isinstance(inner, DifferentiationOp) for inner in op.walk()):
            return
        if any(isinstance(inner, PullbackOp) for inner in op.walk()):
            from mlirad.passes.curry.staging import stage

            stage(op)
        else:
            from mlirad.passes.maps_to_closures import maps_to_closures

            maps_to_closures(op)


def _recursion_gives_maps(module: ModuleOp) -> bool:
    """Tell if a function that calls itself returns linear maps: inlining leaves its calls where they are."""
    functions = functions_by_name(module)
    outputs = {name: f.function_type.outputs.data for name, f in functions.items()}
    giving = {name for name, types in outputs.items() if any(isinstance(t, MapType) for t in types)}
    return bool(giving) and not giving.isdisjoint(CallGraph(functions, references_of).recursive())


@dataclass(frozen=True)
class EliminateFunctionsPass(ModulePass):
    """Replaces closures by tags and what they capture, tuples by their components, sums by tags and slots."""

    name = "eliminate-functions"
    growth: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Make the module one of first order; nothing happens to one that is.

        Second-order code is unrolled until there are as many further ops as `growth` times those of the
        module.
        """
        eliminate_functions(op, self.growth)


@dataclass(frozen=True)
class TailCallsToLoopsPass(ModulePass):
    """Turns functions all of whose calls of themselves are the last thing that they do into loops."""

    name = "tail-calls-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite these functions; nothing is imported for a module without recursion."""
        if any(name == f.sym_name.data for f in functions_of(op) for name, _ in references_of(f)):
            from mlirad.passes.tail_calls import tail_calls_to_loops

            tail_calls_to_loops(op)


@dataclass(frozen=True)
class RecordWalksToLoopsPass(ModulePass):
    """Turns functions that call themselves once on a record that theirs holds into loops, if a program may
    make more than `depth` records.
    """

    name = "record-walks-to-loops"
    depth: int = 1000

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite these functions; nothing is imported for a module without records."""
        if any(isinstance(inner, RestoreOp) for inner in op.walk()):
            from mlirad.passes.record_walks import record_walks_to_loops

            record_walks_to_loops(op, self.depth)


@dataclass(frozen=True)
class RecordsToRowsPass(ModulePass):
    """Records become rows of arrays, if anything is differentiated; `rooms` are how many, for each type."""

    name = "records-to-rows"
    rooms: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the functions that records reach. Raises `SizeNeeded` in programs of dynamic sizes."""
        ops = {type(inner) for inner in op.walk()}
        if SaveOp not in ops or not any(issubclass(inner, DifferentiationOp) for inner in ops):
            return
        from mlirad.passes.records_to_rows import Rows

        sizes = set[str]().union(*map(sizes_in_function, functions_of(op)))
        if sizes:
            raise SizeNeeded("records that are rows need to know how large arrays are", min(sizes))
        Rows(op, self.rooms).run()


def eliminate_functions(module: ModuleOp, growth: int | None = None) -> None:
    """Make the module one of first order, in place; private functions no longer used go.

    With `growth` the code of functions of functions is written out by a given number of times the size of the
    module.

    Raises `UnsupportedError` for public functions that take or return closures, tuples or sums and that no
    other function calls, or closures that may hold their own kind, and for linear maps as values.
    """
    if higher_order_op(module) is None:
        return
    from mlirad.passes.eliminate_functions.flow import Flow
    from mlirad.passes.eliminate_functions.layout import Layouts
    from mlirad.passes.eliminate_functions.order import Order
    from mlirad.passes.eliminate_functions.rewriting import Rewriting

    op = map_value_op(module)
    if op is not None:
        raise no_map_values(op)
    order = Order(module, growth)
    order.run()
    try:
        Rewriting(Layouts(Flow(module))).run()
    except UnsupportedError as error:
        if not order.room.refused:
            raise
        grown = ", ".join(order.room.refused)
        raise UnsupportedError(
            f"{error.message}; functions of functions were not inlined any further, as the program would "
            f"grow too much: {grown}",
            location=error.location,
            hint=error.hint,
        ) from error
    drop_unreferenced(module)
    require_first_order(module)
