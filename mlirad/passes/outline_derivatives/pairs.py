"""Calls whose values a program uses, and pulls back through the same calls: one call that records does both.

    y = call @f(x)                      y, h = call @f_record(x)
    s = linear.pull @f(x), ct, s0       s = call @f_reverse(h, ct, s0)

A pull that stands alone records a call of its own. So do pulls in loops and branches: a record lasts until
the function around it returns, so a loop would keep one for each iteration.
"""

from __future__ import annotations

from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation

from mlirad.dialects.linear import PullOp, PushOp
from mlirad.dialects.shapes import Shape
from mlirad.ir.call_graph import callee_name
from mlirad.ir.free_values import own_operands
from mlirad.passes.outline_derivatives.sources import Sources


def recorded_calls(block: Block, sources: Sources) -> tuple[dict[Operation, Shape], dict[PullOp, Operation]]:
    """The calls and pushes of a block that are to record, with the parameters `wrt`, and the pulls that go
    back through them.
    """
    calls: dict[tuple[object, ...], Operation] = {}
    recorded: dict[Operation, Shape] = {}
    pulls: dict[PullOp, Operation] = {}
    for op in block.ops:
        if isinstance(op, CallOp):
            calls.setdefault((callee_name(op), *own_operands(op)), op)
        elif isinstance(op, PushOp | PullOp) and op.callee_name in sources.kept:
            primals = own_operands(op)[: len(op.primals)]
            key = (sources.derived_name(op.callee_name, op.groups), *primals)
            if isinstance(op, PushOp):
                calls.setdefault(key, op)
            elif (call := calls.get(key)) is not None:
                wrt = op.positions("wrt")
                if recorded.setdefault(call, wrt) == wrt:
                    pulls[op] = call
    return recorded, pulls
