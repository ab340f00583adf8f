"""`x[mask]` for a traced mask: elements whose number is not known while tracing.

    x[x > 0].sum()              np.sum(x, where=x > 0)
    x[mask] = y[mask] * 2       x[...] = np.where(mask, y * 2, x)
    np.where(mask)[0].max()     the last position; see `chosen_positions`

Such a selection keeps all elements, and which of them count. NumPy's functions that do without its length are
bound to it in `numpy_functions.protocols.masked_elements`; any other use is an error.

`x[mask]` is a value of its own, not an array, as its length is known only when the program runs. An array
padded to the longest length would let wrong elements count wherever the mask is forgotten; an error at the
brackets would refuse `x[mask].sum()`, which needs no length. So it keeps all elements with the mask, knows
what needs no length, and refuses the rest at the user's line. Functions that need elements take a bound on
their number, `size=`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.errors import TracingError
from mlirad.frontend.indexing.keys import items_of
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.asked_class import asks_for_numpys
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.control import blocked
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.raising import position_error, tracing_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.told_functions import require_asking

OTHERWISE = (
    "write np.where(mask, x, other) to keep the shape, or for at most n elements ad.extract(mask, x, size=n) "
    "and for their positions ad.nonzero(mask, size=n)"
)
"""The code to write if the number of elements matters."""


class MaskedElements:
    """`x[mask]`: the elements of `elements` at those positions along dimension `dim` where `mask` holds.

    The dimensions that the mask chooses from are one dimension of `elements`, as they are of NumPy's result.
    """

    __slots__ = ("dim", "elements", "line", "mask")
    __array_priority__ = 1001
    __hash__ = None  # type: ignore[assignment]

    if TYPE_CHECKING:  # what `numpy_functions.protocols.masked_elements` binds

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, key: Any) -> Any: ...

    def __init__(self, elements: Array | ComplexArray, mask: Array, dim: int):
        self.elements = elements
        self.mask = mask
        self.dim = dim
        self.line = user_line()

    @property
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class itself for mlirad, NumPy and Python; see `asked_class`."""
        return self._class_for_others() if asks_for_numpys() else type(self)

    def _class_for_others(self) -> type[Any]:
        """The class of the value that it stands for."""
        return np.ndarray

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return self.elements.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.elements.ndim

    def __len__(self) -> NoReturn:
        require_asking()
        raise tracing_error(
            f"the length of {self!r} is not known while tracing", "np.count_nonzero(mask) is its traced value"
        )

    def __iter__(self) -> Iterator[Any]:
        raise blocked(
            "the number of elements of x[mask] depends on a traced mask, and this loop over them needs it",
            'write it as a statement, for v in x[mask]: ..., and have it rewritten: control="rewrite"',
        )

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise unknown_length("a write into it")

    def __bool__(self) -> NoReturn:
        raise unknown_length("its truth")

    def __float__(self) -> NoReturn:
        raise unknown_length("a Python number of it")

    __int__ = __index__ = __complex__ = __float__

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        require_asking()
        raise TracingError(
            f"{self!r} is used where its length is needed, which depends on a traced mask",
            location=self.line,
            hint=OTHERWISE,
        )

    def __repr__(self) -> str:
        from mlirad.frontend.tracing.unfinished_texts import represented  # few programs have texts

        shape = ["?" if d == self.dim else str(e) for d, e in enumerate(self.elements.shape)]
        return represented(f"MaskedElements({self.dtype}[{', '.join(shape)}])")


def unknown_length(what: str) -> TracingError:
    """Return what is said of a use of `x[mask]` that needs to know how many elements there are."""
    return tracing_error(
        f"the number of elements of x[mask] depends on a traced mask, and {what} needs it", OTHERWISE
    )


def other_mask(values: MaskedElements) -> TracingError:
    """The error of elements that are written to positions of another mask."""
    return tracing_error(
        f"{values!r} is written to positions of another mask, whose number may differ",
        "select what is written by the mask that is written to: x[mask] = y[mask]",
    )


def known_number(shape: Shape, place: str) -> TracingError:
    """The error of a known number of values that are written to positions of a mask."""
    return tracing_error(
        f"values of shape {shape} for {place}, where the number of places is not known while tracing",
        "write x[...] = np.where(mask, values, x) with values of the shape of x, or np.place",
    )


