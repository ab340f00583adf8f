"""Matrix factorisations, and the linear systems that are solved with them.

    %f = array.lu factors %a : tensor<4x3x3xf64>
    %p = array.lu permutation %a : tensor<4x3x3xf64> -> tensor<4x3xi64>
    %l = array.cholesky %a : tensor<3x3xf64>
    %x = array.triangular_solve %l, %b {transposed} : tensor<3x3xf64>, tensor<3x2xf64> -> tensor<3x2xf64>

The last two dimensions are those of matrices, all before them are a batch, which the results have too. A
factorisation has several parts, and each is an op of its own; lowering finds those of one matrix together.
Conventions are those of LAPACK: signs, orders, and which triangle is read.

    %f = array.lu factors %z {complex} : tensor<4x3x3x2xf64>

With `complex` a matrix has numbers that are pairs along a trailing dimension of extent 2, as those of
Fourier transforms are, and A^H stands where A^T stands below.

A part of a factorisation is an op. An op with all parts as results would need rules for several results in
every method, and would compute parts that nobody reads. Parts of one matrix meet again in lowering, as one
kernel. These ops alone take complex matrices, as pairs along a trailing dimension (property `complex`):
LAPACK's complex routines do half the work of the real ones on matrices of twice the size, and singular
vectors of the larger matrix would be those of pairs of equal values, which have no derivative.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import ArrayOp, OperandOp, check_elements
from mlirad.dialects.array.structural import check_same_element
from mlirad.dialects.array.transforms import PAIR
from mlirad.dialects.shapes import FLOATS, Shape, array_type, element_of, shape_of

PARTS: dict[str, tuple[str, ...]] = {
    "lu": ("factors", "pivots", "permutation"),
    "cholesky": ("factor",),
    "qr": ("orthogonal", "triangular"),
    "eigh": ("values", "vectors"),
    "svd": ("left", "values", "right"),
    "eig": ("values", "vectors"),
    "schur": ("orthogonal", "triangular"),
}
"""The parts of every factorisation."""

TRIANGLE_FLAGS = ("upper", "transposed", "unit", "complex")
"""The properties, set or not, that say which triangular system is solved."""


class PartOp(OperandOp):
    """One part of a factorisation of each matrix of a batch."""

    part = prop_def(StringAttr)
    complex = opt_prop_def(UnitAttr)
    KEYWORD: ClassVar = "part"
    BRACED: ClassVar = ("complex",)
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """A known part; a float operand that the factorisation takes; the type of the part as result."""
        kind = self.name.removeprefix("array.")
        if self.part.data not in PARTS[kind]:
            raise VerifyException(f"part '{self.part.data}' is not one of {', '.join(PARTS[kind])}")
        expected = part_type(kind, self.part.data, self.operand.type, is_complex=self.complex is not None)
        check_result(self.result.type, expected)


@irdl_op_definition
class LuOp(PartOp):
    """A square matrix A with rows exchanged is L U: L has ones on its diagonal, U is upper triangular.

    `factors` is both in one matrix, the ones of L left out; `permutation` says which row of A each row of L U
    is, and `pivots` with which row from there on each row is exchanged, in order. The pivot of a column is
    its largest element, the first of equals. A singular matrix has zeros on the diagonal of U.
    """

    name = "array.lu"


@irdl_op_definition
class CholeskyOp(OperandOp):
    """The lower triangular L with L L^T = A; only the lower triangle of A is read.

    All NaN, above the diagonal 0, where A is not positive definite.
    """

    name = "array.cholesky"
    complex = opt_prop_def(UnitAttr)
    BRACED: ClassVar = ("complex",)
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """A float operand of square matrices, whose type the result has."""
        expected = part_type("cholesky", "factor", self.operand.type, is_complex=self.complex is not None)
        check_result(self.result.type, expected)


@irdl_op_definition
class QrOp(PartOp):
    """A of m rows and n columns is Q R, for k = min(m, n) orthonormal columns of Q and R upper triangular.

    `orthogonal` is Q, of shape (m, k), `triangular` R, of shape (k, n).
    """

    name = "array.qr"


@irdl_op_definition
class EighOp(PartOp):
    """The eigenvalues of a symmetric matrix, ascending, and the eigenvectors as columns of an orthogonal one.

    The lower triangle is read. All NaN where the iteration does not converge.
    """

    name = "array.eigh"


@irdl_op_definition
class SvdOp(PartOp):
    """A of m rows and n columns is U diag(s) V^T, for k = min(m, n) singular values s, descending.

    `left` is U, of shape (m, k), and `right` V^T, of shape (k, n). All NaN where the iteration does not
    converge.
    """

    name = "array.svd"


@irdl_op_definition
class EigOp(PartOp):
    """The eigenvalues of any square matrix, and eigenvectors as columns, in LAPACK's order.

    Both are complex numbers, as pairs, also of a real matrix. An eigenvector has length 1, and its largest
    element is real. All NaN where the iteration does not converge, and where an element is not finite.
    """

    name = "array.eig"


@irdl_op_definition
class SchurOp(PartOp):
    """A square matrix A is Z T Z^T for an orthogonal Z, and T upper triangular except for blocks of two rows.

    `orthogonal` is Z, `triangular` T. A block [a b; c a] with b c < 0 stands for each pair of complex
    eigenvalues; of a complex matrix T is triangular. All NaN where the iteration does not converge, and where
    an element is not finite.
    """

    name = "array.schur"


@irdl_op_definition
class TriangularSolveOp(ArrayOp):
    """X with T X = B, where T is the lower triangle of the first operand; the other elements are not read.

    With `upper` T is the upper triangle, with `unit` the diagonal is taken as ones, and with `transposed` T^T
    stands for T. Division by a zero on the diagonal is IEEE division.
    """

    name = "array.triangular_solve"
    matrix = operand_def()
    operand = operand_def()
    upper = opt_prop_def(UnitAttr)
    transposed = opt_prop_def(UnitAttr)
    unit = opt_prop_def(UnitAttr)
    complex = opt_prop_def(UnitAttr)
    BRACED: ClassVar = TRIANGLE_FLAGS

    def verify_(self) -> None:
        """Square matrices of floats and right sides of one batch and one element type; the type of these."""
        check_system(self.matrix.type, self.operand.type, is_complex=self.complex is not None)
        check_result(self.result.type, self.operand.type)


@irdl_op_definition
class SolveOp(ArrayOp):
    """X with A X = B, by the LU factorisation of A. Where A is singular X has infinite or NaN elements."""

    name = "array.solve"
    matrix = operand_def()
    operand = operand_def()
    complex = opt_prop_def(UnitAttr)
    BRACED: ClassVar = ("complex",)

    def verify_(self) -> None:
        """Square matrices of floats and right sides of one batch and one element type; the type of these."""
        check_system(self.matrix.type, self.operand.type, is_complex=self.complex is not None)
        check_result(self.result.type, self.operand.type)


def triangle_flags(op: Operation) -> dict[str, bool]:
    """Return which triangular system an op of any dialect stands for."""
    return {name: name in op.properties for name in TRIANGLE_FLAGS}


def check_result(result: Attribute, expected: Attribute) -> None:
    """Require the type that an op computes."""
    if result != expected:
        raise VerifyException(f"result has type {result}, the op computes {expected}")


def check_system(matrix: Attribute, operand: Attribute, *, is_complex: bool) -> None:
    """Require square matrices and, in the same batch, right sides with as many rows."""
    check_elements(matrix, FLOATS, "matrix")
    check_same_element(matrix, operand)
    *batch, rows, _ = _square(matrix, is_complex=is_complex)
    own = shape_of(operand)
    shape = matrices_of(operand, is_complex=is_complex) if len(own) >= 2 else own
    if shape[:-1] != (*batch, rows) or len(shape) < 2:
        raise VerifyException(
            f"right sides of shape {list(own)} for matrices of shape {list(shape_of(matrix))}"
        )


def part_type(kind: str, part: str, operand: Attribute, *, is_complex: bool = False) -> Attribute:
    """The type of a part of a factorisation; raises if the operand cannot be factorised so."""
    check_elements(operand, FLOATS, "operand")
    element = element_of(operand)
    is_general = kind in ("qr", "svd")
    shape = (
        matrices_of(operand, is_complex=is_complex) if is_general else _square(operand, is_complex=is_complex)
    )
    *batch, rows, columns = shape
    if part in ("pivots", "permutation"):
        return array_type((*batch, rows), i64)
    least = min(rows, columns)
    shapes = {
        "orthogonal": (rows, least),
        "triangular": (least, columns),
        "left": (rows, least),
        "values": (least,),
        "right": (least, columns),
    }
    found = (*batch, *shapes.get(part, (rows, columns)))
    is_paired = kind == "eig" or (is_complex and part != "values")
    return array_type((*found, PAIR) if is_paired else found, element)


def matrices_of(type_: Attribute, *, is_complex: bool) -> Shape:
    """The batch, the rows and the columns of matrices; raises for other arrays."""
    shape = shape_of(type_)
    if not is_complex:
        if len(shape) < 2:
            raise VerifyException(f"matrices have two dimensions, got {type_}")
        return shape
    if len(shape) < 3 or shape[-1] != PAIR:
        raise VerifyException(
            f"complex matrices have two dimensions, and a last one of extent 2, got {type_}"
        )
    return shape[:-1]


def _square(type_: Attribute, *, is_complex: bool) -> Shape:
    """The same, of square matrices."""
    shape = matrices_of(type_, is_complex=is_complex)
    if shape[-1] != shape[-2]:
        raise VerifyException(f"matrices of shape {list(shape)} are not square")
    return shape


FACTORISATION_OPS = (
    LuOp,
    CholeskyOp,
    QrOp,
    EighOp,
    SvdOp,
    EigOp,
    SchurOp,
    TriangularSolveOp,
    SolveOp,
)
"""Every op of this file, in the order of the documentation."""
