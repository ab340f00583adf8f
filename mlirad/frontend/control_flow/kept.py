"""Lists and generators of elements that traced conditions keep or leave out, as comprehensions make them.

    [v for v in x if v > 0]                       a `KeptList`: all elements, and which of them count
    (v for v in x if v > 0)                       a `Kept`, which gives pairs of a flag and an element
    kept + [1.0], kept[0], np.mean(kept), if kept: ..., for v in kept: ...

Like `x[mask]`, such a list is known except for its length. It is a list and no array: `+` joins it to lists,
and its truth is whether it has elements.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any, Final, NoReturn, TypeAlias, cast

import numpy as np

from mlirad.errors import TracingError
from mlirad.frontend.constructs.alternatives import chosen
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.protocols.masked_places import place_of
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.operations import are_numbers_of_python, as_array, xp
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.source import user_line

Pair: TypeAlias = tuple[Any, Any]
"""A flag, `True` or traced, and the element that counts where it holds."""

MOST: Final = 10_000
"""The number of elements of an iterator that are looked at where a traced condition says which of them
count."""

_OTHERWISE = (
    "use it by sum, min, max, any, all, len, sorted, list, next, np.array and the like, or go over it by a "
    "`for` loop"
)


def flagged(iterable: Any) -> Iterator[Pair]:
    """The elements of an iterable, each with a flag: whether it counts."""
    if isinstance(iterable, Kept):
        return iterable.pairs
    if isinstance(iterable, MaskedElements) and iterable.dim == 0:
        return _rows_of(iterable.mask, lambda k: iterable.elements[k])
    if isinstance(iterable, KeptList):
        return _rows_of(iterable.mask, iterable.row)
    return zip(repeat(True), iterable)


def _rows_of(mask: Array, row: Callable[[int], Any]) -> Iterator[Pair]:
    return ((mask[k], row(k)) for k in range(mask.shape[0]))


def collected(pairs: Iterable[Pair], what: str) -> Any:
    """The list of the elements that count."""
    found = list(islice(pairs, MOST + 1))
    if all(flag is True for flag, _ in found):
        return [value for _, value in found] + [_known(pair, what) for pair in pairs]
    if len(found) > MOST:
        raise tracing_error(
            f"traced conditions decide which of more than {MOST} elements {what} keeps",
            "select from an array, which takes one step for all elements: x[x > 0]",
        )
    return KeptList([value for _, value in found], xp.stack([as_array(flag) for flag, _ in found]))


def _known(pair: Pair, what: str) -> Any:
    if pair[0] is not True:
        _refuse(what)
    return pair[1]


def _refuse(what: str) -> NoReturn:
    raise tracing_error(
        f"a traced condition decides whether {what} has this element, and here elements are taken one by one",
        _OTHERWISE,
    )


class Kept:
    """An iterator over elements that count where traced conditions hold."""

    def __init__(self, pairs: Iterator[Pair], what: str = "a generator expression"):
        self.pairs = pairs
        self.what = what

    def __iter__(self) -> Kept:
        return self

    def __next__(self) -> Any:
        return _known(next(self.pairs), self.what)

    def drained(self) -> Any:
        """The list of the elements that count, of those that are left."""
        return collected(self.pairs, self.what)

    def first(self, *default: Any) -> tuple[Any, Any]:
        """The first element that counts, with a flag whether there is one: `True`, or traced."""
        for flag, value in self.pairs:
            if flag is True:
                return True, value
            rest = collected(iter([(flag, value), *islice(self.pairs, MOST)]), self.what)
            self.pairs = map(_used_up, (self.what,))
            return xp.any(rest.mask), rest.row(xp.argmax(rest.mask))
        if default:
            return True, default[0]
        raise StopIteration


def _used_up(what: str) -> NoReturn:
    """Refuse to go on where a traced condition says how far an iterator is."""
    raise tracing_error(
        f"how far `next` went over {what} depends on a traced condition", "make a new one for each use"
    )


class KeptList:
    """A list of those of `values` that `mask` counts; of numbers, the same as a selection of an array.

    Elements that are all numbers of Python's stay such, as `are_pythons` says.
    """

    CAPTURED = ()
    __slots__ = ("_chosen", "_values", "are_pythons", "line", "mask")
    __array_priority__ = 1002
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        values: Sequence[Any] | None,
        mask: Array,
        chosen: MaskedElements | None = None,
        *,
        are_pythons: bool = False,
    ):
        self._values, self.mask, self._chosen = values, mask, chosen
        self.are_pythons = are_pythons or (values is not None and are_numbers_of_python(values))
        self.line = user_line()

    @property
    def values(self) -> Sequence[Any]:
        """All elements, those that do not count among them."""
        return list(cast(Array, self.chosen().elements)) if self._values is None else self._values

    def row(self, k: Any) -> Any:
        """The element at a place among all of them."""
        if isinstance(k, int) and self._values is not None:
            return self._values[k]
        return picked(self.values, k) if self._chosen is None else self.combined(self._chosen.elements[k])

    def has_numbers(self) -> bool:
        """Tell whether the elements are numbers, or arrays of one shape."""
        return self._chosen is not None or are_numbers(self.values)

    def chosen(self) -> MaskedElements:
        """The elements as NumPy has them: an array, of rows where they are tuples."""
        if self._chosen is not None:
            return self._chosen
        rows = self.values
        if all(type(row) in (tuple, list) and are_numbers(row) for row in rows):
            rows = [xp.stack([as_array(part) for part in row]) for row in rows]
        if not are_numbers(rows):
            raise tracing_error(
                "traced conditions decide which elements this list has, and these are not all numbers, or "
                "arrays of one shape",
                "go over it by a `for` loop or a comprehension, and compute a number of each element",
            )
        return MaskedElements(xp.stack([as_array(row) for row in rows]), self.mask, 0)

    def combined(self, found: Any) -> Any:
        """A number made of elements, such as their sum: one of Python's where they are such."""
        return made(found.value, weak=True) if self.are_pythons else found

    def count(self) -> Any:
        """The number of elements."""
        return made(xp.count_nonzero(self.mask).value, weak=True)

    def with_rows(self, order: Any) -> KeptList:
        """The same elements in another order."""
        if self.has_numbers():
            found = self.chosen()
            mask = self.mask[order]
            chosen = MaskedElements(found.elements[order], mask, 0)
            return KeptList(None, mask, chosen, are_pythons=self.are_pythons)
        places = range(self.mask.shape[0])
        return KeptList([picked(self.values, order[k]) for k in places], self.mask[order])

    def plus(self, other: Any, *, is_before: bool = False) -> KeptList:
        """This list and another one, after it or before."""
        own, given = [*flagged(self)], [*flagged(other)]
        return cast(KeptList, collected([*given, *own] if is_before else [*own, *given], "a list"))

    # Operations on a list -------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            if key == slice(None, None, -1):
                return self.with_rows(np.arange(self.mask.shape[0])[::-1])
            mask = MaskedElements(self.mask, self.mask, 0)[key].mask
            known = None if self._chosen is None else MaskedElements(self._chosen.elements, mask, 0)
            return KeptList(self._values, mask, known, are_pythons=self.are_pythons)
        return self.row(place_of(MaskedElements(self.mask, self.mask, 0), key))

    def __iter__(self) -> Iterator[Any]:
        _refuse("this list")

    def __len__(self) -> NoReturn:
        _refuse("this list")

    def __bool__(self) -> NoReturn:
        _refuse("this list")

    def __contains__(self, value: Any) -> Any:
        return xp.any(xp.logical_and(self.mask, xp.equal(self.chosen().elements, value)))

    def copy(self) -> KeptList:
        """The same list."""
        return self

    def index(self, value: Any) -> Any:
        """The number of the first element that equals a value."""
        found = xp.logical_and(self.mask, xp.equal(self.chosen().elements, value))
        raise_where(xp.logical_not(xp.any(found)), ValueError("the value is not in the list"))
        return made((xp.cumsum(self.mask) - 1)[xp.argmax(found)].value, weak=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise tracing_error(
            f"traced conditions decide which elements this list has, and .{name} needs to know them",
            _OTHERWISE,
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(as_chosen, inputs), **options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return function(*map(as_chosen, args), **{name: as_chosen(value) for name, value in options.items()})

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise TracingError(
            f"{self!r} is used where its length is needed, which depends on traced conditions",
            location=self.line,
            hint=_OTHERWISE,
        )

    def __repr__(self) -> str:
        from mlirad.frontend.tracing.unfinished_texts import represented  # few programs have texts

        return represented(f"a list of {self.mask.shape[0]} elements or fewer")


def as_list(values: Any) -> Any:
    """The elements of an iterable: a `KeptList`, or the iterable."""
    if isinstance(values, Kept):
        return values.drained()
    if isinstance(values, MaskedElements) and values.dim == 0 and isinstance(values.elements, Array):
        return KeptList(None, values.mask, values)
    return values


def as_chosen(value: Any) -> Any:
    """A value, of a list of kept elements the array of them."""
    if isinstance(value, list | tuple):
        parts = list(map(as_chosen, cast("Iterable[Any]", value)))
        return parts if isinstance(value, list) else tuple(parts)
    found = value.drained() if isinstance(value, Kept) else value
    return found.chosen() if isinstance(found, KeptList) else found


def _operating(function: Callable[..., Any], *, is_reflected: bool) -> Callable[..., Any]:
    """An operator: of lists, or of the elements, where the other operand is an array."""
    name = function.__name__.strip("_")

    def method(self: KeptList, other: Any) -> Any:
        if isinstance(other, Array | MaskedElements | np.ndarray | np.generic):
            operands: list[Any] = [self.chosen(), other]
            return function(*(operands[::-1] if is_reflected else operands))
        if name == "add" and isinstance(other, list | KeptList):
            return self.plus(other, is_before=is_reflected)
        if name in ("eq", "ne") and isinstance(other, list) and not other:
            return xp.equal(self.count(), 0) if name == "eq" else xp.greater(self.count(), 0)
        raise tracing_error(
            f"traced conditions decide which elements this list has, which `{name}` of lists needs to know",
            _OTHERWISE,
        )

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    _function = getattr(operator, _name)
    setattr(KeptList, f"__{_name}__", _operating(_function, is_reflected=False))
    setattr(KeptList, f"__r{_name}__", _operating(_function, is_reflected=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(KeptList, f"__{_name}__", _operating(getattr(operator, _name), is_reflected=False))


# Elements at traced places -----------------------------------------------------------------------

_NUMBERS: Final = (Array, bool, int, float, np.bool_, np.number, np.ndarray)


def are_numbers(values: Sequence[Any]) -> bool:
    """Tell whether values are numbers, or arrays of one shape."""
    return all(isinstance(value, _NUMBERS) for value in values) and len(set(map(np.shape, values))) == 1


def picked(values: Sequence[Any], place: Any) -> Any:
    """The element of a list at a traced place: of structures by their leaves, of other objects a `OneOf`."""
    flattened = [flatten(value) for value in values]
    tree = flattened[0][1]
    columns = [*zip(*(leaves for leaves, _ in flattened), strict=False)]
    if all(other == tree for _, other in flattened) and all(map(are_numbers, columns)) and columns:
        return tree.unflatten([_picked_number(column, place) for column in columns])
    first = values[0]
    if type(first) in (tuple, list) and all(type(v) is type(first) and len(v) == len(first) for v in values):
        return type(first)(picked(part, place) for part in zip(*values, strict=True))
    return chosen(place, dict(enumerate(values)))


def _picked_number(values: Sequence[Any], place: Any) -> Array:
    found = xp.stack([as_array(value) for value in values])[place]
    return made(found.value, weak=True) if are_numbers_of_python(values) else found


def all_of(flags: Iterable[Any]) -> Any:
    """The truth of all flags: `True`, or traced."""
    traced = [flag for flag in flags if flag is not True]
    return functools.reduce(xp.logical_and, traced) if traced else True
