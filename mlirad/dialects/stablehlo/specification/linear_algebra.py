"""The rules of factorisations and of triangular systems."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from mlirad.dialects.stablehlo.attributes import Transposition
from mlirad.dialects.stablehlo.specification.checks import (
    COMPLEX,
    FLOAT,
    Tensor,
    element,
    extents,
    fit,
    operands,
    require,
    require_elements,
    require_same,
    results,
    rule,
)


@rule("stablehlo.cholesky")
def _cholesky(op: Operation) -> None:
    (a,) = operands(op, 1)
    _require_square("operand 0", a)
    require_same("the result", results(op)[0], "operand 0", a)


@rule("stablehlo.triangular_solve")
def _triangular_solve(op: Operation) -> None:
    a, b = operands(op, 2)
    _require_square("operand 0", a)
    require(element(b) == element(a), f"operand 1 is {b}, and operand 0 {a}: their elements differ")
    shape, other = extents(a), extents(b)
    require(
        len(other) == len(shape) and fit(shape[:-2], other[:-2]),
        f"operand 1 is {b}, whose batch is not that of {a}",
    )
    side = -2 if op.properties["left_side"].value.data else -1  # pyright: ignore
    require(fit([shape[-1]], [other[side]]), f"operand 1 is {b}, which does not fit the matrices of {a}")
    form = cast(Transposition, op.properties["transpose_a"]).data
    require(form != "TRANSPOSE_INVALID", "`transpose_a` must be NO_TRANSPOSE, TRANSPOSE or ADJOINT")
    require_same("the result", results(op)[0], "operand 1", b)


def _require_square(what: str, a: Tensor) -> None:
    require_elements(what, a, FLOAT, COMPLEX)
    shape = extents(a)
    is_square = len(shape) >= 2 and fit(shape[-1:], shape[-2:-1])
    require(is_square, f"{what} is {a}, and must hold square matrices")
