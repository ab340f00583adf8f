"""The states of values: how a value of one chunk is related to that of all rows.

    %x : tensor<?x3xf64, #array.extents<[n, 3]>>       Rows(0): the rows of the chunk
    %s = array.sum %x {dims = [0]}                     Partial("add"): the sum over chunks is the value
    %w : tensor<3xf64>                                 WHOLE: the same in every chunk, and that of all rows

A value's type shows whether it is rows: the extent is a size. That one is `WHOLE` inside of a region says
that it is equal in corresponding iterations.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.control import TapeType
from mlirad.dialects.extents import evaluate, is_static, size, sizes_of, text_of
from mlirad.dialects.shapes import Value, shape_of
from mlirad.errors import SplitError
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass

MOST_ROWS_EACH: Final = 1 << 16
"""The most elements that one row may have along a dimension."""


@dataclass(frozen=True)
class Whole:
    """The same in every chunk, and what it is for all rows."""


@dataclass(frozen=True)
class Rows:
    """Dimension `dim` has `each` elements for each row, and the chunk those of its rows."""

    dim: int
    each: int = 1


@dataclass(frozen=True)
class Partial:
    """Combined over all chunks as `kind` says it is the value."""

    kind: str


@dataclass(frozen=True)
class RowNumber:
    """The position of an element among those of the chunk's rows; each row has `each` of them."""

    each: int = 1


@dataclass(frozen=True)
class Tape:
    """The record of a loop, whose entries have these states.

    With `frozen` the loops of chunks run as long as one of their own rows needs. `frozen` states the
    entries in the iterations that a chunk leaves out (`frozen.py`).
    """

    entries: tuple[State, ...]
    frozen: tuple[object, ...] | None = None


@dataclass(frozen=True)
class Own:
    """A value of the chunk alone, such as the number of iterations of its loop."""


State: TypeAlias = Whole | Rows | Partial | RowNumber | Tape | Own

WHOLE: Final = Whole()
OWN: Final = Own()


def refused(op: Operation, why: str, hint: str | None = None) -> SplitError:
    """The error for an op that cannot be split."""
    return SplitError(why, location=location_of(op), hint=hint)


def rows_of(value: Value | Attribute, name: str, at: Operation) -> Rows | None:
    """Find the dimension of an array that has the rows, None for an array without rows.

    Raises `SplitError` for an array of rows by rows, and for other numbers of rows.
    """
    extents = shape_of(value)
    dims = [d for d, e in enumerate(extents) if not is_static(e) and name in sizes_of(e)]
    if not dims:
        return None
    if len(dims) > 1:
        raise refused(
            at,
            f"an array of {' by '.join(text_of(extents[d]) for d in dims)} elements has pairs of rows, which "
            f"are in different chunks",
            "keep the other array whole, or sum over blocks of it in a loop",
        )
    (dim,) = dims
    each = multiple_of(extents[dim], name)
    if each is None:
        raise refused(
            at,
            f"{text_of(extents[dim])} rows of {name} are not the rows of one chunk",
            "mask rows by np.where instead of cutting them off, and write rows at many positions by "
            "np.add.at; neighbouring rows may be in other chunks",
        )
    return Rows(dim, each)


def multiple_of(extent: int, name: str) -> int | None:
    """The k for which an extent is k times the size; None for other extents."""
    if extent == size(name):
        return 1
    if sizes_of(extent) != frozenset((name,)):
        return None
    each = evaluate(extent, {name: 1})
    return each if 0 < each <= MOST_ROWS_EACH and extent == each * size(name) else None


def behind_all(extent: int, name: str) -> int | None:
    """The k <= 0 for which an extent is n + k; None for any other."""
    if is_static(extent) or sizes_of(extent) != frozenset((name,)):
        return None
    k = evaluate(extent, {name: 0})
    return k if k <= 0 and extent == size(name) + k else None


def state_of(value: Value, name: str, at: Operation) -> State:
    """The state that the type of a value says: `Rows`, or `WHOLE`."""
    if isinstance(value.type, TapeType):
        return Tape(tuple(rows_of(t, name, at) or WHOLE for t in value.type.types.data))
    return rows_of(value, name, at) or WHOLE
