"""The functions that a module differentiates, prepared, and the transformation D where an operator stands.

    callees = Callees(module)
    linearize_function(function, callees)      its `linear.linearize` ops as primal code and maps

A callee is brought to array code first, by the steps that `mlirad.pipelines` names for the method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import Value, is_float, product_type, values_of
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function, rebuild_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import (
    CallGraph,
    callee_of,
    calls_of,
    derivative_orders,
    differentiations,
    functions_by_name,
)
from mlirad.ir.inner_pipelines import PREPARATIONS
from mlirad.ir.locations import location_of
from mlirad.passes.apply_linear_maps.application import apply_maps
from mlirad.passes.bulk_operations import BulkCalls, add_bulk_functions, bulk_function
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.calls import loop_as_call
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import Construct, DualArrays
from mlirad.passes.function_pass import holds, replace_function, visit_regions
from mlirad.passes.inline import inline_calls, inline_in_builds
from mlirad.passes.mark_no_inline import kept_functions
from mlirad.passes.spectral_functions import expand_spectral_functions
from mlirad.passes.spectral_functions.sources import HIGHEST_ORDER


class Callees:
    """The differentiated functions of a module as array code, each prepared once.

    They are prepared for higher-order derivatives: data-dependent loops in them are differentiated like
    calls, and calls that stay are left. `added` are functions that the emitted code calls or names.

    A callee must be closed array code only where it is differentiated, and stays as others call it. So a copy
    is prepared, after those of the functions that it needs, by the steps of `PREPARATIONS`: each names a
    pass, and `transformations` has what this does to one function.
    """

    method: ClassVar[str] = "dual-arrays"

    def __init__(self, module: ModuleOp):
        self.module = module
        self.functions = functions_by_name(module)
        self.added: list[FuncOp] = []
        self.with_coefficients: dict[tuple[str, tuple[int, ...], int], str] = {}
        """Functions of Taylor coefficients, by name, operands that have some, and order."""
        self.kept = kept_functions(self.functions)
        self.higher_order: dict[type[Operation], Construct] = {control.WhileOp: loop_as_call(self._add_loop)}
        self._orders = derivative_orders(self.functions, HIGHEST_ORDER + 1)
        self._prepared: dict[str, FuncOp] = {}
        self._loops: list[FuncOp] = []
        self._bulk: BulkCalls | None = None
        self._for_jets: Callees | None = None

    def transformation(
        self, b: ArrayBuilder, space: Attribute, env: Environment, *, higher_order: bool = False
    ) -> DualArrays:
        """Return the method's transformation of a function, over the space of its inputs.

        With `higher_order` what comes out is to be differentiated itself.
        """
        return DualArrays(b, space, {**CONSTRUCTS, **self.higher_order} if higher_order else CONSTRUCTS, env)

    def prepared(self, op: linear.DifferentiationOp) -> FuncOp:
        """Return the callee of `op` without maps and builds, and without calls but those that stay."""
        return self.prepared_function(op.callee_name, op)

    def prepared_function(self, name: str, op: Operation) -> FuncOp:
        """Return the function that `op` differentiates or calls, prepared."""
        if name not in self._prepared:
            callee_of(op, name, self.functions)
            if name in self.kept:
                self._prepared[name] = calling(self.functions[name])
            else:
                self._prepare_with_callees(name, op)
        return self._prepared[name]

    def prepare_kept(self) -> None:
        """Expand the derivatives in functions whose calls stay: these may be differentiated themselves."""
        for name in self.kept:
            function = self.functions[name]
            if holds(function, linear.DifferentiationOp):
                self._require_end(name)
                expanded = self._run(PREPARATIONS[self.method].kept, function)
                replace_function(function, expanded)
                self.functions[name] = expanded

    def for_jets(self) -> Callees:
        """Return the callees for Taylor mode, which linearises nothing: no method prepares them."""
        if self._for_jets is None:
            self._for_jets = self if type(self) is Callees else Callees(self.module)
        return self._for_jets

    def transformations(self) -> dict[str, Callable[[FuncOp], FuncOp]]:
        """Return what each step does to a function; one that needs nothing of it stays itself."""
        return {
            "mlirad-inline": lambda f: inline_calls(f, self._prepared, self.kept),
            "mlirad-inline{builds=true}": lambda f: inline_in_builds(f, self.functions, self.kept),
            "linearize": lambda f: linearize_function(f, self, higher_order=True),
            "apply-linear-maps": apply_maps,
            "bulk-operations": self._with_bulk_operations,
            "mlirad-dce": eliminate_dead_code,
            "spectral-functions": self._with_expansions,
        }

    def add_functions(self) -> None:
        """Add the functions that the emitted code refers to."""
        self.module.body.block.add_ops([*self._loops, *self.added])
        if self._for_jets is not None and self._for_jets is not self:
            self._for_jets.add_functions()
        if self._bulk is not None:
            add_bulk_functions(self._bulk)

    def _require_end(self, name: str) -> None:
        """Raise where a function needs its own derivative."""
        graph = CallGraph(self.functions, _reached)
        for callee, op in _reached(self.functions[name]):
            if not isinstance(op, linear.DifferentiationOp):
                continue
            if name in graph.reachable([callee]):
                raise _endless(name, location_of(op))

    def _prepare_with_callees(self, name: str, op: Operation) -> None:
        for reached in self._callees_first(name, op):
            if reached not in self._prepared:
                steps = PREPARATIONS[self.method].callee
                self._prepared[reached] = self._run(steps, self.functions[reached])

    def _callees_first(self, name: str, op: Operation) -> list[str]:
        def resolved(function: FuncOp) -> list[tuple[str, Operation]]:
            return [(callee, o) for callee, o in _reached(function) if callee not in self.kept]

        try:
            return CallGraph(self.functions, resolved).postorder([name])
        except UnsupportedError as error:
            raise _endless(name, error.location or location_of(op)) from error

    def _run(self, steps: Sequence[str], source: FuncOp) -> FuncOp:
        """Take the steps, except for dead code of a function that the steps before have left as it is."""
        function, transformations = source, self.transformations()
        for step in steps:
            if function is not source or step != "mlirad-dce":
                function = transformations[step](function)
        return function

    def _with_bulk_operations(self, function: FuncOp) -> FuncOp:
        return bulk_function(function, self._bulk_calls()) if holds(function, BuildOp) else function

    def _with_expansions(self, function: FuncOp) -> FuncOp:
        return expand_spectral_functions(function, self._orders.get(function.sym_name.data, 0))

    def _bulk_calls(self) -> BulkCalls:
        if self._bulk is None:
            self._bulk = BulkCalls(self.module, self._loops)
        return self._bulk

    def _add_loop(self, loop: FuncOp) -> str:
        """Return the name of the function of a loop, which is added unless an equal one is known."""
        for known in self._loops:
            if _is_same(known, loop):
                return known.sym_name.data
        count = len(self._loops)
        while (name := f"loop{count}") in self.functions:
            count += 1
        loop.properties["sym_name"] = StringAttr(name)
        self.functions[name] = loop
        self._loops.append(loop)
        return name


def _endless(name: str, location: str | None) -> DifferentiationError:
    return DifferentiationError(
        f"@{name} needs its own derivative, which has no end",
        location=location,
        hint="differentiate a function that does not call the one it is differentiated in",
    )


def _is_same(one: FuncOp, other: FuncOp) -> bool:
    return one.function_type == other.function_type and one.body.is_structurally_equivalent(other.body)


def calling(function: FuncOp) -> FuncOp:
    """Make a function that calls one whose calls stay, and does nothing else."""
    name = function.sym_name.data
    types, results = function.function_type.inputs.data, function.function_type.outputs.data

    def body(b: ArrayBuilder, *args: Value) -> Sequence[Value]:
        b.location = function.location
        return b.insert(CallOp, args, results, {"callee": SymbolRefAttr(name)}).results

    return new_function(name, types, body, hints=[a.name_hint for a in function_block(function).args])


def _reached(function: FuncOp) -> list[tuple[str, Operation]]:
    """List the functions that a function calls or differentiates, with the ops that do."""
    return calls_of(function) + [(op.callee_name, op) for op in differentiations(function)]


def linearize_function(function: FuncOp, callees: Callees, *, higher_order: bool = False) -> FuncOp:
    """Expand the differentiation operators of a function, which stays itself if it has none.

    With `higher_order` what comes out is to be differentiated itself.
    """
    if not holds(function, linear.DifferentiationOp):
        return function

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if not isinstance(op, linear.DifferentiationOp):
            visit_regions(b, op, env, visit)
            return
        if isinstance(op, linear.JetOp):
            from mlirad.passes.taylor.expansion import expand_jet

            expand_jet(b, op, env, callees.for_jets())
            return
        callee = callees.prepared(op)
        arguments = [env.get(a, a) for a in op.arguments]
        location = b.location
        _require_floats(op, arguments)
        wrt = values_of(op.wrt)
        primals, derivative = linearize_block(b, callee, arguments, wrt, callees, higher_order=higher_order)
        b.location = location
        if isinstance(op, linear.PullbackOp):
            derivative = b.transpose_map(derivative)
        env.update(zip(op.primals, [*primals, derivative], strict=True))

    return rebuild_function(function, visit)


def _require_floats(op: linear.DifferentiationOp, arguments: Sequence[Value]) -> None:
    for k in values_of(op.wrt):
        if not is_float(arguments[k]):
            raise DifferentiationError(
                f"argument {k} of @{op.callee_name} has type {arguments[k].type}, which has no derivative",
                location=location_of(op),
                hint="differentiate with respect to floating-point arguments",
            )


# The transformation D ------------------------------------------------------------------------------


def linearize_block(
    b: ArrayBuilder,
    callee: FuncOp,
    arguments: Sequence[Value],
    wrt: Sequence[int],
    callees: Callees,
    *,
    higher_order: bool = False,
) -> tuple[list[Value], Value]:
    """Emit the callee's code on the arguments; returns its results and its derivative in spine form."""
    block = function_block(callee)
    domain = product_type([arguments[k].type for k in wrt])
    env: Environment = dict(zip(block.args, arguments, strict=True))
    d = callees.transformation(b, domain, env, higher_order=higher_order)
    b.name_hint = None
    d.enter_inputs([block.args[k] for k in wrt])
    d.transform(block.ops)
    results = returned(callee)
    return [d.value(v) for v in results], d.joint_map(results)
