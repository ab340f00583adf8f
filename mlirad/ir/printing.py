"""Programs as text.

text_of(module)      "builtin.module {\n  func.func @main..."
"""

from __future__ import annotations

from io import StringIO

from xdsl.ir import Operation
from xdsl.printer import Printer


def text_of(op: Operation) -> str:
    """A module or function as MLIR text."""
    stream = StringIO()
    Printer(stream=stream).print_op(op)
    return stream.getvalue() + "\n"
