"""Iterables of `for` as iterations of a loop: ranges, arrays, and these by `enumerate`, `zip`, `reversed`.

iterations_of(range(2, 50, 3))     16 iterations; item k is 2 + 3 k
iterations_of(x)                   as many as x has rows; item k is x[k]
TracedRange(0, n, 1)               iterations whose number is known when the program runs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from mlirad.dialects.extents import Extent
from mlirad.errors import SizeNeeded
from mlirad.frontend.constructs.loops import integer
from mlirad.frontend.control_flow.kept import Kept, KeptList, flagged
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.protocols.masked_places import in_front, length_of
from mlirad.frontend.tracing.array import Array, known_bound
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class TracedRange:
    """`range(start, stop, step)` of traced integers."""

    start: Any
    stop: Any
    step: Any

    @property
    def length(self) -> Any:
        """The number of iterations."""
        start, stop, step = self.start, self.stop, self.step
        if type(step) is int:
            return xp.maximum((stop - start + (step - (1 if step > 0 else -1))) // step, 0)
        up = (stop - start + step - 1) // step
        down = (stop - start + step + 1) // step
        return xp.maximum(xp.where(step > 0, up, down), 0)

    def item(self, k: Any) -> Any:
        """Return what iteration k goes over."""
        return self.start + k * self.step

    def bounds(self) -> tuple[Array, Array]:
        """Bounds to count between, one by one: its own if the step is 1, else 0 and the number of
        iterations.
        """
        if type(self.step) is int and self.step == 1:
            return as_array(self.start), as_array(self.stop)
        return as_array(0), as_array(self.length)

    def of_index(self, k: Any) -> Any:
        """The item at a position between these bounds."""
        return k if type(self.step) is int and self.step == 1 else self.item(k)

    def reversed(self) -> TracedRange:
        """The same numbers from the last one to the first."""
        return TracedRange(self.item(self.length - 1), self.start - self.step, -self.step)

    def __iter__(self) -> Iterator[Any]:
        raise tracing_error(
            "a range of traced integers has no length while the function is traced",
            "use it in a `for` loop alone",
        )


class ChosenItems:
    """The rows that a traced mask chooses, moved in front of all others, for a loop with a traced count."""

    def __init__(self, chosen: MaskedElements):
        self.length = length_of(chosen)
        self._rows = in_front(chosen)

    def item(self, k: Any) -> Any:
        """The row of iteration k."""
        return self._rows[k]

    def bounds(self) -> tuple[Any, Any]:
        """Bounds to count between."""
        return as_array(0), self.length

    of_index = item


def range_(*args: Any) -> Any:
    """`range`, whose bounds may be traced."""
    args = tuple(map(known_bound, args))
    if not any(isinstance(a, Array | Extent) for a in args) or not 1 <= len(args) <= 3:
        return range(*args)
    if not any(isinstance(a, Array) for a in args):
        return sized_range(*args)
    bounds = [integer(a, "range: a bound") if isinstance(a, Array) else int(a) for a in args]
    if len(bounds) == 1:
        return TracedRange(0, bounds[0], 1)
    return TracedRange(bounds[0], bounds[1], bounds[2] if len(bounds) == 3 else 1)


@dataclass(frozen=True)
class SizedRange:
    """`range(start, stop, step)` of integers and sizes: its number of iterations is an extent."""

    start: int
    step: int
    length: int

    def __iter__(self) -> Iterator[int]:
        raise SizeNeeded(f"a loop of {self.length} iterations needs their number", self.length)


def sized_range(start: int, stop: int | None = None, step: int = 1) -> SizedRange:
    """The range of bounds with sizes in them."""
    first, last = (0, start) if stop is None else (start, stop)
    distance = last - first if step > 0 else first - last
    length = (distance + abs(step) - 1) // abs(step) if distance >= 0 else 0
    return SizedRange(first, step, length)


@dataclass(frozen=True)
class Iterations:
    """The iterations of a loop: how many, the item of each, and the arrays that the items are made of."""

    length: int
    item: Callable[[Any], Any]
    """The item of an iteration, by its number, which may be traced."""
    whole: tuple[Any, ...]
    """The arrays; each iteration takes a slice of each."""
    of_slices: Callable[[Any, list[Any]], Any]
    """The item of an iteration, from its number and the slices."""

    def arrays(self, first: int) -> list[Array]:
        """The arrays, from an iteration on."""
        return [as_array(x[first:] if first else x) for x in self.whole]


class Once:
    """The result of `enumerate`, `zip` or `reversed` of ranges and arrays: iterations of a loop, and an
    iterator.

    Like Python's own it is used up by one loop.
    """

    def __init__(self, iterations: Iterations, made: Callable[[], Iterator[Any]], parts: tuple[Any, ...]):
        self._iterations: Iterations | None = iterations
        self._iterator: Iterator[Any] | None = None
        self._made, self._parts = made, parts
        self._is_known = True

    @property
    def iterations(self) -> Iterations | None:
        """All its iterations, `None` if it is no longer at its start."""
        return self._iterations

    def use_up(self, *, wholly: bool) -> None:
        """A loop of the program has gone over it: over all of it, or as far as only the program knows."""
        self._iterations, self._iterator, self._is_known = None, iter(()), wholly
        for part in self._parts:
            if isinstance(part, Once):
                part.use_up(wholly=wholly)

    def __iter__(self) -> Once:
        return self

    def __next__(self) -> Any:
        if not self._is_known:
            raise tracing_error(
                "how far a loop that is left on a traced condition went over this iterator is not known",
                "make a new one for each loop",
            )
        if self._iterator is None:
            self._iterations, self._iterator = None, self._made()
        return next(self._iterator)


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate`, of arrays as iterations."""
    iterations = iterations_of(iterable)
    if iterations is None or type(start) is not int:
        return enumerate(iterable, start)
    numbers = iterations_of(range(start, start + iterations.length))
    return Once(_paired([numbers, iterations]), lambda: cast(Any, enumerate(iterable, start)), (iterable,))


