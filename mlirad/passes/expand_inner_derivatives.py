"""Derivatives inside of what is differentiated, expanded first: a specification differentiates once.

    func @g(%x) { linear.linearize %x {callee = @f} ... }             func @g(%x) { code of arrays }
    func @main(%x) { linear.linearize %x {callee = @g} ... }    -->    func @main(%x) { as before }

The inner ones are expanded by a method of any order, so what the specification gets is a program without
derivatives. Where the inner ones run over tapes or activation records, which no method differentiates, the
derivatives of loops on data and of recursive functions are left: the ops `linear.push` and `linear.pull`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.errors import UnsupportedError
from mlirad.ir.call_graph import (
    PRIVATE,
    CallGraph,
    differentiations,
    functions_by_name,
    functions_of,
    references_of,
    rename_functions,
)
from mlirad.ir.first_order import hands_on_functions
from mlirad.ir.inner_pipelines import INNER
from mlirad.ir.symbols import free_name
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import drop_unreferenced, replace_function
from mlirad.pipeline_options import METHODS


@dataclass(frozen=True)
class ExpandInnerDerivativesPass(ModulePass):
    """Expand the derivatives in functions that are differentiated."""

    name = "expand-inner-derivatives"
    method: str = "dual-arrays"
    rooms: tuple[int, ...] = ()
    """The rows for records of each type, as many as usual if none are given."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace functions that are differentiated and take derivatives, if they take and return arrays."""
        functions = functions_by_name(op)
        found = _found(functions)
        if not found:
            return
        expanded = self._expanded(ctx, op, found, "expand")
        if any(isinstance(inner, (ReplayOp, *FRAME_OPS)) for inner in expanded.walk()):
            expanded = self._expanded(ctx, op, found, "expand-but-calls")
        _make_private(expanded, found, functions)
        for function in functions_of(expanded):
            function.detach()
            name = function.sym_name.data
            if name in found:
                replace_function(functions[name], function)
            else:
                op.body.block.add_op(function)
        drop_unreferenced(op)

    def _expanded(self, ctx: Context, module: ModuleOp, found: Collection[str], pipeline: str) -> ModuleOp:
        """A copy of the module, the derivatives in some functions expanded by a pipeline of the method."""
        if self.method not in METHODS:
            raise UnsupportedError(
                f"no pipeline here expands inner derivatives by {self.method!r}",
                hint=f"choose one of {', '.join(METHODS)}",
            )
        expanded = module.clone()
        for name, function in functions_by_name(expanded).items():
            function.properties["sym_visibility"] = StringAttr("public" if name in found else "private")
        drop_unreferenced(expanded)
        INNER[f"{pipeline}-{self.method}"](ctx, expanded, self.rooms)
        return expanded


def _found(functions: Mapping[str, FuncOp]) -> list[str]:
    """The functions to expand, which derivatives that are under no other one are taken of."""
    graph = CallGraph(functions, references_of)
    inner = graph.reachable(_differentiated(functions.values()))
    outer = _differentiated(function for name, function in functions.items() if name not in inner)
    return [
        name
        for name in outer
        if not hands_on_functions(functions[name]) and _takes_derivatives(functions, graph, name)
    ]


def _differentiated(functions: Iterable[FuncOp]) -> list[str]:
    """The functions that some function takes derivatives of."""
    return list(dict.fromkeys(op.callee_name for f in functions for op in differentiations(f)))


def _takes_derivatives(functions: Mapping[str, FuncOp], graph: CallGraph, name: str) -> bool:
    return any(differentiations(functions[inner]) for inner in graph.reachable([name]))


def _make_private(module: ModuleOp, kept: Collection[str], taken: Collection[str]) -> None:
    """Give all functions but some names that are not taken, and make all private."""
    functions, names = functions_by_name(module), dict[str, str]()
    for name, function in functions.items():
        names[name] = name if name in kept else free_name(name, {*taken, *names.values()}, ".")
        function.properties["sym_visibility"] = PRIVATE
    rename_functions(functions.values(), names)
