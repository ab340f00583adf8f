"""Additions to xDSL's declarations of upstream dialects: ops, and forms of ops in which MLIR prints them.

op_of("linalg.batch_matmul")       its class, where xDSL has none
"""

from __future__ import annotations

from mlirad.dialects.upstream.arith import C_FUNCTIONS, Arith, RemFOp
from mlirad.dialects.upstream.linalg import Linalg, Named, WithBody
from mlirad.dialects.upstream.op_syntax import FormOp, form_op
from mlirad.dialects.upstream.scf import SCF_FORMS, Scf
from mlirad.dialects.upstream.tensor import TENSOR_FORMS, Tensor


def op_of(name: str) -> type[FormOp]:
    """The class of an op that no dialect declares: with a form of its own, or in generic syntax alone."""
    known = SCF_FORMS.get(name) or TENSOR_FORMS.get(name)
    if known is not None:
        return known
    if name in ("linalg.map", "linalg.reduce"):
        return form_op(name, WithBody)
    return form_op(name, Named) if name.startswith("linalg.") else form_op(name)


__all__ = ["C_FUNCTIONS", "Arith", "Linalg", "RemFOp", "Scf", "Tensor", "op_of"]
