"""Builds left when derivatives are code become operations on whole arrays, or else loops.

    %y = array.scan %x (%i, %t: f64) {carries = 0, length = 4} : ...     a loop without carries that it had
    -->
    %y = array.add %x, %s                                                or, around a call without bulk form,
    %y = array.scan %x (%i, %t: f64) {carries = 0, length = 4, kept} : ...

A derivative may read only some results of a loop. Without the carries that served the others the loop is a
build: so builds come about again after `bulk-operations` has run, and folding makes builds of such loops.
After this pass no builds are left, and every scan has carries or is kept.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import FLAG
from mlirad.ir.call_graph import functions_of
from mlirad.ir.inner_pipelines import INNER
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class LowerRemainingBuildsPass(ModulePass):
    """Lower remaining builds, and loops without carries, to operations on arrays, or kept loops."""

    name = "lower-remaining-builds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Lower the builds of a module, if it has any."""
        if not any(map(_is_unsettled, functions_of(op))):
            return
        INNER[self.name](ctx, op)
        for function in functions_of(op):
            for inner in nested_ops(function.body):
                if is_build(inner):
                    inner.properties["kept"] = FLAG


def _is_unsettled(function: FuncOp) -> bool:
    return any(is_build(op) for op in nested_ops(function.body))


def is_build(op: Operation) -> bool:
    """Tell whether an op is a build, or a loop that folding makes one."""
    return isinstance(op, BuildOp) or (isinstance(op, ScanOp) and not op.carry_count and op.kept is None)
