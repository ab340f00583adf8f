"""Loops that Python may leave before their last iteration: after some iterations they count as endless.

    for k in count():         Code that takes elements of a generator says when it ends, and a traced
        if x[k % 5] > k:      condition says when a loop is left. A trace makes all iterations, so an
            yield k           iterator that never ends is an error.

A loop may have all iterations that its iterable has when it begins.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from mlirad.dialects.extents import is_static
from mlirad.errors import MliradError
from mlirad.frontend.control_flow.iterables import iterations_of
from mlirad.frontend.control_flow.kept import Kept, KeptList, Pair, flagged
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.rewriting.jumps import YIELDED
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.open_traces import is_tracing, open_traces
from mlirad.frontend.tracing.raising import tracing_error

MOST_ITERATIONS: Final = 100_000
"""The number of iterations that a loop may make where they trace nothing."""

MOST_OPERATIONS: Final = 8_000
"""The number of operations that its iterations may trace."""


class Patience:
    """The iterations and operations of a loop that Python may leave early."""

    def __init__(self, iterable: Any = None):
        self._free = _size(iterable)
        self._made = 0
        self._operations = _traced()

    def wait(self) -> None:
        """Begin an iteration; an error after too many."""
        self._made += 1
        if self._made <= self._free:
            self._operations = _traced()
        elif self._made - self._free > MOST_ITERATIONS or _traced() - self._operations > MOST_OPERATIONS:
            raise tracing_error(
                f"this loop has not ended after {self._made} iterations, and a trace makes them all: a "
                "traced condition decides when it is left, or which elements a generator yields",
                "let it end by itself: go over range(n), over list(xs) of an iterator that ends, or over "
                "itertools.islice(xs, n)",
            )


def may_be_left(body: Callable[..., Any]) -> bool:
    """Tell whether the body of a loop yields elements to code that may take some of them only."""
    return YIELDED in body.__code__.co_freevars


def ending(iterable: Any) -> Any:
    """The iterable of `yield from` in a generator that runs to its end."""
    if isinstance(iterable, KeptList | MaskedElements | Array) or hasattr(
        cast("Any", type(iterable)), "__len__"
    ):
        return iterable
    return Kept(_waiting(flagged(iterable), Patience(iterable)), "a generator")


def _waiting(pairs: Iterator[Pair], patience: Patience) -> Iterator[Pair]:
    for pair in pairs:
        patience.wait()
        yield pair


_ITERABLES: Final[dict[type[Any], Any]] = {
    enumerate: slice(0, 1),
    zip: slice(0, None),
    map: slice(1, None),
    filter: slice(1, 2),
}
"""The iterables among the arguments of these classes."""


def _size(iterable: Any) -> int:
    """The number of iterations that an iterable says it has; none if it does not say."""
    if isinstance(iterable, KeptList | MaskedElements):
        return iterable.mask.shape[0]
    places = _ITERABLES.get(cast("Any", type(iterable)))
    if places is not None:
        parts: tuple[Any, ...] = iterable.__reduce__()[1]
        sizes: list[int] = [_size(part) for part in parts[places]]
        return min(filter(None, sizes), default=0)
    iterations = iterations_of(iterable)
    if iterations is not None:
        return iterations.length if is_static(iterations.length) else 0
    try:
        return operator.length_hint(iterable)
    except (TypeError, MliradError):  # of a length that is traced
        return 0


def _traced() -> int:
    return open_traces.frames[-1].functions.lines.total if is_tracing() else 0
