"""The derivative table: one line per op of the array dialect, from which every mode and method is made.

    DERIVATIVES[op class] = one entry per operand: a function (b, op) -> linear map, None where it is zero;
                            or a Joint: one map from the tuple of all operands

    mul x y = z        scale y, scale x
    select c x y       None, mask c, mask (not c)
    concatenate x...   concatenate, jointly

Rules read the op that was just built, so that its regions capture values that exist here. A map is local or
a short composition of local maps. Coefficients of the elementwise ops, with the conventions at points where
a derivative does not exist, stand in `mlirad.rules.elementwise_derivatives`. For arrays:

    max, min of two, where they are equal     each passes half of its tangent
    reduce max, min                           the mean of the tangents of all that attain it; 0 for NaN
    reduce prod, cumulative prod              without division: exact where factors are 0
    cumulative max, min                       the tangent of the first that attains it
    sort                                      equal elements keep their order
    update set                                the base where nothing is written, x where written last
    positions computed from floats            as constants

An op whose derivative is zero everywhere is listed in `ZERO`; one that must not be met, in `ELIMINATED`, with
the pass that removes it. An op in no list is an error, never a zero.

An n-ary op such as `concatenate` has one joint map from the tuple of its operands' tangents, so its transpose
is one `split`, not n slices of the same cotangent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations, indexing, ordering, reductions, structural
from mlirad.dialects.array.frames import NextRowOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.array.special_functions import MAX_ARITY
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    ints,
    shape_of,
    values_of,
)
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.lazy_dataclass import dataclass
from mlirad.rules.cholesky_derivatives import cholesky_map
from mlirad.rules.elementwise_derivatives import BINARY, FLAT, UNARY, BinaryCoefficient, UnaryCoefficient
from mlirad.rules.factorisation_derivatives import (
    eigh_map,
    lu_map,
    qr_map,
    solve_matrix_map,
    solve_operand_map,
    svd_map,
    triangular_matrix_map,
    triangular_operand_map,
)
from mlirad.rules.ordering_derivatives import cumulative_map, products_of_others, sorted_map

Partial: TypeAlias = Callable[[ArrayBuilder, Any], Value]
"""`(b, op) -> the linear map from the tangent of one operand to the tangent of the result`."""


@dataclass(frozen=True)
class Joint:
    """One map from the tuple of the tangents of all operands."""

    rule: Partial


Rule: TypeAlias = tuple[Partial | None, ...] | Joint


# Elementwise -------------------------------------------------------------------------------------


def _unary(coefficient: UnaryCoefficient) -> Partial:
    """dx to coefficient * dx."""

    def rule(b: ArrayBuilder, op: Operation) -> Value:
        result = op.results[0]
        return b.scale_map(result.type, coefficient(b, op.operands[0], result))

    return rule


def _binary(coefficient: BinaryCoefficient | None) -> Partial | None:
    """The tangent of one of two operands to coefficient times it."""
    if coefficient is None:
        return None

    def rule(b: ArrayBuilder, op: Operation) -> Value:
        result = op.results[0]
        return b.scale_map(result.type, coefficient(b, op.operands[0], op.operands[1], result))

    return rule


def _special(k: int) -> Partial:
    """The tangent of one argument of a special function to coefficient times it."""

    def rule(b: ArrayBuilder, op: ew.SpecialOp) -> Value:
        from mlirad.rules.special_derivatives.table import special_coefficient

        return b.scale_map(op.result.type, special_coefficient(k)(b, op))

    return rule


def _extremum(predicate: str, own: int, b: ArrayBuilder, op: ew.MaxOp | ew.MinOp) -> Value:
    """The tangent of operand `own` where it is the extremum, half of it where both are.

    A mask, not a factor 0, so that nothing infinite passes to the operand that was not taken.
    """
    mine, other = op.operands[own], op.operands[1 - own]
    type_ = op.result.type
    weight = b.select(b.compare("eq", mine, other), b.splat(0.5, type_), b.splat(1.0, type_))
    taken = b.mask_map(type_, b.compare(predicate, mine, other))
    return b.compose(b.scale_map(type_, weight), taken)


def _convert(b: ArrayBuilder, op: ew.ConvertOp) -> Value:
    return b.map_of(linear.ConvertOp, op.operand.type, op.result.type)


def _select_true(b: ArrayBuilder, op: ew.SelectOp) -> Value:
    return b.mask_map(op.result.type, op.condition)


def _select_false(b: ArrayBuilder, op: ew.SelectOp) -> Value:
    return b.mask_map(op.result.type, b.logical_not(op.condition))


# Structural --------------------------------------------------------------------------------------


def _same(op_class: type[linear.MapOp]) -> Partial:
    """The linear op of the same name and properties, from the tangent of the first operand."""

    def rule(b: ArrayBuilder, op: Operation) -> Value:
        return b.map_of(op_class, op.operands[0].type, op.results[0].type, (), op.properties)

    return rule


def _transpose(b: ArrayBuilder, op: structural.TransposeOp) -> Value:
    permutation = values_of(op.permutation)
    inverse = tuple(permutation.index(d) for d in range(len(permutation)))
    return b.map_of(linear.BroadcastOp, op.operand.type, op.result.type, (), {"dims": ints(inverse)})


def _pad_value(b: ArrayBuilder, op: structural.PadOp) -> Value:
    """The fill value goes to every position that is padding."""
    inside = b.splat(False, array_type(shape_of(op.operand), i1))
    low, high, interior = values_of(op.low), values_of(op.high), values_of(op.interior)
    padding = b.pad(inside, b.constant(True, i1), low, high, interior)
    type_ = op.result.type
    everywhere = b.map_of(linear.BroadcastOp, op.value.type, type_, (), {"dims": ints(())})
    return b.compose(b.mask_map(type_, padding), everywhere)


def _joint(op_class: type[linear.MapOp]) -> Joint:
    """The linear op of the same name from the tuple of the operands' tangents."""

    def rule(b: ArrayBuilder, op: Operation) -> Value:
        domain = linear.tuple_type([o.type for o in op.operands])
        return b.map_of(op_class, domain, op.results[0].type, (), op.properties)

    return Joint(rule)


