"""Unrolled code becomes loops again.

    for t in range(200):                    array.tanh, array.add, array.tanh, array.add, ...
        h = np.tanh(h) + x[t]        -->
                                            array.scan ... { array.tanh, array.add }

Tracing writes out what Python repeats, and every later pass, and LLVM, would work on each copy. A block
is read as a line of ops (`signatures.py`) without those that take parts of arrays (`parts.py`). Its
periodic stretches (`periods.py`) are compared operand by operand (`matching.py`, `operands.py`). Where a
loop pays (`costs.py`), it is emitted (`loops.py`, `readings.py`). Loops inside of repetitions are found
first, and so it goes on until nothing repeats itself. This takes time O(n log² n) for n ops.

The loop computes what was written, in the same order. Values of its iterations that other code reads are
stacked; where that code stacks them itself, the stack is the result (`joined_rows.py`).

The pass comes after inlining and before differentiation, so that no later pass sees the copies.

- A `Line` (`matching.py`) has the ops of a block without *steps* (`parts.py`): constants, and ops that take a
  part of an array or reshape it. Steps are shared, so they do not occur once per repetition; an operand is
  compared as a `Part`, a base with steps and numbers.
- `periods.py` finds periodic stretches of the ops' numbers (`signatures.py`) and knows nothing of ops.
  Operands decide: each is a part of a fixed array, a constant, or made by an op a fixed number of repetitions
  earlier. Failing that it is made before all repetitions, which read it from an array of such values: in a
  table, the row before. Values of regions count as operands, one by one.
- Where the ops of a stretch repeat themselves and operands do not, its parts are tried in which operands come
  from equally far (`_Search.finer` in `rolling.py`), then its halves. The rows of a table are found one by
  one, and once they are loops the loops repeat themselves.
- A repetition begins where the fewest bytes are carried. The first repetitions stay where folding changed
  them.
- `costs.py` alone decides whether a loop pays, and how many repetitions an iteration makes.
- `loops.py` emits a scan through the builder, which makes a build of one without carries. `readings.py` says
  how an iteration reads its parts: consecutive rows as slices, since a derivative stacks what it adds to
  these.
- Regions that compute indices, and the rules of `array.custom`, stay as they are.
  `tests/generators/unrolled.py` unrolls random loops; values are compared bit by bit.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.ir.call_graph import functions_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import drop_unreferenced, replace_function
from mlirad.passes.reroll_loops.periods import LEAST_REPETITIONS


@dataclass(frozen=True)
class RerollLoopsPass(ModulePass):
    """Reroll unrolled code to loops."""

    name = "reroll-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Transform the functions; private ones that are no longer used go."""
        long = [function for function in functions_of(op) if _has_long_block(function)]
        if long:
            from mlirad.passes.reroll_loops.rolling import rolled_function
            from mlirad.passes.reroll_loops.signatures import Signatures

            signatures = Signatures(op)
            for function in long:
                replace_function(function, rolled_function(function, signatures))
        drop_unreferenced(op)


def _has_long_block(function: FuncOp) -> bool:
    """Tell if a block has as many ops as repetitions have at least."""
    blocks = (block for op in function.walk() for region in op.regions for block in region.blocks)
    return any(len(block.ops) >= LEAST_REPETITIONS for block in blocks)
