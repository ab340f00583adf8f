"""Linearisation by dual arrays: every `linear.linearize` becomes the callee's code and one linear map.

    %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)

with f(x) = sin(x) * x becomes

    %s = array.sin %x          %ds = linear.scale (cos %x)
    %y = array.mul %s, %x      %d  = linear.add (linear.compose (linear.scale %x), %ds), (linear.scale %s)

Every float value of the callee that depends on the inputs has a companion: the map from the inputs' tangents
to its own, made from the companions of the operands by the derivative table (paper 002, transformation D). A
companion is in spine form: a map out of the space of inputs that is the identity, zero, a projection, a sum
or tuple of such, or a local map composed with such. Sharing in the map is sharing of SSA values, so the map
has size linear in the program, and the primal code never reads it.

The callee is brought to array code first: calls inlined, derivatives in it expanded, builds made bulk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import Value, is_float, product_type, values_of
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import is_local
from mlirad.passes.apply_linear_maps import apply_maps
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.function_pass import (
    drop_unreferenced,
    functions_of,
    holds,
    nested_ops,
    replace_function,
    visit_regions,
)
from mlirad.passes.inline import callee_of, callees_first, calls_of, inline_calls

METHODS = ("dual-arrays", "jacobian")
"""The methods by which a derivative can be expanded."""


@dataclass(frozen=True)
class LinearizePass(ModulePass):
    """Expands every differentiation operator of the module."""

    name = "linearize"
    method: str = "dual-arrays"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that hold a differentiation operator; private ones no longer used go."""
        if self.method not in METHODS:
            raise UnsupportedError(
                f"there is no method {self.method!r}", hint=f"there are {', '.join(METHODS)}"
            )
        callees = _callees(op, self.method)
        for function in functions_of(op):
            replace_function(function, linearize_function(function, callees))
        op.body.block.add_ops(callees.added)
        drop_unreferenced(op)


def _callees(module: ModuleOp, method: str) -> Callees:
    if method == "jacobian":
        from mlirad.passes.jacobian.derivatives import Derivatives

        return Derivatives(module)
    return Callees(module)


class Callees:
    """The differentiated functions of a module as array code, each prepared once.

    `added` are functions that what is emitted calls, to be added to the module.
    """

    def __init__(self, module: ModuleOp):
        self.functions = {f.sym_name.data: f for f in functions_of(module)}
        self.added: list[FuncOp] = []
        self._prepared: dict[str, FuncOp] = {}

    def transformation(self, b: ArrayBuilder, space: Attribute, env: Environment) -> DualArrays:
        """The method's transformation of a function, over the space of its inputs."""
        return DualArrays(b, space, CONSTRUCTS, env)

    def prepared(self, op: linear.DifferentiationOp) -> FuncOp:
        """The callee of `op` without calls, maps and builds."""
        return self.prepared_function(op.callee_name, op)

    def prepared_function(self, name: str, op: Operation) -> FuncOp:
        """The function that `op` differentiates or calls, prepared."""
        if name not in self._prepared:
            callee_of(op, name, self.functions)
            for reached in self._callees_first(name, op):
                if reached not in self._prepared:
                    self._prepared[reached] = self._prepare(self.functions[reached])
        return self._prepared[name]

    def _callees_first(self, name: str, op: Operation) -> list[str]:
        try:
            return callees_first([name], self.functions, _reached)
        except UnsupportedError as error:
            raise DifferentiationError(
                f"@{name} cannot be differentiated: {error.message}",
                location=error.location or location_of(op),
                hint="recursive functions have no derivative: write the recursion as a loop",
            ) from error

    def _prepare(self, source: FuncOp) -> FuncOp:
        function = inline_calls(source, self._prepared)
        if holds(function, (linear.MapOp, linear.ApplicationOp, linear.DifferentiationOp)):
            function = apply_maps(linearize_function(function, self))
        if holds(function, BuildOp):
            from mlirad.passes.bulk_operations import bulk_function

            function = bulk_function(function)
        return function if function is source else eliminate_dead_code(function)


def _reached(function: FuncOp) -> list[tuple[str, Operation]]:
    """The functions that a function calls or differentiates, with the ops that do."""
    derivatives = [
        (op.callee_name, op) for op in nested_ops(function.body) if isinstance(op, linear.DifferentiationOp)
    ]
    return calls_of(function) + derivatives


def linearize_function(function: FuncOp, callees: Callees) -> FuncOp:
    """The function with its differentiation operators expanded; itself when it has none."""
    if not holds(function, linear.DifferentiationOp):
        return function

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if not isinstance(op, linear.DifferentiationOp):
            visit_regions(b, op, env, visit)
            return
        callee = callees.prepared(op)
        arguments = [env.get(a, a) for a in op.arguments]
        location = b.location
        primals, derivative = linearize_block(b, op, callee, arguments, callees)
        b.location = location
        if isinstance(op, linear.PullbackOp):
            derivative = b.transpose_map(derivative)
        env.update(zip(op.primals, [*primals, derivative], strict=True))

    return rebuild_function(function, visit)


# The transformation D ------------------------------------------------------------------------------


def linearize_block(
    b: ArrayBuilder,
    op: linear.DifferentiationOp,
    callee: FuncOp,
    arguments: Sequence[Value],
    callees: Callees,
) -> tuple[list[Value], Value]:
    """Emit the callee's code on the arguments; returns its results and its derivative in spine form."""
    block = function_block(callee)
    wrt = values_of(op.wrt)
    for k in wrt:
        if not is_float(arguments[k]):
            raise DifferentiationError(
                f"argument {k} of @{op.callee_name} has type {arguments[k].type}, which has no derivative",
                location=location_of(op),
                hint="differentiate with respect to floating-point arguments",
            )
    domain = product_type([arguments[k].type for k in wrt])
    d = callees.transformation(b, domain, dict(zip(block.args, arguments, strict=True)))
    b.name_hint = None
    for j, k in enumerate(wrt):
        d.enter(block.args[k], b.identity_map(domain) if len(wrt) == 1 else b.project(domain, j))
    d.transform(source for source in block.ops if not isinstance(source, ReturnOp))
    results = returned(callee)
    companions = [d.companion(v) for v in results]
    derivative = companions[0] if len(companions) == 1 else b.vcat(domain, companions)
    return [d.value(v) for v in results], derivative


def is_spine(derivative: Value) -> bool:
    """Whether a map is in spine form: every node of it a map out of the same space, left operands local."""
    seen: set[Value] = set()
    pending = [derivative]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        match node.owner:
            case linear.ComposeOp() as op:
                if not (isinstance(op.outer.owner, linear.MapOp) and is_local(op.outer.owner)):
                    return False
                pending.append(op.inner)
            case linear.AddOp() | linear.VcatOp() as op:
                pending += own_operands(op)
            case linear.MapOp() as op if is_local(op):
                pass
            case _:
                return False
    return True
