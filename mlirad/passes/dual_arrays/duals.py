"""The transformation D of straight code: a tangent map for every float value that depends on the inputs.

    %z = array.mul %x, %y       d_z = add (compose (scale %y) d_x) (compose (scale %x) d_y)

Tangent maps are in spine form: maps from one space, each the identity, zero, a projection, a sum or tuple of
tangent maps, or a local map composed with one. So the size of the map is linear in the program, and sharing
in it is sharing of SSA values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Self, TypeAlias

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, is_float, tangent_type
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, Environment, Images
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dual_arrays.availability import Level
from mlirad.rules.derivatives import DERIVATIVES, ELIMINATED, READS_POSITIONS, ZERO, Joint, Partial

Construct: TypeAlias = "Callable[[DualArrays, Any], None]"
"""Emits an op with regions and enters its results and their tangent maps."""


@dataclass
class DualArrays(Images):
    """The state of D: the space that tangent maps go out of, the images of source values, and their tangent
    maps.

    `env` and `maps` have source values as keys. A value without a tangent map does not depend on the inputs,
    except the tapes in `tapes`, which hold values that do.
    """

    b: ArrayBuilder
    space: Attribute
    constructs: Mapping[type[Operation], Construct]
    env: Environment = field(default_factory=dict[Value, Value])
    maps: dict[Value, Value] = field(default_factory=dict[Value, Value])
    tapes: set[Value] = field(default_factory=set[Value])
    levels: tuple[Level, ...] = ()
    """The blocks around whose maps are applied when their values are gone, outermost first."""

    def tangent_map(self, source: Value) -> Value:
        """The tangent map of a source value, the zero map where it has none."""
        known = self.maps.get(source)
        return self.b.zero_map(self.space, tangent_type(source.type)) if known is None else known

    def enter_inputs(self, inputs: Sequence[Value]) -> None:
        """Give inputs their tangent maps: the projections of the space, of one input the identity."""
        b, space = self.b, self.space
        for k, source in enumerate(inputs):
            self.enter(source, b.identity_map(space) if len(inputs) == 1 else b.project(space, k))

    def joint_map(self, sources: Sequence[Value]) -> Value:
        """The map to the tuple of the tangents of source values, of one value its tangent map."""
        maps = [self.tangent_map(v) for v in sources]
        return maps[0] if len(maps) == 1 else self.b.vcat(self.space, maps)

    def enter(self, source: Value, tangent_map: Value) -> None:
        """Give a source value its tangent map."""
        if source.name_hint is not None and tangent_map.name_hint is None:
            tangent_map.name_hint = f"d_{source.name_hint}"
        self.maps[source] = tangent_map

    def enter_image(self, results: Sequence[Value], map_: Value, sources: Sequence[Value]) -> None:
        """Give source values the components of a map after the tangent maps of the sources, as a tuple."""
        whole = self.b.compose(map_, self.b.vcat(self.space, [self.tangent_map(v) for v in sources]))
        for k, result in enumerate(results):
            self.enter(result, self.b.compose(self.b.project(codomain_of(map_), k), whole))

    def inner(
        self, space: Attribute, arguments: Iterable[tuple[Value, Value]], level: Level | None = None
    ) -> Self:
        """D in a region, over its own space: the source's region arguments are given what they become.

        `level` is the region's own, if its maps are applied when its values are gone.
        """
        env = dict(self.env)
        env.update(arguments)
        inside = self._fresh(space, env)
        if level is not None:
            inside.levels = (*self.levels, level)
        return inside

    def _fresh(self, space: Attribute, env: Environment) -> Self:
        """D of the same kind over a space, without tangent maps."""
        return replace(self, space=space, env=env, maps={}, tapes=set())

    def substitute(self, op: Operation, free: Sequence[Value], function: FuncOp) -> None:
        """Emit a function of the `free` source values, which computes the results of `op`, in its place."""
        block = function_block(function)
        inside = self._fresh(self.space, dict(self.env))
        for source, argument in zip(free, block.args, strict=True):
            inside.env[argument] = self.value(source)
            if source in self.maps:
                inside.maps[argument] = self.maps[source]
        inside.transform(block.ops)
        for result, value in zip(op.results, returned(function), strict=True):
            self.env[result] = inside.value(value)
            if value in inside.maps:
                self.enter(result, inside.maps[value])
        function.drop_all_references()

    def transform(self, ops: Iterable[Operation]) -> None:
        """Emit ops with their tangent maps, up to a terminator of a region."""
        for op in ops:
            if isinstance(op, YieldOp | ReturnOp):
                return
            construct = self.constructs.get(type(op))
            if construct is not None and self._is_active(op):
                self.b.location, self.b.name_hint = op.location, None
                construct(self, op)
            else:
                self._transform_op(op)

    def _is_active(self, op: Operation) -> bool:
        """Return whether an op reads something that depends on the inputs."""
        read = free_values(op)
        if any(v in self.tapes for v in read):
            if not isinstance(op, ReplayOp):
                raise DifferentiationError(
                    "the record of a while loop is replayed inside another loop or branch",
                    location=location_of(op),
                    hint="differentiate only once, or replay it outside",
                )
            return True
        return any(v in self.maps for v in read)

    def _transform_op(self, source: Operation) -> None:
        """Emit one op as it is, and the tangent maps of its float results."""
        b, maps = self.b, self.maps
        op = b.rebuild_unfolded(source, self.env)
        read = free_values(source) if source.regions else own_operands(source)
        active = [v for v in read if v in maps]
        if not active or type(op) in ZERO:
            return
        rule = DERIVATIVES.get(type(op))
        if rule is None:
            raise no_rule(op)
        if not is_float(op.results[0]):
            return
        operands = own_operands(source)
        b.name_hint = None
        if isinstance(rule, Joint):
            pair = b.vcat(self.space, [self.tangent_map(o) for o in operands])
            if not isinstance(pair.owner, linear.ZeroOp):
                self.enter(source.results[0], self.after(rule.rule(b, op), pair))
            return
        if type(op) not in READS_POSITIONS and not any(o in maps for o in operands[: len(rule)]):
            raise no_rule(op)
        tangent_map = self.chained(op, rule, operands)
        if tangent_map is not None:
            self.enter(source.results[0], tangent_map)

    def chained(
        self, op: Operation, rule: Sequence[Partial | None], operands: Sequence[Value]
    ) -> Value | None:
        """The chain rule: the sum of the partial derivatives after the tangent maps of the source operands.

        None where it is zero.
        """
        total: Value | None = None
        for partial, operand in zip(rule, operands, strict=False):
            inner = self.maps.get(operand)
            if inner is not None and partial is not None:
                term = self.after(partial(self.b, op), inner)
                total = term if total is None else self.b.add_maps(total, term)
        return total

    def after(self, outer: Value, inner: Value) -> Value:
        """`outer` after `inner`, all left operands local: (f g) d = f (g d), (f + g) d = f d + g d."""
        if isinstance(outer.owner, linear.ComposeOp):
            composition = outer.owner
            return self.after(composition.outer, self.after(composition.inner, inner))
        if isinstance(outer.owner, linear.AddOp):
            return self.b.add_maps(*(self.after(part, inner) for part in own_operands(outer.owner)))
        return self.b.compose(outer, inner)


def no_rule(op: Operation) -> DifferentiationError:
    """The error that a float which is differentiated reaches an op without a derivative."""
    if type(op) in ELIMINATED:
        hint = f"run the pass {ELIMINATED[type(op)]} before linearize"
    else:
        hint = "compute it outside of what is differentiated"
    return DifferentiationError(
        f"{op.name} has no derivative, and a float that is differentiated reaches it",
        location=location_of(op),
        hint=hint,
    )
