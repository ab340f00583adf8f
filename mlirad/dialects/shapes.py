"""Types of the language and the shape rule of every structural op, in one place.

A scalar is an array of rank 0 and is written as its element type: `shape_of(f64)` is `()`, and
`array_type((), f64)` is `f64` itself. Verifiers, builders and the frontend all take result shapes from
the functions below, which raise `VerifyException` with a sentence that names what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from operator import attrgetter
from typing import Any, TypeAlias, TypeGuard, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    ArrayAttr,
    DenseArrayBase,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    TupleType,
    UnitAttr,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue, TypeAttribute
from xdsl.irdl import AnyOf, AttrConstraint, BaseAttr
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.extents import at_most, is_static, plain, same
from mlirad.dialects.extents_attribute import ExtentAttr, ExtentsAttr
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.function_types import ClosureType, InductiveType, SumType, ValueType
from mlirad.dialects.language_op import Result

Shape: TypeAlias = tuple[int, ...]
Value: TypeAlias = SSAValue[Attribute]

MAX_RANK = 64
"""The most dimensions that an array of NumPy has."""

FLOATS: tuple[Attribute, ...] = (f64, f32)
INTEGERS: tuple[Attribute, ...] = (i64, i32)
NUMBERS: tuple[Attribute, ...] = (*FLOATS, *INTEGERS)
ELEMENTS: tuple[Attribute, ...] = (*NUMBERS, i1)
INTEGERS_AND_BOOLEANS: tuple[Attribute, ...] = (*INTEGERS, i1)


class _WithFrames(tuple[Attribute, ...]):
    """Element types, and those of frames with them."""

    def __contains__(self, type_: object) -> bool:
        return isinstance(type_, FrameType) or super().__contains__(type_)


STORED: tuple[Attribute, ...] = _WithFrames(ELEMENTS)
"""The elements of arrays: those that can be computed with, and frames, which can only be moved."""


def tuple_type(types: Sequence[Attribute]) -> TupleType:
    """The tuple of the given types, `tuple<>` (unit) for none."""
    return TupleType(cast("ArrayAttr[TypeAttribute]", ArrayAttr(types)))


_VALUES = frozenset((Result, OpResult, BlockArgument))
"""Exact classes, which are found many times faster than their abstract base."""

_type: Callable[[Any], Attribute] = attrgetter("_type")
"""The type of a value, without a call of xDSL's property."""

UNIT = tuple_type(())
FLAG = UnitAttr()


def shape_of(what: Value | Attribute) -> Shape:
    """The extents of a value or type; `()` for a scalar."""
    type_: Any = _type(what) if type(what) in _VALUES else what
    known = _SHAPES.get(id(type_))
    return _stated_shape(type_) if known is None else known[1]


_SHAPES: dict[int, tuple[Attribute, Shape]] = {}
"""The types that `array_type` has made, by their identity, and their extents."""


def _stated_shape(type_: Any) -> Shape:
    if type(type_) is TensorType:
        encoding = type_.encoding
        if type(encoding) is ExtentsAttr:
            return encoding.data
        return tuple([extent.data for extent in type_.shape.data])
    return ()


def element_of(what: Value | Attribute) -> Attribute:
    """The element type of a value or type; a scalar is its own element."""
    type_: Any = _type(what) if type(what) in _VALUES else what
    if type(type_) is TensorType:
        return type_.element_type
    return type_


def size_of(what: Value | Attribute) -> int:
    """The number of elements."""
    return prod(shape_of(what))


def array_type(shape: Shape, element: Attribute) -> Attribute:
    """The array type of the given extents, or the element type itself at rank 0. Interned."""
    known = _ARRAY_TYPES.get(id(element))
    if known is None:
        return _array_type(shape, element)
    found = known.get(shape)
    if found is None:
        found = known[shape] = _array_type(shape, element)
    return found


_ARRAY_TYPES: dict[int, dict[Shape, Attribute]] = {id(element): {} for element in ELEMENTS}
"""The array types by the identity of their element type: hashing an attribute takes longer than all else."""


