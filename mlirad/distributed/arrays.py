"""Dask arrays among arguments: that their rows are split alike, and where the chunks lie.

    split = split_rows({1: X, 2: y}, {1: "X", 2: "y"})
    split.rows, split.total                         (300, 300, 200), 800

Rows are along dimension 0, which alone may have several chunks. Nothing here imports Dask.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from mlirad.errors import ArgumentError, ShapeError, UnsupportedError
from mlirad.frontend.tracing.dtypes import DTYPES
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.foreign_arrays import has_chunks
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class SplitRows:
    """Arrays whose rows are split alike: by the index of the argument, with the rows of each chunk."""

    arrays: Mapping[int, Any]
    rows: tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of all rows."""
        return sum(self.rows)

    @property
    def firsts(self) -> tuple[int, ...]:
        """The number of the first row of each chunk."""
        return tuple(int(k) for k in np.cumsum([0, *self.rows[:-1]]))

    @cached_property
    def filled(self) -> tuple[int, ...]:
        """The positions of the chunks that have rows."""
        return tuple(k for k, rows in enumerate(self.rows) if rows)

    @property
    def nbytes(self) -> int:
        """The bytes of all rows."""
        return sum(int(array.nbytes) for array in self.arrays.values())


def as_split(leaf: Any) -> Any:
    """The Dask array that a leaf is, or that one of xarray's arrays has; None for any other leaf."""
    if not has_chunks(leaf):
        return None
    is_of_xarray = any(base.__module__.startswith("xarray.") for base in type(leaf).__mro__)
    return leaf.data if is_of_xarray else leaf


def split_rows(arrays: Mapping[int, Any], names: Mapping[int, str]) -> SplitRows:
    """The rows of these Dask arrays, by index of the argument.

    Raises `ArgumentError` for unknown sizes, `ShapeError` for other chunks than along rows and for chunks of
    rows that differ, `UnsupportedError` for dtypes that the language lacks.
    """
    for index, array in arrays.items():
        _require_rows(array, names[index])
    first = max(arrays, key=lambda index: arrays[index].shape[0])
    for index, array in arrays.items():
        mine, others = tuple(array.chunks[0]), tuple(arrays[first].chunks[0])
        if sum(mine) != sum(others):
            raise ShapeError(
                f"argument {names[first]} has {sum(others)} rows and {names[index]} {sum(mine)}, and arrays "
                "of Dask that a function takes together have the same rows",
                location=user_line(),
                hint=f"pass {names[index]}.compute() if it is not split by these rows",
            )
        if mine != others:
            raise ShapeError(
                f"argument {names[index]} has chunks of {_shown(mine)} rows, and {names[first]} of "
                f"{_shown(others)}",
                location=user_line(),
                hint=f"write {names[index]} = {names[index]}.rechunk({{0: {names[first]}.chunks[0]}})",
            )
    if not sum(arrays[first].chunks[0]):
        raise ShapeError(
            f"argument {names[first]} has no rows", location=user_line(), hint="pass arrays of NumPy"
        )
    return SplitRows(arrays, tuple(map(int, arrays[first].chunks[0])))


def _require_rows(array: Any, name: str) -> None:
    if array.ndim == 0:
        raise ShapeError(
            f"argument {name} is a Dask array of rank 0, which has no rows",
            location=user_line(),
            hint=f"pass {name}.compute()",
        )
    if any(math.isnan(extent) for extents in array.chunks for extent in extents):
        raise ArgumentError(
            f"argument {name} has chunks of unknown sizes",
            location=user_line(),
            hint=f"write {name}.compute_chunk_sizes(), which computes {name} once",
        )
    if any(len(extents) > 1 for extents in array.chunks[1:]):
        whole = ", ".join(f"{dim}: -1" for dim in range(1, array.ndim) if len(array.chunks[dim]) > 1)
        raise ShapeError(
            f"argument {name} is split along columns, too: its chunks are "
            f"{' by '.join(str(len(extents)) for extents in array.chunks)}",
            location=user_line(),
            hint=f"write {name} = {name}.rechunk({{{whole}}}), which splits rows alone",
        )
    if np.dtype(array.dtype) not in DTYPES:
        raise UnsupportedError(
            f"argument {name} is a Dask array of {array.dtype}",
            location=user_line(),
            hint="pass its real and imaginary parts"
            if array.dtype.kind == "c"
            else f"write {name}.astype(float), or another dtype of the language",
        )


def _shown(extents: tuple[int, ...]) -> str:
    texts = [str(extent) for extent in extents]
    return ", ".join(texts if len(texts) <= 6 else [*texts[:5], "...", texts[-1]])
