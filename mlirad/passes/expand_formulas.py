"""Special functions that are formulas become these, once nothing will be differentiated any more.

    %y = array.special entr %x        -->        %0 = array.log %x
                                                 ...
                                                 %y = array.select %negative, %infinite, %6

Functions that SciPy computes stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.elementwise import SpecialOp
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.formulas import Formula
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, visit_regions

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
    if all(_definition(op) is None for op in nested_ops(function.body)):
        return function
    return rebuild_function(function, _visit)


def _definition(op: Operation) -> Callable[..., Formula] | None:
    """The formula of what an op computes, if that is a special function that has one."""
    if not isinstance(op, SpecialOp):
        return None
    from mlirad.rules.special_derivatives.table import DEFINITIONS

    return cast("Callable[..., Formula] | None", DEFINITIONS.get(op.function.data))


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    definition = _definition(op)
    if definition is None:
        visit_regions(b, op, env, _visit)
        return
    (result,) = op.results
    b.location, b.name_hint = op.location, None
    found = definition(*(Formula(b, env.get(v, v)) for v in own_operands(op))).value
    env[result] = found
    found.name_hint = found.name_hint or result.name_hint