@cache
def _array_type(shape: Shape, element: Attribute) -> Attribute:
    if all(map(is_static, shape)):
        made = TensorType(element, shape) if shape else element
    else:
        known = [extent if is_static(extent) else DYNAMIC_INDEX for extent in shape]
        made = TensorType(element, known, ExtentsAttr(tuple(map(plain, shape))))
    _SHAPES[id(made)] = made, _stated_shape(made)
    return made


@cache
def ints(values: Shape) -> DenseArrayBase[I64]:
    """A list of integers, or of extents, as an attribute. Interned.

    Where there are sizes in it the attribute is an `ExtentsAttr`, which `values_of` and `is_ints` take too.
    """
    if all(map(is_static, values)):
        return DenseArrayBase.from_list(i64, values)
    return cast("DenseArrayBase[I64]", ExtentsAttr(tuple(map(plain, values))))


EXTENT_LIST: AttrConstraint[DenseArrayBase[I64]] = cast(
    Any, AnyOf((DenseArrayBase.constr(i64), BaseAttr(ExtentsAttr)))
)
"""Properties that `ints` makes and `values_of` reads."""

EXTENT: AttrConstraint[IntegerAttr[I64]] = cast(Any, AnyOf((IntegerAttr.constr(i64), BaseAttr(ExtentAttr))))
"""Properties that `integer` makes and `integer_of` reads."""


def int_lists(**lists: Sequence[int]) -> dict[str, Attribute]:
    """Properties that are lists of integers."""
    return {name: ints(tuple(values)) for name, values in lists.items()}


def is_ints(attribute: Attribute) -> TypeGuard[DenseArrayBase[I64]]:
    """Return whether an attribute is a list of integers or extents, as `ints` makes it."""
    if isinstance(attribute, ExtentsAttr):
        return True
    return isinstance(attribute, DenseArrayBase) and cast("DenseArrayBase[I64]", attribute).elt_type == i64


@cache
def integer(value: int) -> IntegerAttr[I64]:
    """An integer, or an extent, as an attribute. Interned. `integer_of` reads it."""
    if not is_static(value):
        return cast("IntegerAttr[I64]", ExtentAttr(plain(value)))
    return IntegerAttr(value, i64)


def integer_of(attribute: IntegerAttr[I64]) -> int:
    """The integer or extent of an attribute."""
    if isinstance(cast(Attribute, attribute), ExtentAttr):
        return cast(ExtentAttr, attribute).data
    return attribute.value.data


@cache
def keyword(value: str) -> StringAttr:
    """A keyword attribute such as the predicate of a comparison. Interned."""
    return StringAttr(value)


@cache
def values_of(attribute: DenseArrayBase[I64]) -> Shape:
    """The integers or extents of a list attribute, decoded once per distinct list."""
    if isinstance(cast(Attribute, attribute), ExtentsAttr):
        return cast(ExtentsAttr, attribute).data
    return tuple(int(v) for v in attribute.get_values())


def is_array(type_: Attribute, elements: Sequence[Attribute] = STORED) -> bool:
    """Return whether `type_` is a scalar, or an array of rank at least 1 with extents, over one of
    `elements`.
    """
    if isinstance(type_, TensorType):
        shape = type_.get_shape()
        element = element_of(cast(Attribute, type_))
        encoding = type_.encoding
        if isinstance(encoding, ExtentsAttr):
            return element in elements and _agree(shape, encoding.data)
        return bool(shape) and all(e >= 0 for e in shape) and element in elements
    return type_ in elements


def _agree(written: Shape, extents: Shape) -> bool:
    """Return whether the dimensions of a type, -1 for those that are written `?`, agree with its extents."""
    return len(written) == len(extents) and all(
        (w == e if is_static(e) else w == DYNAMIC_INDEX) and at_most(0, e)
        for w, e in zip(written, extents, strict=True)
    )


def is_value(type_: Attribute) -> bool:
    """Return whether closures take and return it: scalars, arrays, maps, and tuples, closures and sums of
    values.
    """
    match type_:
        case ValueType() | InductiveType():
            return True
        case TupleType():
            return all(map(is_value, type_.types.data))
        case ClosureType():
            return all(map(is_value, (*type_.inputs, *type_.outputs)))
        case SumType():
            return all(map(is_value, type_.types.data))
        case _:
            return is_array(type_, ELEMENTS)


