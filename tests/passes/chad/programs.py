"""Programs for the tests of CHAD, as text, and their derivatives."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.recursion import deep_recursion
from tests.passes.derivatives import float_arguments, run_passes

CLOSURE = "!function.closure<(f64) -> f64>"
DIFFERENTIATE = "differentiate{{function=main wrt={} mode={}}}"


def gradients(module: ModuleOp, passes: str, mode: str = "reverse") -> ModuleOp:
    """The module with the derivative of @main by all floats, expanded by the passes."""
    wrt = ",".join(map(str, float_arguments(module, "main")))
    return deep_recursion(run_passes)(module.clone(), f"{DIFFERENTIATE.format(wrt, mode)},{passes}")


def program(text: str) -> ModuleOp:
    """The module of a text in which CLOSURE is the type of functions of a number."""
    module = parse_module(text.replace("CLOSURE", CLOSURE))
    verify_module(module)
    return module


HEAD = "func.func @main(%x: f64, %v: tensor<3xf64>, %n: i64) -> f64 {\n"
