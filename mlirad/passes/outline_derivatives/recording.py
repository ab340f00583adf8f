"""The reverse sweep of a function that is not inlined: one function records a call, another reverses it.

    f(x, n) = if n = 0 {1} else {x * f(x, n - 1)}

    f_record(x, n)           y, h1 = f_record(x, n - 1)   in a branch;   returns x * y, save(y, h1, n = 0)
    f_reverse(h, x, ct, sx)  y, h1, p = restore(h);   if p {sx} else {f_reverse(h1, x, x * ct, sx + y * ct)}

A call keeps one activation record: the residuals of the body, as for the body of a loop, and the records of
the calls that it made. A record is a value, of type `!array.frame<f_record>`: a scan stacks those of its
iterations, a branch yields `no_frame` for calls that it did not make. The sums of cotangents are parameters,
which are updated in place and passed on; those of arrays that the function updates or returns come with the
cotangents of what it returns, and are results (`passed_arrays.py`). So the cost is proportional to that of
the calls, whatever they read and write of arrays.

Invariant parameters, and arrays that the reverse sweep may need whole, are passed to it, and not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.frame_type import frame_type
from mlirad.dialects.shapes import UNIT, Shape, Value, ints, is_float, tuple_type
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import callee_name
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import Element, value_of
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.traced_regions import TracedRegion, trace
from mlirad.passes.outline_derivatives.sources import Sources


class Recordings:
    """The functions that record calls and go back through them, once for a function and the parameters
    `wrt`.
    """

    def __init__(self, sources: Sources):
        self.sources = sources
        self._known: dict[tuple[str, Shape], Recording] = {}
        self._makers: dict[str, Recording] = {}

    def of(self, name: str, wrt: Shape) -> Recording:
        """The functions that record a call of a function and go back through it."""
        known = self._known.get((name, wrt))
        if known is None:
            known = self._known[name, wrt] = Recording(self, name, wrt)
            self._makers[known.record_name] = self._makers[known.reverse_name] = known
        return known

    def function(self, name: str) -> FuncOp | None:
        """The recording or reversing function of this name, `None` where it is that of no recording."""
        maker = self._makers.get(name)
        return None if maker is None else maker.functions[name]


class Recording:
    """The two functions for a function and the parameters `wrt`; made when asked for."""

    def __init__(self, recordings: Recordings, name: str, wrt: Shape):
        self._recordings = recordings
        self._sources = sources = recordings.sources
        self.name = name
        self.wrt = wrt
        self.record_name = sources.fresh_name(f"{name}_record")
        self.reverse_name = sources.fresh_name(f"{name}_reverse")
        self.frame = frame_type(self.record_name)
        self.handed = sources.handed[name]
        self.fresh = tuple(j for j, k in enumerate(wrt) if k in sources.moved[name])

    @cached_property
    def functions(self) -> dict[str, FuncOp]:
        """The two functions, by name."""
        source = self._sources.source(self.name)
        block = function_block(source)
        constructs = {**CONSTRUCTS, CallOp: self._recorded}
        steps: list[TracedRegion] = []

        def record(b: ArrayBuilder, *args: Value) -> list[Value]:
            d = DualArrays(b, UNIT, constructs)
            active = [block.args[k] for k in self.wrt]
            step = trace(d, source.body, (), active, self.handed, repeats=False)
            steps.append(step)
            values, kept = step.values(b, args)
            return [*values, b.emit(SaveOp, kept, self.frame)]

        hints = [a.name_hint for a in block.args]
        recording = new_function(self.record_name, list(block.arg_types), record, "private", hints)
        recording.location = source.location
        (step,) = steps
        floats = [k for k, v in enumerate(returned(source)) if is_float(v)]
        invariant = [block.args[k].type for k in self.handed]
        cotangents = [returned(source)[k].type for k in floats]
        sums = [block.args[k].type for k in self.wrt]
        onto = [j for j in range(len(sums)) if j not in self.fresh]

        def reverse(b: ArrayBuilder, frame: Value, *args: Value) -> list[Value]:
            handed, rest = args[: len(invariant)], args[len(invariant) :]
            kept = step.kept
            places = step.region.block.args
            known: list[tuple[Value, Value]] = [
                (places[k], v) for k, v in zip(self.handed, handed, strict=True)
            ]
            if kept:
                loaded = b.insert(RestoreOp, (frame,), [v.type for v in kept]).results
                known += list(zip(kept, loaded, strict=True))
            map_ = step.map(b, known, floats)
            given: list[Element] = list(rest[: len(cotangents)])
            before: list[Element] = [None] * len(sums)
            for j, value in zip(onto, rest[len(cotangents) :], strict=True):
                before[j] = value
            found = MapEvaluator(b, source, {}).transposed_onto({}, map_, given, before)
            return [value_of(b, e, t) for e, t in zip(found, sums, strict=True)]

        names = ["frame", *(hints[k] for k in self.handed), *(["ct"] * len(floats))]
        names += [None if hints[self.wrt[j]] is None else f"ct_{hints[self.wrt[j]]}" for j in onto]
        types = [self.frame, *invariant, *cotangents, *(sums[j] for j in onto)]
        reversing = new_function(self.reverse_name, types, reverse, "private", names)
        reversing.location = source.location
        step.discard()
        return {
            self.record_name: eliminate_dead_code(recording),
            self.reverse_name: eliminate_dead_code(reversing),
        }

    def _recorded(self, d: DualArrays, op: CallOp) -> None:
        """D of a call in a function that records: the frame of the call is a residual."""
        b, operands = d.b, own_operands(op)
        active = tuple(k for k, v in enumerate(operands) if v in d.maps)
        inner = self._recordings.of(callee_name(op), active)
        given = [d.value(v) for v in operands]
        callee = SymbolRefAttr(inner.record_name)
        call = b.insert(CallOp, given, [*op.result_types, inner.frame], {"callee": callee})
        d.env.update(zip(op.results, call.results, strict=False))
        floats = [v for v in op.results if is_float(v)]
        if not floats:
            return
        domain = tuple_type([given[k].type for k in active])
        codomain = tuple_type([v.type for v in floats])
        read = [call.results[-1], *(given[k] for k in inner.handed)]
        properties: dict[str, Attribute] = {"callee": SymbolRefAttr(inner.reverse_name)}
        if inner.fresh:
            properties["fresh"] = ints(inner.fresh)
        b.name_hint = None
        map_ = b.map_of(linear.RecordedOp, domain, codomain, read, properties)
        d.enter_image(floats, map_, [operands[k] for k in active])

    def recorded(self, b: ArrayBuilder, primals: Sequence[Value]) -> Sequence[Value]:
        """A call that records: the results of the function, and the frame."""
        outputs = [v.type for v in returned(self._sources.source(self.name))]
        callee = SymbolRefAttr(self.record_name)
        return b.insert(CallOp, primals, [*outputs, self.frame], {"callee": callee}).results

    def reversed(
        self, b: ArrayBuilder, frame: Value, primals: Sequence[Value], results: Shape, given: Sequence[Value]
    ) -> list[Value]:
        """A call that pulls cotangents of the floats `results`, which are given, with the sums after them."""
        source = self._sources.source(self.name)
        floats = [v.type for v in returned(source) if is_float(v)]
        known = dict(zip(results, given, strict=False))
        cotangents = [known[k] if k in known else b.zeros(t) for k, t in enumerate(floats)]
        handed = [primals[k] for k in self.handed]
        operands = [frame, *handed, *cotangents, *given[len(results) :]]
        sums = [function_block(source).args[k].type for k in self.wrt]
        return list(b.insert(CallOp, operands, sums, {"callee": SymbolRefAttr(self.reverse_name)}).results)

    def pulling(self, name: str, results: Shape) -> FuncOp:
        """The function that records a call and pulls cotangents of the floats `results` back through it."""
        source = self._sources.source(self.name)
        types: list[Attribute] = list(function_block(source).arg_types)
        floats = [v.type for v in returned(source) if is_float(v)]
        count = len(types)

        def body(b: ArrayBuilder, *args: Value) -> list[Value]:
            frame = self.recorded(b, args[:count])[-1]
            return self.reversed(b, frame, args[:count], results, args[count:])

        hints = [a.name_hint for a in function_block(source).args]
        onto = [types[k] for j, k in enumerate(self.wrt) if j not in self.fresh]
        new = new_function(name, [*types, *(floats[k] for k in results), *onto], body, "private", hints)
        new.location = source.location
        return new
