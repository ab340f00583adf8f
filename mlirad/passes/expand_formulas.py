"""Special functions that are formulas become these, once nothing will be differentiated any more.

    %y = array.special entr %x        -->        %0 = array.log %x
                                                 ...
                                                 %y = array.select %negative, %infinite, %6

Functions that SciPy computes stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.elementwise import SpecialOp
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.formulas import Formula
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import nested_ops
from mlirad.passes.function_pass import FunctionPass, visit_regions
from mlirad.rules.special_derivatives.table import DEFINITIONS

__all__ = ["ExpandFormulasPass", "expand_formulas"]


@dataclass(frozen=True)
class ExpandFormulasPass(FunctionPass):
    """Compute special functions by elementwise ops where they have a formula of these."""

    name = "expand-formulas"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without the special functions that have formulas."""
        return expand_formulas(function)


def expand_formulas(function: FuncOp) -> FuncOp:
    """The function without the special functions that have formulas, itself if there are none."""
    if not any(_has_formula(op) for op in nested_ops(function.body)):
        return function
    return rebuild_function(function, _visit)


def _has_formula(op: Operation) -> bool:
    return isinstance(op, SpecialOp) and op.function.data in DEFINITIONS


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if not isinstance(op, SpecialOp) or not _has_formula(op):
        visit_regions(b, op, env, _visit)
        return
    b.location, b.name_hint = op.location, None
    definition = cast("Callable[..., Formula]", DEFINITIONS[op.function.data])
    found = definition(*(Formula(b, env.get(v, v)) for v in own_operands(op))).value
    env[op.result] = found
    found.name_hint = found.name_hint or op.result.name_hint
