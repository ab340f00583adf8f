"""Derivatives of functions as functions: what the method `jacobian` prepares, and calls instead of inlining.

    @g(x) -> y            @g_jacobian(x) -> (y, n)       n the map ∂g(x), from the tangents of x to those of y
    f(x) = g(h(x))        (y, n1) = ∂h(x), (z, n2) = ∂g(y),   ∂f(x) = (z, n2 ∘ n1)

So a function is differentiated once for all its calls, and n is a value that crosses the call: in
straight-line code the caller gets the map itself, in loops and branches what `split_map` makes of it, the
residuals and a function that makes the map from them. Forward the caller composes n ∘ m, transposed m ∘ nᵀ:
either way m is applied once per call, where the polymorphic form in the notes (figure 8), which passes m to
the callee, would apply it once per use of x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import Value, is_float, product_type
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import PRIVATE, callee_name, calls_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.apply_linear_maps.application import apply_maps
from mlirad.passes.apply_linear_maps.application_functions import add_applications, called
from mlirad.passes.callees import Callees, linearize_function
from mlirad.passes.defunctionalise_maps import called_split, with_split_calls
from mlirad.passes.dual_arrays.availability import Level
from mlirad.passes.dual_arrays.calls import call
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.jacobian.builds import build
from mlirad.passes.jacobian.nabla import LiteralBuilder, Nabla
from mlirad.passes.simplify_maps import simplify_maps
from mlirad.passes.split_map import SplitMap, split_map


@dataclass(frozen=True)
class Derivative:
    """The derivative of a function with respect to some of its parameters.

    `function` returns what the function returns, and the map to the tangents of its results at `active`,
    those that depend on these parameters.
    """

    function: FuncOp
    active: tuple[int, ...]


class Derivatives(Callees):
    """The functions of a module prepared for ∇, and the derivatives made of them, each once."""

    method = "jacobian"

    def __init__(self, module: ModuleOp, is_literal: bool = False):
        super().__init__(module)
        self.is_literal = is_literal
        self.is_split = False
        self.made: dict[tuple[str, tuple[int, ...]], Derivative] = {}
        self.splits: dict[str, SplitMap] = {}

    def transformation(
        self, b: ArrayBuilder, space: Attribute, env: Environment, *, higher_order: bool = False
    ) -> DualArrays:
        """∇ of a function, over the space of its inputs."""
        own = self.higher_order if higher_order else {}
        constructs = {**CONSTRUCTS, **own, BuildOp: build, CallOp: self._call}
        nabla = Nabla(b, space, constructs, env)
        nabla.is_literal = self.is_literal
        return nabla

    def transformations(self) -> dict[str, Callable[[FuncOp], FuncOp]]:
        """Return what each step does to a function: maps that cross calls are split, and applied by calls."""
        return {
            **super().transformations(),
            "linearize": self._linearized,
            "simplify-maps": simplify_maps,
            "apply-linear-maps": self._applied,
        }

    def _linearized(self, function: FuncOp) -> FuncOp:
        was_split, self.is_split = self.is_split, True
        function = linearize_function(function, self, higher_order=True)
        self.is_split = was_split
        return function

    def _applied(self, function: FuncOp) -> FuncOp:
        applied = apply_maps(function)
        if applied is not function:
            self.added += add_applications([applied], self.functions)
        return applied

    def of_function(self, name: str, wrt: tuple[int, ...]) -> FuncOp:
        """The derivative of a function with respect to the parameters `wrt`, as a function."""
        return self._derivative(name, wrt, self.functions[name]).function

    # Calls -----------------------------------------------------------------------------------------

    def _call(self, d: DualArrays, op: CallOp) -> None:
        """Emit a call of the derivative: the map that it returns after the tangent maps of the operands.

        A function whose calls stay returns no map: what it would keep has no bound.
        """
        if callee_name(op) in self.kept:
            call(d, op)
            return
        b, operands = d.b, own_operands(op)
        name = callee_name(op)
        wrt = tuple(k for k, v in enumerate(operands) if v in d.maps)
        derivative = self._derivative(name, wrt, op)
        if not derivative.active:
            b.rebuild_unfolded(op, d.env)
            return
        arguments = [d.value(v) for v in operands]
        if self.is_split or len(b.scopes) > 1:
            *results, map_ = called_split(b, self._split(derivative.function), arguments)
        else:
            *results, map_ = called(b, derivative.function, arguments)
        d.env.update(zip(op.results, results, strict=True))
        whole = b.compose(map_, d.joint_map([operands[k] for k in wrt]))
        if len(derivative.active) == 1:
            d.enter(op.results[derivative.active[0]], whole)
            return
        for k, place in enumerate(derivative.active):
            d.enter(op.results[place], b.compose(b.project(codomain_of(map_), k), whole))

    def _derivative(self, name: str, wrt: tuple[int, ...], op: Operation) -> Derivative:
        """The derivative of a function that `op` calls or is with respect to the parameters `wrt`."""
        known = self.made.get((name, wrt))
        if known is None:
            function = self.prepared_function(name, op)
            known = self.made[name, wrt] = self._differentiate(function, wrt)
        return known

    def _differentiate(self, function: FuncOp, wrt: tuple[int, ...]) -> Derivative:
        block = function_block(function)
        types = list(block.arg_types)
        domain = product_type([types[k] for k in wrt])
        active: list[int] = []

        def body(b: ArrayBuilder, *args: Value) -> list[Value]:
            d = self.transformation(b, domain, dict(zip(block.args, args, strict=True)), higher_order=True)
            # The map crosses the call, so what it reads of an array is kept instead of the array.
            d.levels = (Level(b.block, repeats=False),)
            d.enter_inputs([block.args[k] for k in wrt])
            d.transform(op for op in block.ops if op is not block.last_op)
            results = returned(function)
            active[:] = [k for k, v in enumerate(results) if v in d.maps]
            return [*(d.value(v) for v in results), d.joint_map([results[k] for k in active])]

        name = self._fresh_name(function, wrt)
        hints = [a.name_hint for a in block.args]
        builder = LiteralBuilder if self.is_literal else ArrayBuilder
        derived = new_function(name, types, body, None, hints, builder)
        derived.location = function.location
        if not self.is_literal:
            derived = simplify_maps(derived)
        self._add(derived)
        return Derivative(derived, tuple(active))

    def _split(self, function: FuncOp) -> SplitMap:
        """A derivative as values and residuals, and a function that makes its map of the residuals."""
        name = function.sym_name.data
        known = self.splits.get(name)
        if known is None:
            for callee, op in calls_of(function):
                if any(isinstance(r.type, linear.MapType) for r in op.results) and isinstance(op, CallOp):
                    self._split(self.functions[callee])
            source = with_split_calls(function, self.splits)
            known = self.splits[name] = split_map(source, f"{name}_primal", f"{name}_map")
            self._add(known.primal, known.map)
        return known

    def _add(self, *functions: FuncOp) -> None:
        for function in functions:
            function.sym_visibility = PRIVATE
            self.functions[function.sym_name.data] = function
            self.added.append(function)

    def _fresh_name(self, function: FuncOp, wrt: Sequence[int]) -> str:
        """@f_jacobian, with the positions of the parameters where these are not all the float ones."""
        floats = [k for k, t in enumerate(function.function_type.inputs.data) if is_float(t)]
        name = f"{function.sym_name.data}_jacobian"
        if list(wrt) != floats:
            name += "".join(f"_{k}" for k in wrt)
        while any(known.startswith(name) for known in self.functions):
            name += "_"
        return name
