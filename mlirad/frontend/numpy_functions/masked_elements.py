"""What NumPy computes of `x[mask]` without the number of its elements.

np.log(x[m]) + 1             elementwise: of all elements of x, and m still says which count
np.mean(x[m] * y[m])         a reduction over those that count
x[m] @ y[m]                  a sum over them
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.frontend.indexing.keys import items_of
from mlirad.frontend.indexing.masks import OTHERWISE, MaskedElements, is_same_mask, unknown_length
from mlirad.frontend.numpy_functions.binding import qualified_name
from mlirad.frontend.numpy_functions.ufuncs import name_of
from mlirad.frontend.tracing.array import Array, copied
from mlirad.frontend.tracing.dtypes import BOOL, F64
from mlirad.frontend.tracing.operations import as_array, select, xp
from mlirad.frontend.tracing.raising import argument_error, tracing_error
from mlirad.frontend.tracing.shapes import all_axes

Options: TypeAlias = dict[str, Any]

ELEMENTWISE: frozenset[Callable[..., Any]] = frozenset(
    (
        np.where, np.select, np.clip, np.round, np.around, np.fix, np.nan_to_num, np.isclose, np.isposinf,
        np.isneginf, np.real, np.sinc, np.i0, np.copy, np.zeros_like, np.ones_like, np.full_like,
    )
)  # fmt: skip
"""Functions of elements at one position of all their arguments."""

TABLES: dict[Callable[..., Any], str] = {
    np.interp: "x",
    np.searchsorted: "v",
    np.digitize: "x",
    np.isin: "element",
}
"""Functions of the elements of one argument, by its name; the others are tables."""

SUMS: frozenset[Callable[..., Any]] = frozenset(
    (
        np.sum, np.prod, np.mean, np.var, np.std, np.all, np.any, np.nansum, np.nanprod, np.nanmean,
        np.nanvar, np.nanstd,
    )
)  # fmt: skip
"""Reductions that take `where` and say themselves what nothing amounts to."""

EXTREMA: dict[Callable[..., Any], bool] = {
    np.max: True, np.amax: True, np.nanmax: True, np.min: False, np.amin: False, np.nanmin: False,
}  # fmt: skip
"""Whether they are maxima."""

QUANTILES: dict[Callable[..., Any], Callable[..., Any]] = {
    np.median: np.nanmedian, np.quantile: np.nanquantile, np.percentile: np.nanpercentile,
    np.nanmedian: np.nanmedian, np.nanquantile: np.nanquantile, np.nanpercentile: np.nanpercentile,
}  # fmt: skip
"""By the function the one that leaves NaN out."""

RUNNING: dict[Callable[..., Any], int] = {np.cumsum: 0, np.cumprod: 1, np.nancumsum: 0, np.nancumprod: 1}
"""Running sums and products, by the number that changes nothing."""

PRODUCTS: frozenset[Callable[..., Any]] = frozenset((np.dot, np.inner, np.vdot))

_REDUCED: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min, np.logical_and: np.all,
    np.logical_or: np.any,
}  # fmt: skip
"""The function that `ufunc.reduce` is."""


def apply_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Options) -> Any:
    """NumPy's `__array_function__`, of selections among others."""
    name = qualified_name(function)
    if function in ELEMENTWISE:
        return _elementwise(function, args, kwargs)
    bound = _bound(function, args, kwargs)
    first = next(iter(bound), "")
    x = bound.get(TABLES.get(function, first))
    if function in TABLES and isinstance(x, MaskedElements):
        rest = {p: v for p, v in bound.items() if p != TABLES[function]}
        if not _selections(list(rest.values())):
            return _like(x, function(**{TABLES[function]: x.elements}, **rest))
    elif function in PRODUCTS:
        one, other, *_ = bound.values()
        return _product(one, other)
    elif isinstance(x, MaskedElements):
        del bound[first]
        if function is np.transpose and not bound:
            return _transposed(x)
        if function in RUNNING:
            return _running(function, x, bound)
        if function in (np.ravel, np.squeeze) and x.ndim == 1 and not bound:
            return x
        if function is np.size and not bound:
            return _count(x) * (x.elements.size // max(x.mask.size, 1))
        if function is np.linalg.norm and bound.get("ord") in (None, 1, 2, np.inf) and not bound.get("axis"):
            if x.ndim == 1 or bound.get("ord") is None:
                return np.linalg.norm(xp.ravel(_filled(x, 0)), **bound)
        elif function in SUMS or function in EXTREMA or function in _BY_HAND or function in QUANTILES:
            return _reduced(function, x, bound)
    raise unknown_length(name)


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: Options) -> Any:
    """NumPy's `__array_ufunc__`, of selections among others."""
    if method == "reduce" and ufunc in _REDUCED and isinstance(inputs[0], MaskedElements):
        given = dict(zip(("axis", "dtype"), inputs[1:], strict=False)) | options
        return _reduced(_REDUCED[ufunc], inputs[0], {"axis": 0} | given)
    if method != "__call__" or options.get("out") is not None:
        raise unknown_length(f"{name_of(ufunc)}.{method}" if method != "__call__" else "out=")
    if ufunc is np.matmul:
        return _product(*inputs)
    if ufunc.signature:
        raise unknown_length(name_of(ufunc))
    return _elementwise(ufunc, inputs, options)


