"""Functions that make arrays like others, and those that return what is static: shape, rank, dtype."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, cast

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Shape, array_type
from mlirad.frontend.numpy_functions.arrays.shapes import broadcast_to, checked_extents
from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Axes,
    Axis,
    Casting,
    DtypeLike,
    Flag,
    Int,
    OperandLike,
    Order,
    ShapeLike,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, base_of, copied, current_twins, made
from mlirad.frontend.tracing.complex_array import ComplexArray, parts_of_complex
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, converted, kind_of, select, value_of, xp
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.shapes import distinct_axes


def full_like(
    a: ArrayLike,
    fill_value: OperandLike,
    dtype: DtypeLike | None = None,
    order: Order = "K",
    shape: ShapeLike | None = None,
) -> Array:
    """`np.full_like`."""
    target = a.dtype if dtype is None else dtype
    extents = a.shape if shape is None else checked_extents(tuple(shape))
    fill = np.asarray(fill_value) if not isinstance(fill_value, Array) else fill_value
    emitting()
    return broadcast_to(made(value_of(fill, target)), extents)


def _filled_like(number: int) -> Callable[..., Array]:
    def fill(
        a: ArrayLike, dtype: DtypeLike | None = None, order: Order = "K", shape: ShapeLike | None = None
    ) -> Array:
        return _filled(number, a, dtype, shape)

    return fill


def _filled(number: int, a: Array, dtype: Any, shape: Any) -> Array:
    target = a.dtype if dtype is None else dtype
    extents = a.shape if shape is None else checked_extents(tuple(shape))
    return made(emitting().splat(number, array_type(extents, ELEMENT_TYPES[target])))


def empty_like(
    prototype: ArrayLike, dtype: DtypeLike | None = None, order: Order = "K", shape: ShapeLike | None = None
) -> Array:
    """`np.empty_like`: zeros."""
    return _filled(0, prototype, dtype, shape)


def copy_of(a: ArrayLike, order: Order = "K") -> Array:
    """`np.copy`: another array of the same value, so that writing one does not change the other."""
    return copied(a)


def astype(x: ArrayLike, dtype: DtypeLike, *, copy: Flag = True) -> Array:
    """`np.astype`; without `copy` the array itself, if it has the dtype."""
    result = converted(x, dtype)
    return copied(x) if result is x and copy else result


def _checked_count(num: int) -> int:
    if num < 0:
        raise argument_error(f"the number of samples must not be negative, got {num}", "pass num=0 or more")
    return num


def linspace(
    start: OperandLike, stop: OperandLike, num: Int = 50, endpoint: Flag = True, retstep: Flag = False,
    dtype: DtypeLike | None = None, axis: Axis = 0,
) -> Any:  # fmt: skip
    """`np.linspace` between traced ends."""
    gaps = _checked_count(num) - (1 if endpoint else 0)
    kinds = [kind_of(v) for v in (start, stop)]
    made_of = np.result_type(*(k if isinstance(k, np.dtype) else k(0) for k in kinds), 1.0 * gaps)
    first, last = (converted(as_array(v), made_of) for v in (start, stop))
    distance = last - first
    step = distance / made_of.type(gaps) if gaps > 0 else as_array(np.float64(np.nan))
    rank = max(first.ndim, last.ndim)
    count = np.arange(num, dtype=made_of).reshape(-1, *[1] * rank)
    if gaps > 0:
        # A step that underflows to 0 loses the distance, so there the fraction is multiplied instead.
        values = first + select(xp.equal(step, 0), count / made_of.type(gaps) * distance, count * step)
    else:
        values = first + count * distance
    if endpoint and num > 1:
        is_last = (np.arange(num) == num - 1).reshape(count.shape)
        values = select(is_last, last, values)
    values = xp.moveaxis(values, 0, axis)
    if dtype is not None:
        values = converted(xp.floor(values) if dtype.kind == "i" else values, dtype)
    return (values, step) if retstep else values


def logspace(
    start: OperandLike, stop: OperandLike, num: Int = 50, endpoint: Flag = True, base: OperandLike = 10.0,
    dtype: DtypeLike | None = None, axis: Axis = 0,
) -> Array:  # fmt: skip
    """`np.logspace` between traced ends."""
    first, last = as_array(start), as_array(stop)
    foot = as_array(base)
    if foot.ndim:
        rank = max(first.ndim, last.ndim, foot.ndim)
        shape = np.broadcast_shapes(first.shape, last.shape, foot.shape)
        first, last = (xp.broadcast_to(v, shape) for v in (first, last))
        foot = xp.expand_dims(xp.broadcast_to(foot, shape), axis) if rank else foot
        base = foot
    exponents = linspace(first, last, num, endpoint, axis=axis)
    values = xp.power(base, exponents)
    return values if dtype is None else converted(values, dtype)


def geomspace(
    start: OperandLike, stop: OperandLike, num: Int = 50, endpoint: Flag = True,
    dtype: DtypeLike | None = None, axis: Axis = 0,
) -> Array:  # fmt: skip
    """`np.geomspace` between traced ends of one sign, which it holds exactly; NaN between others."""
    first, last = (converted(as_array(v), F64) for v in (start, stop))
    sign = xp.sign(first)
    values = logspace(xp.log10(first / sign), xp.log10(last / sign), num, endpoint, axis=0)
    values = values * sign
    number = np.arange(num).reshape(-1, *[1] * (values.ndim - 1))
    values = select(number == 0, first, values)
    if endpoint and num > 1:
        values = select(number == num - 1, last, values)
    values = xp.moveaxis(values, 0, axis)
    return values if dtype is None else converted(values, dtype)


def shape_of_any(a: ArrayLike) -> Shape:
    """`np.shape`."""
    return a.shape


def size_of_any(a: ArrayLike, axis: Axes | None = None) -> int:
    """`np.size`."""
    return a.size if axis is None else prod(a.shape[d] for d in distinct_axes(axis, a.ndim))


def ndim_of_any(a: ArrayLike) -> int:
    """`np.ndim`."""
    return a.ndim


def result_type_of(*arrays_and_dtypes: Anything) -> np.dtype[Any]:
    """`np.result_type`."""
    try:
        return np.result_type(*map(_promoted_by, arrays_and_dtypes))
    except (TypeError, ValueError) as error:
        raise argument_error(f"np.result_type: {error}", "pass arrays, scalars and dtypes") from error


def common_type(*arrays: Anything) -> type[Any]:
    """`np.common_type`."""
    shown = [np.empty(0, x.dtype) if isinstance(x, Array | ComplexArray) else x for x in arrays]
    try:
        return cast(Any, np.common_type)(*shown)
    except TypeError as error:
        raise argument_error(f"np.common_type: {error}", "pass arrays of numbers") from error


def can_cast(from_: Anything, to: Anything, casting: Casting = "safe") -> bool:
    """`np.can_cast`, which asks an array for its dtype."""
    hint = "pass an array or a dtype, and a dtype"
    if isinstance(to, Array | ComplexArray):
        raise argument_error("np.can_cast: an array is given where a dtype is expected", hint)
    try:
        return np.can_cast(from_.dtype if isinstance(from_, Array | ComplexArray) else from_, to, casting)
    except (TypeError, ValueError) as error:
        raise argument_error(f"np.can_cast: {error}", hint) from error


def _promoted_by(value: Any) -> Any:
    """Return what stands for an argument: of a traced one its dtype, or a Python number if it comes from
    one.
    """
    if isinstance(value, ComplexArray):
        return value.dtype
    if not isinstance(value, Array):
        return value
    kind = kind_of(value)
    return kind if isinstance(kind, np.dtype) else kind(0)


def is_complex(x: Anything) -> bool:
    """`np.iscomplexobj` of a real array."""
    return False


def is_real(x: Anything) -> bool:
    """`np.isrealobj`: there are no others."""
    return True


def is_complex_element(x: ArrayLike) -> Any:
    """`np.iscomplex` of a real array: no element is, which is known in a trace, and can steer Python code."""
    return _known(False, x)


def is_real_element(x: ArrayLike) -> Any:
    """`np.isreal`: all are."""
    return _known(True, x)


def _known(value: bool, x: Array) -> Any:
    """A NumPy array of one truth, or a traced one where the number of elements is not known."""
    if not all(map(is_static, x.shape)):
        return _filled(value, x, np.dtype(bool), None)
    return np.full(x.shape, value)[()]


def may_share_memory(a: Anything, b: Anything, max_work: Anything = 0) -> bool:
    """`np.may_share_memory`: whether writes to one array may show in the other, as both are parts of one."""
    return shares_memory(a, b)


def shares_memory(a: Anything, b: Anything, max_work: Anything = -1) -> bool:
    """`np.shares_memory`, for which parts of one array count as if they overlapped."""
    one, other = _owners(a), _owners(b)
    return any(x is y for x in one for y in other)


def _owners(value: Any) -> list[Array]:
    """The arrays that a traced value may be a view of, themselves no views."""
    if isinstance(value, ComplexArray):
        return [owner for part in parts_of_complex(value) for owner in _owners(part)]
    if not isinstance(value, Array):
        return []
    base = base_of(value)
    return [base, *current_twins(base)]


FUNCTIONS = tracings(
    full_like, empty_like, linspace, logspace, geomspace, astype, can_cast, common_type,
    zeros_like=_filled_like(0), ones_like=_filled_like(1), copy=copy_of, shape=shape_of_any,
    ndim=ndim_of_any, size=size_of_any,
    result_type=result_type_of, iscomplexobj=is_complex, isrealobj=is_real, iscomplex=is_complex_element,
    isreal=is_real_element, may_share_memory=may_share_memory, shares_memory=shares_memory,
)  # fmt: skip
"""The functions that this file traces."""
