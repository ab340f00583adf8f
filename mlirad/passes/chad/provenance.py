"""Adds to the module a function that also says which arguments each result depends on.

    provenance{function=f}        @f_provenance(x, y) -> (f(x, y), its set of arguments)

A set is an i64: bit k stands for argument k. A result depends on what is read for it, positions of elements
and conditions too. A set may hold arguments that happen not to matter; whatever is not in it does not matter.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.first_order import require_first_order
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.chad.instances import PROVENANCE
from mlirad.passes.chad.shadows import ForwardSweep
from mlirad.passes.differentiate import add_beside, chosen
from mlirad.passes.inline import inline_calls

MOST_ARGUMENTS = 63
"""How many arguments a set can tell apart."""


@dataclass(frozen=True)
class ProvenancePass(ModulePass):
    """Adds `@f_provenance`. Without a name, the function is `@main` or the only one."""

    name = "provenance"
    function: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Put the new function after the one whose results it explains."""
        require_first_order(op)
        functions = functions_by_name(op)
        function = chosen(functions, self.function)
        add_beside(function, with_provenance(inline_calls(function, functions)), functions)


def with_provenance(function: FuncOp) -> FuncOp:
    """The function that returns what a function without calls does, and a set of arguments for each."""
    block, name = function_block(function), function.sym_name.data
    if len(block.args) > MOST_ARGUMENTS:
        raise UnsupportedError(
            f"@{name} has {len(block.args)} arguments, and sets of at most {MOST_ARGUMENTS} are told apart",
            location=location_of(function),
            hint="pass several of them as one array",
        )

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        sweep = ForwardSweep(b, PROVENANCE, dict(zip(block.args, args, strict=True)))
        sweep.shadows = {a: b.constant(1 << k, i64) for k, a in enumerate(block.args)}
        sweep.transform(block)
        return sweep.both(returned(function), returned(function))

    return new_function(
        f"{name}_provenance", list(block.arg_types), body, None, [a.name_hint for a in block.args]
    )
