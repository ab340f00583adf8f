"""Magnitudes of multiples of one number as multiples of its magnitude, so that their kinks are one.

    %u = array.mul %c, (broadcast %x)              %a = array.abs %x
    %r = array.abs %u                     --->     %r = array.mul (array.abs %c), (broadcast %a)
    %s = array.sum %r                              %s = array.sum %r

The kinks of |c_1 x| and |c_2 x| meet at one tie, where the product of both is smooth. As elements of an
array, in the iterations of a loop, or where %c is an argument, they would count as kinks of their own. The
factor %c must not move. The number %x has fewer elements than %u, is made outside of the region of %u, or is
that of several kinks.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import CHOICES
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.moves import moved, sources
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.expand_ties.cones import Cone
from mlirad.passes.expand_ties.moving import Movement
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.smooth_identities.roots import magnitude_of


def with_factored_kinks(function: FuncOp, cones: Iterable[Cone], movement: Movement) -> FuncOp:
    """Rewrite such magnitudes as multiples; return the function itself if the cones have none."""
    factors = _Factors(movement)
    kinks = [[(v, x) for v in cone.kink.symbols if (x := magnitude_of(v)) is not None] for cone in cones]
    numbers = {v: factors.number_of(x) for kink in kinks for v, x in kink}
    shared = Counter(number for kink in kinks for number in {numbers[v] for v, _ in kink})
    for value, x in itertools.chain.from_iterable(kinks):
        number = numbers[value]
        is_apart = _block_of(number) is not _block_of(x) or _count(number) < _count(x)
        if number is not x and (is_apart or shared[number] > 1):
            factors.numbers[value] = x, number
    return rebuild_function(function, factors.visit) if factors.numbers else function


@dataclass
class _Factors:
    """Tells numbers from their factors, and emits magnitudes by both."""

    movement: Movement
    numbers: dict[Value, tuple[Value, Value]] = field(default_factory=dict[Value, tuple[Value, Value]])
    """The value whose magnitude an entry is, and the number that this is a multiple of."""

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit an op, magnitudes by factors."""
        if op.regions:
            visit_regions(b, op, env, self.visit)
        elif op.results and op.results[0] in self.numbers:
            b.location = op.location
            env[op.results[0]] = self._magnitude(b, *self.numbers[op.results[0]], env)
        else:
            b.rebuild(op, env)

    def number_of(self, x: Value) -> Value:
        """Return the smallest value that every element of `x` is a multiple of, or `x` itself."""
        chain = list(self._chain(x))
        outside = [v for v in chain if _block_of(v) is not _block_of(x)]
        return min(reversed(outside or chain), key=_count)

    def _chain(self, x: Value) -> Iterator[Value]:
        found: Value | None = x
        while found is not None:
            yield found
            found = self._inner(found)

    def _inner(self, x: Value) -> Value | None:
        op = x.owner
        match op:
            case ew.MulOp() if not self.movement.moves(op.lhs):
                return op.rhs
            case ew.MulOp() if not self.movement.moves(op.rhs):
                return op.lhs
            case ew.DivOp() if not self.movement.moves(op.rhs):
                return op.lhs
            case ew.NegOp():
                return op.operand
            case _ if isinstance(op, CHOICES):
                return sources(op)[0]
            case _:
                return None

    def _magnitude(self, b: ArrayBuilder, x: Value, number: Value, env: Environment) -> Value:
        op, inner = x.owner, None if x is number else self._inner(x)
        if inner is None:
            return b.unary(ew.AbsOp, env.get(x, x))
        made = self._magnitude(b, inner, number, env)
        match op:
            case ew.MulOp():
                factor = op.lhs if inner is op.rhs else op.rhs
                return b.mul(b.unary(ew.AbsOp, env.get(factor, factor)), made)
            case ew.DivOp():
                return b.div(made, b.unary(ew.AbsOp, env.get(op.rhs, op.rhs)))
            case _ if isinstance(op, CHOICES):
                return moved(b, op, [made], env)
            case _:
                return made


def _count(value: Value) -> int:
    """The number of elements, with a large one for each dimension whose extent is not known."""
    return prod(extent if is_static(extent) else 1 << 32 for extent in shape_of(value))


def _block_of(value: Value) -> Block | None:
    return value.owner.parent if isinstance(value.owner, Operation) else value.owner
