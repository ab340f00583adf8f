"""The stages of CHAD: of its specification, as the CHAD paper has it, and of its efficient form.

    specification     f with the map of its tangents, and with that of its cotangents; both as arrays
    efficient form    f with what its sweep reads, and the sweep; both put together

The specification takes functions as values as they are. Its derivatives are shown as arrays where no closure
and no collection is left as a record.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.ir.call_graph import functions_by_name
from mlirad.passes.differentiate import MODES
from mlirad.passes.eliminate_functions import eliminate_functions
from mlirad.pipelines import CHAD_AS_ARRAYS, CHAD_SWEEPS, expansion
from mlirad.tools.mathematics import Sharing
from mlirad.tools.stages.stage import Stage, after, differentiable, reached


def specification_stages(program: ModuleOp, name: str) -> Iterator[Stage]:
    """The stages of the function `name` by the specification of CHAD, forward and in reverse."""
    functions = functions_by_name(program)
    wrt = ",".join(map(str, differentiable(functions[name])))
    yield Stage("A-normal form", reached(name, functions), Sharing.EACH)
    for mode in ("forward", "reverse"):
        made = after(program, f"chad{{function={name} mode={mode}}}", f"{name}_chad")
        yield Stage(f"CHAD, {mode}", made, Sharing.NAMED)
        asked = f"differentiate{{function={name} wrt={wrt} mode={mode}}}"
        code = after(program, ",".join([asked, *CHAD_AS_ARRAYS]), f"{name}_{MODES[mode]}")
        if any(isinstance(op, FRAME_OPS) for function in code for op in function.walk()):
            continue
        yield Stage(f"The {mode} derivative, as arrays", code, Sharing.ALL)


def efficient_stages(program: ModuleOp, name: str) -> Iterator[Stage]:
    """The stages of the function `name` by efficient CHAD, which has no functions as values."""
    eliminate_functions(program)
    functions = functions_by_name(program)
    wrt = ",".join(map(str, differentiable(functions[name])))
    yield Stage("A-normal form", reached(name, functions), Sharing.EACH)
    for mode in ("forward", "reverse"):
        derivative = f"{name}_{MODES[mode]}"
        asked = f"differentiate{{function={name} wrt={wrt} mode={mode}}}"
        sweeps = after(program, ",".join([asked, *CHAD_SWEEPS]), derivative)
        yield Stage(f"The functions of the {mode} derivative", sweeps, Sharing.NAMED)
        code = after(program, ",".join([asked, *expansion("chad")]), derivative)
        yield Stage(f"The {mode} derivative", code, Sharing.ALL)
