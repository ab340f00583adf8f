"""Writing traced arrays: `x[key] = values`, which shows in all arrays that share elements, and `x.at[key]`.

x[0][1] = 3.0       written into the view x[0], and so into x
x.at[i].add(v)      a copy of x, changed
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from mlirad.dialects.shapes import Value, is_boolean, shape_of
from mlirad.frontend.indexing.keys import Selection, select_key
from mlirad.frontend.indexing.masks import (
    MaskedElements,
    dimension_of_mask,
    holds_chosen,
    is_same_mask,
    key_with_mask,
    known_number,
    other_mask,
)
from mlirad.frontend.indexing.reads import read, read_value
from mlirad.frontend.indexing.selections import composed, unraveled, whole
from mlirad.frontend.indexing.truths import without_truths
from mlirad.frontend.indexing.updates import updated_value
from mlirad.frontend.indexing.views import Reshaped, Selected, as_reshaped_view, assign, require_writable
from mlirad.frontend.numpy_functions.meanings.ufuncs import truth
from mlirad.frontend.numpy_functions.writes.colliding import may_collide, one_by_one
from mlirad.frontend.tracing.array import Array, copied, made, view_of
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.dtypes import BOOL, I32, Kind, loop_dtypes
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import (
    as_array,
    broadcast_shapes,
    broadcast_value,
    converted,
    kind_of,
    operand_of,
    value_of,
    xp,
)
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.frontend.tracing.run_time_checks import unchecked
from mlirad.ir.arrays import ArrayBuilder


def write(x: Array, key: Any, values: Any) -> None:
    """`x[key] = values`, also in the array that `x` is a view of; the elements take the dtype of `x`."""
    how = view_of(values) if isinstance(values, Array) else None
    if isinstance(how, Selected) and how.parent is x and how.key is key:
        return  # `x[key] += 1` writes into the view x[key], and then assigns it to x[key]
    require_writable(x)
    x, key = without_truths(x, key)
    if holds_chosen(key):
        from mlirad.frontend.numpy_functions.writes.chosen_places import placed  # most programs do without

        plain, given = placed(x, key, values)
        unchecked(lambda: write(x, plain, given))
        return
    found = key_with_mask(key)
    if found is not None:
        mask, plain, place = found
        part = read(x, plain)
        _write_masked(part, mask, dimension_of_mask(part, mask, place), values)
        return
    selection = select_key(x.shape, key)
    _write_through(x, selection, fitted(x, values, selection))


def replace(x: Array, value: Value) -> None:
    """Write all elements of an array or view."""
    require_writable(x)
    _write_through(x, whole(x.shape), value)


def updated(x: Array, key: Any, values: Any, kind: str) -> Array:
    """A copy of `x` with `values` set, added, subtracted or multiplied at `key`, in the dtype of `x`.

    Integers take no floats but to be set, and booleans take booleans, which are added by `or`.
    """
    unit, plain = without_truths(x, key)
    if unit is not x:
        return xp.reshape(updated(unit, plain, values, kind), x.shape)
    if holds_chosen(key):
        from mlirad.frontend.numpy_functions.writes.chosen_places import placed  # most programs do without

        plain, given = placed(x, key, values)
        return unchecked(lambda: updated(x, plain, given, kind))
    if key_with_mask(key) is not None:
        return _updated_where(x, key, values, kind)
    selection = select_key(x.shape, key)
    given = operand_of(values)
    if kind != "set":
        loop_dtypes(_UFUNCS[kind], (x.dtype, kind_of(given)), x.dtype)
    if kind == "subtract":
        given, kind = xp.negative(as_array(given, x.dtype)), "add"
    if kind == "multiply" and may_collide(selection):
        return one_by_one(x, selection, fitted(x, given, selection), _product)
    b = emitting()
    if kind == "add" and x.dtype == BOOL:
        counts = updated(converted(x, I32), key, converted(as_array(given), I32), "add")
        return made(truth(b, counts.value))
    new = fitted(x, given, selection)
    if kind == "multiply":
        new = _product(b, fitted(x, made(read_value(x.value, selection)), selection), new)
    return made(updated_value(x.value, selection, new, "set" if kind == "multiply" else kind))


_UFUNCS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}


def _updated_where(x: Array, key: Any, values: Any, kind: str) -> Array:
    """The same for a key with a traced mask."""
    result = copied(x)
    if kind != "set":
        loop_dtypes(_UFUNCS[kind], (x.dtype, kind_written(values)), x.dtype)
        values = _UFUNCS[kind](read(x, key), values)
    write(result, key, values)
    return result


def kind_written(values: Any) -> Kind:
    """Return how values that are written promote: arrays, numbers, or elements that a mask selects."""
    return values.dtype if isinstance(values, MaskedElements) else kind_of(operand_of(values))


def _product(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.logical_and(x, y) if is_boolean(x) else b.mul(x, y)


# Writing to bases --------------------------------------------------------------------------------


def fitted(x: Array, values: Any, selection: Selection) -> Value:
    """Values to be written in the dtype of `x` and the shape of the selection."""
    if isinstance(values, float) and not np.isfinite(values) and x.dtype.kind == "i":
        raise dtype_error(
            f"an array of dtype {x.dtype} has no element {values}",
            "convert the array with .astype(np.float64)",
        )
    given = operand_of(values)
    b = emitting()
    new = value_of(given, x.dtype)
    shape = selection.result_shape
    extra = len(shape_of(new)) - len(shape)
    if extra > 0 and set(shape_of(new)[:extra]) == {1}:  # as NumPy, which drops them
        new = b.reshape(new, shape_of(new)[extra:])
    if broadcast_shapes([shape, shape_of(new)], "x[key] = values") != shape:
        raise shape_error(
            f"values of shape {shape_of(new)} do not fit a place of shape {shape}",
            "give values of the shape of what is written to, or one that broadcasts to it",
        )
    return broadcast_value(b, new, shape)


def _write_through(x: Array, selection: Selection, new: Value) -> None:
    """Write values of the shape of the selection into `x`, and so into its base."""
    b = emitting()
    how = view_of(x)
    while how is not None:
        parent = how.parent if how.parent.shape == how.origin else as_reshaped_view(how.parent, how.origin)
        inner = None
        if isinstance(how, Selected):
            inner = composed(how.selection, selection)
        elif isinstance(how, Reshaped):
            inner = unraveled(parent.shape, selection)
        if inner is None:
            new = updated_value(x.value, selection, new, "set")
            inner = how.selection if isinstance(how, Selected) else whole(parent.shape)
        new = b.reshape(new, inner.result_shape)
        selection, x, how = inner, parent, view_of(parent)
    assign(x, updated_value(x.value, selection, new, "set"))


def _write_masked(x: Array, mask: Array, dim: int, values: Any) -> None:
    """`x[mask] = values`, for a mask on the dimensions from `dim` on."""
    b = emitting()
    flags = b.broadcast(mask.value, x.shape, range(dim, dim + mask.ndim))
    replace(x, b.select(flags, broadcast_value(b, _values_at(x, mask, dim, values), x.shape), x.value))


def _values_at(x: Array, mask: Array, dim: int, values: Any) -> Value:
    """Return what is written at the places of a mask: selected by that mask, or the same at all places."""
    b = emitting()
    rest = x.ndim - dim - mask.ndim
    if isinstance(values, MaskedElements):
        elements = values.elements
        if isinstance(elements, ComplexArray):
            raise dtype_error(
                "complex values are written to a real array", "write z.real for their real parts"
            )
        flat = made(b.reshape(mask.value, (prod(mask.shape),)))
        if values.ndim - values.dim != rest + 1 or not is_same_mask(values.mask, flat):
            raise other_mask(values)
        before, after = elements.shape[: values.dim], elements.shape[values.dim + 1 :]
        return value_of(made(b.reshape(elements.value, (*before, *mask.shape, *after))), x.dtype)
    new = value_of(operand_of(values), x.dtype)
    shape = shape_of(new)
    place = len(shape) - 1 - rest
    if place < 0:
        return new
    if shape[place] != 1:
        raise known_number(shape, "x[mask]")
    return b.reshape(new, (*shape[:place], *[1] * mask.ndim, *shape[place + 1 :]))