def key_with_mask(key: Any) -> tuple[Array, Any, int] | None:
    """The traced mask of a key, the key with slices in its place, and the dimension of the result it is at.

    The key selects a view, also of a single element. `None` for a key without a mask. Raises `PositionError`
    for what cannot stand beside it.
    """
    items = items_of(key)
    found = [k for k, item in enumerate(items) if isinstance(item, Array) and item.dtype == BOOL]
    if not found:
        return None
    place, mask = found[0], items[found[0]]
    scalars = [k for k, item in enumerate(items) if _is_scalar(item)]
    beside = [*scalars, place]
    others = [item for k, item in enumerate(items) if k not in beside]
    is_known = all(item is ... or item is None or isinstance(item, slice) for item in others)
    if len(found) > 1 or not is_known or max(beside) - min(beside) >= len(beside):
        raise position_error(
            "beside a traced mask only slices, `...` and, next to it, single positions can stand",
            "index in two steps: x[i][mask]",
        )
    plain = (*items[:place], *[slice(None)] * mask.ndim, *items[place + 1 :])
    before = [item for item in items[:place] if not _is_scalar(item)]
    after = [item for item in items[place + 1 :] if not _is_scalar(item) and item is not ...]
    if not any(item is ... for item in plain):
        plain = (*plain, ...)
    return mask, plain, -1 - len(after) if ... in before else len(before)


def _is_scalar(item: Any) -> bool:
    return isinstance(item, int | np.integer) or (
        isinstance(item, Array) and not item.ndim and item.dtype != BOOL
    )


def dimension_of_mask(x: Array, mask: Array, place: int) -> int:
    """The first of the dimensions of `x` that a mask chooses from, if they have its extents."""
    if place < 0:  # counted from the last of them, after `...`
        place += x.ndim - mask.ndim + 1
    covered = x.shape[place : place + mask.ndim] if place >= 0 else ()
    if covered != mask.shape:
        raise position_error(
            f"a mask of shape {mask.shape} on dimensions of shape {covered}",
            "a mask has the extents of the dimensions that it chooses from",
        )
    return place


def masked(x: Array, mask: Array, place: int) -> MaskedElements:
    """The elements of `x` that a mask on the dimensions from `place` on chooses, copied."""
    b = emitting()
    dim = dimension_of_mask(x, mask, place)
    shape = (*x.shape[:dim], prod(mask.shape), *x.shape[dim + mask.ndim :])
    return MaskedElements(
        made(b.reshape(x.value, shape)), made(b.reshape(mask.value, (prod(mask.shape),))), dim
    )


def require_same(one: MaskedElements, other: MaskedElements) -> None:
    """Raise for two selections that may be of different lengths."""
    if (
        one.ndim != other.ndim
        or one.dim != other.dim
        or one.mask.shape != other.mask.shape
        or not is_same_mask(one.mask, other.mask)
    ):
        raise tracing_error(
            f"{one!r} and {other!r} are selected by different masks, so their lengths may differ",
            "compute one mask, and select by it from both: x[mask], y[mask]",
        )


def holds_chosen(key: Any) -> bool:
    """Tell whether a key has positions whose number a traced mask decides; see `chosen_positions`."""
    return any(type(item) is MaskedElements for item in items_of(key))


def is_same_mask(one: Array, other: Array) -> bool:
    """Return whether two masks are one value, or the same ops on the same values."""
    return _is_same(one.value, other.value, {})


def _is_same(x: Value, y: Value, known: dict[tuple[Value, Value], bool]) -> bool:
    if x is y:
        return True
    first, second = x.owner, y.owner
    if not isinstance(first, Operation) or type(first) is not type(second):
        return False
    assert isinstance(second, Operation)
    if (x, y) not in known:
        known[x, y] = (
            shape_of(x) == shape_of(y)
            and x.type == y.type
            and not first.regions
            and first.properties == second.properties
            and first.results.index(x) == second.results.index(y)
            and len(first.operands) == len(second.operands)
            and all(_is_same(a, b, known) for a, b in zip(first.operands, second.operands, strict=True))
        )
    return known[x, y]
