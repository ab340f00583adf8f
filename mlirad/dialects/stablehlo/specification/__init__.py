"""The requirements of StableHLO's specification on each op: kinds of elements, extents, dimensions, regions.

    verify(op)      raises VerifyException: "the result is tensor<3xf64>, and must be tensor<5xf64>"

One file per family of ops; each enters the rules of its ops in `checks.RULES`. Extents that are not known fit
all others.
"""

from __future__ import annotations

from importlib import import_module

from xdsl.ir import Operation

from mlirad.dialects.stablehlo.specification.checks import RULES

for _room in (
    "contractions",
    "elementwise",
    "linear_algebra",
    "positions",
    "regions",
    "structural",
    "windows",
):
    import_module(f"{__name__}.{_room}")


def verify(op: Operation) -> None:
    """Raise `VerifyException` for an op that breaks a rule of the specification."""
    RULES[op.name](op)