# Positions ---------------------------------------------------------------------------------------


def _index(b: ArrayBuilder, op: indexing.IndexOp) -> Value:
    return b.map_of(linear.IndexOp, op.operand.type, op.result.type, tuple(op.positions))


def _gather(b: ArrayBuilder, op: indexing.GatherOp) -> Value:
    region = b.clone_region(op.body, {}, extents_of(op))
    return b.map_of(linear.GatherOp, op.operand.type, op.result.type, (), None, (region,))


def _scatter(b: ArrayBuilder, op: indexing.ScatterOp) -> Value:
    region = b.clone_region(op.body, {}, extents_of(op))
    return b.map_of(linear.ScatterOp, op.operand.type, op.result.type, (), None, (region,))


def _update(b: ArrayBuilder, op: indexing.UpdateOp) -> Value:
    region = b.clone_region(op.body, {}, extents_of(op))
    domain = linear.tuple_type([op.base.type, op.operand.type])
    return b.map_of(linear.UpdateOp, domain, op.result.type, (), {"kind": op.kind}, (region,))


# Reductions --------------------------------------------------------------------------------------


def _reduce(b: ArrayBuilder, op: reductions.ReduceOp) -> Value:
    """The sum of the tangents of the elements that attain the extremum, divided by their number."""
    x, type_ = op.operand, op.result.type
    if op.kind.data == "prod":
        factors = products_of_others(b, x, values_of(op.dims))
        summed = b.map_of(linear.SumOp, x.type, type_, (), {"dims": op.dims})
        return b.compose(summed, b.scale_map(x.type, factors))
    dims = values_of(op.dims)
    kept = [d for d in range(len(shape_of(x))) if d not in dims]
    attained = b.compare("eq", x, b.broadcast(op.result, shape_of(x), kept))
    number = b.sum(b.convert(attained, element_of(x)), dims)
    share = b.div(b.splat(1.0, type_), number)
    summed = b.map_of(linear.SumOp, x.type, type_, (), {"dims": op.dims})
    return b.compose(b.scale_map(type_, share), b.compose(summed, b.mask_map(x.type, attained)))


