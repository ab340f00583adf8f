"""D of `array.callback`: Python code has no derivative but the one that a rule around it gives."""

from __future__ import annotations

from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.shapes import is_float
from mlirad.errors import DifferentiationError
from mlirad.ir.locations import location_of
from mlirad.passes.dual_arrays.duals import DualArrays


def callback(d: DualArrays, op: CallbackOp) -> None:
    """Emit a call whose results are not floats. Raises `DifferentiationError` for all others."""
    if any(is_float(y.type) for y in op.outputs):
        name = op.function.data
        raise DifferentiationError(
            f"{name} is called as Python code, which has no derivative, and a float that is differentiated "
            "reaches it",
            location=location_of(op) if op.source is None else op.source.data,
            hint="give it one: f = ad.custom_derivative(lambda x: ad.callback(...)); "
            "f.rule(lambda x: lambda dx: ...); or stop at it: ad.stop_gradient(x)",
        )
    d.b.rebuild_unfolded(op, d.env)