def is_float(what: Value | Attribute) -> bool:
    """Return whether the elements are floating-point numbers."""
    return type(element_of(what)) in _FLOAT_TYPES


_FLOAT_TYPES = frozenset((Float64Type, Float32Type))


def is_integer(what: Value | Attribute) -> bool:
    """Return whether the elements are integers (booleans are not)."""
    element = element_of(what)
    return isinstance(element, IntegerType) and element != i1


def is_boolean(what: Value | Attribute) -> bool:
    """Return whether the elements are booleans."""
    return element_of(what) == i1


def check_dims(dims: Sequence[int], rank: int, what: str) -> None:
    """Require distinct dimensions of an array of the given rank."""
    for d in dims:
        if not 0 <= d < rank:
            raise VerifyException(f"{what} names dimension {d} of an array of rank {rank}")
    if len(set(dims)) != len(dims):
        raise VerifyException(f"{what} names a dimension twice: {list(dims)}")


def require_equal(a: int, b: int, what: str) -> None:
    """Require equal extents; `what` is the sentence for two that differ."""
    if a != b:
        if same(a, b) is None:
            raise VerifyException(f"{what}: cannot tell whether {a} and {b} are equal")
        raise VerifyException(what)


def check_broadcast(operand: Shape, dims: Sequence[int], result: Shape) -> None:
    """Operand dimension k goes to result dimension `dims[k]`, extents equal, `dims` injective."""
    if len(dims) != len(operand):
        raise VerifyException(
            f"broadcast needs one entry in dims per operand dimension: {len(dims)} for rank {len(operand)}"
        )
    check_dims(dims, len(result), "dims")
    for k, d in enumerate(dims):
        require_equal(
            operand[k],
            result[d],
            f"operand dimension {k} has extent {operand[k]}, result dimension {d} has {result[d]}",
        )


def transpose_shape(operand: Shape, permutation: Sequence[int]) -> Shape:
    """Operand dimension `permutation[k]` becomes result dimension k."""
    if len(permutation) != len(operand):
        raise VerifyException(
            f"permutation has {len(permutation)} entries for an array of rank {len(operand)}"
        )
    check_dims(permutation, len(operand), "permutation")
    return tuple(operand[p] for p in permutation)


def check_reshape(operand: Shape, result: Shape) -> None:
    """A reshape keeps the number of elements."""
    before, after = prod(operand), prod(result)
    if before != after:
        require_equal(
            before, after, f"cannot reshape {before} elements {list(operand)} into {after} {list(result)}"
        )


def reduce_shape(operand: Shape, dims: Sequence[int]) -> Shape:
    """Return what is left after the reduced dimensions are dropped."""
    check_dims(dims, len(operand), "dims")
    return tuple(e for d, e in enumerate(operand) if d not in dims)


