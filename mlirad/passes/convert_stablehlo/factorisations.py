"""Matrices: ops of StableHLO, and calls of LAPACK as JAX makes them on a CPU, by the name of their target."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, i32

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.factorisations import part_type
from mlirad.dialects.shapes import FLOATS, Value, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.dialects.stablehlo.attributes import Transposition
from mlirad.dialects.stablehlo.control import CompositeOp, CustomCallOp
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_stablehlo.converter import Converter, flag, meaning
from mlirad.passes.convert_stablehlo.custom_rules import RULE, with_rule
from mlirad.passes.convert_stablehlo.types import language_type

STOP_GRADIENT = "mlirad.stop_gradient"
"""The target of calls that hand their operand on without derivative."""

LOWER, UNIT, LEFT, PLAIN = (ord(letter) for letter in "LULN")


@meaning("stablehlo.composite")
def _composite(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    assert isinstance(op, CompositeOp)
    callee = c.functions.get(op.decomposition.root_reference.data)
    if callee is None:
        raise c.refuse(op, "its decomposition is not in the module")
    return c.block(function_block(callee), o)


def _swapped(b: ArrayBuilder, x: Value) -> Value:
    """The matrices transposed."""
    rank = len(shape_of(x))
    return b.transpose(x, [*range(rank - 2), rank - 1, rank - 2])


@meaning("stablehlo.cholesky")
def _cholesky(c: Converter, op: HloOp, o: list[Value]) -> Value:
    if flag(op, "lower"):
        return c.b.cholesky(o[0])
    return _swapped(c.b, c.b.cholesky(_swapped(c.b, o[0])))


@meaning("stablehlo.triangular_solve")
def _triangular_solve(c: Converter, op: HloOp, o: list[Value]) -> Value:
    form = cast(Transposition, op.properties["transpose_a"]).data
    return _solved(
        c.b,
        *o,
        left=flag(op, "left_side"),
        lower=flag(op, "lower"),
        unit=flag(op, "unit_diagonal"),
        transposed=form in ("TRANSPOSE", "ADJOINT"),
    )


def _solved(
    b: ArrayBuilder, a: Value, y: Value, *, left: bool, lower: bool, unit: bool, transposed: bool
) -> Value:
    """X with op(A) X = Y or, of what is on the right, X op(A) = Y."""
    if left:
        return b.triangular_solve(a, y, upper=not lower, transposed=transposed, unit=unit)
    solved = b.triangular_solve(a, _swapped(b, y), upper=not lower, transposed=not transposed, unit=unit)
    return _swapped(b, solved)


@meaning("stablehlo.custom_call")
def _custom_call(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    target = cast(StringAttr, op.properties["call_target_name"]).data
    routine = target.removeprefix("lapack_").removesuffix("_ffi")
    if target == STOP_GRADIENT:
        return [c.b.unary(ew.StopGradientOp, x) if element_of(x) in FLOATS else x for x in o]
    if target == RULE:
        return with_rule(c, op, o)
    if target in ("Sharding", "annotate_device_placement"):
        return o
    if target.startswith("lapack_") and routine[:1] in ("s", "d"):
        made = _lapack(c, op, routine[1:], o)
        if made is not None:
            return made
    raise c.refuse(
        op,
        f"calls @{target}, which is code outside of the program",
        "known are Cholesky, LU, QR, SVD, triangular solves and symmetric eigenvalues by LAPACK",
    )


def _lapack(c: Converter, op: HloOp, routine: str, o: list[Value]) -> list[Value] | None:
    """Return what a routine computes; the last result of most says that it succeeded."""
    b, x = c.b, o[0]
    types = [language_type(r.type) for r in op.results]
    match routine:
        case "potrf" if _letter(op, "uplo") == LOWER:
            return [b.cholesky(x), b.zeros(types[1])]
        case "getrf":
            return [b.lu("factors", x), _one_based(b, x), b.zeros(types[2])]
        case "trsm":
            made = _solved(
                b,
                *o,
                left=_letter(op, "side") == LEFT,
                lower=_letter(op, "uplo") == LOWER,
                unit=_letter(op, "diag") == UNIT,
                transposed=_letter(op, "trans_x") != PLAIN,
            )
            return [made]
        case "syevd" if _letter(op, "uplo") == LOWER:
            return [b.eigh("vectors", x), b.eigh("values", x), b.zeros(types[2])]
        case "gesdd" if types[2] == part_type("svd", "left", x.type):
            parts = [b.svd(part, x) for part in ("values", "left", "right")]
            return [x, *parts, b.zeros(types[4])]
        case "geqrf":
            return [_padded_triangle(b, x), b.zeros(types[1])]
        case "orgqr":
            factored = own_operands(op)[0].owner
            if not isinstance(factored, CustomCallOp) or "geqrf" not in factored.call_target_name.data:
                return None
            matrix = c.values[own_operands(factored)[0]]
            orthogonal = part_type("qr", "orthogonal", matrix.type)
            return [b.qr("orthogonal", matrix)] if orthogonal == types[0] else None
        case _:
            return None


def _padded_triangle(b: ArrayBuilder, x: Value) -> Value:
    """R with zeros below it, in the shape of the matrix. LAPACK has reflectors there, which `orgqr` reads."""
    triangle = b.qr("triangular", x)
    rank, below = len(shape_of(x)), shape_of(x)[-2] - shape_of(triangle)[-2]
    none = [0] * rank
    return b.pad(triangle, b.zeros(element_of(x)), none, [*none[:-2], below, 0], none)


def _one_based(b: ArrayBuilder, x: Value) -> Value:
    """The rows that LAPACK exchanges, counted from 1."""
    pivots = b.lu("pivots", x)
    pivots = b.add(pivots, b.splat(1, pivots.type))
    return b.convert(pivots, i32) if element_of(pivots) != i32 else pivots


def _letter(op: HloOp, name: str) -> int | None:
    """An option of LAPACK, a letter, as JAX writes it beside the call."""
    options = op.attributes.get("mhlo.backend_config", op.properties.get("backend_config"))
    value = options.data.get(name) if isinstance(options, DictionaryAttr) else None
    return value.value.data if isinstance(value, IntegerAttr) else None  # pyright: ignore