# Elementwise -------------------------------------------------------------------------------------


def _selections(values: object) -> list[MaskedElements]:
    if isinstance(values, MaskedElements):
        return [values]
    if isinstance(values, list | tuple):
        return [s for v in cast("Sequence[object]", values) for s in _selections(v)]
    return []


def _elementwise(function: Callable[..., Any], args: Sequence[Any], kwargs: Options) -> Any:
    first, *others = _selections([*args, *kwargs.values()])
    for other in others:
        _require_same(first, other)
    result = function(
        *(_all_elements(v, first) for v in args), **{k: _all_elements(v, first) for k, v in kwargs.items()}
    )
    if isinstance(result, tuple):
        return tuple(_like(first, r) for r in cast("tuple[Any, ...]", result))
    return _like(first, result)


def _all_elements(value: Any, selection: MaskedElements) -> Any:
    """An operand beside the elements of a selection, of which it must not need the number."""
    if isinstance(value, MaskedElements):
        return value.elements
    if isinstance(value, list | tuple) and _selections(cast(object, value)):
        return [_all_elements(v, selection) for v in cast("Sequence[Any]", value)]
    if not isinstance(value, Array | np.ndarray | list | tuple):
        return value
    shape = np.shape(cast(Any, value)) if not isinstance(value, Array) else value.shape
    place = len(shape) - (selection.ndim - selection.dim)
    if len(shape) > selection.ndim or (place >= 0 and shape[place] != 1):
        raise tracing_error(
            f"an operand of shape {shape} beside {selection!r}, whose length depends on a traced mask",
            "select from it by the same mask: y[mask]",
        )
    return cast(Any, value)


def _require_same(one: MaskedElements, other: MaskedElements) -> None:
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


def _like(selection: MaskedElements, elements: Any, dim: int | None = None) -> MaskedElements:
    return MaskedElements(as_array(elements), selection.mask, selection.dim if dim is None else dim)


# Reductions --------------------------------------------------------------------------------------


def _where(x: MaskedElements, where: Any = True) -> Any:
    """The mask as one of the elements of a selection, and with another."""
    mask = xp.reshape(x.mask, [-1 if d == x.dim else 1 for d in range(x.ndim)])
    return mask if where is True else mask & _all_elements(where, x)


def _filled(x: MaskedElements, value: Any) -> Any:
    """All elements, with a value in the place of those that do not count."""
    return select(_where(x), x.elements, x.dtype.type(value))


def _count(x: MaskedElements) -> Any:
    return xp.count_nonzero(x.mask)


