"""`min`, `max`, `sorted` and their like of traced numbers, of tuples of such, and by traced keys.

max(x, y)                  np.maximum(x, y)
min(xs, key=f)             the element at np.argmin of the keys; the first one where several are least
sorted(pairs)              by the first parts, and where these are equal by the next ones
min(names, key=cost)       a `OneOf`: one of the names
"""

from __future__ import annotations

import builtins
import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, cast

import numpy as np

from mlirad.frontend.constructs.alternatives import values_of
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.control_flow.comprehensions import element
from mlirad.frontend.control_flow.expressions import choose
from mlirad.frontend.control_flow.kept import KeptList, as_chosen, as_list, flagged
from mlirad.frontend.control_flow.one_number import compared
from mlirad.frontend.control_flow.picks import are_numbers, picked
from mlirad.frontend.control_flow.state import is_traced
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import as_array, contains_traced, xp
from mlirad.frontend.tracing.raising import tracing_error

Calling = Callable[[Any], Any]
"""The form of a function that rewritten code calls."""

_NUMBERS: Final = (Array, bool, int, float, np.bool_, np.number, np.ndarray)
_MISSING: Final = object()


# Keys --------------------------------------------------------------------------------------------


def _keys(values: Iterable[Any], key: Any, of: Calling) -> list[Any]:
    found = list(values)
    return found if key is None else list(map(of(key), found))


def _kept_keys(values: KeptList, key: Any, of: Calling) -> Sequence[Any]:
    """The keys of all elements, those that do not count without a meaning."""
    if key is None:
        return values.values
    return [element((counts,), False, functools.partial(of(key), value)) for counts, value in flagged(values)]


def _order(keys: Sequence[Any], mask: Any, *, is_descending: bool) -> Any:
    """The places of the elements in order, those that do not count last."""
    columns = [-column if is_descending else column for column in _columns(keys)]
    if len(columns) == 1 and mask is None:
        return xp.argsort(columns[0], stable=True)
    last = [] if mask is None else [xp.logical_not(mask)]
    return xp.lexsort((*columns[::-1], *last))


def _columns(keys: Sequence[Any]) -> list[Any]:
    """Vectors of the keys, or of the parts of keys that are tuples."""
    if isinstance(keys[0], tuple | list):
        lengths = {len(cast("Any", key)) if isinstance(key, tuple | list) else -1 for key in keys}
        if len(lengths) == 1 and lengths != {-1}:
            return [column for part in zip(*keys, strict=True) for column in _columns(part)]
    if all(isinstance(key, str) for key in keys):
        ranks = {text: k for k, text in enumerate(sorted(set(keys)))}
        return [as_array([ranks[key] for key in keys])]
    if not all(isinstance(key, _NUMBERS) for key in keys):
        raise tracing_error(
            "traced values are put in order beside texts or other objects",
            "order by numbers, or by tuples of one length: key=lambda v: (v.cost, v.number)",
        )
    found = xp.stack([compared(as_array(key)) for key in keys])
    return [found.astype(np.int64) if found.dtype == np.bool_ else found]


# Extrema -----------------------------------------------------------------------------------------


