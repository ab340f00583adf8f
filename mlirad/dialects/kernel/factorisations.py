"""Factorisations and triangular systems of the `kernel` dialect, of row-major arrays.

    %f, %p, %q, %w, %i = kernel.factorisation lu %a : tensor<9x9xf64>
        -> (tensor<9x9xf64>, tensor<9xi32>, tensor<9xi32>, tensor<81xf64>, tensor<9xi32>)

The results are all parts of the factorisation, then memory that the op works in, of unspecified content.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.factorisations import (
    PARTS,
    TRIANGLE_FLAGS,
    check_result,
    check_system,
    matrices_of,
    part_type,
)
from mlirad.dialects.kernel.schedules import MAX_UNROLLED, check_width
from mlirad.dialects.shapes import EXTENT_LIST, array_type, element_of, shape_of, values_of
from mlirad.dialects.syntax import StructuredOp
from mlirad.lazy_dataclass import dataclass

BLOCK = 64
"""The block size of LAPACK, whose routines may want this much work space for each row or column."""


@irdl_op_definition
class FactorisationOp(StructuredOp):
    """All parts of a factorisation of each matrix of a batch; with `values`, its part `values` alone."""

    name = "kernel.factorisation"
    kind = prop_def(StringAttr)
    operand = operand_def()
    values = opt_prop_def(UnitAttr)
    complex = opt_prop_def(UnitAttr)
    places = opt_prop_def(EXTENT_LIST)
    outputs = var_result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("values", "complex", "places")

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that the first results are."""
        return parts_of(self.kind.data, values=self.values is not None)

    def verify_(self) -> None:
        """A known kind, that has values if only these are asked for; its parts and memory as results."""
        kind = self.kind.data
        if kind not in PARTS:
            raise VerifyException(f"kind '{kind}' is not one of {', '.join(PARTS)}")
        if self.values is not None and "values" not in PARTS[kind]:
            raise VerifyException(f"'{kind}' has no values")
        expected = factorisation_types(
            kind, self.operand.type, values=self.values is not None, is_complex=self.complex is not None
        )
        if list(self.result_types) != expected:
            raise VerifyException(f"results must have types {', '.join(map(str, expected))}")
        check_places(self.places, len(self.results))


@irdl_op_definition
class TriangularSolveOp(StructuredOp):
    """`array.triangular_solve` with its properties.

    Schedule: of small systems `width` right sides, of as many at least, are solved across vector lanes.
    """

    name = "kernel.triangular_solve"
    matrix = operand_def()
    operand = operand_def()
    upper = opt_prop_def(UnitAttr)
    transposed = opt_prop_def(UnitAttr)
    unit = opt_prop_def(UnitAttr)
    complex = opt_prop_def(UnitAttr)
    width = opt_prop_def(IntegerAttr[I64])
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    BRACED: ClassVar = (*TRIANGLE_FLAGS, "width", "places")

    def verify_(self) -> None:
        """As `array.triangular_solve`."""
        check_system(self.matrix.type, self.operand.type, is_complex=self.complex is not None)
        check_result(self.result.type, self.operand.type)
        columns = matrices_of(self.operand.type, is_complex=self.complex is not None)[-1]
        check_width(self.width, min(max(columns, 1), MAX_UNROLLED))
        check_places(self.places, 1)


def check_places(places: DenseArrayBase[I64] | None, results: int) -> None:
    """Require a place per result, if there are places."""
    if places is not None and len(values_of(places)) != results:
        raise VerifyException(f"{len(values_of(places))} places for {results} results")


def parts_of(kind: str, *, values: bool) -> tuple[str, ...]:
    """The parts of a factorisation that are computed."""
    return ("values",) if values else PARTS[kind]


def factorisation_types(kind: str, operand: Attribute, *, values: bool, is_complex: bool) -> list[Attribute]:
    """The types of the results of `kernel.factorisation`: row numbers have 32 bits, as LAPACK's have."""
    found = [part_type(kind, part, operand, is_complex=is_complex) for part in parts_of(kind, values=values)]
    parts = [array_type(shape_of(part), i32) if element_of(part) == i64 else part for part in found]
    shape = matrices_of(operand, is_complex=is_complex)
    work = memory_of(kind, (shape[-2], shape[-1]), values=values, is_complex=is_complex)
    memory: list[Attribute] = []
    if work.floats:
        memory.append(array_type((work.floats,), element_of(operand)))
    if work.integers:
        memory.append(array_type((work.integers,), i32))
    return [*parts, *memory]


@dataclass(frozen=True)
class Memory:
    """The memory that one factorisation works in beside its parts. A complex number is two floats.

    `work`, in numbers, and `reals` and `integers`, in elements, are the lengths of the arrays of these names
    that LAPACK's routine is given: what it needs, and blocks beside. `floats` is how many there are in all.
    """

    floats: int
    integers: int
    work: int
    reals: int


def memory_of(kind: str, shape: tuple[int, int], *, values: bool, is_complex: bool) -> Memory:
    """The memory for one matrix of this shape, of whose factorisation all is computed, or `values` alone."""
    rows, columns = shape
    least, most = min(rows, columns), max(rows, columns)
    numbers = rows * columns
    if not numbers or kind == "cholesky":
        return Memory(0, 0, 0, 0)
    work = reals = integers = 0
    match kind:
        case "lu":
            integers = rows
        case "qr":
            work = BLOCK * columns
            numbers += least
        case "eigh" if is_complex:
            work = rows + BLOCK * rows if values else 2 * rows + rows * rows + BLOCK * rows
            reals = rows if values else 1 + 5 * rows + 2 * rows * rows
            integers = 1 if values else 3 + 5 * rows
        case "eigh":
            work = 2 * rows + 1 + BLOCK * rows if values else 1 + 6 * rows + 2 * rows * rows
            integers = 1 if values else 3 + 5 * rows
        case "svd":
            if is_complex:
                work = 2 * least + most if values else least * least + 3 * least + most
                own = (
                    7 * least
                    if values
                    else max(5 * least * least + 5 * least, 2 * most * least + 2 * least * least + least)
                )
                reals = max(own, 1)
            else:
                work = 3 * least + max(most, 7 * least) if values else 4 * least * least + 7 * least
            work += BLOCK * (rows + columns)
            integers = 8 * least
            numbers += 0 if values else least * (rows + columns)
        case _:
            work = (4 + BLOCK) * rows
            reals = 2 * rows
            numbers += 0 if values else rows * rows
            numbers += rows if kind == "schur" and is_complex else 0
    return Memory((numbers + work) * (2 if is_complex else 1) + reals, integers, work, reals)
