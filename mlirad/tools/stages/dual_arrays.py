"""The stages of the method `dual-arrays`, those of the dual-numbers paper.

bulk operations       builds as operations on whole arrays
dual arrays           every value with the map from the tangents of the inputs to its own
derivatives           the map on tangents, or its transpose on cotangents, as array code
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from mlirad.ir.call_graph import functions_by_name
from mlirad.passes.differentiate import MODES
from mlirad.passes.eliminate_functions import eliminate_functions
from mlirad.pipelines import BULK, expansion
from mlirad.tools.mathematics import Sharing
from mlirad.tools.stages.stage import Stage, after, differentiable, reached


def dual_arrays_stages(program: ModuleOp, name: str) -> Iterator[Stage]:
    """The stages of the function `name`; functions as values are eliminated first."""
    eliminate_functions(program)
    functions = functions_by_name(program)
    wrt = ",".join(map(str, differentiable(functions[name])))
    yield Stage("A-normal form", reached(name, functions), Sharing.EACH)
    yield Stage("Bulk operations", after(program, ",".join(BULK), name), Sharing.NAMED)
    for mode in ("forward", "reverse"):
        derivative = f"{name}_{MODES[mode]}"
        asked = f"differentiate{{function={name} wrt={wrt} mode={mode}}}"
        duals = after(program, ",".join([asked, *BULK, "linearize"]), derivative)
        yield Stage(f"Dual arrays, and the map applied: {mode}", duals, Sharing.NAMED)
        code = after(program, ",".join([asked, *expansion()]), derivative)
        yield Stage(f"The {mode} derivative", code, Sharing.ALL)
