"""`join-contractions`: the contractions that a loop sums become one contraction of all iterations, after it.

    %c = scan %c0, %xs (%i, %a, %x) {              %ys = scan %xs (%i, %x) {
      %y = ...                                       %y = ...
      %d = dot %x, %y                                yield %y          (stacked)
      yield %a + %d                        -->     }
    }                                              %c = %c0 + dot %xs, %ys, contracted over iterations, too

So the gradient of a matrix that every step of a loop multiplies by is one large product, rather than a small
one per iteration whose result is added to a sum that is larger than what it is made of. The operands of all
iterations lie in memory for it: those that are slices do so anyway, the others are stacked.

Legal where nothing but the sum reads the carry, and nothing but the sum reads the contraction. It pays by the
costs of `mlirad/lower/machine.py`, and what is stacked may take no more memory than what the loop reads. With
`always` it is done wherever it is legal. `join_contractions` is the function, FuncOp -> FuncOp.

The gradient of a matrix by which all steps of a loop multiply is a sum of one product per step. As one
product it is several times as fast, since the sum is not read and written in every iteration. It takes memory
for the operands of all iterations: no more than the loop reads anyway, or the loop stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, element_of, is_float, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.form_kernels.library import product_cycles
from mlirad.lower.kernels.moves import considered
from mlirad.lower.large_sizes import nominal_shape, nominal_size
from mlirad.lower.machine import CALL, cycles_per_byte, element_bytes
from mlirad.passes.function_pass import FunctionPass, Visit, visit_regions

GAIN = 0.9
"""The product of all iterations must take at most this part of the cycles of one product per iteration."""


@dataclass(frozen=True)
class JoinContractionsPass(FunctionPass):
    """Sums contractions of loops after the loops, as one contraction; with `always` whatever that costs."""

    name = "join-contractions"

    always: bool = False

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function with its sums of contractions joined."""
        return join_contractions(function, always=self.always)


def join_contractions(function: FuncOp, *, always: bool = False) -> FuncOp:
    """The function whose loops leave the contractions that they sum to one contraction after them."""
    loops = [op for op in nested_ops(function.body) if isinstance(op, ScanOp)]
    found = {op: sums for op in loops if (sums := _joined(op, always=always))}
    if not found:
        return function

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, ScanOp) and op in found:
            _rebuild(b, op, env, found[op], visit)
        else:
            visit_regions(b, op, env, visit)

    return rebuild_function(function, visit)


@dataclass(frozen=True)
class _Sum:
    """The carry number `number` of a loop, to which `add` adds the contraction `dot` in every iteration."""

    number: int
    add: Operation
    dot: DotOp


def _joined(op: ScanOp, *, always: bool) -> list[_Sum]:
    """The sums of a loop that are made after it."""
    candidates = _sums(op)
    allowed = sum(_bytes(x) for x in op.xs)
    stacked = set[Value](op.body.block.args[1 + op.carry_count :])
    iterations = nominal(op.iterations)
    found: list[_Sum] = []
    grows = True
    while grows:  # what is stacked for one sum may be what another one lacks
        grows = False
        for candidate in [s for s in candidates if s not in found]:
            new = {*candidate.dot.operands} - stacked
            more = iterations * sum(_bytes(v) for v in new)
            many, one = _cycles(candidate.dot, iterations, more)
            is_done = always or (more <= allowed and one <= GAIN * many)
            what = f"one contraction for the sum of those of {iterations} iterations"
            considered(candidate.dot, what, many, one, is_done=is_done)
            if is_done:
                allowed -= more
                stacked |= new
                found.append(candidate)
                grows = True
    # A loop without carries is not a loop, and what its iterations compute would have to be made of whole
    # arrays.
    return found if len(found) < op.carry_count else []


def _sums(op: ScanOp) -> list[_Sum]:
    """The carries to which every iteration adds a contraction that only this reads, of values of the
    iteration.
    """
    block, made = op.body.block, yields(op.body)
    found: list[_Sum] = []
    for k, total in enumerate(made[: op.carry_count]):
        argument, add = block.args[1 + k], total.owner
        if not isinstance(add, ew.AddOp) or not is_float(total) or not _is_own(total, block):
            continue
        terms = [v for v in add.operands if v is not argument]
        if len(terms) != 1 or not argument.has_one_use() or not total.has_one_use():
            continue
        dot = terms[0].owner
        if isinstance(dot, DotOp) and _is_own(terms[0], block) and terms[0].has_one_use():
            index = block.args[0]
            if all(_is_own(v, block) and v is not index for v in dot.operands):
                found.append(_Sum(k, add, dot))
    return found