def slice_shape(
    operand: Shape, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]
) -> Shape:
    """Elements start, start + stride, ... below limit, along each dimension."""
    if not len(starts) == len(limits) == len(strides) == len(operand):
        raise VerifyException(
            f"slice needs starts, limits and strides of length {len(operand)}, got "
            f"{len(starts)}, {len(limits)} and {len(strides)}"
        )
    for d, (e, lo, hi, step) in enumerate(zip(operand, starts, limits, strides, strict=True)):
        if step < 1:
            raise VerifyException(f"stride {step} in dimension {d} must be at least 1")
        if not (at_most(0, lo) and at_most(lo, hi) and at_most(hi, e)):
            raise VerifyException(f"slice {lo}:{hi} lies outside dimension {d} of extent {e}")
    return tuple(-((lo - hi) // step) for lo, hi, step in zip(starts, limits, strides, strict=True))


def pad_shape(operand: Shape, low: Sequence[int], high: Sequence[int], interior: Sequence[int]) -> Shape:
    """`low` fills before, `high` after, `interior` between neighbours, along each dimension."""
    if not len(low) == len(high) == len(interior) == len(operand):
        raise VerifyException(
            f"pad needs low, high and interior of length {len(operand)}, got "
            f"{len(low)}, {len(high)} and {len(interior)}"
        )
    if not all(at_most(0, width) for width in (*low, *high, *interior)):
        raise VerifyException("pad widths must not be negative: use slice to cut")
    return tuple(
        lo + e + (max(e - 1, 0) * mid if mid else 0) + hi
        for e, lo, hi, mid in zip(operand, low, high, interior, strict=True)
    )


def concatenate_shape(operands: Sequence[Shape], dim: int) -> Shape:
    """Arrays equal except for dimension `dim`, put one after the other along it."""
    if not operands:
        raise VerifyException("concatenate needs at least one operand")
    first = operands[0]
    check_dims((dim,), len(first), "dim")
    for k, shape in enumerate(operands):
        if len(shape) != len(first) or any(
            a != b for d, (a, b) in enumerate(zip(shape, first, strict=True)) if d != dim
        ):
            raise VerifyException(
                f"operand {k} of shape {list(shape)} cannot follow one of shape {list(first)} "
                f"along dimension {dim}"
            )
    return (*first[:dim], sum(s[dim] for s in operands), *first[dim + 1 :])


def stack_shape(operands: Sequence[Shape], dim: int) -> Shape:
    """Arrays of one shape become one array with a new dimension `dim`."""
    if not operands:
        raise VerifyException("stack needs at least one operand")
    first = operands[0]
    if not 0 <= dim <= len(first):
        raise VerifyException(f"dim {dim} is not a dimension of an array of rank {len(first) + 1}")
    for k, shape in enumerate(operands):
        if shape != first:
            raise VerifyException(f"operand {k} has shape {list(shape)}, the first one {list(first)}")
    return (*first[:dim], len(operands), *first[dim:])


def dot_shape(
    lhs: Shape,
    rhs: Shape,
    lhs_batch: Sequence[int],
    rhs_batch: Sequence[int],
    lhs_contract: Sequence[int],
    rhs_contract: Sequence[int],
) -> Shape:
    """Batch dimensions, then the free ones of the left operand, then those of the right."""
    if len(lhs_batch) != len(rhs_batch) or len(lhs_contract) != len(rhs_contract):
        raise VerifyException("both operands of dot need as many batch and contracted dimensions")
    check_dims((*lhs_batch, *lhs_contract), len(lhs), "left batch and contract")
    check_dims((*rhs_batch, *rhs_contract), len(rhs), "right batch and contract")
    pairs = zip((*lhs_batch, *lhs_contract), (*rhs_batch, *rhs_contract), strict=True)
    for a, b in pairs:
        require_equal(
            lhs[a],
            rhs[b],
            f"left dimension {a} of extent {lhs[a]} is paired with right dimension {b} of extent {rhs[b]}",
        )
    left = tuple(e for d, e in enumerate(lhs) if d not in lhs_batch and d not in lhs_contract)
    right = tuple(e for d, e in enumerate(rhs) if d not in rhs_batch and d not in rhs_contract)
    return (*(lhs[d] for d in lhs_batch), *left, *right)


def tangent_type(type_: Attribute) -> Attribute:
    """The tangent space: itself for floats, unit for integers and booleans, by component for tuples.

    Raises for closures, sums and names: what stands for them after `eliminate-functions` has one.
    """
    if isinstance(type_, TupleType):
        return tuple_type([tangent_type(t) for t in type_.types.data])
    if isinstance(type_, ClosureType | SumType | InductiveType):
        raise VerifyException(f"there is no derivative by or of {type_}: capture it, or apply it inside")
    return type_ if is_float(type_) else UNIT


def product_type(types: Sequence[Attribute]) -> Attribute:
    """The product of the types; a product of one is the thing itself."""
    return types[0] if len(types) == 1 else tuple_type(types)


def components_of(type_: Attribute) -> tuple[Attribute, ...]:
    """The factors of a product: of a tuple its types, of anything else itself alone."""
    if isinstance(type_, TupleType):
        return tuple(type_.types.data)
    return (type_,)
