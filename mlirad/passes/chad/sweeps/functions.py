"""The functions of a module prepared for CHAD, and those made of them, each once.

    @g(x) -> y      @g_fwd(x) -> (y, r)       forward code, and what the backward code reads of it
                    @g_bwd(r, ct, s) -> s     the sum of cotangents of x with that of this call added
                    @g_jvp(x, dx) -> (y, dy)  tangents beside values (`mlirad.passes.tangents`)

    %y, %d = linear.linearize %x {callee = @g, wrt = [0]}
      -->  %y, %r = func.call @g_fwd(%x),    %d = linear.recorded %x, %r {callee = @g_bwd, forward = @g_jvp}

Functions are not inlined before; afterwards `mlirad-inline` decides as for any other. Functions that call
themselves, and in all functions loops on data, are `linear.derivative`s of functions, as by the other
methods: values that are read again are kept in records. So are functions that would hand over too many
values. Of a tree of functions that each call the next one twice, the residuals of all calls would be results
of the first.

Sweeps return the cotangents of values that they pass on whole. Accumulators are parameters, so that a call
that reads one element of an array adds one element. But the cotangent of an array that a function updates is
that of its result, and adding it to an accumulator would cost an array per call. So it is returned, and so
are cotangents of scalars: the caller adds them if it has an accumulator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.shapes import FLAG, Shape, Value, integer, ints, is_float, shape_of, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import (
    PRIVATE,
    CallGraph,
    callee_name,
    callee_of,
    calls_of,
    functions_by_name,
    references_of,
)
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import discard, nested_ops
from mlirad.ir.symbols import free_name
from mlirad.linear_maps.elements import value_of
from mlirad.passes.bulk_operations import add_bulk_functions
from mlirad.passes.callees import Callees, calling
from mlirad.passes.chad.sweeps.branches import branch
from mlirad.passes.chad.sweeps.calls import Derived, call, called
from mlirad.passes.chad.sweeps.scan import scan
from mlirad.passes.chad.sweeps.sweep import Construct, Sweep
from mlirad.passes.chad.sweeps.traces import Traced, trace
from mlirad.passes.chad.sweeps.whole_cotangents import handed_whole
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.activity import active_yields
from mlirad.passes.dual_arrays.availability import Level
from mlirad.passes.dual_arrays.calls import call as derivative_of_call
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.function_pass import holds
from mlirad.passes.mark_no_inline import NO_INLINE
from mlirad.passes.tangents import forward_derivative, interleaved
from mlirad.passes.tangents.control import FORWARD_RULES

_UNEXPANDED = (linear.MapOp, linear.ApplicationOp, linear.DifferentiationOp)


LEAST_KEPT = 1000
"""The number of values that the forward half of a function may hand over in any case."""

KEPT_PER_OP = 2
"""The number of values more that it may hand over for each op of the program."""


def _kept_in_records(functions: Mapping[str, FuncOp]) -> set[str]:
    """The functions that call themselves, or may hand over too many values: at most one for each op of theirs
    and of the functions that they call, as often as they call these."""
    graph = CallGraph(functions)
    kept = set(graph.recursive())
    own = {name: sum(1 for _ in nested_ops(f.body)) for name, f in functions.items()}
    most = LEAST_KEPT + KEPT_PER_OP * sum(own.values())
    counts: dict[str, int] = {}
    for name in graph.postorder(functions, circles=True):
        called = [callee for callee, _ in calls_of(functions[name]) if callee not in kept]
        counts[name] = own[name] + sum(counts.get(callee, 0) for callee in called)
        if counts[name] > most:
            kept.add(name)
            # Nor are the calls in it written out where it is differentiated.
            for inner in graph.reachable([name]):
                functions[inner].attributes[NO_INLINE] = FLAG
    return kept


class Sweeps(Callees):
    """The functions of a module, and the forward and backward functions made of them."""

    method = "chad"

    def __init__(self, module: ModuleOp):
        super().__init__(module)
        self._by_records = _kept_in_records(self.functions)
        self._derived: dict[tuple[str, Shape, bool], Derived] = {}
        self._tangents: dict[tuple[str, Shape], str] = {}
        self._handed_wholes: dict[str, frozenset[int]] = {}
        self._names = set(self.functions)
        self._is_reverse = False
        """True if the map that is being made is only ever applied transposed."""
        self._constructs: dict[type[Operation], Construct] = {
            control.ScanOp: scan,
            control.IfOp: branch,
            control.SwitchOp: branch,
            CheckpointOp: branch,
            CallOp: call(self._derive),
        }
        self._others = {**CONSTRUCTS, **self.higher_order}

    # The operator ------------------------------------------------------------------------------------

    def prepared(self, op: linear.DifferentiationOp) -> FuncOp:
        """A function that calls the callee of `op`."""
        self.prepared_function(op.callee_name, op)
        # Of a function that was replaced in the module the uses are not known any more.
        users = [use.operation for use in op.primals[-1].uses]
        self._is_reverse = bool(users) and all(isinstance(u, linear.ApplyTransposeOp) for u in users)
        return calling(self.functions[op.callee_name])

    def transformation(
        self, b: ArrayBuilder, space: Attribute, env: Environment, *, higher_order: bool = False
    ) -> DualArrays:
        """Return what gives a call the map of a recorded call."""
        return DualArrays(b, space, {CallOp: self._recorded}, env)

    def _recorded(self, d: DualArrays, op: CallOp) -> None:
        """Emit the forward call, and the map that its residuals and the backward function make."""
        b, operands, name = d.b, own_operands(op), callee_name(op)
        is_reverse = self._is_reverse
        if name in self._by_records:
            derivative_of_call(d, op)
            return
        wrt = tuple(k for k, v in enumerate(operands) if v in d.maps)
        derived = self._of(name, wrt, op, is_entry=True)
        arguments = [d.value(v) for v in operands]
        values, residuals = derived.call_forward(b, arguments)
        d.env.update(zip(op.results, values, strict=True))
        if not derived.active:
            return
        results = [op.results[k] for k in derived.active]
        properties: dict[str, Attribute] = {
            "callee": SymbolRefAttr(derived.backward),
            "fresh": ints(tuple(range(len(wrt)))),
        }
        given = residuals
        if not is_reverse:
            properties["forward"] = SymbolRefAttr(self._pushing(name, wrt, derived.active))
            properties["primals"] = integer(len(arguments))
            given = [*arguments, *residuals]
        domain = tuple_type([arguments[k].type for k in wrt])
        codomain = tuple_type([v.type for v in results])
        map_ = b.map_of(linear.RecordedOp, domain, codomain, given, properties)
        d.enter_image(results, map_, [operands[k] for k in wrt])

    # Preparing ---------------------------------------------------------------------------------------

    def prepared_function(self, name: str, op: Operation) -> FuncOp:
        """The function that `op` differentiates or calls as array code with calls."""
        if name in self._by_records:
            return callee_of(op, name, self.functions)
        if name not in self._prepared:
            callee_of(op, name, self.functions)
            self._prepare_with_callees(name, op)
        return self._prepared[name]

    def _with_bulk_operations(self, function: FuncOp) -> FuncOp:
        """Note the functions that are made of kept ones, for calls inside builds: these are kept as well."""
        made = super()._with_bulk_operations(function)
        if made is not function:
            self._enter_batched()
        return made

    def _enter_batched(self) -> None:
        add_bulk_functions(self._bulk_calls())
        for name, function in functions_by_name(self.module).items():
            if name not in self.functions:
                self.functions[name] = function
                self._names.add(name)
                self._by_records.add(name)
                self.kept[name] = None

    # Reverse -----------------------------------------------------------------------------------------

    def _derive(self, op: CallOp, wrt: Shape) -> Derived | None:
        name = callee_name(op)
        if name in self._by_records or not (wrt or self._holds_derivatives(name)):
            return None
        return self._of(name, wrt, op, is_entry=False)

    def _holds_derivatives(self, name: str) -> bool:
        """Return whether a function, or one that it reaches, is to be expanded before it is called."""
        reached = CallGraph(self.functions, references_of).reachable([name])
        return any(holds(self.functions[f], _UNEXPANDED) for f in reached)

    def _of(self, name: str, wrt: Shape, op: Operation, *, is_entry: bool) -> Derived:
        """Return what is made of a function that `op` calls; of an entry the backward function takes no
        sums.
        """
        known = self._derived.get((name, wrt, is_entry))
        if known is None:
            function = self.prepared_function(name, op)
            known = self._derived[name, wrt, is_entry] = self._differentiate(function, wrt, is_entry)
        return known

    def _differentiate(self, function: FuncOp, wrt: Shape, is_entry: bool) -> Derived:
        name, block = function.sym_name.data, function_block(function)
        types, hints = list(block.arg_types), [a.name_hint for a in block.args]
        active = [block.args[k] for k in wrt]
        wanted = active_yields(function.body, active)
        scalars = {k for k in wrt if not shape_of(block.args[k])}
        fresh = frozenset(wrt if is_entry else {*self._wholes(name).intersection(wrt), *scalars})
        summed = [block.args[k] for k in wrt if k not in fresh]
        traced: list[Traced] = []
        scratch: list[Region] = []

        def forward(b: ArrayBuilder, *args: Value) -> list[Value]:
            s = Sweep(b, self._constructs, self._others, self._hands_whole, scratch=scratch)
            if not is_entry:
                s.levels = (Level(b.block, repeats=False),)
            t = trace(s, function.body, (), active, wanted, summed, repeats=False)
            traced.append(t)
            values, kept = t.forward(b, args)
            return [*values, *(r for v, r in zip(t.kept, kept, strict=True) if v not in _places(t))]

        forward_name, backward_name = self._fresh_name(f"{name}_fwd"), self._fresh_name(f"{name}_bwd")
        fwd = new_function(forward_name, types, forward, None, hints)
        (t,) = traced
        places = _places(t)
        kept = [places.get(v) for v in t.kept]

        def backward(b: ArrayBuilder, *args: Value) -> list[Value]:
            known = dict(zip(t.kept, args, strict=False))
            cotangents = list(args[len(kept) : len(kept) + len(wanted)])
            found = t.backward(b, known, cotangents, args[len(kept) + len(wanted) :])
            return [value_of(b, v, x.type) for v, x in zip(found, active, strict=True)]

        sums = [None if v.name_hint is None else f"ct_{v.name_hint}" for v in t.summed]
        taken = [*t.kept, *(returned(function)[k] for k in wanted), *t.summed]
        names = [*(v.name_hint for v in t.kept), *(["ct"] * len(wanted)), *sums]
        bwd = new_function(backward_name, [v.type for v in taken], backward, None, names)
        discard(*scratch)
        self._add(function, fwd, bwd)
        return Derived(
            forward_name,
            backward_name,
            fwd.function_type.outputs.data,
            len(returned(function)),
            kept,
            wanted,
            fresh,
        )

    def _hands_whole(self, op: CallOp, operand: int) -> bool:
        name = callee_name(op)
        return name in self._by_records or operand in self._wholes(name)

    def _wholes(self, name: str) -> frozenset[int]:
        """The parameters of a function to which its sweep may hand a whole cotangent."""
        known = self._handed_wholes.get(name)
        if known is None:
            body = self.prepared_function(name, self.functions[name]).body
            places = [k for k, a in enumerate(body.block.args) if handed_whole(body, a, self._hands_whole)]
            known = self._handed_wholes[name] = frozenset(places)
        return known

    # Forward -----------------------------------------------------------------------------------------

    def _pushing(self, name: str, wrt: Shape, active: Sequence[int]) -> str:
        """The function of a point and tangents of the parameters `wrt` that returns those of results."""
        function = self.functions[name]
        types, outputs = function.function_type.inputs.data, function.function_type.outputs.data
        places = [sum(map(is_float, outputs[:k])) + k + 1 for k in active]

        def body(b: ArrayBuilder, *args: Value) -> list[Value]:
            made = called(b, self._tangent(name, wrt), args, interleaved(outputs))
            return [made[k] for k in places]

        pushing = self._fresh_name(f"{name}_push")
        self._add(function, new_function(pushing, [*types, *(types[k] for k in wrt)], body))
        return pushing

    def _tangent(self, name: str, wrt: Shape) -> str:
        """The function that computes tangents beside values."""
        known = self._tangents.get((name, wrt))
        if known is None:
            known = self._tangents[name, wrt] = self._fresh_name(f"{name}_jvp")
            function = self.functions[name]
            if name in self._by_records:
                self._by_records.add(known)
                self.kept[known] = None
            else:
                function = self.prepared_function(name, function)
            derivative = forward_derivative(function, known, wrt, self._tangent, FORWARD_RULES, self._others)
            self._add(function, derivative)
        return known

    def _add(self, source: FuncOp, *functions: FuncOp) -> None:
        for function in functions:
            function.location = source.location
            function.sym_visibility = PRIVATE
            made = eliminate_dead_code(function)
            self.functions[made.sym_name.data] = made
            self.added.append(made)

    def _fresh_name(self, name: str) -> str:
        """`name`, with a number where there is such a function."""
        found = free_name(name, self._names)
        self._names.add(found)
        return found


def _places(t: Traced) -> dict[Value, int]:
    """The parameters of a traced function, by number."""
    return {v: k for k, v in enumerate(t.forward_region.block.args)}
