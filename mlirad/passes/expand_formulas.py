"""Special functions that are formulas become these, once nothing will be differentiated any more.

    %y = array.special entr %x        -->        %0 = array.log %x
                                                 ...
                                                 %y = array.select %negative, %infinite, %6

Functions that SciPy computes stay, and those with machine code of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import partial
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.elementwise import SpecialOp
from mlirad.dialects.array.special_functions import NATIVE
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
        return expand_formulas(function, NATIVE)


def expand_formulas(function: FuncOp, kept: Container[str] = ()) -> FuncOp:
    """The function without the special functions that have formulas; itself if it has only kept ones.

    A formula may have special functions in it, too.
    """
    while any(_definition(op, kept) is not None for op in nested_ops(function.body)):
        function = rebuild_function(function, partial(_visit, kept=kept))
    return function


def _definition(op: Operation, kept: Container[str]) -> Callable[..., Formula] | None:
    """The formula of what an op computes, if that is a special function that has one and is not kept."""
    if not isinstance(op, SpecialOp) or op.function.data in kept:
        return None
    from mlirad.rules.special_derivatives.table import DEFINITIONS

    return cast("Callable[..., Formula] | None", DEFINITIONS.get(op.function.data))


def _visit(b: ArrayBuilder, op: Operation, env: Environment, kept: Container[str]) -> None:
    definition = _definition(op, kept)
    if definition is None:
        visit_regions(b, op, env, partial(_visit, kept=kept))
        return
    (result,) = op.results
    b.location, b.name_hint = op.location, None
    found = definition(*(Formula(b, env.get(v, v)) for v in own_operands(op))).value
    env[result] = found
    found.name_hint = found.name_hint or result.name_hint
