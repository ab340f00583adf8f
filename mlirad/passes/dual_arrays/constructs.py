"""The transformation D of ops with regions of code: one construct each."""

from __future__ import annotations

from xdsl.ir import Operation

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.passes.dual_arrays.branches import branch
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
}
"""The ops with regions of code, each with its transformation."""
