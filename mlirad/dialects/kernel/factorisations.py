"""Factorisations and triangular systems of the `kernel` dialect, of row-major arrays.

    %f, %p, %q, %w, %i = kernel.factorisation lu %a : tensor<9x9xf64>
        -> (tensor<9x9xf64>, tensor<9xi64>, tensor<9xi64>, tensor<81xf64>, tensor<9xi32>)

The results are all parts of the factorisation, then memory that the op works in, of unspecified content.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, StringAttr, UnitAttr, i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.factorisations import PARTS, TRIANGLE_FLAGS, check_result, check_system, part_type
from mlirad.dialects.shapes import EXTENT_LIST, array_type, element_of, shape_of, values_of
from mlirad.dialects.syntax import StructuredOp

BLOCK = 64
"""Rows or columns for each of which the routines of LAPACK may want a line to work in."""


@irdl_op_definition
class FactorisationOp(StructuredOp):
    """All parts of a factorisation of each matrix of a batch; with `values`, its part `values` alone."""

    name = "kernel.factorisation"
    kind = prop_def(StringAttr)
    operand = operand_def()
    values = opt_prop_def(UnitAttr)
    places = opt_prop_def(EXTENT_LIST)
    outputs = var_result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("values", "places")

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
        expected = factorisation_types(kind, self.operand.type, values=self.values is not None)
        if list(self.result_types) != expected:
            raise VerifyException(f"results must have types {', '.join(map(str, expected))}")
        check_places(self.places, len(self.results))


@irdl_op_definition
class TriangularSolveOp(StructuredOp):
    """`array.triangular_solve` with its properties."""

    name = "kernel.triangular_solve"
    matrix = operand_def()
    operand = operand_def()
    upper = opt_prop_def(UnitAttr)
    transposed = opt_prop_def(UnitAttr)
    unit = opt_prop_def(UnitAttr)
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    BRACED: ClassVar = (*TRIANGLE_FLAGS, "places")

    def verify_(self) -> None:
        """As `array.triangular_solve`."""
        check_system(self.matrix.type, self.operand.type)
        check_result(self.result.type, self.operand.type)
        check_places(self.places, 1)


def check_places(places: DenseArrayBase[I64] | None, results: int) -> None:
    """Require a place per result, if there are places."""
    if places is not None and len(values_of(places)) != results:
        raise VerifyException(f"{len(values_of(places))} places for {results} results")


def parts_of(kind: str, *, values: bool) -> tuple[str, ...]:
    """The parts of a factorisation that are computed."""
    return ("values",) if values else PARTS[kind]


def factorisation_types(kind: str, operand: Attribute, *, values: bool) -> list[Attribute]:
    """The types of the results of `kernel.factorisation`."""
    parts = [part_type(kind, part, operand) for part in parts_of(kind, values=values)]
    numbers, integers = memory_of(kind, operand, values=values)
    memory: list[Attribute] = []
    if numbers:
        memory.append(array_type((numbers,), element_of(operand)))
    if integers:
        memory.append(array_type((integers,), i32))
    return [*parts, *memory]


def memory_of(kind: str, operand: Attribute, *, values: bool) -> tuple[int, int]:
    """How many elements, and how many integers, one factorisation works in beside its parts."""
    rows, columns = shape_of(operand)[-2:]
    matrix, floats, integers = rows * columns, work_of(kind, operand, values=values), 0
    least = min(rows, columns)
    if not matrix or kind == "cholesky":
        return 0, 0
    if kind == "lu":
        return matrix, rows
    if kind == "qr":
        return matrix + least + floats, 0
    if kind == "eigh":
        return matrix + floats, 1 if values else 3 + 5 * rows
    integers = 8 * least
    factors = 0 if values else least * (rows + columns)
    return matrix + factors + floats, integers


def work_of(kind: str, operand: Attribute, *, values: bool) -> int:
    """The length of the array `work` of LAPACK's routine: what it needs, and blocks beside."""
    rows, columns = shape_of(operand)[-2:]
    least, most = min(rows, columns), max(rows, columns)
    match kind:
        case "qr":
            return BLOCK * max(columns, 1)
        case "eigh":
            return 2 * rows + 1 + BLOCK * rows if values else 1 + 6 * rows + 2 * rows * rows
        case "svd":
            minimal = 3 * least + max(most, 7 * least) if values else 4 * least * least + 7 * least
            return minimal + BLOCK * (rows + columns)
        case _:
            return 0
