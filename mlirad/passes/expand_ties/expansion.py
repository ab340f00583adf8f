"""Polynomials in the place of what kinks are in, where these tie.

%e = array.exp (-%a)     -->     select (%a == 0), 1 - %a + %x * %x / 2, %e
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.shapes import Value, array_type, element_of, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import free_values
from mlirad.ir.moves import moved, sources
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.code_jets import Polynomial, polynomials
from mlirad.passes.expand_ties.cones import MOST_OPS, Cone, Route, size_of_code
from mlirad.passes.expand_ties.kinks import kinks_of
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.smooth_identities.roots import is_inner

MOST_ROUNDS = 3
"""Of how many kinks a value may be made that it is smooth at ties of all of them: it grows with each."""


def expanded(function: FuncOp) -> FuncOp:
    """The function, with polynomials at the ends of the cones of its kinks; itself if there are none."""
    cones = list(_cones(function, ()))
    products = _products(cones)
    if products:
        function = _with_sums(function, products)
        cones = list(_cones(function, ()))
    done = frozenset[Value]()
    for _ in range(MOST_ROUNDS):
        chosen = _apart([cone for cone in cones if not cone.is_smooth])
        if not chosen:
            break
        expansion = _Expansion.of(chosen, done)
        function = rebuild_function(function, expansion.visit)
        erase_unused(function_block(function))
        done = frozenset(expansion.done)
        cones = list(_cones(function, done))
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


def _cones(function: FuncOp, done: Container[Value]) -> Iterator[Cone]:
    """The cones of all kinks but those that are done, those in regions first."""
    for block in reversed(list(_blocks(function.body))):
        for kink in kinks_of(block):
            if kink.size not in done:
                yield Cone.of(block, kink)


def _blocks(region: Region) -> Iterator[Block]:
    """The blocks of a region, but those of code with a derivative of its own, which is not differentiated."""
    yield region.block
    for op in region.block.ops:
        for inner in op.regions:
            if not isinstance(op, CustomOp) or inner is not op.body:
                yield from _blocks(inner)


def _apart(cones: Iterable[Cone]) -> list[Cone]:
    """Cones that share no op with each other."""
    taken = set[Operation]()
    found: list[Cone] = []
    for cone in cones:
        ops = {inner for op in cone.ops for inner in (op, *(o for r in op.regions for o in nested_ops(r)))}
        if taken.isdisjoint(ops):
            taken.update(ops)
            found.append(cone)
    return found


@dataclass
class _Expansion:
    """The rewriting of a function: by the op whose results have to be made smooth, the cone that it ends."""

    ends: dict[Operation, Cone]
    readers_of_raw: set[Operation]
    sizes: set[Value]
    """The kinks that are expanded, and those that have been."""
    done: set[Value] = field(default_factory=set[Value])
    """These in the function that comes out."""
    raw: Environment = field(default_factory=dict[Value, Value])

    @staticmethod
    def of(cones: Sequence[Cone], done: Iterable[Value]) -> _Expansion:
        """The rewriting for cones that share no ops."""
        ends = {op: cone for cone in cones for op in cone.ops if cone.ends_of(op)}
        readers = {op for cone in cones for op in cone.readers_of_raw}
        return _Expansion(ends, readers, {*done, *(cone.kink.size for cone in cones)})

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit an op, and what stands for its results where they have to be made smooth."""
        reads_raw = op in self.readers_of_raw
        inner = {o: self.raw.get(o, env.get(o, o)) for o in free_values(op)} if reads_raw else env
        if op.regions and not isinstance(op, MOVES):
            visit_regions(b, op, inner, self.visit)
        else:
            b.rebuild(op, inner)
        env.update((r, inner[r]) for r in op.results)
        self.done.update(env[r] for r in op.results if r in self.sizes)
        cone = self.ends.get(op)
        if cone is not None:
            self._smooth(b, cone, op, env)

    def _smooth(self, b: ArrayBuilder, cone: Cone, op: Operation, env: Environment) -> None:
        """Put polynomials in the kink, where that is 0, in the place of results of an op; on a branch of its
        own if more than elements is computed of a kink that is one number.
        """
        values = cone.ends_of(op)
        ops = cone.behind(values)
        if size_of_code(o for o in ops if o.results[0] not in cone.kink.symbols) > MOST_OPS:
            return
        known = {**env, **self.raw}
        raw, kink = [env[v] for v in values], cone.kink

        def in_place(x: Value, value: Value) -> Value:
            x = _placed(b, cone.routes[value], x, known)
            return b.convert(x, element_of(value)) if is_float(x) else x

        def smooth() -> list[Value]:
            found = polynomials(b, ops, values, kink.symbols, known)
            b.location, b.name_hint = op.location, op.results[0].name_hint
            made = zip(found, values, raw, strict=True)
            return [r if f.quadratic is None and not cone.is_root else total(f, v) for f, v, r in made]

        def total(f: Polynomial, value: Value) -> Value:
            found = f.constant
            for factor, power in ((f.linear, kink.a), (f.quadratic, kink.square)):
                if factor is not None:
                    found = b.add(found, b.absorbing_mul(factor, in_place(power(b, known), value)))
            return found

        if cone.is_alone and any(inner.regions or any(map(shape_of, inner.results)) for inner in ops):
            is_tie = b.reshape(kink.is_tie(b, known), ())
            made = b.if_(is_tie, smooth, lambda: raw)
        else:
            is_tie = kink.is_tie(b, known)
            made = [
                v if s is v else b.select(in_place(is_tie, value), s, v)
                for s, v, value in zip(smooth(), raw, values, strict=True)
            ]
        for value, v, s in zip(values, raw, made, strict=True):
            env[value] = s
            if value not in cone.even:
                self.raw[value] = v


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
