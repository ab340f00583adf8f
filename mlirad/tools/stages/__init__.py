"""The stages of differentiation of a program by every method, as functions before and after each step.

stages(module, "f")                          those of the linear-map notes: the method `jacobian`
stages(module, "f", "chad-copower")          those of the CHAD paper
stages(module, "f", "curry-environment")     those of the differentiable curry
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from xdsl.dialects.builtin import ModuleOp

from mlirad.pipeline_options import method_named
from mlirad.tools.stages.chad import efficient_stages, specification_stages
from mlirad.tools.stages.curry import CURRY_STAGES
from mlirad.tools.stages.dual_arrays import dual_arrays_stages
from mlirad.tools.stages.jacobian import jacobian_stages
from mlirad.tools.stages.stage import Stage

__all__ = ["STAGES", "Stage", "stages"]

STAGES: Mapping[str, Callable[[ModuleOp, str], Iterator[Stage]]] = {
    "dual-arrays": dual_arrays_stages,
    "jacobian": jacobian_stages,
    "chad": efficient_stages,
    "chad-copower": specification_stages,
    **CURRY_STAGES,
}
"""The stages by method."""


def stages(program: ModuleOp, name: str, method: str = "jacobian") -> Iterator[Stage]:
    """The stages of the function `name`, differentiated with respect to all its float parameters.

    Methods without functions as values eliminate these in the program first, in place. Raises
    `UnsupportedError` for a method that does not exist, `DifferentiationError` for a function without floats,
    and what differentiation raises.
    """
    return STAGES[method_named(method)](program, name)
