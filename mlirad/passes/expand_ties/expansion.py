"""The terms that make values smooth at ties, added at the ends of the cones of kinks.

%e = array.exp (-%a)     -->     %e + (select (%a == 0), %x * %x / 2, -0)

Values read by ops that are made smooth themselves are read without terms, except those of other kinks. A
root, whose derivative is infinite where it is 0, is read there as a constant.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import MOVES, BuildOp
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block, yields
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.bulk_operations import bulk_function
from mlirad.passes.expand_ties.cones import MOST_FOLLOWED, MOST_OPS, Cone, TooLongError, size_of_code
from mlirad.passes.expand_ties.distances import with_distances
from mlirad.passes.expand_ties.factored_kinks import with_factored_kinks
from mlirad.passes.expand_ties.kinks import kinks_of
from mlirad.passes.expand_ties.moving import Movement
from mlirad.passes.expand_ties.outer_kinks import with_outer_kinks
from mlirad.passes.expand_ties.tie_terms import Terms
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.smooth_identities import smooth_identities
from mlirad.passes.smooth_identities.roots import is_inner

MOST_ADDED = 6000
"""The number of ops that may be emitted for the ties of a function; kinks beyond are left as they are."""


def expanded(function: FuncOp, arguments: Collection[int] | None, *, is_last: bool) -> FuncOp:
    """The function, smooth at the ends of the cones of its kinks; itself without kinks.

    `arguments` are the positions of arguments that are differentiated by; `None` is all. With `is_last` the
    derivatives of third order, which are not taken, are not those of the function.
    """

    def with_factors(function: FuncOp, cones: Iterable[Cone]) -> FuncOp:
        return with_factored_kinks(function, cones, Movement(function, arguments))

    function = with_distances(function)
    cones = _cones(function, arguments)
    for prepare in (with_outer_kinks, _without_builds, with_factors, with_outer_kinks, _with_sums):
        prepared = prepare(function, cones)
        if prepared is not function:
            function = prepared
            cones = _cones(function, arguments)
    chosen = [cone for cone in cones if not cone.is_smooth]
    if not chosen:
        return function
    function = rebuild_function(function, _Expansion.of(chosen, is_last).visit)
    erase_unused(function_block(function))
    return function


def _without_builds(function: FuncOp, cones: Iterable[Cone]) -> FuncOp:
    """The function in bulk form, if builds make elements of kinks, as methods that keep builds leave them."""
    return smooth_identities(bulk_function(function)) if any(map(_is_in_builds, cones)) else function


def _is_in_builds(cone: Cone) -> bool:
    """Tell if a build yields what is not smooth at the tie of a kink."""
    regions = (value.owner.parent_op() for value in cone.routes)
    builds = {op for op in regions if isinstance(op, BuildOp)}
    return any(cone.is_moving(v) for op in builds for v in yields(op.body))


def _products(cones: Iterable[Cone]) -> set[Operation]:
    """The contractions of two arrays that depend on one kink."""
    return {
        op
        for cone in cones
        for value in cone.routes
        for op in (use.operation for use in value.uses)
        if isinstance(op, DotOp) and is_inner(op) and all(_is_by_element(v, cone) for v in (op.lhs, op.rhs))
    }


def _is_by_element(value: Value, cone: Cone) -> bool:
    return value in cone.routes and value not in cone.mixed


def _with_sums(function: FuncOp, cones: Iterable[Cone]) -> FuncOp:
    """The function, with contractions of two arrays that depend on one kink as sums of products."""
    products = _products(cones)
    if not products:
        return function

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, DotOp) and op in products:
            x, y = (env.get(v, v) for v in (op.lhs, op.rhs))
            env[op.result] = b.sum(b.mul(x, y), op.contract[0])
        else:
            visit_regions(b, op, env, visit) if op.regions else b.rebuild(op, env)

    return rebuild_function(function, visit)


def _cones(function: FuncOp, arguments: Collection[int] | None) -> list[Cone]:
    """The cones of all kinks that move at their ties, those in regions first.

    The last kinks of a function have the shortest cones, so these are followed first: where each kink is
    made of the one before, all cones together have as many ops as half the square of the number of kinks.
    """
    movement = Movement(function, arguments)
    blocks = reversed(list(_blocks(function.body)))
    kinks = [(block, kink) for block in blocks for kink in kinks_of(block) if movement.of_kink(kink)]
    cones: list[Cone] = []
    left = MOST_FOLLOWED
    for block, kink in reversed(kinks):
        try:
            cones.append(Cone.of(block, kink, left))
        except TooLongError:
            break
        left -= cones[-1].followed
    return cones[::-1]


def _blocks(region: Region) -> Iterator[Block]:
    """The blocks of a region, but those of code with a derivative of its own, which is not differentiated."""
    yield region.block
    for op in region.block.ops:
        for inner in op.regions:
            if not isinstance(op, CustomOp) or inner is not op.body:
                yield from _blocks(inner)


@dataclass
class _Expansion:
    """The rewriting of a function: what is added to the values that have to be made smooth."""

    ends: dict[Operation, list[Cone]]
    """The cones that end at an op, whose results have to be made smooth."""
    raw_reads: dict[Operation, set[int]]
    """The cones whose values an op reads as they are, as `id`s."""
    roots: dict[Value, Cone]
    """The kinks that are roots, whose derivative is infinite."""
    sizes: set[Value]
    """The kinks."""
    is_last: bool
    """Tell if coefficients of terms need no derivative."""
    base: Environment = field(default_factory=dict[Value, Value])
    """The former values of those that have been made smooth."""
    terms: dict[Value, list[tuple[Cone, Value]]] = field(default_factory=dict)
    """The terms added to these values, with their cones."""
    guarded: Environment = field(default_factory=dict[Value, Value])
    """The roots with the derivative 0 where they are 0."""
    plain: Environment = field(default_factory=dict[Value, Value])
    """The kinks as the function has them."""
    around: frozenset[int] = frozenset()
    """The cones whose values ops around read as they are."""
    left: int = MOST_ADDED

    @staticmethod
    def of(cones: Sequence[Cone], is_last: bool) -> _Expansion:
        """The rewriting for cones."""
        ends: dict[Operation, list[Cone]] = {}
        raw_reads: dict[Operation, set[int]] = {}
        roots: dict[Value, Cone] = {}
        for cone in cones:
            for op in cone.ops:
                if cone.ends_of(op):
                    ends.setdefault(op, []).append(cone)
            for op in cone.readers_of_raw:
                raw_reads.setdefault(op, set()).add(id(cone))
            roots.update((v, cone) for v in cone.kink.symbols if isinstance(v.owner, ew.SqrtOp))
        return _Expansion(ends, raw_reads, roots, {cone.kink.size for cone in cones}, is_last)

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit an op, and what stands for its results where they have to be made smooth."""
        around = self.around
        raw = around | self.raw_reads.get(op, set())
        inner = {o: self._read(b, o, raw, env) for o in free_values(op)} if raw else env
        if op.regions and not isinstance(op, MOVES):
            is_last = self.is_last
            # The results of a rule are linear in the tangent, and so are the coefficients.
            self.around, self.is_last = raw, is_last and not isinstance(op, CustomOp)
            visit_regions(b, op, inner, self.visit)
            self.around, self.is_last = around, is_last
        else:
            b.rebuild(op, inner)
        for result in op.results:
            env[result] = inner[result]
            if result in self.sizes:
                self.plain[result] = env[result]
            if result in self.roots:
                self.guarded[result] = _guarded(b, env[result])
        for cone in self.ends.get(op, ()):
            self._smooth(b, cone, op, env)

    def _read(self, b: ArrayBuilder, value: Value, raw: Container[int], env: Environment) -> Value:
        """A value without what has been added for cones whose values are read as they are."""
        root, terms = self.roots.get(value), self.terms.get(value, [])
        is_guarded = root is not None and id(root) in raw
        if not is_guarded and not any(id(cone) in raw for cone, _ in terms):
            return env.get(value, value)
        found = self.guarded[value] if is_guarded else self.base[value]
        for cone, term in terms:
            if id(cone) not in raw:
                found = b.add(found, term)
        return found

    def _smooth(self, b: ArrayBuilder, cone: Cone, op: Operation, env: Environment) -> None:
        """Add to results of an op what makes them smooth where the kink is 0."""
        values = cone.ends_of(op)
        ops = cone.behind(values)
        size = size_of_code(o for o in ops if o.results[0] not in cone.kink.symbols)
        if size > min(MOST_OPS, self.left):
            return
        self.left -= size
        known = {**env, **self.base, **self.guarded}
        of_kink = {**env, **self.base, **self.plain}
        terms = Terms(b, cone, ops, values, known, of_kink, self.is_last).made()
        for value, term in zip(values, terms, strict=True):
            if term is None:
                continue
            before = env[value]
            b.location, b.name_hint = op.location, value.name_hint
            env[value] = b.add(before, term)
            if value in cone.even:
                if value in self.base:
                    self.base[value] = b.add(self.base[value], term)
            else:
                self.base.setdefault(value, before)
                self.terms.setdefault(value, []).append((cone, term))


def _guarded(b: ArrayBuilder, root: Value) -> Value:
    """A root, with the derivative 0 where it is 0."""
    op = root.owner
    assert isinstance(op, ew.SqrtOp)
    zeros = b.zeros(root.type)
    is_zero = b.compare("eq", op.operand, zeros)
    return b.select(
        is_zero, zeros, b.unary(ew.SqrtOp, b.select(is_zero, b.splat(1.0, root.type), op.operand))
    )
