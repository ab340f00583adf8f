"""Folding constructors of factorisations and of the systems that are solved with them."""

from __future__ import annotations

from xdsl.ir import Attribute

from mlirad.dialects.array.factorisations import (
    CholeskyOp,
    EighOp,
    LuOp,
    QrOp,
    SolveOp,
    SvdOp,
    TriangularSolveOp,
    part_type,
)
from mlirad.dialects.shapes import FLAG, Value, keyword
from mlirad.ir.ordering import OrderingBuilder


class FactorisationBuilder(OrderingBuilder):
    """Constructors of the parts of factorisations, of `triangular_solve` and of `solve`."""

    def lu(self, part: str, x: Value) -> Value:
        """The `factors`, `pivots` or `permutation` of LU factorisations."""
        return self._part(LuOp, part, x)

    def cholesky(self, x: Value) -> Value:
        """The lower triangular Cholesky factors."""
        return self.emit(CholeskyOp, (x,), x.type)

    def qr(self, part: str, x: Value) -> Value:
        """The `orthogonal` or `triangular` factors of QR factorisations."""
        return self._part(QrOp, part, x)

    def eigh(self, part: str, x: Value) -> Value:
        """The `values` or `vectors` of symmetric eigenvalue problems."""
        return self._part(EighOp, part, x)

    def svd(self, part: str, x: Value) -> Value:
        """The `left` or `right` singular vectors, or the singular `values`."""
        return self._part(SvdOp, part, x)

    def _part(self, op_class: type[LuOp | QrOp | EighOp | SvdOp], part: str, x: Value) -> Value:
        type_ = part_type(op_class.name.removeprefix("array."), part, x.type)
        return self.emit(op_class, (x,), type_, {"part": keyword(part)})

    def triangular_solve(
        self, matrix: Value, x: Value, *, upper: bool = False, transposed: bool = False, unit: bool = False
    ) -> Value:
        """The solutions of triangular systems."""
        properties = triangle_properties(upper=upper, transposed=transposed, unit=unit)
        return self.emit(TriangularSolveOp, (matrix, x), x.type, properties)

    def solve(self, matrix: Value, x: Value) -> Value:
        """The solutions of linear systems."""
        return self.emit(SolveOp, (matrix, x), x.type)


def triangle_properties(
    *, upper: bool = False, transposed: bool = False, unit: bool = False
) -> dict[str, Attribute]:
    """The properties of a triangular system."""
    flags = {"upper": upper, "transposed": transposed, "unit": unit}
    return {name: FLAG for name, is_set in flags.items() if is_set}
