"""The rewriting of a function: reports after products, tokens and shadows through its loops and branches.

    %c = array.scan %x ...      --->      %c, %t1, %s1 = array.scan %x, %t, %s ...

A loop carries a token, and the shadows of its floats; a branch yields them; a function that is called takes a
token and returns one. Only what holds a report does so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from xdsl.dialects.builtin import NameLoc, i1, i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.frames import RestoreOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.check_absorbed.computed_zeros import Shadow, Shadows

_CONTROL: Final = (control.ScanOp, control.WhileOp, control.ReplayOp, control.IfOp, control.SwitchOp)


def checked(function: FuncOp, reporting: Collection[str], *, is_entry: bool) -> FuncOp:
    """The function with its reports. One that others call takes a token last, and returns one.

    Of the entry one of the results depends on the last token.
    """
    source = function_block(function)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        token = b.constant(0, i64) if is_entry else args[-1]
        env: Environment = dict(zip(source.args, args, strict=False))
        checking = _Checking(b, reporting, token)
        if is_entry:
            checking.shadows.enter_computed(args)
        results = checking.block(source, env)
        return _sealed(b, results, checking.token) if is_entry else [*results, checking.token]

    types = list(source.arg_types)
    visibility = None if function.sym_visibility is None else function.sym_visibility.data
    hints = [a.name_hint for a in source.args]
    name = function.sym_name.data
    new = new_function(name, types if is_entry else [*types, i64], body, visibility, hints)
    new.location = function.location
    new.attributes.update(function.attributes)
    for key in ("arg_attrs", "res_attrs") if is_entry else ():
        if key in function.properties:
            new.properties[key] = function.properties[key]
    return new


def _sealed(b: ArrayBuilder, results: list[Value], token: Value) -> list[Value]:
    """The results, one made to depend on a token."""
    return results if b.scalar_of(token) is not None else b.sealed(results, token) or results


class _Checking:
    """The rewriting of one function, with the last token."""

    def __init__(self, b: ArrayBuilder, reporting: Collection[str], token: Value):
        self.b = b
        self.token = token
        self._reporting = reporting
        self._recorded: dict[Value, _Beside] = {}
        """The values that tapes hold."""
        self.shadows = Shadows(b)

    def block(self, block: Block, env: Environment) -> list[Value]:
        """Emit the ops of a block, with reports; what stands for the operands of its terminator."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return [env.get(v, v) for v in own_operands(op)]
            self._visit(op, env)
        raise AssertionError("a block without a terminator")

    def _visit(self, op: Operation, env: Environment) -> None:
        b = self.b
        b.location = op.location
        b.name_hint = op.results[0].name_hint if op.results else None
        operands = [env.get(o, o) for o in own_operands(op)]
        if isinstance(op, CallOp) and op.callee.root_reference.data in self._reporting:
            types = [*op.result_types, i64]
            *results, self.token = b.insert(CallOp, [*operands, self.token], types, op.properties).results
        elif isinstance(op, _CONTROL):
            results = self._control(op, operands, env)
        else:
            b.rebuild(op, env)
            if isinstance(op, RestoreOp):  # coefficients
                self.shadows.enter_computed(env[r] for r in op.results)
            elif len(op.results) == 1:
                self.shadows.follow(op, env)
            if isinstance(op, ew.AbsorbingMulOp):
                self._report(op, *operands)
            return
        env.update(zip(op.results, results, strict=True))

    # Reports -------------------------------------------------------------------------------------

    def _report(self, op: ew.AbsorbingMulOp, factor: Value, moved: Value) -> None:
        """Report where one of two factors is infinite, and the other a zero that was computed."""
        name = _name_of(op)
        if name == "absorbing_mul":  # that of the program itself
            return
        for infinite, zero, message in (
            (factor, moved, f"the derivative of {name} is not finite, and a zero absorbs it"),
            (moved, factor, f"the derivative of {name} is 0, and absorbs one that is not finite"),
        ):
            condition = self._absorbs(infinite, zero)
            if condition is not None:
                if shape_of(condition):
                    condition = self.b.reduce("or", condition, range(len(shape_of(condition))))
                self.token = self.b.report("pole", self.token, condition, [], message, location_of(op))

    def _absorbs(self, infinite: Value, zero: Value) -> Value | None:
        b, shadow = self.b, self.shadows.of(zero)
        if shadow is False or b.ranges.finite(infinite):
            return None
        is_infinite = b.logical_not(b.elementwise(ew.IsFiniteOp, (infinite,), i1))
        absorbs = b.logical_and(is_infinite, b.compare("eq", zero, b.zeros(zero.type)))
        return absorbs if shadow is True else b.logical_and(absorbs, shadow)

    # Loops and branches --------------------------------------------------------------------------

    def _control(self, op: Operation, o: Sequence[Value], env: Environment) -> list[Value]:
        match op:
            case control.ScanOp():
                return self._scan(op, o, env)
            case control.WhileOp():
                return self._while(op, o, env)
            case control.ReplayOp():
                return self._replay(op, o, env)
            case control.IfOp():
                return self._received(self.b.if_(o[0], *self._branches(op.regions, env)), op.result_types)
            case control.SwitchOp():
                return self._received(self.b.switch(o[0], self._branches(op.regions, env)), op.result_types)
            case _:
                raise AssertionError(f"{op.name} is neither a loop nor a branch")

    def _sent(self, values: Sequence[Value]) -> list[Value]:
        """Values, the last token, and the shadows of floats."""
        return [*values, self.token, *(self.shadows.array(v) for v in values if is_float(v))]

    def _received(self, sent: Sequence[Value], types: Sequence[Attribute]) -> list[Value]:
        """The values alone of what `_sent` made, of these types; token and shadows are noted."""
        count = len(types)
        values, (self.token, *shadows) = list(sent[:count]), sent[count:]
        for value, shadow in zip((v for v in values if is_float(v)), shadows, strict=True):
            self.shadows.enter(value, shadow)
        return values

    def _inside(self, region: Region, args: Sequence[Value], env: Environment) -> list[Value]:
        """Return what a region yields on arguments."""
        return self.block(region.block, {**env, **dict(zip(region.block.args, args, strict=True))})

    def _branches(self, regions: Sequence[Region], env: Environment) -> list[Callable[[], list[Value]]]:
        token = self.token

        def branch(region: Region) -> list[Value]:
            self.token = token
            return self._sent(self._inside(region, (), env))

        return [partial(branch, region) for region in regions]

    def _scan(self, op: control.ScanOp, o: Sequence[Value], env: Environment) -> list[Value]:
        count = op.carry_count
        types, xs = [v.type for v in o[:count]], _Beside.of(self.shadows, o[count:])
        made = _Beside([], [])

        def body(index: Value, sent: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
            carries = self._received(sent, types)
            values = self._inside(op.body, [index, *carries, *xs.taken(self.shadows, slices)], env)
            nonlocal made
            made = _Beside.of(self.shadows, values[count:])
            return self._sent(values[:count]), made.all

        final, stacked = self.b.scan_like(op, self._sent(o[:count]), xs.all, body)
        return [*self._received(final, types), *made.taken(self.shadows, stacked)]

    def _while(self, op: control.WhileOp, o: Sequence[Value], env: Environment) -> list[Value]:
        types, count = [v.type for v in o], len(o)
        records, made = op.record is not None, _Beside([], [])

        def condition(*sent: Value) -> list[Value]:
            return self.b.inline_region(op.condition, sent[:count], env)

        def body(*sent: Value) -> list[Value]:
            values = self._inside(op.body, self._received(sent, types), env)
            nonlocal made
            made = _Beside.of(self.shadows, values[count:])
            return [*self._sent(values[:count]), *made.all]

        sent = self._sent(o)
        first, second = (self.b.region([v.type for v in sent], f) for f in (condition, body))
        results = self.b.while_from(sent, first, second, len(made.all) if records else None)
        if records:
            self._recorded[results[-1]] = made
        return [*self._received(results[: len(sent)], types), *results[len(sent) :]]

    def _replay(self, op: control.ReplayOp, o: Sequence[Value], env: Environment) -> list[Value]:
        types, recorded = [v.type for v in o[1:]], self._recorded.get(o[0])

        def body(entry: list[Value], sent: list[Value]) -> list[Value]:
            own = entry if recorded is None else recorded.taken(self.shadows, entry)
            return self._sent(self._inside(op.body, [*own, *self._received(sent, types)], env))

        final = self.b.replay(o[0], self._sent(o[1:]), body, reverse=op.reverse is not None)
        return self._received(final, types)


@dataclass(frozen=True)
class _Beside:
    """Values that go into or out of a loop iteration by iteration, with their shadows behind them where these
    vary.
    """

    values: Sequence[Value]
    shadows: Sequence[Shadow | None]

    @staticmethod
    def of(shadows: Shadows, values: Sequence[Value]) -> _Beside:
        """These values, with the shadows that are known."""
        return _Beside(values, [shadows.known(v) for v in values])

    @property
    def all(self) -> list[Value]:
        """The values, and the shadows that vary."""
        return [*self.values, *(s for s in self.shadows if s is not None and not isinstance(s, bool))]

    def taken(self, shadows: Shadows, given: Sequence[Value]) -> list[Value]:
        """The values for what an iteration gets of `all`, or for what all iterations make; their shadows are
        noted.
        """
        values, rest = list(given[: len(self.values)]), iter(given[len(self.values) :])
        for value, shadow in zip(values, self.shadows, strict=True):
            if shadow is not None:
                shadows.enter(value, shadow if isinstance(shadow, bool) else next(rest))
        return values


def _name_of(op: Operation) -> str:
    """The name of what an op is part of the derivative of."""
    location = op.location
    return location.desc.data if isinstance(location, NameLoc) else "an operation"
