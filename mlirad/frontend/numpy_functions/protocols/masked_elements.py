"""NumPy's results of `x[mask]` that do not need the number of its elements.

np.log(x[m]) + 1             elementwise: of all elements of x, and m still says which count
np.mean(x[m] * y[m])         a reduction over those that count
x[m] @ y[m]                  a sum over them
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, cast

import numpy as np

from mlirad.frontend.indexing.keys import items_of
from mlirad.frontend.indexing.masks import OTHERWISE, MaskedElements, require_same, unknown_length
from mlirad.frontend.numpy_functions.arrays.array_api import DEVICE, Namespace, array_namespace
from mlirad.frontend.numpy_functions.calls.binding import OLDER_NAMES, qualified_name
from mlirad.frontend.numpy_functions.calls.numpy_signatures import numpy_signature
from mlirad.frontend.numpy_functions.protocols.masked_reductions import (
    RUNNING,
    Options,
    all_elements,
    can_be_reduced,
    count,
    filled,
    like,
    reduced,
    rows,
    running,
    selections,
)
from mlirad.frontend.numpy_functions.protocols.members import give_functions, give_members
from mlirad.frontend.numpy_functions.protocols.ufuncs import name_of
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.scipy_frames import scipy_function

ELEMENTWISE: frozenset[Callable[..., Any]] = frozenset(
    (
        np.where, np.select, np.clip, np.round, np.around, np.fix, np.nan_to_num, np.isclose, np.isposinf,
        np.isneginf, np.real, np.imag, np.angle, np.sinc, np.i0, np.copy, np.zeros_like, np.ones_like,
        np.full_like, np.empty_like,
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

_OF_DTYPES: frozenset[Callable[..., Any]] = frozenset((np.iscomplexobj, np.isrealobj))
"""Functions that ask for the dtype alone."""

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
    if function == np.result_type:
        return function(*(arg.elements if isinstance(arg, MaskedElements) else arg for arg in args))
    bound = _bound(function, args, kwargs)
    first = next(iter(bound), "")
    x = bound.get(TABLES.get(function, first))
    if function in TABLES and isinstance(x, MaskedElements):
        rest = {p: v for p, v in bound.items() if p != TABLES[function]}
        if not selections(list(rest.values())):
            return like(x, function(**{TABLES[function]: x.elements}, **rest))
    elif function in PRODUCTS:
        one, other, *_ = bound.values()
        ranks = [v.ndim if isinstance(v, MaskedElements) else np.ndim(v) for v in (one, other)]
        if function == np.vdot and ranks == [1, 1]:
            return _product(xp.conjugate(one), other)
        if function == np.dot or (function == np.inner and ranks[1] < 2):
            return _product(one, other)
    elif isinstance(x, MaskedElements):
        del bound[first]
        if function == np.transpose and not bound:
            return _transposed(x)
        if function in RUNNING:
            return running(function, x, bound)
        if function in _OF_DTYPES and not bound:
            return function(x.elements)
        if function in (np.ravel, np.squeeze) and x.ndim == 1 and not bound:
            return x
        if function == np.size and not bound:
            return count(x) * (x.elements.size // max(x.mask.size, 1))
        if function in (np.argmax, np.argmin) and x.ndim == 1 and not bound:
            return _places().extreme_place(function, x)
        if can_be_reduced(function, x, bound):
            return reduced(function, x, bound)
    found = _joins().combined(function, _bound(function, args, kwargs))
    if found is None:
        found = _shapes().of_points(function, _bound(function, args, kwargs))
    if found is not None:
        return found
    around = scipy_function()
    raise unknown_length(name if around is None else f"SciPy's {around}")


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: Options) -> Any:
    """NumPy's `__array_ufunc__`, of selections among others."""
    if method == "reduce" and ufunc in _REDUCED and isinstance(inputs[0], MaskedElements):
        given = dict(zip(("axis", "dtype"), inputs[1:], strict=False)) | options
        return reduced(_REDUCED[ufunc], inputs[0], {"axis": 0} | given)
    if method == "outer" and len(inputs) == 2 and not options:
        return _joins().outer(ufunc, *inputs)
    if method != "__call__":
        raise unknown_length(f"{name_of(ufunc)}.{method}")
    if options.get("out") is not None:
        return _into(ufunc, inputs, options)
    if ufunc is np.matmul:
        return _product(*inputs)
    if ufunc.signature:
        raise unknown_length(name_of(ufunc))
    return _elementwise(ufunc, inputs, options)


# Elementwise -------------------------------------------------------------------------------------


def _elementwise(function: Callable[..., Any], args: Sequence[Any], kwargs: Options) -> Any:
    first, *others = selections([*args, *kwargs.values()])
    for other in others:
        require_same(first, other)
    result = function(
        *(all_elements(v, first) for v in args), **{k: all_elements(v, first) for k, v in kwargs.items()}
    )
    if isinstance(result, tuple):
        return tuple(like(first, r) for r in cast("tuple[Any, ...]", result))
    return like(first, result)


def _into(ufunc: np.ufunc, inputs: tuple[Any, ...], options: Options) -> MaskedElements:
    """A ufunc that gives its results to a selection, which is an array of its own."""
    out, *others = options["out"]
    where = options.get("where", True)
    if others or not isinstance(out, MaskedElements):
        raise unknown_length("out=")
    found = _elementwise(ufunc, inputs, {k: v for k, v in options.items() if k not in ("out", "where")})
    if not isinstance(found, MaskedElements):
        raise unknown_length("out=")
    require_same(out, found)
    elements = found.elements.astype(out.dtype)
    out.elements = elements if where is True else xp.where(all_elements(where, out), elements, out.elements)
    return out


