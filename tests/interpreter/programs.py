"""Programs for the tests of the interpreter, from the body of a function in MLIR text."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp

from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module


def module(text: str) -> ModuleOp:
    """The verified module of the text."""
    parsed = parse_module(text, "test.mlir")
    parsed.verify()
    return parsed


def run(parameters: str, results: str, body: str, *args: Any, counter: OperationCounter | None = None) -> Any:
    """The result, or the tuple of results, of a function with this body on the arguments."""
    text = f"func.func @main({parameters}) -> ({results}) {{\n{body}\n}}"
    values = run_function(module(text), args, counter=counter)
    return values[0] if len(values) == 1 else values
