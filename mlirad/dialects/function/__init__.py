"""The `function` dialect: functions as values, values of one of several types, and of types of themselves.

    %f = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {
      %y = array.mul %z, %w : f64
      array.yield %y : f64
    }
    %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64

Recursion has no op: a recursive function is a recursive `func.func`, and as a value it is `partial`. The pass
`eliminate-functions` replaces all of it by arrays, branches and calls, before anything is differentiated.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlirad.dialects.function.closures import CLOSURE_OPS, ApplyOp, LambdaOp, PartialOp
from mlirad.dialects.function.combinators import CORE_OPS
from mlirad.dialects.function.control_combinators import CONTROL_COMBINATORS
from mlirad.dialects.function.data import DATA_OPS, CaseOp, GetOp, InjectOp, RollOp, TupleOp, UnrollOp
from mlirad.dialects.function.rep import RepType
from mlirad.dialects.function_types import (
    ClosureType,
    InductiveType,
    SumType,
    closure_type,
    inductive_type,
    sum_type,
)

FUNCTION_OPS = (*CLOSURE_OPS, *DATA_OPS)
"""The ops of the language, in the order of the documentation."""

COMBINATOR_OPS = (*CORE_OPS, *CONTROL_COMBINATORS)
"""The ops of functions as combinators, which the differentiable curry makes."""

Function = Dialect(
    "function", [*FUNCTION_OPS, *COMBINATOR_OPS], [ClosureType, SumType, InductiveType, RepType]
)

__all__ = [
    "COMBINATOR_OPS",
    "FUNCTION_OPS",
    "ApplyOp",
    "CaseOp",
    "ClosureType",
    "Function",
    "GetOp",
    "InductiveType",
    "InjectOp",
    "LambdaOp",
    "PartialOp",
    "RepType",
    "RollOp",
    "SumType",
    "TupleOp",
    "UnrollOp",
    "closure_type",
    "inductive_type",
    "sum_type",
]
