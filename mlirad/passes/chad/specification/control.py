"""CHAD of branches, builds and loops.

    y = case s {a_k. t_k}      (y, m) = case s {a_k. R(t_k)}       a_k's element is a component of that of s
    y = if p {t} {s}           (y, m) = if p {R(t)} {R(s)}
    y = build n (i. t)         y = build n (i. t); its map is the sum of those of R(t) at all i, made again
    y = scan c xs (c x. t)     (y, m) = scan (c, m0) xs (c m x. R(t), then m)

A branch, and an iteration of a loop, yield their map as a value. A loop carries the map between the carries
so far and all that the loop reads: that of an iteration captures the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.function import CaseOp
from mlirad.dialects.shapes import Value, array_type, element_of, int_lists, shape_of
from mlirad.ir.carries import name_arguments_like
from mlirad.ir.free_values import captures
from mlirad.linear_maps.elements import Element, assembled, components, is_zero
from mlirad.passes.chad.specification.derivation import Derivation, Sweep, underivable

# Branches ----------------------------------------------------------------------------------------

Choice = control.IfOp | control.SwitchOp | CaseOp


def if_(d: Derivation, op: control.IfOp) -> None:
    """Emit the branch, which also makes the map of what was chosen."""
    inputs, arms = _arms(d, op, [])
    _enter(d, op, d.b.if_(d.value(op.condition), *arms), inputs)


def switch(d: Derivation, op: control.SwitchOp) -> None:
    """Emit the branch, which also makes the map of what was chosen."""
    inputs, arms = _arms(d, op, [])
    _enter(d, op, d.b.switch(d.value(op.index), arms), inputs)


def case(d: Derivation, op: CaseOp) -> None:
    """Emit the choice, which also makes the map of what was chosen."""
    inputs, arms = _arms(d, op, [op.value])
    _enter(d, op, d.b.case(d.value(op.value), arms), inputs)


def _arms(
    d: Derivation, op: Choice, chosen: Sequence[Value]
) -> tuple[Sequence[Value], list[Callable[..., list[Value]]]]:
    """Return what the branches read of what depends on the inputs, and what emits each."""
    inputs = d.active_of([*chosen, *(v for region in op.regions for v in captures(region))])
    if not any(linear.carried(d.types.linear(v.type)) for v in op.outputs):
        inputs = []
    return inputs, [partial(_arm, d, op, inputs, k) for k in range(len(op.regions))]


def _arm(d: Derivation, op: Choice, inputs: Sequence[Value], index: int, *value: Value) -> list[Value]:
    """The values of a branch, then its map if there are inputs."""
    block = op.regions[index].block
    name_arguments_like(value, block.args)
    inner = d.inner(zip(block.args, value, strict=True), inputs)
    if isinstance(op, CaseOp) and op.value in inner.active:
        inner.component(op, op.value, block.args[0], index)
    made = inner.block(block)
    return [*inner.values(made), *([inner.map([inputs], made)] if inputs else [])]


def _enter(d: Derivation, op: Choice, values: Sequence[Value], inputs: Sequence[Value]) -> None:
    d.enter(op.outputs, values[: len(op.outputs)])
    if inputs:
        d.activate(op.outputs)
        d.step(op, lambda sweep: sweep.through(values[-1], [inputs], op.outputs))


# Builds ------------------------------------------------------------------------------------------


def build(d: Derivation, op: BuildOp) -> None:
    """Emit the build; in the sweep another one, of the maps of its positions."""
    b, block = d.b, op.body.block
    extents = shape_of(op.result)[: len(block.args)]
    d.enter([op.result], [b.build_from(extents, d.region(op.body, extents))])
    inputs = d.active_of(captures(op.body))
    if not inputs:
        return
    d.activate([op.result])
    env = dict(d.env)

    def at(*position: Value) -> list[Value]:
        inner = d.inner({**env, **dict(zip(block.args, position, strict=True))}.items(), inputs)
        made = inner.block(block)
        return [inner.map([inputs], made)]

    def step(sweep: Sweep) -> None:
        if sweep.types.is_reverse and sweep.of(op.result) is None:
            return
        if not extents:
            sweep.through(at()[0], [inputs], [op.result])
            return
        type_ = d.types.map(d.space([inputs]), d.space([[op.result]]))
        op_class = linear.BuildTransposeOp if d.types.is_reverse else linear.BuildOp
        region = b.index_region(extents, at)
        map_ = b.map_of(op_class, type_.domain, type_.codomain, (), int_lists(extents=extents), (region,))
        sweep.through(map_, [inputs], [op.result])

    if op.result in d.active:
        d.step(op, step)


# Loops -------------------------------------------------------------------------------------------


def scan(d: Derivation, op: control.ScanOp) -> None:
    """Emit the loop, which carries the map of the iterations so far."""
    b, loop, count = d.b, _Loop(d, op, op.xs, op.stacked), op.carry_count

    def body(index: Value, state: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        made = loop.iteration([index, *state[:count], *slices], state[count:])
        return [*made[:count], *made[len(op.results) :]], made[count : len(op.results)]

    final, stacked = b.scan_like(op, [*d.values(op.init), *loop.first_map()], d.values(op.xs), body)
    d.enter(op.results, [*final[:count], *stacked])
    loop.note(final[count:])


def while_(d: Derivation, op: control.WhileOp) -> None:
    """Emit the loop, which carries the map of the iterations so far."""
    if op.record is not None:
        raise underivable(op, d.method)
    b, loop, count = d.b, _Loop(d, op, (), ()), len(op.init)

    def more(*state: Value) -> Value:
        return d.inlined(op.condition, state[:count])[0]

    def body(*state: Value) -> list[Value]:
        return loop.iteration(state[:count], state[count:])

    final = b.while_([*d.values(op.init), *loop.first_map()], more, body)
    d.enter(op.results, final[:count])
    loop.note(final[count:])


class _Loop:
    """The map that a loop carries: between what the loop reads and its carries and stacked values so far."""

    def __init__(
        self,
        d: Derivation,
        op: control.ScanOp | control.WhileOp,
        sliced: Sequence[Value],
        stacked: Sequence[Value],
    ):
        self.d, self.op, self.sliced, self.stacked = d, op, sliced, stacked
        self.final = op.results[: len(op.init)]
        self.captured = d.active_of(captures(op.body))
        self.inputs = d.active_of([*op.init, *sliced, *self.captured])
        if not any(linear.carried(d.types.linear(v.type)) for v in op.results):
            self.inputs = []
        first = len(op.body.block.args) - len(op.init) - len(sliced)
        self.arguments = op.body.block.args[first:]

    def first_map(self) -> list[Value]:
        """The map before the first iteration, where what comes out depends on the inputs."""
        if not self.inputs:
            return []
        around = self.d.inner((), [*self.inputs, *self.op.results])
        around.step(self.op, lambda sweep: sweep.same(self.op.init, self.final))
        return [around.map([self.inputs], self.op.results)]

    def iteration(self, arguments: Sequence[Value], before: Sequence[Value]) -> list[Value]:
        """Return what an iteration yields, with the map after it if there is one before it."""
        d, block = self.d, self.op.body.block
        name_arguments_like(arguments, block.args)
        inner = d.inner(
            zip(block.args, arguments, strict=True), [*self.arguments, *self.captured] if before else ()
        )
        made = inner.block(block)
        values = inner.values(made)
        if not before:
            return values
        read = inner.active_of([*self.arguments, *self.captured])
        iteration = inner.map([read], made)
        around = d.inner((), [*self.inputs, *self.op.results, *self.arguments])
        states = self.arguments[: len(self.final)]
        index = arguments[0]
        around.step(self.op, lambda sweep: sweep.through(before[0], [self.inputs], [*states, *self.stacked]))
        around.step(self.op, lambda sweep: self._take_slices(sweep, index))
        around.step(self.op, lambda sweep: self._take_iteration(sweep, iteration, read, made, index))
        return [*values, around.map([self.inputs], self.op.results)]

    def note(self, maps: Sequence[Value]) -> None:
        """Note the step of the loop, given the map after the last iteration."""
        if maps:
            self.d.activate(self.op.results)
            self.d.step(self.op, lambda sweep: sweep.through(maps[0], [self.inputs], self.op.results))

    def _take_slices(self, sweep: Sweep, index: Value) -> None:
        """Between the arrays and the slices that the iteration takes of them."""
        slices = self.arguments[len(self.final) :]
        for array, slice_ in zip(self.sliced, slices, strict=True):
            if sweep.types.is_reverse:
                sweep.add(array, _placed(sweep, array, index, sweep.of(slice_)))
            else:
                sweep.add(slice_, _sliced(sweep, array, index, sweep.of(array)))

    def _take_iteration(
        self, sweep: Sweep, iteration: Value, read: Sequence[Value], made: Sequence[Value], index: Value
    ) -> None:
        """Between what the iteration reads and the carries and stacked values after it."""
        count, space = len(self.final), self.d.space([made])
        if sweep.types.is_reverse:
            slices = [_sliced(sweep, v, index, sweep.of(v)) for v in self.stacked]
            element = assembled([*(sweep.of(v) for v in self.final), *slices], space)
            sweep.spread([read], sweep.apply(iteration, element))
            return
        images = components(sweep.apply(iteration, sweep.joined([read])), space)
        for source, image in zip(self.final, images[:count], strict=True):
            sweep.add(source, image)
        for source, image in zip(self.stacked, images[count:], strict=True):
            sweep.add(source, _placed(sweep, source, index, image))


def _sliced(sweep: Sweep, array: Value, index: Value, element: Element) -> Element:
    """Slice number `index` of an element of an array's linear part."""
    return None if is_zero(element) else sweep.apply(_slice_map(sweep, array, index), element)


def _placed(sweep: Sweep, array: Value, index: Value, element: Element) -> Element:
    """The element of an array's linear part that is 0 except for slice number `index`."""
    if is_zero(element):
        return None
    return sweep.apply(_slice_map(sweep, array, index), element, transposed=True)


def _slice_map(sweep: Sweep, array: Value, index: Value) -> Value:
    slice_ = array_type(shape_of(array)[1:], element_of(array))
    return sweep.b.map_of(linear.IndexOp, array.type, slice_, (index,))
