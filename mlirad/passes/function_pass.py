"""Passes that rebuild functions one by one."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp


def map_functions(module: ModuleOp, transform: Callable[[FuncOp], FuncOp]) -> None:
    """Replace every function that has a body by `transform` of it."""
    for op in list(module.body.block.ops):
        if isinstance(op, FuncOp) and op.body.blocks:
            new = transform(op)
            if new is not op:
                module.body.block.insert_op_before(new, op)
                op.detach()
                op.erase()
