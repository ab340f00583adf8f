"""Programs over upstream dialects mean the same here, and again as upstream programs.

mlir-opt, runner                                             what MLIR makes of programs.mlir
convert-to-array, interpreter                                what that means as array code
convert-to-array, convert-from-array, mlir-opt, runner       and as upstream code made of it
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.interpreter import run_function
from mlirad.ir.call_graph import is_private
from mlirad.ir.foreign import reads
from mlirad.ir.parsing import parse_module
from mlirad.ir.printing import text_of
from mlirad.ir.verification import verify_module
from mlirad.pipelines import run_passes
from mlirad.registry import make_passes
from tests.generators.arguments import random_value
from tests.upstream.mlir_tools import Call, mlir_opt, run

PROGRAMS = Path(__file__).parent / "programs.mlir"


def converted(text: str, passes: str) -> ModuleOp:
    """The module of a text after passes."""
    module = parse_module(text, "programs.mlir")
    made = make_passes(passes)
    verify_module(module, foreign=reads(made))
    run_passes(module, made)
    return module


def functions_of(module: ModuleOp) -> list[FuncOp]:
    """The functions of a module that others may call."""
    return [op for op in module.body.ops if isinstance(op, FuncOp) and not is_private(op)]


def renamed(module: ModuleOp, prefix: str) -> str:
    """The functions of a module as text, the prefix in front of the names of those that it defines."""
    text = "".join(text_of(op) for op in module.body.ops)
    for op in module.body.ops:
        if isinstance(op, FuncOp) and op.body.blocks:
            text = text.replace(f"@{op.sym_name.data}(", f"@{prefix}{op.sym_name.data}(")
    return text


def call_of(function: FuncOp, prefix: str, values: Sequence[Any]) -> Call:
    """The call of a function whose name got a prefix."""
    type_ = function.function_type
    given = list(zip(values, type_.inputs.data, strict=True))
    return prefix + function.sym_name.data, given, type_.outputs.data


def test_programs_mean_the_same_both_ways() -> None:
    """Every program, in MLIR's runner, interpreted as array code, and as upstream code made of that."""
    source = PROGRAMS.read_text()
    generic = mlir_opt(source, "--mlir-print-op-generic")
    arrays = converted(generic, "convert-to-array")
    rng = random.Random(0)
    arguments = {
        f.sym_name.data: [random_value(t, rng) for t in f.function_type.inputs.data]
        for f in functions_of(arrays)
    }
    assert len(arguments) >= 30
    run_passes(
        back := arrays.clone(), make_passes("mlirad-inline,bulk-operations,slice-gathers,convert-from-array")
    )
    calls = [
        call_of(f, prefix, arguments[f.sym_name.data])
        for module, prefix in ((parse_module(generic), ""), (back, "back_"))
        for f in functions_of(module)
    ]
    found = run(source + renamed(back, "back_"), calls)
    for k, (name, values) in enumerate(arguments.items()):
        meant = run_function(arrays, values, function=name)
        for once, again, here in zip(found[k], found[k + len(arguments)], meant, strict=True):
            tolerance = 1e-5 if once.dtype == np.float32 else 1e-13
            np.testing.assert_allclose(once, here, rtol=tolerance, atol=tolerance, err_msg=name)
            np.testing.assert_allclose(again, here, rtol=tolerance, atol=tolerance, err_msg=name)
