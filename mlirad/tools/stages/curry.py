"""The stages of the differentiable curry: the program as combinators, and its pullback.

f = x. sin(x * x)     f as combinators = sin ∘ mul ∘ ⟨π_0, π_0⟩     f′ᵀ(x) = the pullback of these at x
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.function.combinators import TANGENTS, PrimitiveOp
from mlirad.ir.call_graph import functions_by_name
from mlirad.passes.curry.translation import SUFFIX
from mlirad.tools.mathematics import Sharing
from mlirad.tools.stages.stage import Stage, after, differentiable, reached


def curry_stages(program: ModuleOp, name: str, tangents: str) -> Iterator[Stage]:
    """The stages of the function `name`, closures having tangents of one form."""
    functions = functions_by_name(program)
    wrt = ",".join(map(str, differentiable(functions[name])))
    yield Stage("A-normal form", reached(name, functions), Sharing.EACH)
    combinators = after(program, f"curry{{function={name}}}", name + SUFFIX)
    for function in combinators:
        _name_primitives(function)
    yield Stage("As combinators", combinators, Sharing.NAMED)
    asked = f"differentiate{{function={name} wrt={wrt}}},curry{{tangents={tangents}}}"
    *_, pullback = after(program, asked, f"{name}_grad")
    yield Stage("The reverse derivative", (pullback,), Sharing.LONG, combinators)


def _name_primitives(function: FuncOp) -> None:
    """Name every primitive after its op, so that it is written on a line of its own."""
    for op in function.walk():
        if isinstance(op, PrimitiveOp):
            first = op.body.block.first_op
            assert first is not None
            op.result.name_hint = first.name.partition(".")[2]


CURRY_STAGES = {f"curry-{tangents}": partial(curry_stages, tangents=tangents) for tangents in TANGENTS}
"""The stages by method."""
