"""Elimination of functions as values, tuples and sums: `eliminate-functions`.

The `function` dialect has closures, tuples and sums; every expansion begins here, and none are left. Passes
that differentiate or lower begin with `require_first_order`: to them a closure would be a value without
derivative, and the gradient silently zero.

- `order.py` inlines second-order functions and functions of closures, and copies recursive ones per closure.
- `flow.py` finds the possible codes of the closure at each place, by 0-CFA.
- `layout.py` says which arrays stand for a value. A captured closure that is known, or chosen by a branch
  (`choices.py`), is never a value: its captures are captured in its place, each value once. Lambdas that
  differ in their captures alone are one code (`equal_codes.py`).
- `records.py` finds sets of codes whose closures may hold their own kind: those on a cycle. Such closures are
  activation records (`array.save`); the arrays that they hold are boxes, records of one array each
  (`boxes.py`). A value of an inductive type is a record too: in trees of nodes it is a leaf, and values
  rolled under its name share one tree (`Flow.rolled`).
- `layout_conversion.py` converts a value from its layout to that of its destination; `applications.py` emits
  calls of codes, and of the functions that choose among them.
- `rewriting.py` emits the program on these arrays; a code becomes a private function, once.

Then `passes/tail_calls.py` turns a function whose calls of itself are all tail calls into a loop without a
limit of depth, and likewise the function that applies the records of a set of closures that each end by
applying another. If nothing is differentiated, `passes/record_walks.py` turns a function that calls itself at
most once, on a record that its own record holds, into a loop that fills a tape and a loop back over it, if
the program may make more than 1000 records; other endless recursion stays an error. If anything is
differentiated, `passes/records_to_rows.py` turns records into rows of arrays that functions and loops thread,
so that records need no derivative. `array.next_row` ends a call that has no room (`NO_ROOM`).

The interpreter (`interpreter/functions.py`) runs closures directly, growing ones too, and counts applications
by the op that made the closure. Random programs are in `tests/generators/higher_order.py`, and as Python
programs that run without mlirad in `tests/generators/python_functions.py`. `python -m tests.higher_order
--seeds 20000` judges them by number: all methods and specifications, compiled, interpreted, and finite
differences.
"""

from mlirad.passes.eliminate_functions.eliminate_functions import (
    EliminateFunctionsPass,
    MapsToClosuresPass,
    RecordsToRowsPass,
    RecordWalksToLoopsPass,
    TailCallsToLoopsPass,
    eliminate_functions,
)

__all__ = [
    "EliminateFunctionsPass",
    "MapsToClosuresPass",
    "RecordWalksToLoopsPass",
    "RecordsToRowsPass",
    "TailCallsToLoopsPass",
    "eliminate_functions",
]