def zip_(*iterables: Any, strict: bool = False) -> Any:
    """`zip`, of arrays as iterations."""
    parts = [iterations_of(x) for x in iterables]
    lengths = {None if iterations is None else iterations.length for iterations in parts}
    if None in lengths or not lengths or (strict and len(lengths) > 1):
        return zip(*iterables, strict=strict)
    return Once(_paired(parts), lambda: zip(*iterables, strict=strict), iterables)


def reversed_(iterable: Any) -> Any:
    """`reversed`, of ranges and arrays as iterations."""
    if isinstance(iterable, TracedRange):
        return iterable.reversed()
    if isinstance(iterable, KeptList):
        return Kept(flagged(iterable[::-1]), "`reversed`")
    if isinstance(iterable, Once) or iterations_of(iterable) is None:
        return reversed(cast(Any, iterable))
    backwards: Any = iterable[::-1]
    return Once(cast(Iterations, iterations_of(backwards)), lambda: iter(backwards), ())


def iterations_of(iterable: Any) -> Iterations | None:
    """Return what is iterated over as iterations of a loop, `None` if it is neither a range nor an array."""
    if type(iterable) is range:
        first, step = iterable.start, iterable.step
        return Iterations(
            len(iterable),
            lambda k: iterable[k] if type(k) is int else first + k * step,
            (),
            lambda k, slices: first + k * step,
        )
    if isinstance(iterable, SizedRange):
        start, by = iterable.start, iterable.step
        return Iterations(iterable.length, lambda k: start + k * by, (), lambda k, slices: start + k * by)
    if isinstance(iterable, Array) and iterable.ndim:
        return Iterations(iterable.shape[0], lambda k: iterable[k], (iterable,), lambda k, slices: slices[0])
    if type(iterable) is np.ndarray and iterable.ndim and iterable.dtype.kind in "biuf":
        return Iterations(
            len(iterable),
            lambda k: iterable[k] if type(k) is int else as_array(iterable)[k],
            (iterable,),
            lambda k, slices: slices[0],
        )
    return iterable.iterations if isinstance(iterable, Once) else None


def _paired(parts: list[Iterations | None]) -> Iterations:
    known = [part for part in parts if part is not None]
    length = min(part.length for part in known)

    def of_slices(k: Any, slices: list[Any]) -> tuple[Any, ...]:
        rest = iter(slices)
        return tuple(part.of_slices(k, [next(rest) for _ in part.whole]) for part in known)

    whole = tuple(x[:length] for part in known for x in part.whole)
    return Iterations(length, lambda k: tuple(part.item(k) for part in known), whole, of_slices)
