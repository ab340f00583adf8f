"""Polynomials in the place of what kinks are in, where these tie.

%e = array.exp (-%a)     -->     select (%a == 0), 1 - %a + %x * %x / 2, %e
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import Value, element_of, is_float
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.elementwise_jets import jet
from mlirad.passes.expand_ties.cones import MOST_OPS, Cone
from mlirad.passes.expand_ties.kinks import kinks_of
from mlirad.passes.function_pass import visit_regions

MOST_ROUNDS = 3
"""Of how many kinks a value may be made that it is smooth at ties of all of them: it grows with each."""


def expanded(function: FuncOp) -> FuncOp:
    """The function, with polynomials at the ends of the cones of its kinks; itself if there are none."""
    done = set[int]()
    for _ in range(MOST_ROUNDS):
        cones = {k: cone for k, cone in enumerate(_cones(function)) if k not in done and cone.ends}
        chosen = _apart(cones)
        if not chosen:
            break
        done.update(chosen)
        function = rebuild_function(function, _Expansion.of(chosen.values()).visit)
        erase_unused(function_block(function))
    return function


def _cones(function: FuncOp) -> Iterator[Cone]:
    """The cones of all kinks, in an order that expansions do not change."""
    for block in _blocks(function.body):
        for kink in kinks_of(block):
            yield Cone.of(block, kink)


def _blocks(region: Region) -> Iterator[Block]:
    """The blocks of a region, but those of code with a derivative of its own, which is not differentiated."""
    yield region.block
    for op in region.block.ops:
        for inner in op.regions:
            if not isinstance(op, CustomOp) or inner is not op.body:
                yield from _blocks(inner)


def _apart(cones: Mapping[int, Cone]) -> dict[int, Cone]:
    """Cones of which no two share an op that is not linear."""
    taken = set[Operation]()
    found: dict[int, Cone] = {}
    for k, cone in cones.items():
        if taken.isdisjoint(cone.ops):
            taken.update(cone.ops)
            found[k] = cone
    return found


@dataclass
class _Expansion:
    """The rewriting of a function: by the value that has to be made smooth, the cone that it ends."""

    ends: dict[Value, Cone]
    readers_of_raw: set[Operation]
    raw: Environment

    @staticmethod
    def of(cones: Iterable[Cone]) -> _Expansion:
        """The rewriting for cones that share no ops."""
        ends = {v: cone for cone in cones for v in cone.ends if len(cone.behind(v)) <= MOST_OPS}
        readers = {op for cone in ends.values() for op in cone.readers_of_raw}
        return _Expansion(ends, readers, {})

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit an op, and what stands for its result where it has to be made smooth."""
        if op.regions:
            visit_regions(b, op, env, self.visit)
            return
        if op in self.readers_of_raw:
            inner = {o: self.raw.get(o, env.get(o, o)) for o in own_operands(op)}
            b.rebuild(op, inner)
            env.update((r, inner[r]) for r in op.results)
        else:
            b.rebuild(op, env)
        for result in op.results:
            cone = self.ends.get(result)
            if cone is not None:
                self.raw[result] = env[result]
                env[result] = self._smooth(b, cone, result, env)

    def _smooth(self, b: ArrayBuilder, cone: Cone, value: Value, env: Environment) -> Value:
        """A value, as a polynomial in the kink where that is 0."""
        known = {**env, **self.raw}
        raw, kink = known[value], cone.kink
        try:
            f = jet(b, cone.behind(value), value, kink.symbols, known)
        except DifferentiationError:  # of a special function without derivative
            return raw

        def moved(x: Value) -> Value:
            for op in cone.moves[value]:
                (operand,) = own_operands(op)
                env: Environment = {operand: x}
                b.rebuild(op, env)
                x = env[op.results[0]]
            return b.convert(x, element_of(raw)) if is_float(x) else x

        found = f.value
        if f.first is not None:
            found = b.add(found, b.absorbing_mul(f.first, moved(kink.a(b, known))))
        if f.second is not None:
            half = b.scaled(f.second, 0.5)
            found = b.add(found, b.absorbing_mul(half, moved(kink.square(b, known))))
        return b.select(moved(kink.is_tie(b, known)), found, raw)
