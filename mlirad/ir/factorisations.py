"""Folding constructors of factorisations and of the systems that are solved with them."""

from __future__ import annotations

from xdsl.ir import Attribute

from mlirad.dialects.array.factorisations import (
    TRIANGLE_FLAGS,
    CholeskyOp,
    EighOp,
    EigOp,
    LuOp,
    PartOp,
    QrOp,
    SchurOp,
    SolveOp,
    SvdOp,
    TriangularSolveOp,
    part_type,
)
from mlirad.dialects.shapes import FLAG, Value, keyword
from mlirad.ir.ordering import OrderingBuilder


class FactorisationBuilder(OrderingBuilder):
    """Constructors of the parts of factorisations, of `triangular_solve` and of `solve`.

    With `is_complex` matrices have pairs along a trailing dimension.
    """

    def lu(self, part: str, x: Value, *, is_complex: bool = False) -> Value:
        """The `factors`, `pivots` or `permutation` of LU factorisations."""
        return self._part(LuOp, part, x, is_complex)

    def cholesky(self, x: Value, *, is_complex: bool = False) -> Value:
        """The lower triangular Cholesky factors."""
        return self.emit(CholeskyOp, (x,), x.type, complex_property(is_complex))

    def qr(self, part: str, x: Value, *, is_complex: bool = False) -> Value:
        """The `orthogonal` or `triangular` factors of QR factorisations."""
        return self._part(QrOp, part, x, is_complex)

    def eigh(self, part: str, x: Value, *, is_complex: bool = False) -> Value:
        """The `values` or `vectors` of symmetric eigenvalue problems."""
        return self._part(EighOp, part, x, is_complex)

    def svd(self, part: str, x: Value, *, is_complex: bool = False) -> Value:
        """The `left` or `right` singular vectors, or the singular `values`."""
        return self._part(SvdOp, part, x, is_complex)

    def eig(self, part: str, x: Value, *, is_complex: bool = False) -> Value:
        """The `values` or `vectors` of eigenvalue problems, as pairs."""
        return self._part(EigOp, part, x, is_complex)

    def schur(self, part: str, x: Value, *, is_complex: bool = False) -> Value:
        """The `orthogonal` or `triangular` factors of Schur factorisations."""
        return self._part(SchurOp, part, x, is_complex)

    def _part(self, op_class: type[PartOp], part: str, x: Value, is_complex: bool) -> Value:
        type_ = part_type(op_class.name.removeprefix("array."), part, x.type, is_complex=is_complex)
        return self.emit(op_class, (x,), type_, {"part": keyword(part), **complex_property(is_complex)})

    def triangular_solve(self, matrix: Value, x: Value, **flags: bool) -> Value:
        """The solutions of triangular systems, `upper`, `transposed`, `unit`, `complex`."""
        return self.emit(TriangularSolveOp, (matrix, x), x.type, triangle_properties(**flags))

    def solve(self, matrix: Value, x: Value, *, is_complex: bool = False) -> Value:
        """The solutions of linear systems."""
        return self.emit(SolveOp, (matrix, x), x.type, complex_property(is_complex))


def complex_property(is_complex: bool) -> dict[str, Attribute]:
    """The property of ops on complex matrices."""
    return {"complex": FLAG} if is_complex else {}


def triangle_properties(**flags: bool) -> dict[str, Attribute]:
    """The properties of a triangular system."""
    assert flags.keys() <= set(TRIANGLE_FLAGS)
    return {name: FLAG for name, is_set in flags.items() if is_set}