def _dot_left(b: ArrayBuilder, op: reductions.DotOp) -> Value:
    return b.map_of(linear.DotLeftOp, op.lhs.type, op.result.type, (op.rhs,), op.properties)


def _dot_right(b: ArrayBuilder, op: reductions.DotOp) -> Value:
    return b.map_of(linear.DotRightOp, op.rhs.type, op.result.type, (op.lhs,), op.properties)


def _eig(b: ArrayBuilder, op: factorisations.EigOp) -> Value:
    from mlirad.rules.eigenvalue_derivatives import eig_map  # which few programs need

    return eig_map(b, op)


def _schur(b: ArrayBuilder, op: factorisations.SchurOp) -> Value:
    from mlirad.rules.schur_derivatives import schur_map  # likewise

    return schur_map(b, op)


# The table ---------------------------------------------------------------------------------------

DERIVATIVES: dict[type[Operation], Rule] = {
    **{op: (_unary(c),) for op, c in UNARY.items()},
    **{op: (_binary(left), _binary(right)) for op, (left, right) in BINARY.items()},
    ew.MaxOp: (partial(_extremum, "ge", 0), partial(_extremum, "ge", 1)),
    ew.MinOp: (partial(_extremum, "le", 0), partial(_extremum, "le", 1)),
    ew.SelectOp: (None, _select_true, _select_false),
    ew.ConvertOp: (_convert,),
    ew.SpecialOp: tuple(_special(k) for k in range(MAX_ARITY)),
    structural.BroadcastOp: (_same(linear.BroadcastOp),),
    structural.TransposeOp: (_transpose,),
    structural.ReshapeOp: (_same(linear.ReshapeOp),),
    structural.SliceOp: (_same(linear.SliceOp),),
    structural.PadOp: (_same(linear.PadOp), _pad_value),
    structural.ConcatenateOp: _joint(linear.ConcatenateOp),
    structural.ReverseOp: (_same(linear.ReverseOp),),
    structural.StackOp: _joint(linear.StackOp),
    indexing.IndexOp: (_index,),
    indexing.GatherOp: (_gather,),
    indexing.ScatterOp: (_scatter,),
    indexing.UpdateOp: Joint(_update),
    reductions.SumOp: (_same(linear.SumOp),),
    reductions.ReduceOp: (_reduce,),
    reductions.DotOp: (_dot_left, _dot_right),
    ordering.SortOp: (sorted_map,),
    ordering.CumulativeOp: (cumulative_map,),
    factorisations.LuOp: (lu_map,),
    factorisations.CholeskyOp: (cholesky_map,),
    factorisations.QrOp: (qr_map,),
    factorisations.EighOp: (eigh_map,),
    factorisations.SvdOp: (svd_map,),
    factorisations.EigOp: (_eig,),
    factorisations.SchurOp: (_schur,),
    factorisations.TriangularSolveOp: (triangular_matrix_map, triangular_operand_map),
    factorisations.SolveOp: (solve_matrix_map, solve_operand_map),
    FftOp: (_same(linear.FftOp),),
}
"""The derivative of every op that has one. Operands beyond the listed ones are integers."""

ZERO: frozenset[type[Operation]] = frozenset(
    (
        *FLAT,
        structural.ConstantOp,
        structural.IotaOp,
        structural.SizeOp,
        reductions.ArgmaxOp,
        reductions.ArgminOp,
        ordering.ArgsortOp,
        ReportOp,
        NextRowOp,
    )
)
"""Ops whose derivative is zero."""

ELIMINATED: dict[type[Operation], str] = {indexing.BuildOp: "bulk-operations"}
"""Ops that a derivative is never asked of, with the pass that removes them before."""

READS_POSITIONS: frozenset[type[Operation]] = frozenset(
    (indexing.GatherOp, indexing.ScatterOp, indexing.UpdateOp)
)
"""Ops whose region computes positions: a float read there is a constant (dual-numbers paper, D')."""
