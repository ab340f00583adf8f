"""The transformation D of ops with regions of code and of calls, also of Python: one construct each."""

from __future__ import annotations

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.passes.dual_arrays.branches import branch
from mlirad.passes.dual_arrays.callbacks import callback
from mlirad.passes.dual_arrays.calls import call, pull, push
from mlirad.passes.dual_arrays.custom import checkpoint, custom
from mlirad.passes.dual_arrays.duals import Construct
from mlirad.passes.dual_arrays.loops import replay, while_
from mlirad.passes.dual_arrays.scan import scan

CONSTRUCTS: dict[type[Operation], Construct] = {
    control.ScanOp: scan,
    control.WhileOp: while_,
    control.ReplayOp: replay,
    control.IfOp: branch,
    control.SwitchOp: branch,
    CustomOp: custom,
    CheckpointOp: checkpoint,
    CallOp: call,
    CallbackOp: callback,
    linear.PushOp: push,
    linear.PullOp: pull,
}
"""The ops with regions of code and calls, each with its transformation."""
