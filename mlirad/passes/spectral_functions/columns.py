"""Sums over columns that are written one by one, as builds over the columns.

    %t = array.add (f(w[0]) v[:, 0] v[:, 0]^T), (f(w[1]) v[:, 1] v[:, 1]^T)

    -->  %z = array.add (array.stop_gradient %t),
                        (array.deviation (array.sum (array.build k { f(w[k]) v[:, k] v[:, k]^T })))

Each column alone has no derivative at equal eigenvalues, but the sum has. Terms of a sum that differ by which
elements they read are one build, as are those that a loop adds up. The value is still that of the terms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import partial

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.shapes import Value, is_boolean, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.spectral_functions.alike_values import (
    FOLLOWED,
    are_alike,
    constant_positions,
    cut_dim,
    sum_of_build,
    sum_of_values,
)
from mlirad.passes.spectral_functions.sources import FRAMES, NESTING, complex_part, is_constant

MOST_OPS = 60
"""Terms of more ops are left as they are."""


def with_columns(function: FuncOp) -> FuncOp:
    """The function with sums written column by column as reductions of arrays."""
    vectors = _vectors_of(function)
    columns = _Columns(vectors)

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, NESTING):
            visit_regions(b, op, env, visit)
            if isinstance(op, ScanOp):
                columns.of_loop(b, op, env)
            return
        b.rebuild(op, env)
        if isinstance(op, ew.AddOp | ew.SubOp):
            columns.of_sum(b, op, env)

    found = rebuild_function(function, visit)
    return found if columns.found else function


def _vectors_of(function: FuncOp) -> set[Value]:
    """All values that are computed from vectors."""
    found: set[Value] = set()
    for op in nested_ops(function.body):
        is_source = isinstance(op, FRAMES) and op.part.data != "values"
        if is_source or any(o in found for o in own_operands(op)):
            found.update(r for r in op.results if is_float(r))
    return found


@dataclass(frozen=True)
class Term:
    """A term of a sum."""

    sign: int
    value: Value


class _Columns:
    """Sums of terms that differ by the column that they read."""

    def __init__(self, vectors: set[Value]):
        self.found = False
        self._vectors = vectors
        self._numbers: dict[Hashable, int] = {}
        self._keys: dict[Value, tuple[int, bool, int]] = {}

    # Terms of a sum --------------------------------------------------------------------------------

    def of_sum(self, b: ArrayBuilder, op: ew.AddOp | ew.SubOp, env: Environment) -> None:
        """Give a sum that is not a term of another one the derivative of builds of its terms."""
        result = op.result
        if not is_float(result) or result not in self._vectors or _is_term(result) or is_constant(result):
            return
        groups: dict[tuple[int, int], list[Term]] = defaultdict(list)
        for term in _terms(result):
            number, reads_column, size = self._key(term.value)
            if reads_column and size <= MOST_OPS:
                groups[term.sign, number].append(term)
        chosen = [g for g in groups.values() if len(g) > 1 and are_alike([t.value for t in g])]
        if not chosen:
            return
        self.found = True
        taken = {t.value for g in chosen for t in g}
        # Products of real and of imaginary parts are sums over columns together.
        parts = [(group[0].sign, sum_of_values(b, [t.value for t in group], env)) for group in chosen]
        rest = [t for t in _terms(result) if t.value not in taken]
        parts += [(t.sign, env.get(t.value, t.value)) for t in rest]
        total = _total(b, parts)
        env[result] = b.add(b.unary(ew.StopGradientOp, env[result]), b.unary(ew.DeviationOp, total))

    def _key(self, x: Value) -> tuple[int, bool, int]:
        """A number that values share which differ by the elements that they read, and may be alike.

        With it, whether a column of vectors is read, and an upper bound of the number of ops.
        """
        found = self._keys.get(x)
        if found is None:
            found = self._keys[x] = self._find_key(x)
        return found

    def _find_key(self, x: Value) -> tuple[int, bool, int]:
        op = x.owner
        if isinstance(op, structural.ConstantOp) and not shape_of(x):
            return self._number(("constant", x.type)), False, 1
        # A choice by the value of a column is made by a comparison of it.
        if not isinstance(op, FOLLOWED) or not (is_float(x) or is_boolean(x)):
            return self._number(("value", x)), False, 0
        if isinstance(op, structural.SliceOp) and cut_dim(op) is not None:
            part = complex_part(op)
            if part is not None:
                # Real and imaginary parts of vectors are not two columns.
                return self._number(("part", op.operand, part[1])), False, 1
            return self._number(("cut", op.operand, cut_dim(op))), op.operand in self._vectors, 1
        if isinstance(op, indexing.IndexOp):
            if constant_positions(op) is None:
                return self._number(("value", x)), False, 0
            return self._number(("element", op.operand)), op.operand in self._vectors, 1
        inner = [self._key(o) for o in own_operands(op)]
        properties = tuple(sorted((k, v) for k, v in op.properties.items()))
        key = (type(op), x.type, properties, *(number for number, _, _ in inner))
        reads = any(reads for _, reads, _ in inner)
        return self._number(key), reads, 1 + sum(size for _, _, size in inner)

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    # Terms of a loop -------------------------------------------------------------------------------

    def of_loop(self, b: ArrayBuilder, op: ScanOp, env: Environment) -> None:
        """Give what a loop adds up the derivative of a build."""
        block = op.body.block
        carries = block.args[1 : 1 + op.carry_count]
        sums = zip(op.results, carries, yields(op.body), own_operands(op), strict=False)
        for result, carry, made, init in sums:
            term = _added(block, carry, made, carries)
            if term is None or is_constant(result):
                continue
            ops = _ops_behind(block, term)
            read = dict.fromkeys(v for each in ops for v in free_values(each))
            outer = [*(v for v in read if not _is_in(v, block)), *op.xs]
            if not self._vectors.intersection(outer):
                continue
            self.found = True

            found = sum_of_build(b, op.iterations, outer, env, partial(_iteration, op, ops, term))
            total = b.add(env.get(init, init), found)
            env[result] = b.add(b.unary(ew.StopGradientOp, env[result]), b.unary(ew.DeviationOp, total))


def _iteration(
    op: ScanOp, ops: Sequence[Operation], term: Value, b: ArrayBuilder, k: Value, local: Environment
) -> Value:
    """The term that iteration k of a loop adds."""
    block = op.body.block
    local[block.args[0]] = k
    slices = zip(block.args[1 + op.carry_count :], op.xs, strict=True)
    local.update({s: b.index(local[x], [k]) for s, x in slices})
    for each in ops:
        b.rebuild(each, local)
    return local.get(term, term)


def _is_term(x: Value) -> bool:
    """Tell whether a sum is nothing but a term of another one."""
    uses = list(x.uses)
    return len(uses) == 1 and isinstance(uses[0].operation, ew.AddOp | ew.SubOp)


def _terms(x: Value) -> list[Term]:
    """The terms of a sum, in order."""
    found: list[Term] = []
    pending = [Term(1, x)]
    while pending:
        term = pending.pop()
        op = term.value.owner
        if isinstance(op, ew.AddOp | ew.SubOp) and (term.value is x or _is_term(term.value)):
            right = -term.sign if isinstance(op, ew.SubOp) else term.sign
            pending += [Term(right, op.rhs), Term(term.sign, op.lhs)]
        else:
            found.append(term)
    return found


def _total(b: ArrayBuilder, parts: Sequence[tuple[int, Value]]) -> Value:
    total: Value | None = None
    for sign, part in parts:
        if total is None:
            total = part if sign > 0 else b.neg(part)
        else:
            total = b.add(total, part) if sign > 0 else b.sub(total, part)
    assert total is not None
    return total


def _added(block: Block, carry: Value, made: Value, carries: Sequence[Value]) -> Value | None:
    """The term that an iteration adds to a carry, None if it reads the carry in another way."""
    op = made.owner
    if not isinstance(op, ew.AddOp) or not is_float(made) or carry not in own_operands(op):
        return None
    term = op.rhs if op.lhs is carry else op.lhs
    read = {v for each in _ops_behind(block, term) for v in free_values(each)} | {term}
    return None if read.intersection(carries) else term


def _is_in(x: Value, block: Block) -> bool:
    """Tell whether a value is an argument of a block, or made in it."""
    owner = x.owner
    return owner is block or (isinstance(owner, Operation) and owner.parent is block)


def _ops_behind(block: Block, x: Value) -> list[Operation]:
    """The ops of a block that a value is computed by, in order."""
    needed, found = {x}, list[Operation]()
    for op in reversed(list(block.ops)):
        if needed.intersection(op.results):
            found.append(op)
            needed.update(free_values(op))
    return found[::-1]
