"""Makes values smooth at ties, where they are made of kinks, for derivatives of second order.

    %a = array.abs %x
    %l = array.log1p (array.exp (-%a))      --->     %l, and where x = 0: x x / 8 more, which is 0

Where a kink a is 0, what is computed of it is f(0) + f'(0) a + f''(0) a^2 / 2, up to third order. The slope
of a is 0 there by convention, so derivatives that are made op by op lack those of the last term, whose factor
a^2 is smooth: x x. With it the second derivative at a tie is the mean of the limits from both sides, which is
that of the function where kinks cancel, as in max(x, 0) + log1p(exp(-|x|)). Each of several kinks has a term.
Values stay as they are. Programs that are differentiated once need none of this.

`kinks.py` finds kinks, `moving.py` leaves out those that rest, `multiples.py` finds multiples of one another,
`cones.py` the values that depend on them. `outer_kinks.py` moves kinks out of regions, `factored_kinks.py`
makes multiples of one number one kink, `distances.py` finds both sides of one. `expansion.py` adds the terms
that `tie_terms.py` makes.

- Kinks get a term, not a polynomial. At a tie, f(a) lacks f''(0)/2 a^2 and nothing else. To substitute f(0) +
  f'(0) a + f''(0)/2 a^2 would repeat f for each kink within the polynomials of the others, so the program
  would grow with the power of their number. Terms are zeros that are added, many kinks, and each element
  of an array, have theirs side by side. The even part of f, (f(a) + f(-a))/2, would compute f three times.
- Mixed elements have their terms one by one. The second derivative by each element of an array is a diagonal,
  which costs as many sweeps as there are elements, and products of two of them have mean 0. A loop over the
  elements that are 0 costs nothing where there are none.
- Kinks that rest have no terms. The second derivative of c a^2 at a tie is c times the product of two
  derivatives of the squared number. They are 0 where constants are divided by a length, and on the diagonal
  of differences between all points. A covariance has such ties, and the term of each would cost a sweep
  through its Cholesky factor: the Hessian by the lengths of an exponential kernel of 60 points takes 1.8 ms;
  with these terms it took 2.6 s, and 61 s to compile.
- Coefficients have derivatives for third orders only: a^2 and its derivative are 0 at a tie, so the
  derivative of c meets them in second order, and is neither computed nor kept.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import values_of
from mlirad.ir.call_graph import (
    derivative_orders,
    derivatives_taken,
    differentiations,
    functions_by_name,
    references_of,
)
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import holds, replace_function

KINKS: Final = (ew.AbsOp, ew.MaxOp, ew.MinOp, ew.SignOp, ew.CopysignOp, ew.SqrtOp, ew.HypotOp, CustomOp)
"""The ops without which there is nothing to expand."""


@dataclass(frozen=True)
class ExpandTiesPass(ModulePass):
    """Make what kinks are in smooth at ties, in functions that are differentiated twice."""

    name = "expand-ties"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that a derivative of a derivative reaches."""
        functions = functions_by_name(op)
        orders = derivative_orders(functions, 3)
        second = {
            inner
            for name, function in functions.items()
            for inner in differentiations(function)
            if orders[name] + derivatives_taken(inner) >= 2
        }
        named = {name for f in functions.values() for name, inner in references_of(f) if inner not in second}
        for name, order in orders.items():
            if order >= 2:
                by = {k for inner in second if inner.callee_name == name for k in values_of(inner.wrt)}
                wanted = Wanted(None if name in named else by, is_last=order == 2)
                replace_function(functions[name], expand_ties(functions[name], wanted))


@dataclass(frozen=True)
class Wanted:
    """The derivatives of a function that are taken."""

    arguments: Collection[int] | None = None
    """The positions of the arguments that it is differentiated by; `None` is all."""
    is_last: bool = False
    """Tell if no derivative of third order is taken."""


def expand_ties(function: FuncOp, wanted: Wanted | None = None) -> FuncOp:
    """The function, smooth at ties where it is made of kinks; itself if it is not."""
    if not holds(function, KINKS):
        return function
    from mlirad.passes.expand_ties.expansion import expanded

    wanted = wanted or Wanted()
    return expanded(function, wanted.arguments, is_last=wanted.is_last)
