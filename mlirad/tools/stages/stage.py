"""One stage of differentiation, and what the stages of all methods begin with."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.compiler import transform
from mlirad.dialects import linear
from mlirad.dialects.shapes import is_float
from mlirad.errors import DifferentiationError
from mlirad.ir.call_graph import CallGraph, calls_of, functions_by_name
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.pipeline_options import Options
from mlirad.registry import make_passes
from mlirad.tools.mathematics import Sharing


@dataclass(frozen=True)
class Stage:
    """Functions at one stage, and which of their values are written in a `let`.

    `called` are functions of earlier stages that these call.
    """

    title: str
    functions: tuple[FuncOp, ...]
    sharing: Sharing
    called: tuple[FuncOp, ...] = ()


def differentiable(function: FuncOp) -> tuple[int, ...]:
    """The places of the float parameters. Raises `DifferentiationError` for a function without floats."""
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    wrt = _floats(function, inputs, "has no floating-point argument")
    _floats(function, outputs, "returns no float")
    return wrt


def _floats(function: FuncOp, types: Sequence[Attribute], otherwise: str) -> tuple[int, ...]:
    found = tuple(k for k, t in enumerate(types) if is_float(t))
    if not found:
        raise DifferentiationError(
            f"@{function.sym_name.data} {otherwise}: there is nothing to differentiate",
            location=location_of(function),
            hint="pass floats (3.0 instead of 3)",
        )
    return found


def reached(name: str, functions: dict[str, FuncOp]) -> tuple[FuncOp, ...]:
    """The functions that one calls, or has a derivative of, callees first where they end, and itself."""
    graph = CallGraph(functions, _named)
    return tuple(functions[callee] for callee in graph.postorder([name], circles=True))


def _named(function: FuncOp) -> list[tuple[str, Operation]]:
    """The functions that one calls or has a derivative of, with the ops that do."""
    derived = [(op.callee_name, op) for op in nested_ops(function.body) if isinstance(op, linear.DerivedOp)]
    return [*calls_of(function), *derived]


def after(program: ModuleOp, passes: str, name: str) -> tuple[FuncOp, ...]:
    """The function `name` and those that it reaches, in what passes make of a copy of the program."""
    module = program.clone()
    transform(module, Options(first=make_passes(passes), end="program"))
    return reached(name, functions_by_name(module))
