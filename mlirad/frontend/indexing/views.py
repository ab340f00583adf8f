"""Views: traced arrays that are parts of another one, as basic indexing and `.T` give them in NumPy.

    y = x[1:].T         y is a view of x, y's base
    y[0] = 7.0          writes x, through the keys in between as one key of x
    x[1] = 0.0          y is re-read from x when it is used next

An array that is not a view holds an SSA value, which a write replaces. A view knows the array it was taken
from and how, and keeps the value that it read until its base is written. Operations give views as in NumPy,
which decides by strides; these exist here only as numbers. Arguments are in row-major order, and so is what
is computed from arrays in row-major order; the order of other arrays in memory is not known, and what would
depend on it is an error.

A body that is traced on its own, of a loop, a branch or a derivative, cannot write what is made outside.

Views are re-read, not updated. A view notes how often its base had been written when it was read, and reads
it again on its next use. So a write costs the same however many views there are, and unused views cost
nothing. A write into a view is one write into the base, by one key, so in a loop it stays in place.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from mlirad.dialects.shapes import Shape, Value
from mlirad.errors import TracingError
from mlirad.frontend.indexing.keys import Selection, Strided
from mlirad.frontend.indexing.selections import whole
from mlirad.frontend.tracing.array import (
    Array,
    View,
    base_of,
    become,
    copied,
    note_write,
    strides_of,
    view_of,
)
from mlirad.frontend.tracing.frames import current_frame, emitting, leaked_error
from mlirad.frontend.tracing.raising import tracing_error, unsupported_error
from mlirad.frontend.tracing.strides import Strides, column_major, is_laid_out, row_major, strides_reshaped
from mlirad.lazy_dataclass import dataclass

T = TypeVar("T")

NO_KEY = object()
"""The key of a selection without brackets."""


@dataclass(slots=True, eq=False)
class Selected(View):
    """The elements of `parent` at a basic selection. `key` is what stood in the brackets."""

    selection: Selection
    key: object

    def strides(self, parent: Strides) -> Strides:
        terms, found = self.selection.terms, list[int]()
        for part in self.selection.view:
            term = terms[part] if isinstance(part, int) else None
            found.append(
                parent[part] * term.step if isinstance(term, Strided) and isinstance(part, int) else 0
            )
        return tuple(found)


@dataclass(slots=True, eq=False)
class Reshaped(View):
    """The elements of `parent` in another shape."""

    shape: Shape

    def strides(self, parent: Strides) -> Strides | None:
        return strides_reshaped(self.origin, parent, self.shape)


@dataclass(slots=True, eq=False)
class ReadOnly(View):
    """A part of `parent` that can be read and not be written: diagonals, repeated elements."""

    what: str
    spread: Callable[[Strides], Strides]
    """The strides, from those of the parent."""

    def strides(self, parent: Strides) -> Strides:
        return self.spread(parent)


@dataclass(slots=True, eq=False)
class Uncertain(View):
    """`parent` in another shape, which is a view or a copy depending on an order that is not known."""

    def strides(self, parent: Strides) -> None:
        return None


# Making views ------------------------------------------------------------------------------------


def view(x: Array, how: View, value: Value) -> Array:
    """A view of `x` that has been read as `value`."""
    scope = current_frame().scope
    result = Array(value, scope, x.weak)
    result._view, result._version = how, how.base._version
    return result


def selected(x: Array, selection: Selection, read: Callable[[Value], Value], key: object = NO_KEY) -> Array:
    """The elements at a basic selection, which `read` reads."""
    return view(x, Selected(x, base_of(x), read, x.shape, selection, key), read(x.value))


def reshaped(x: Array, shape: Shape) -> Array:
    """`np.reshape(x, shape)`, for a shape known to fit: a view wherever NumPy gives one."""
    units = _with_other_units(x.shape, shape)
    if units is not None:
        return selected(x, units, lambda parent: emitting().reshape(parent, shape))
    strides = strides_of(x)
    if strides is None:
        return _uncertain(x, shape)
    forced = as_reshaped_view(x, shape)
    return _in_order(forced) if strides_reshaped(x.shape, strides, shape) is None else forced


def raveled(x: Array) -> Array:
    """`np.ravel(x)`: a view if the elements lie one after the other, a copy otherwise."""
    strides = strides_of(x)
    if strides is None:
        return _uncertain(x, (x.size,))
    forced = as_reshaped_view(x, (x.size,))
    is_contiguous = strides_reshaped(x.shape, strides, (x.size,)) == (1,)
    return forced if is_contiguous else _in_order(forced)


def _in_order(x: Array) -> Array:
    """A copy in row-major order."""
    result = copied(x)
    result._is_row_major = True
    return result


def as_reshaped_view(x: Array, shape: Shape) -> Array:
    """The elements in row-major order in another shape, as a view however they lie in memory."""

    def read(parent: Value) -> Value:
        return emitting().reshape(parent, shape)

    return view(x, Reshaped(x, base_of(x), read, x.shape, shape), read(x.value))


def _uncertain(x: Array, shape: Shape) -> Array:
    def read(parent: Value) -> Value:
        raise _uncertain_error("reads")

    return view(x, Uncertain(x, base_of(x), read, x.shape), emitting().reshape(x.value, shape))


def laid_out(x: Array, order: str) -> Array:
    """`np.asarray(x, order=order)` for "C" or "F": `x` itself if its elements lie so, a copy otherwise."""
    strides = strides_of(x)
    if strides is None:
        return _uncertain(x, x.shape)
    if is_laid_out(x.shape, strides, row_major(x.shape) if order == "C" else column_major(x.shape)):
        return x
    result = copied(x)
    result._is_row_major = order == "C"
    return result


def permuted(x: Array, order: Sequence[int]) -> Array:
    """`np.transpose(x, order)`."""
    selection = Selection(x.shape, whole(x.shape).terms, list(order))
    return selected(x, selection, lambda parent: emitting().transpose(parent, order))


def read_only(
    x: Array, read: Callable[[Value], Value], what: str, spread: Callable[[Strides], Strides]
) -> Array:
    """A view that cannot be written, because it is `what`; `spread` gives its strides from those of `x`."""
    return view(x, ReadOnly(x, base_of(x), read, x.shape, what, spread), read(x.value))


def _with_other_units(old: Shape, new: Shape) -> Selection | None:
    """Dimensions of extent 1 dropped and added, as a selection; `None` for other changes of shape."""
    kept = [d for d, e in enumerate(old) if e != 1]
    if [old[d] for d in kept] != [e for e in new if e != 1]:
        return None
    places = iter(kept)
    return Selection(
        old,
        [0 if e == 1 else Strided(0, 1, e) for e in old],
        [None if e == 1 else next(places) for e in new],
    )


# Writing -----------------------------------------------------------------------------------------


def require_writable(x: Array) -> None:
    """Raise if a write to `x` could not show in its base."""
    how = view_of(x)
    while how is not None:
        if isinstance(how, ReadOnly):
            raise tracing_error(
                f"{how.what} can be read only",
                "write a copy of it, x.copy(), or the array that it is taken from",
            )
        if isinstance(how, Uncertain):
            raise _uncertain_error("writes")
        how = view_of(how.parent)
    base = base_of(x)
    owner = base._owner
    if not owner.is_open:
        raise leaked_error()
    if owner is not current_frame().scope:
        if current_frame().bodies:
            current_frame().bodies[-1].carry(base)
        raise tracing_error(
            f"this writes {base!r}, which is made outside of the body that is being traced (of a loop, a "
            f"branch, a build or a differentiated function), and no write leaves such a body",
            "hand the array in and out: as the carry of a loop, the operand and result of a branch, an "
            "argument and result of a function; or write a copy of it: y = x.copy()",
        )


def set_shape(x: Array, shaped: Array) -> None:
    """Let `x` have the shape of `shaped`, which is `x` reshaped. Raises if that is a copy, or may be one."""
    how = view_of(shaped)
    if isinstance(how, Uncertain):
        raise _uncertain_error("makes")
    if how is None:
        raise unsupported_error(
            "the elements do not lie in memory so that the shape could change in place",
            "write y = x.reshape(shape) and go on with y",
        )
    if x._owner is not current_frame().scope:
        raise tracing_error(
            f"this changes the shape of {x!r}, which is made outside of the body that is being traced",
            "write y = x.reshape(shape) and go on with y",
        )
    if x._view is not None:
        x._view = replace(how, parent=view(x, x._view, x.value))
    become(x, shaped._value, shaped._scope)
    x._is_row_major = True
    x.weak, x._is_array = x.weak and not x.ndim, True


def is_read_only(x: Array) -> bool:
    """Return whether `x` is a view that NumPy lets nobody write."""
    how = view_of(x)
    while how is not None and not isinstance(how, ReadOnly):
        how = view_of(how.parent)
    return how is not None


def assign(x: Array, value: Value) -> None:
    """Let an array that is not a view hold another value."""
    x._value, x._scope = value, current_frame().scope
    note_write(x)


def _uncertain_error(verb: str) -> TracingError:
    return tracing_error(
        f"whether this {verb} a view or a copy depends on an order of elements in memory that is not known",
        "say which is meant: y = x.reshape(shape).copy() is a copy; to change x itself, write it before "
        "it is reshaped, or before np.ascontiguousarray is called",
    )