def _reduced(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    axis = options.get("axis")
    axes = all_axes(axis, x.ndim)
    if x.dim not in axes:  # the elements of one position, for each
        keeps = options.get("keepdims") is True
        rest = {k: _all_elements(v, x) for k, v in options.items()}
        return _like(
            x, function(x.elements, **rest), x.dim if keeps else x.dim - sum(a < x.dim for a in axes)
        )
    if function in SUMS:
        given = {k: _all_elements(v, x) for k, v in options.items() if k != "where"}
        return function(x.elements, **given, where=_where(x, options.get("where", True)))
    if function in EXTREMA:
        return _extremum(function, x, options)
    if function in QUANTILES:
        return _quantile(function, x, options)
    return _BY_HAND[function](x, **options)


def _extremum(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    """An extremum: of no elements NaN, or the last number of an integer type."""
    where = _where(x, options.pop("where", True))
    if options.get("initial") is not None:
        return function(x.elements, **options, where=where)
    options.pop("initial", None)
    if x.dtype == BOOL:
        return function(x.elements, **options, where=where, initial=not EXTREMA[function])
    if x.dtype.kind == "c":
        raise unknown_length(f"{qualified_name(function)} of complex numbers")
    if x.dtype.kind != "f":
        limits = np.iinfo(x.dtype)
        return function(
            x.elements, **options, where=where, initial=limits.min if EXTREMA[function] else limits.max
        )
    found = function(x.elements, **options, where=where, initial=-np.inf if EXTREMA[function] else np.inf)
    held = {k: options[k] for k in ("axis", "keepdims") if k in options}
    return select(xp.any(xp.broadcast_to(where, x.elements.shape), **held), found, x.dtype.type(np.nan))


def _quantile(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    """By the function that leaves NaN out, of what does not count as NaN."""
    if _selections(list(options.values())):
        raise unknown_length(qualified_name(function))
    elements = x.elements if x.dtype.kind == "f" else x.elements.astype(F64)
    found = QUANTILES[function](select(_where(x), elements, elements.dtype.type(np.nan)), **options)
    if QUANTILES[function] is function or x.dtype.kind != "f":
        return found
    held = {k: options[k] for k in ("axis", "keepdims") if k in options}
    return select(xp.any(xp.isnan(elements) & _where(x), **held), found.dtype.type(np.nan), found)


def _count_nonzero(x: MaskedElements, **options: Any) -> Any:
    return xp.count_nonzero(x.elements.astype(bool) & _where(x), **options)


def _ptp(x: MaskedElements, **options: Any) -> Any:
    return xp.subtract(_extremum(np.max, x, dict(options)), _extremum(np.min, x, dict(options)))


def _average(x: MaskedElements, *, weights: Any = None, **options: Any) -> Any:
    if weights is None:
        return _reduced(np.mean, x, options)
    if not isinstance(weights, MaskedElements):
        raise unknown_length("weights=")
    _require_same(x, weights)
    return xp.average(_filled(x, 0), weights=_filled(weights, 0), **options)


_BY_HAND: dict[Callable[..., Any], Callable[..., Any]] = {
    np.count_nonzero: _count_nonzero, np.ptp: _ptp, np.average: _average,
}  # fmt: skip


def _running(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    axis = options.get("axis", 0 if x.ndim == 1 else None)
    if axis is None or (x.ndim == 1 and axis not in (0, -1)):
        raise unknown_length(f"{qualified_name(function)} without axis=")
    return _like(x, function(_filled(x, RUNNING[function]), **options | {"axis": axis}))


# Products ----------------------------------------------------------------------------------------


def _transposed(x: MaskedElements) -> MaskedElements:
    return _like(x, xp.transpose(x.elements), x.ndim - 1 - x.dim)


def _product(one: Any, other: Any) -> Any:
    """A product of matrices and vectors, over the selected elements or for each of them."""
    ranks = [v.ndim if isinstance(v, MaskedElements) else np.ndim(v) for v in (one, other)]
    if 0 in ranks:
        return xp.multiply(one, other)
    if max(ranks) > 2:
        raise unknown_length("a product of more than two dimensions")
    over = [isinstance(one, MaskedElements) and one.dim == ranks[0] - 1]
    over.append(isinstance(other, MaskedElements) and other.dim == 0)
    if all(over):
        _require_same(_rows(one), _rows(other))
        return xp.matmul(_filled(one, 0), _filled(other, 0))
    if any(over) or (isinstance(one, MaskedElements) and isinstance(other, MaskedElements)):
        raise unknown_length("a product of it with an array")
    kept, place = (one, 0) if isinstance(one, MaskedElements) else (other, ranks[0] - 1)
    elements = [v.elements if isinstance(v, MaskedElements) else v for v in (one, other)]
    return _like(kept, xp.matmul(*elements), place)


def _rows(x: MaskedElements) -> MaskedElements:
    """The selection, as far as its length is in question."""
    return MaskedElements(x.mask, x.mask, 0)


# Indexing, and what is bound ---------------------------------------------------------------------


def _item(x: MaskedElements, key: Any) -> Any:
    items = items_of(key)
    only = items[0] if len(items) == 1 else None
    if isinstance(only, MaskedElements) and only.dtype == BOOL and only.ndim == 1 and x.dim == 0:
        _require_same(_rows(x), only)
        return MaskedElements(x.elements, x.mask & only.elements, 0)
    first = items[x.dim] if len(items) > x.dim and ... not in items and None not in items else 0
    if isinstance(first, slice) and first == slice(None) and all(isinstance(i, slice | int) for i in items):
        part = x.elements[key]
        return _like(x, part, x.dim - sum(isinstance(i, int) for i in items[: x.dim]))
    raise unknown_length("a position in it")


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _bound(function: Callable[..., Any], args: Sequence[Any], kwargs: Options) -> Options:
    """The arguments that were given, by the names of NumPy's parameters."""
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise argument_error(f"{qualified_name(function)}: {error}", OTHERWISE) from None
    return dict(bound.arguments)


class MaskedMethods(MaskedElements):
    """What `MaskedElements` has of `np.ndarray`; its members are given to `MaskedElements` itself."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self, function: Callable[..., Any], types: object, args: tuple[Any, ...], kwargs: Options
    ) -> Any:
        return apply_function(function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return _item(self, key)

    @property
    def size(self) -> Any:
        """How many elements there are, traced."""
        return xp.size(self)

    @property
    def T(self) -> MaskedElements:
        """The dimensions in reverse order."""
        return _transposed(self)

    def astype(self, dtype: Any) -> MaskedElements:
        """The elements converted to another dtype."""
        return _like(self, self.elements.astype(dtype))

    def copy(self) -> MaskedElements:
        """The same elements."""
        return _like(self, copied(self.elements))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise unknown_length(f".{name}")


METHODS = (
    "sum", "prod", "mean", "var", "std", "max", "min", "all", "any", "ptp", "dot", "round", "clip", "cumsum",
    "cumprod",
)  # fmt: skip
"""The methods that are functions of NumPy."""


def bind(operators: Mapping[str, np.ufunc], reflected: Mapping[str, np.ufunc]) -> None:
    """Give `MaskedElements` its methods, and the operators by the names of their ufuncs."""
    for name, ufunc in (dict(operators) | dict(reflected)).items():
        setattr(MaskedElements, f"__{name}__", _operator(ufunc, is_reflected=name in reflected))
    for name in METHODS:
        setattr(MaskedElements, name, _method(name))
    for name, member in vars(MaskedMethods).items():
        if isinstance(member, FunctionType | property):
            setattr(MaskedElements, name, member)


def _operator(ufunc: np.ufunc, *, is_reflected: bool) -> Callable[..., Any]:
    def method(self: MaskedElements, *other: object) -> Any:
        if any(v is None or isinstance(v, str | dict) for v in other):
            return NotImplemented
        return apply_ufunc(ufunc, "__call__", (*other, self) if is_reflected else (self, *other), {})

    return method


def _method(name: str) -> Callable[..., Any]:
    function = cast("Callable[..., Any]", getattr(np, name))

    def method(self: MaskedElements, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)

    method.__name__, method.__doc__ = name, f"As `np.{name}`."
    return method