def extreme(own: Callable[..., Any], ufunc: np.ufunc, of: Calling) -> Callable[..., Any]:
    """`min` or `max`, which is a ufunc of two numbers."""
    is_descending = own is builtins.max

    def first_place(keys: Sequence[Any], mask: Any) -> Any:
        if mask is None and not isinstance(keys[0], tuple | list):
            (column,) = _columns(keys)
            return (xp.argmax if is_descending else xp.argmin)(column)
        return _order(keys, mask, is_descending=is_descending)[0]

    def of_kept(values: KeptList, key: Any, default: Any) -> Any:
        def found() -> Any:
            if key is None and values.has_numbers():
                return values.combined((np.max if is_descending else np.min)(cast("Any", values.chosen())))
            return values.row(first_place(_kept_keys(values, key, of), values.mask))

        is_any = xp.any(values.mask)
        if default is not _MISSING:
            return choose(is_any, found, lambda: default)
        raise_where(xp.logical_not(is_any), ValueError(f"{own.__name__}() arg is an empty sequence"))
        return found()

    def called(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
        given = {} if default is _MISSING else {"default": default}
        if not args:
            return own()
        values: Any = as_list(args[0]) if len(args) == 1 else args
        if isinstance(values, KeptList):
            return of_kept(values, key, default)
        values = list(map(values_of, values))
        keys = _keys(values, key, of)
        if not contains_traced(keys):
            if not values or key is None:
                return own(values, **given)
            return values[own(range(len(keys)), key=keys.__getitem__)]
        if len(values) == 1:
            return values[0]
        if key is None and not any(isinstance(value, tuple | list) for value in values):
            return functools.reduce(ufunc, map(compared, values))
        return picked(values, first_place(keys, None))

    return called


# Orders ------------------------------------------------------------------------------------------


def sorted_by(of: Calling) -> Callable[..., Any]:
    """`sorted`."""

    def called(values: Iterable[Any], *, key: Any = None, reverse: bool = False) -> Any:
        found = as_list(values)
        if isinstance(found, KeptList):
            keys = _kept_keys(found, key, of)
            return found.with_rows(_order(keys, found.mask, is_descending=reverse))
        found = list(found)
        keys = _keys(found, key, of)
        if not contains_traced(keys):
            return [found[k] for k in sorted(range(len(found)), key=keys.__getitem__, reverse=reverse)]
        places = _order(keys, None, is_descending=reverse)
        if are_numbers(found):
            return list(xp.stack([as_array(value) for value in found])[places])
        return [picked(found, places[k]) for k in range(len(found))]

    return called


def several(of: Calling, *, is_descending: bool) -> Callable[..., Any]:
    """`heapq.nsmallest` or `heapq.nlargest`."""
    ordered = sorted_by(of)

    def called(n: int, iterable: Iterable[Any], key: Any = None) -> Any:
        return ordered(iterable, key=key, reverse=is_descending)[: max(n, 0)]

    return called


# Methods of lists --------------------------------------------------------------------------------


def list_method(values: list[Any], name: str, of: Calling) -> Callable[..., Any] | None:
    """A method of a list that compares its elements, or takes those of another one; `None` for others."""
    if name == "sort":

        def sort(**options: Any) -> None:
            values[:] = sorted_by(of)(values, **options)

        return sort
    if name in ("index", "count"):
        return functools.partial(_searched, values, name)
    if name == "remove":
        return functools.partial(_remove, values)
    return None


def _remove(values: list[Any], wanted: Any) -> None:
    """`list.remove`: behind the element that is removed, which may be at a traced place, others move up."""
    place = _searched(values, "index", wanted)
    if not is_traced(place):
        values.remove(wanted)
        return
    pairs = enumerate(itertools.pairwise(values))
    values[:] = [picked(pair, xp.less_equal(place, k).astype(np.int64)) for k, pair in pairs]


def sort_kept(values: KeptList, of: Calling) -> Callable[..., None]:
    """The method `sort` of a list of kept elements."""

    def sort(**options: Any) -> None:
        values.become(sorted_by(of)(values, **options))

    return sort


def _searched(values: list[Any], name: Literal["index", "count"], wanted: Any, *bounds: int) -> Any:
    flags = [value is wanted or as_chosen(value) == wanted for value in values]
    if bounds or not any(map(is_traced, flags)):
        return getattr(values, name)(wanted, *bounds)
    found = xp.stack([as_array(flag) for flag in flags])
    if name == "count":
        return xp.count_nonzero(found)
    raise_where(xp.logical_not(xp.any(found)), ValueError("the value is not in the list"))
    return xp.argmax(found)
