"""Lists and generators of elements that traced conditions keep or leave out, as comprehensions make them.

    [v for v in x if v > 0]                       a `KeptList`: all elements, and which of them count
    (v for v in x if v > 0)                       a `Kept`, which gives pairs of a flag and an element
    kept + [1.0], kept[0], np.mean(kept), if kept: ..., for v in kept: ...

Like `x[mask]`, such a list is known except for its length. It is a list and no array: `+` joins it to lists,
and its truth is whether it has elements.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any, Final, NoReturn, TypeAlias, cast

import numpy as np

from mlirad.errors import TracingError
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.control_flow.entries import Entries
from mlirad.frontend.control_flow.picks import picked
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.asked_class import asks_for_numpys
from mlirad.frontend.tracing.containers import Container, Opened, container_of, enter
from mlirad.frontend.tracing.open_traces import is_tracing, open_traces
from mlirad.frontend.tracing.operations import xp
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
    if isinstance(iterable, Kept) or (is_taken_from(iterable) and is_tracing()):
        return _Taking(iterable)
    if isinstance(iterable, MaskedElements) and iterable.dim == 0:
        return _rows_of(iterable.mask, lambda k: iterable.elements[k])
    if isinstance(iterable, KeptList):
        return zip([*iterable.flags], [*iterable.values], strict=True)
    return zip(repeat(True), iterable)


class _Taking:
    """The elements of an iterator with flags, as it gives them; who takes some goes over that iterator."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Any):
        self._iterator = iterator

    def __iter__(self) -> _Taking:
        return self

    def __next__(self) -> Pair:
        if not is_tracing():
            return self._taken()
        control = open_traces.frames[-1].functions.control
        takers = control.takers
        require_known(self._iterator)
        if takers:
            takers[-1].sources[id(self._iterator)] = self._iterator
        if not isinstance(self._iterator, Kept):
            return self._taken()
        takers.append(self._iterator)
        try:
            return self._taken()
        finally:
            takers.pop()

    def _taken(self) -> Pair:
        found = self._iterator
        return found.next_pair() if isinstance(found, Kept) else (True, next(found))


def use_up(iterable: Any) -> None:
    """Have an iterator, and those that it takes elements of, be at a place that is not known."""
    pending = [iterable]
    while pending:
        found = pending.pop()
        if isinstance(found, Kept):
            found.use_up()
            pending += found.sources.values()
            found.sources.clear()
        elif is_taken_from(found) and is_tracing():
            open_traces.frames[-1].functions.control.used_up[id(found)] = found


def is_taken_from(value: Any) -> bool:
    """Tell whether a value is an iterator, which its elements are taken from for good."""
    return hasattr(cast("Any", type(value)), "__next__")


def require_known(iterable: Any) -> None:
    """Refuse an iterator at a place that is not known."""
    if is_tracing() and id(iterable) in open_traces.frames[-1].functions.control.used_up:
        _used_up("this iterator")


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
    return KeptList([value for _, value in found], [flag for flag, _ in found])


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
        self._pairs = pairs
        self.what = what
        self.sources: dict[int, Any] = {}
        """The iterators that it has taken elements of, by identity."""

    @property
    def pairs(self) -> Iterator[Pair]:
        """Its elements, each with a flag."""
        return _Taking(self)

    def next_pair(self) -> Pair:
        """The next element with its flag."""
        return next(self._pairs)

    def __iter__(self) -> Kept:
        return self

    def __next__(self) -> Any:
        return _known(next(self.pairs), self.what)

    def drained(self) -> Any:
        """The list of the elements that count, of those that are left."""
        return collected(self.pairs, self.what)

    def use_up(self) -> None:
        """Have the iterator be at an element that is not known, so that going on with it is an error."""
        self._pairs = map(_used_up, repeat(self.what))

    def first(self, *default: Any) -> tuple[Any, Any]:
        """The first element that counts, with a flag whether there is one: `True`, or traced."""
        for flag, value in self.pairs:
            if flag is True:
                return True, value
            rest = collected(iter([(flag, value), *islice(self.pairs, MOST)]), self.what)
            use_up(self)
            return xp.any(rest.mask), rest.row(xp.argmax(rest.mask))
        if default:
            return True, default[0]
        raise StopIteration


class KeptGenerator(Kept):
    """A generator expression or a generator, which `yield from` closes where it is left itself."""

    def close(self) -> None:
        """Have no more elements."""
        self._pairs = iter(())


def _used_up(what: str) -> NoReturn:
    """Refuse to go on where a traced condition says how far an iterator is."""
    raise tracing_error(
        f"how far it went over {what} depends on a traced condition", "make a new one for each use"
    )