# Products ----------------------------------------------------------------------------------------


def _transposed(x: MaskedElements) -> MaskedElements:
    return like(x, xp.transpose(x.elements), x.ndim - 1 - x.dim)


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
        require_same(rows(one), rows(other))
        return xp.matmul(filled(one, 0), filled(other, 0))
    if any(over) or (isinstance(one, MaskedElements) and isinstance(other, MaskedElements)):
        raise unknown_length("a product of it with an array")
    kept, place = (one, 0) if isinstance(one, MaskedElements) else (other, ranks[0] - 1)
    elements = [v.elements if isinstance(v, MaskedElements) else v for v in (one, other)]
    return like(kept, xp.matmul(*elements), place)


# Indexing, and what is bound ---------------------------------------------------------------------


def _item(x: MaskedElements, key: Any) -> Any:
    items = items_of(key)
    only = items[0] if len(items) == 1 else None
    if isinstance(only, MaskedElements) and only.dtype == BOOL and only.ndim == 1 and x.dim == 0:
        require_same(rows(x), only)
        return MaskedElements(x.elements, x.mask & only.elements, 0)
    if any(item is None or item is ... for item in items):
        return _shapes().with_dimensions(x, items)
    if not all(map(_is_position, items)):
        raise unknown_length("a position in it")
    if isinstance(only, slice) and only == slice(None, None, -1) and x.ndim == 1:
        return _joins().flipped(x)
    if isinstance(only, slice) and x.dim == 0 and only != slice(None):
        return _places().cut(x, cast("slice[Any, Any, Any]", only))
    first = items[x.dim] if len(items) > x.dim else slice(None)
    if isinstance(first, slice):
        if first != slice(None):
            raise unknown_length("a part of it")
        part = x.elements[key]
        return like(x, part, x.dim - sum(not isinstance(i, slice) for i in items[: x.dim]))
    return x.elements[(*items[: x.dim], _places().place_of(x, first), *items[x.dim + 1 :])]


def _places() -> ModuleType:
    """The module of positions among selected elements, which most programs do without."""
    from mlirad.frontend.numpy_functions.protocols import masked_places

    return masked_places


def _joins() -> ModuleType:
    """The module of selections that are joined or put in order, which most programs do without."""
    from mlirad.frontend.numpy_functions.protocols import masked_joins

    return masked_joins


def _shapes() -> ModuleType:
    """The module of selections with other dimensions, and of points, which most programs do without."""
    from mlirad.frontend.numpy_functions.protocols import masked_shapes

    return masked_shapes


def _is_position(item: Any) -> bool:
    """Tell whether an entry of a key is a slice, or a single position."""
    is_traced = isinstance(item, Array) and not item.ndim and item.dtype != BOOL
    return is_traced or isinstance(item, slice | int | np.integer)


def _bound(function: Callable[..., Any], args: Sequence[Any], kwargs: Options) -> Options:
    """The arguments that were given, by the names of the parameters in later versions of NumPy."""
    try:
        bound = numpy_signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise argument_error(f"{qualified_name(function)}: {error}", OTHERWISE) from None
    return {OLDER_NAMES.get(name, name): value for name, value in bound.arguments.items()}


class MaskedMethods(MaskedElements):
    """The methods of `np.ndarray` that `MaskedElements` has; its members are given to `MaskedElements`
    itself.
    """

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
        """Return how many elements there are, traced."""
        return xp.size(self)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The extents; the one along the dimension of the mask is traced."""
        known = self.elements.shape
        return (*known[: self.dim], count(self), *known[self.dim + 1 :])

    @property
    def real(self) -> MaskedElements:
        """The real parts."""
        return like(self, xp.real(self.elements))

    @property
    def imag(self) -> MaskedElements:
        """The imaginary parts."""
        return like(self, xp.imag(self.elements))

    @property
    def T(self) -> MaskedElements:
        """The dimensions in reverse order."""
        return _transposed(self)

    def __contains__(self, value: Any) -> Any:
        return xp.any(xp.equal(self, value))

    def astype(self, dtype: Any) -> MaskedElements:
        """The elements converted to another dtype."""
        return like(self, self.elements.astype(dtype))

    def copy(self) -> MaskedElements:
        """The same elements."""
        return like(self, xp.copy(self.elements))

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """The elements in another shape."""
        return np.reshape(cast("Any", self), shape[0] if len(shape) == 1 else shape, order=cast("Any", order))

    def ravel(self) -> Any:
        """The elements of a vector."""
        return np.ravel(cast("Any", self))

    flatten = ravel

    def conjugate(self) -> MaskedElements:
        """The complex conjugates."""
        return like(self, xp.conjugate(self.elements))

    conj = conjugate

    def __array_namespace__(self, *, api_version: str | None = None) -> Namespace:
        return array_namespace(api_version)

    @property
    def device(self) -> str:
        """Return where arrays are: there is one device."""
        return DEVICE

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
    give_functions(MaskedElements, METHODS)
    give_members(MaskedElements, MaskedMethods)


def _operator(ufunc: np.ufunc, *, is_reflected: bool) -> Callable[..., Any]:
    def method(self: MaskedElements, *other: object) -> Any:
        if any(v is None or isinstance(v, str | dict) for v in other):
            return NotImplemented
        return apply_ufunc(ufunc, "__call__", (*other, self) if is_reflected else (self, *other), {})

    return method
