"""Rewrites identities whose derivative, made op by op, is another one than that of the function.

    |x| |x|                                 x x                 the kinks cancel
    sqrt(s) sqrt(s), exp(log(s))            s                   a factor 0 would absorb the pole
    max(x, 0) + log1p(exp(-|x|))            softplus(x)         the kinks of both terms cancel
    where(x >= 0, f(|x|), g(|x|))           the kink takes the side that the choice takes
    sign(x) f(|x|)                          the slopes of both sides agree
    max(x) min(x), of two elements          their product

At a kink an op has the mean of two slopes as derivative: of a smooth function that kinks are in, this gives
the first derivative, and 0 for the second. At a pole it has an infinite one, which a factor 0 absorbs.
`rewriting.py` has what is rewritten, by the op that a pattern ends in. Values stay as they are up to
rounding, those at NaN, infinities and zeros included. Functions that are not differentiated stay as they are.

To add an identity, enter its pattern in `IDENTITIES` (`rewriting.py`), by the op in which it ends.

Identities are rewritten, conventions are not changed. The derivative of `abs` at 0 could be 1, and all
functions of kinks would have the derivatives of one side, of every order. But then |x| itself would slope at
its minimum, and a sum such as max(0, x) + log1p(exp(-|x|)), whose terms name their sides differently, would
have a wrong first derivative. With the mean of both sides the first derivative of a smooth function is right
however it is written, as it is linear in the slopes; only the product of two slopes is lost, whose mean is 1
and not the product of means. So functions of kinks are recognised, and unrecognised ones are no worse than
before.
"""

from __future__ import annotations

from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.reductions import ReduceOp
from mlirad.ir.call_graph import CallGraph, differentiations, functions_by_name, references_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import holds, replace_function

KINKS: Final = (
    *(ew.AbsOp, ew.SignOp, ew.MaxOp, ew.MinOp, ew.SqrtOp, ew.CbrtOp, ew.HypotOp, ew.PowOp, ew.LogOp),
    *(
        ew.CopysignOp,
        ew.Log2Op,
        ew.Log1pOp,
        ew.AsinOp,
        ew.AcosOp,
        ew.AtanhOp,
        ew.AcoshOp,
        ew.ErfinvOp,
        CustomOp,
    ),
)
"""The ops without which there is nothing to rewrite."""


@dataclass(frozen=True)
class SmoothIdentitiesPass(ModulePass):
    """Rewrite what is smooth, though it is made of kinks or poles, in functions that are differentiated."""

    name = "smooth-identities"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that a derivative reaches."""
        functions = functions_by_name(op)
        starts = [o.callee_name for function in functions.values() for o in differentiations(function)]
        if starts:
            for name in CallGraph(functions, references_of).reachable(starts):
                function = functions[name]
                replace_function(function, smooth_identities(function))


def smooth_identities(function: FuncOp) -> FuncOp:
    """The function with `IDENTITIES` rewritten, in regions too; itself if there can be none."""
    if not holds(function, KINKS) and not _has_minimum(function):
        return function
    from mlirad.passes.smooth_identities.rewriting import rewritten

    return rewritten(function)


def _has_minimum(function: FuncOp) -> bool:
    """Tell if the smallest of some elements is taken: identities of extrema have both of them."""
    return any(isinstance(op, ReduceOp) and op.kind.data == "min" for op in nested_ops(function.body))