class KeptList(Entries):
    """A list of elements, and flags that say which ones count; of numbers, as a selection of an array is.

    Elements that are all numbers of Python's stay such, as `are_pythons` says. A list that became one under a
    traced condition knows the list that it `was`.
    """

    CAPTURED = ()
    __slots__ = ("line", "was")
    __array_priority__ = 1002
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        values: Sequence[Any] | None,
        flags: Array | Sequence[Any],
        chosen: MaskedElements | None = None,
        *,
        are_pythons: bool | None = None,
        was: list[Any] | None = None,
    ):
        super().__init__(values, flags, chosen, are_pythons=are_pythons)
        self.line, self.was = user_line(), was

    @staticmethod
    def settled_result(result: Any, name: str) -> NoReturn:
        """The results of a compiled function, which must not hold such a list."""
        raise TracingError(
            f"{name} returns a list whose elements are decided by traced conditions, and compiled functions "
            "return arrays whose sizes are known",
            location=next((found.line for found in _lists_in(result)), None),
            hint="return what is computed of it, or all elements and an array that says which ones count",
        )

    def with_rows(self, order: Any) -> KeptList:
        """The same elements in another order."""
        if self.has_numbers():
            found = self.chosen()
            mask = self.mask[order]
            chosen = MaskedElements(found.elements[order], mask, 0)
            return KeptList(None, mask, chosen, are_pythons=self.are_pythons)
        places = range(self.size)
        return KeptList([picked(self.values, order[k]) for k in places], self.mask[order])

    def in_front(self) -> KeptList:
        """The same list with the elements that do not count behind all others."""
        return self.with_rows(xp.argsort(xp.logical_not(self.mask), kind="stable"))

    def plus(self, other: Any, *, is_before: bool = False) -> KeptList:
        """This list and another one, after it or before."""
        made = self.copy()
        if is_before:
            made.clear()
            made.add(flagged(other))
            made.add(flagged(self))
        else:
            made.add(flagged(other))
        return made

    def extend(self, other: Any, /) -> None:
        """Add the elements of an iterable."""
        self.add(flagged(other))

    def __iadd__(self, other: Any) -> KeptList:
        self.extend(other)
        return self

    # Operations on a list -------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            if key == slice(None, None, -1):
                made = self.copy()
                made.reverse()
                return made
            made = self._without_known(key)
            if made is not None:
                return made
            mask = MaskedElements(self.mask, self.mask, 0)[key].mask
            known = None if self._chosen is None else MaskedElements(self._chosen.elements, mask, 0)
            return KeptList(self._values, mask, known, are_pythons=self.are_pythons)
        return self.row(self.place(key))

    def _without_known(self, key: Any) -> KeptList | None:
        """A part that leaves elements at the front out which count in any case: these are not kept."""
        start, stop, step = key.start, key.stop, key.step
        if step not in (None, 1) or stop is not None or not isinstance(start, int):
            return None
        dropped = 0
        while dropped < start and self._known_place(dropped) is not None:
            dropped += 1
        if not dropped:
            return None
        made = KeptList(self.values[dropped:], self.flags[dropped:])
        return made if dropped == start else made[start - dropped :]

    def __iter__(self) -> Iterator[Any]:
        _refuse("this list")

    def __len__(self) -> NoReturn:
        _refuse("this list")

    def __bool__(self) -> NoReturn:
        _refuse("this list")

    def __contains__(self, value: Any) -> Any:
        return xp.any(self.equal_to(value))

    def copy(self) -> KeptList:
        """A list of the same elements."""
        made = KeptList((), ())
        made.become(self)
        return made

    def count(self, value: Any, /) -> Any:
        """The number of elements that equal a value."""
        return made(xp.count_nonzero(self.equal_to(value)).value, weak=True)

    def index(self, value: Any, /) -> Any:
        """The number of the first element that equals a value."""
        found = self.equal_to(value)
        raise_where(xp.logical_not(xp.any(found)), ValueError("the value is not in the list"))
        return made((xp.cumsum(self.mask) - 1)[xp.argmax(found)].value, weak=True)

    def sort(self, **options: Any) -> NoReturn:
        """Put the elements in order, which rewritten code does by `orders.sort_kept`."""
        _refuse("this list")

    @property
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class itself for mlirad, NumPy and Python; see `asked_class`."""
        return self._class_for_others() if asks_for_numpys() else type(self)

    def _class_for_others(self) -> type[Any]:
        """The class of the list that it stands for."""
        return list

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

        return represented(f"a list of {self.size} elements or fewer")


def as_list(values: Any) -> Any:
    """The elements of an iterable: a `KeptList`, or the iterable."""
    if isinstance(values, Kept):
        return values.drained()
    require_known(values)
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
            return xp.equal(self.number(), 0) if name == "eq" else xp.greater(self.number(), 0)
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


class _Elements(Container):
    """A list of kept elements as structure: elements and flags are parts."""

    static_names = ("size", "are_pythons")

    def open(self, value: Any) -> Opened:
        found = cast(KeptList, value)
        if found._chosen is not None:
            return Opened((), [found._chosen.elements, found.mask], (None, found.are_pythons))
        return Opened((), [*found.values, *found.flags], (found.size, None))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        size, are_pythons = cast("tuple[int | None, bool | None]", opened.static)
        if size is not None:
            return KeptList(opened.parts[:size], opened.parts[size:])
        elements, mask = cast("Sequence[Array]", opened.parts)
        return KeptList(None, mask, MaskedElements(elements, mask, 0), are_pythons=are_pythons)


enter(KeptList, _Elements())


def _lists_in(result: Any) -> Iterator[KeptList]:
    """The lists of kept elements in a value."""
    if type(result) is KeptList:
        yield result
    container = container_of(cast("type[Any]", type(result)))
    for part in () if container is None else container.open(result).parts:
        yield from _lists_in(part)