def _is_own(value: Value, block: Block) -> bool:
    """Return whether a block defines a value."""
    owner = value.owner
    return owner is block if isinstance(owner, Block) else owner.parent is block


def _bytes(value: Value) -> int:
    return nominal_size(value) * element_bytes(element_of(value))


def _cycles(dot: DotOp, iterations: int, stacked: int) -> tuple[float, float]:
    """Cycles of a product in each iteration, and of one of all iterations, for which a given number of bytes
    are stacked.
    """
    lhs, rhs = nominal_shape(dot.lhs), nominal_shape(dot.rhs)
    matrices = prod(lhs[d] for d in values_of(dot.lhs_batch))
    inner = prod(lhs[d] for d in values_of(dot.lhs_contract))
    rows, columns = prod(lhs) // max(1, matrices * inner), prod(rhs) // max(1, matrices * inner)
    element, result = element_bytes(element_of(dot.lhs)), _bytes(dot.result)
    added = 3 * result * cycles_per_byte(2 * result) + CALL
    one = matrices * product_cycles(rows, columns, inner, element) + added
    whole = matrices * product_cycles(rows, columns, inner * iterations, element)
    return iterations * one, whole + 2 * stacked * cycles_per_byte(stacked)


def _rebuild(b: ArrayBuilder, op: ScanOp, env: Environment, found: Sequence[_Sum], visit: Visit) -> None:
    """Emit a loop without these sums, and the contractions behind it."""
    block, made = op.body.block, yields(op.body)
    numbers = {s.number for s in found}
    kept = [k for k in range(op.carry_count) if k not in numbers]
    left_out = {o for s in found for o in (s.add, s.dot)}
    operands = list(dict.fromkeys(v for s in found for v in s.dot.operands))

    def body(
        index: Value, carries: Sequence[Value], slices: Sequence[Value]
    ) -> tuple[list[Value], list[Value]]:
        inner = {**env, block.args[0]: index}
        inner.update(zip((block.args[1 + k] for k in kept), carries, strict=True))
        inner.update(zip(block.args[1 + op.carry_count :], slices, strict=True))
        for old, new in inner.items():
            if isinstance(old.owner, Block) and old.owner is block:
                new.name_hint = new.name_hint or old.name_hint
        for inside in block.ops:
            if inside not in left_out and not isinstance(inside, YieldOp):
                visit(b, inside, inner)
        yielded = [inner.get(v, v) for v in (*made[op.carry_count :], *operands)]
        return [inner.get(made[k], made[k]) for k in kept], yielded

    init = [env.get(v, v) for v in op.init]
    b.location, b.name_hint = op.location, None
    final, ys = b.scan_like(op, [init[k] for k in kept], [env.get(x, x) for x in op.xs], body)
    carries = list(init)
    for k, value in zip(kept, final, strict=True):
        carries[k] = value
    count = len(op.stacked)
    stacks = dict(zip(operands, ys[count:], strict=True))
    for s in found:
        b.location = s.dot.location
        carries[s.number] = b.add(init[s.number], _of_all_iterations(b, s.dot, stacks))
    env.update(zip(op.results, [*carries, *ys[:count]], strict=True))


def _of_all_iterations(b: ArrayBuilder, dot: DotOp, stacks: dict[Value, Value]) -> Value:
    """The sum over all iterations of a contraction, from its operands stacked along a new dimension 0."""
    groups = (dot.lhs_batch, dot.rhs_batch, dot.lhs_contract, dot.rhs_contract)
    lhs_batch, rhs_batch, lhs, rhs = ([d + 1 for d in values_of(group)] for group in groups)
    return b.dot(stacks[dot.lhs], stacks[dot.rhs], lhs_batch, rhs_batch, [0, *lhs], [0, *rhs])
