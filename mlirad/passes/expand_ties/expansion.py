"""Polynomials in the place of what kinks are in, where these tie.

%e = array.exp (-%a)     -->     select (%a == 0), 1 - %a + %x * %x / 2, %e
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.shapes import Value, array_type, element_of, is_float, shape_of
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import free_values
from mlirad.ir.moves import moved, sources
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.elementwise_jets import jet
from mlirad.passes.expand_ties.cones import MOST_OPS, Cone, Route
from mlirad.passes.expand_ties.kinks import kinks_of
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.smooth_identities.roots import is_inner

MOST_ROUNDS = 3
"""Of how many kinks a value may be made that it is smooth at ties of all of them: it grows with each."""


def expanded(function: FuncOp) -> FuncOp:
    """The function, with polynomials at the ends of the cones of its kinks; itself if there are none."""
    cones = list(_cones(function))
    products = _products(cones)
    if products:
        function = _with_sums(function, products)
        cones = list(_cones(function))
    done = set[int]()
    for _ in range(MOST_ROUNDS):
        chosen = _apart({k: cone for k, cone in enumerate(cones) if k not in done and cone.ends})
        if not chosen:
            break
        done.update(chosen)
        function = rebuild_function(function, _Expansion.of(chosen.values()).visit)
        erase_unused(function_block(function))
        cones = list(_cones(function))
    return function


def _products(cones: Iterable[Cone]) -> set[Operation]:
    """The contractions of two arrays that depend on one kink."""
    return {
        op
        for cone in cones
        for value in cone.routes
        for op in (use.operation for use in value.uses)
        if isinstance(op, DotOp) and is_inner(op) and op.lhs in cone.routes and op.rhs in cone.routes
    }


def _with_sums(function: FuncOp, products: Container[Operation]) -> FuncOp:
    """The function, with some contractions as sums of products."""

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, DotOp) and op in products:
            x, y = (env.get(v, v) for v in (op.lhs, op.rhs))
            env[op.result] = b.sum(b.mul(x, y), op.contract[0])
        else:
            visit_regions(b, op, env, visit) if op.regions else b.rebuild(op, env)

    return rebuild_function(function, visit)


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
        reads_raw = op in self.readers_of_raw
        inner = {o: self.raw.get(o, env.get(o, o)) for o in free_values(op)} if reads_raw else env
        if op.regions and not isinstance(op, MOVES):
            visit_regions(b, op, inner, self.visit)
        else:
            b.rebuild(op, inner)
        env.update((r, inner[r]) for r in op.results)
        for result in op.results:
            cone = self.ends.get(result)
            if cone is not None:
                self.raw[result] = env[result]
                env[result] = self._smooth(b, cone, result, env)

    def _smooth(self, b: ArrayBuilder, cone: Cone, value: Value, env: Environment) -> Value:
        """A value, as a polynomial in the kink where that is 0; on a branch of its own if arrays are computed
        of a kink that is one number.
        """
        known = {**env, **self.raw}
        raw, kink = known[value], cone.kink
        ops = cone.behind(value)
        made = [op.results[0] for op in ops if op.results[0] not in kink.symbols]

        def in_place(x: Value) -> Value:
            x = _placed(b, cone.routes[value], x, known)
            return b.convert(x, element_of(raw)) if is_float(x) else x

        def polynomial() -> Value:
            f = jet(b, ops, value, kink.symbols, known)
            found = f.value
            if f.first is not None:
                found = b.add(found, b.absorbing_mul(f.first, in_place(kink.a(b, known))))
            if f.second is not None:
                half = b.scaled(f.second, 0.5)
                found = b.add(found, b.absorbing_mul(half, in_place(kink.square(b, known))))
            return found

        try:
            if cone.is_alone and any(map(shape_of, made)):
                is_tie = b.reshape(kink.is_tie(b, known), ())
                return b.if_(is_tie, lambda: [polynomial()], lambda: [raw])[0]
            found = polynomial()
        except DifferentiationError:  # of a special function without derivative
            return raw
        return b.select(in_place(kink.is_tie(b, known)), found, raw)


def _placed(b: ArrayBuilder, route: Route, x: Value, env: Environment) -> Value:
    """Elements of the shape of a kink where the route has those of the kink, and 0 elsewhere."""
    if route.shape is not None:
        return b.broadcast(b.reshape(x, ()), route.shape, ())
    if route.op is None:
        return x
    zeros = (b.zeros(array_type(shape_of(v), element_of(x))) for v in sources(route.op))
    parts = [
        nothing if inner is None else _placed(b, inner, x, env)
        for inner, nothing in zip(route.sources, zeros, strict=True)
    ]
    return moved(b, route.op, parts, env)
