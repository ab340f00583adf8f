"""`while` and `for`: Python's trips as long as what steers them is known, then a loop of the program.

    while_(test, body, state)          the first trips run in Python until the test is traced
    for_(xs, next, body, state, stop)  over a traced array, or a long range: a loop, if the body can be one

A loop whose number of trips is known means the same whether it is written out or not, so it is written out
where its body cannot be traced once for all trips: it appends to a list, or needs to know its index.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from mlirad.dialects.extents import is_static
from mlirad.errors import MliradError
from mlirad.frontend.constructs import loops
from mlirad.frontend.control_flow.aliases import (
    Shares,
    Sharing,
    copies,
    objects_in,
    require_steady,
    together,
)
from mlirad.frontend.control_flow.branches import (
    Returned,
    if_,
    shown_name,
    shown_tree,
    types_of,
    zeros_of,
)
from mlirad.frontend.control_flow.choices import require_unwritten
from mlirad.frontend.control_flow.expressions import not_
from mlirad.frontend.control_flow.iterables import Once, TracedRange, Trips, trips_of
from mlirad.frontend.control_flow.objects import Originals, Results, Themselves, held_objects
from mlirad.frontend.control_flow.outside import (
    passed_by,
    read_all,
    require_known,
    require_own,
    standing,
)
from mlirad.frontend.control_flow.reached import Reached, without_changes
from mlirad.frontend.control_flow.state import (
    NOTHING,
    State,
    Unknown,
    contents,
    is_missing,
    is_opaque,
    is_same,
    is_traced,
    is_written,
)
from mlirad.frontend.tracing.array import Array, base_of
from mlirad.frontend.tracing.frames import current_frame, is_tracing
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.tokens import last_token, resume
from mlirad.frontend.tracing.values import ValueType

WRITTEN_OUT: Final = 16
"""Loops of at most so many trips are written out."""

Thunk = Callable[[], Any]
Next = Callable[[Any], None]


def while_(test: Thunk, body: Thunk, state: State) -> None:
    """`while`: trips in Python until the test is traced."""
    while True:
        before = state.get()
        goes_on = test()
        if is_traced(goes_on):
            break
        if not goes_on:
            return
        body()
    state.put(before)
    state.require_rewritable("a `while` loop")
    loop = _Loop(state, body, "`while`")
    loop.run(
        lambda init: loops.repeated(
            lambda carry: loop.enter(carry, test), loop.trip, init, "`while`", of_variables=True
        )
    )


def for_(iterable: Any, next_: Next, body: Thunk, state: State, stop: Thunk | None) -> None:
    """`for`: a loop of the program over traced arrays and long ranges, else trips in Python."""
    if isinstance(iterable, TracedRange):
        state.require_rewritable("a `for` loop")
        _count(iterable, next_, body, state, stop)
        return
    trips = trips_of(iterable) if is_tracing() and not state.refuses else None
    if trips is not None and not is_static(trips.length):
        _loop_over(trips, 0, next_, body, state, stop)
        return
    attempts = {0, 1} if trips is not None and trips.length > WRITTEN_OUT else set[int]()
    for k, item in enumerate(iterable):
        left = False if stop is None else stop()
        if trips is not None and (k in attempts or is_traced(left)):
            parts = (next_, body) if stop is None else (next_, body, stop)
            if _attempted(functools.partial(_loop_over, trips, k, next_, body, state, stop), parts, state):
                if isinstance(iterable, Once):
                    iterable.use_up(wholly=stop is None)
                return
            if is_traced(left):
                trips = None  # what cannot be a loop from here on is written out
        if is_traced(left):
            if_(not_(left), lambda item=item: _trip(item, next_, body), _pass, state)
        elif left:
            return
        else:
            _trip(item, next_, body)


def _trip(item: Any, next_: Next, body: Thunk) -> None:
    next_(item)
    body()


def _pass() -> None:
    """The other way of a trip that is not made."""


def _attempted(loop: Callable[[], None], parts: tuple[Callable[..., Any], ...], state: State) -> bool:
    """Whether a loop, of these parts, could be traced; all is as before if not."""
    reached = Reached(parts, state.cells)
    if reached.has_iterators:
        return False
    before, token = state.get(), last_token()
    try:
        loop()
    except MliradError:
        reached.restore()
        state.put(before)
        resume(token)
        return False
    return True


def _loop_over(trips: Trips, first: int, next_: Next, body: Thunk, state: State, stop: Thunk | None) -> None:
    """A loop over known trips, from the first one on that is left."""
    before = state.get()
    next_(trips.item(first))  # so that variables of the target that are read later have a type
    if not any(found is not before[name] for name, found in state.get().items() if name in state.live):
        state.put(before)
    loop = _Loop(state, body, "`for`", trips.whole)

    def counted(init: dict[str, Any]) -> dict[str, Any]:
        def step(k: Any, carry: dict[str, Any], slices: list[Any]) -> tuple[dict[str, Any], tuple[()]]:
            number = k + first if first else k
            return loop.trip(carry, lambda: next_(trips.of_slices(number, slices))), ()

        arrays, length = trips.arrays(first), trips.length - first
        return loops.counted(step, init, arrays, length, False, None, "`for`", of_variables=True)[0]

    loop.run(counted if stop is None else lambda init: _stopping(trips, first, loop, next_, stop, init))


def _count(trips: TracedRange, next_: Next, body: Thunk, state: State, stop: Thunk | None) -> None:
    """A loop over a range whose bounds are traced."""
    loop = _Loop(state, body, "`for`")

    def counting(init: dict[str, Any]) -> dict[str, Any]:
        low, high = trips.bounds()

        def step(k: Any, carry: dict[str, Any]) -> dict[str, Any]:
            return loop.trip(carry, lambda: next_(trips.of_index(k)))

        return loops.counting(low, high, step, init, "`for`", of_variables=True)

    loop.run(counting if stop is None else lambda init: _stopping(trips, 0, loop, next_, stop, init))


def _stopping(
    trips: Trips | TracedRange, first: int, loop: _Loop, next_: Next, stop: Thunk, init: dict[str, Any]
) -> dict[str, Any]:
    """A loop over trips from the first one on, which may be left before the last one."""
    length = trips.length

    def goes_on(carry: tuple[Any, dict[str, Any]]) -> Any:
        left = loop.enter(carry[1], stop)
        return xp.logical_and(xp.less(carry[0], length), not_(left))

    def step(carry: tuple[Any, dict[str, Any]]) -> tuple[Any, dict[str, Any]]:
        k, rest = carry
        return k + 1, loop.trip(rest, lambda: next_(trips.item(k)))

    return loops.repeated(goes_on, step, (first, init), "`for`", of_variables=True)[1]


class _Loop:
    """A loop of the program: what it carries of the variables of a state."""

    def __init__(self, state: State, body: Thunk, what: str, over: tuple[Any, ...] = ()):
        self._state, self._body, self._what, self._over = state, body, what, over
        state.include(objects_in)
        self._before = state.get()
        self._sharing = Sharing(self._before)
        self._together = together(self._before)
        self._ends: dict[str, Any] = {}
        self._originals = Originals({}, {})
        self._results = Results(self._before, state.cells)
        self._apart: set[str] = set()
        self._shares = Shares()
        self._passed: set[int] = set()
        self._types: dict[str, tuple[Tree, list[ValueType]]] = {}
        self._replaced: set[str] = set()
        self._written: set[str] = set()
        live = [name for name in state.live if name in self._before]
        self._carried = [
            n for n in live if not is_missing(self._before[n]) and not is_opaque(self._before[n])
        ]

    def run(self, make: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Trace the loop, which `make` makes of the values it begins with."""
        token = last_token()
        while True:
            init = {name: self._before[name] for name in self._carried}
            init |= {name: zeros_of(*types) for name, types in self._types.items()}
            try:
                last = make(init)
                break
            except Returned:
                resume(token)
        self._require_unwritten()
        results = {name: self._result(name, last) for name in self._state.live}
        self._results.forget([self._originals])
        require_unwritten(self._results.choices)
        self._shares.mark(self._before, results, self._replaced | self._written)
        self._state.put(results)

    def _require_unwritten(self) -> None:
        """Raise if the body writes an array that the loop goes over: later trips would have to see it."""
        bases = [base_of(x) for x in self._over if isinstance(x, Array)]
        written = [self._before[name] for name in self._written]
        if any(base_of(x) is base for x in written if isinstance(x, Array) for base in bases):
            raise tracing_error(f"{self._what} writes the array that it goes over", "go over a copy of it")

    def enter(self, carry: dict[str, Any], then: Thunk) -> Any:
        """What the test of a loop gives for a carry."""
        originals = Originals(self._before, self._begin(carry))
        with standing(originals):
            goes_on = without_changes((then,), self._state.cells, self._what)
        self._passed |= passed_by(originals)
        return goes_on

    def trip(self, carry: dict[str, Any], first: Thunk | None = None) -> dict[str, Any]:
        """One trip: the carry after it."""
        start = self._begin(carry)
        held = {name: contents(found) for name, found in start.items()}
        objects = {name: held_objects(start[name]) for name in self._together & carry.keys()}
        sharing = Sharing({name: start[name] for name in carry})
        self._originals = Originals(self._before, start)
        parts = (self._body,) if first is None else (first, self._body)
        noted = len(current_frame().doubted)
        with standing(self._originals):
            without_changes(parts, self._state.cells, self._what, self._originals.outside)
            after = self._state.get()
            read_all({name: after[name] for name in carry})
            require_own(noted, self._what)
        require_known(self._originals, self._passed | passed_by(self._originals), self._what)
        parted = {name for name, found in objects.items() if held_objects(after[name]) != found}
        if not parted <= self._apart:  # each trip but the first starts with what the body gives them
            self._apart |= parted
            raise Returned
        carried = {name: after[name] for name in carry}
        self._shares.note(carried, self._originals)
        require_steady(self._sharing, sharing, carried, self._what)
        self._originals.require_places(after)
        self._ends = after
        for name in self._state.live:
            found = after[name]
            if name in carry:
                self._require_structure(name, carry[name], found)
                if found is not start[name]:
                    self._replaced.add(name)
                elif is_written(held[name], found):
                    self._written.add(name)
            elif is_missing(start[name]):
                if start[name] is NOTHING and not is_missing(found):
                    self._types[name] = types_of(found)
                    raise Returned
            elif is_opaque(start[name]) and not is_same(start[name], found):
                raise tracing_error(
                    f"{self._what} with a traced condition: {name} is a {type(start[name]).__name__}, which "
                    f"is no array, and changes in the loop",
                    "carry arrays and numbers, or choose what it is before the loop",
                )
        return {name: after[name] for name in carry}

    def _begin(self, carry: dict[str, Any]) -> dict[str, Any]:
        start = {name: found for name, found in self._before.items() if is_opaque(found)}
        start |= copies(self._before, carry, self._apart)
        self._state.put(start)
        return start

    def _require_structure(self, name: str, start: Any, found: Any) -> None:
        if is_missing(found) or is_opaque(found):
            kind = "no value" if is_missing(found) else f"a {type(found).__name__}"
            raise tracing_error(
                f"{self._what} with a traced condition: {name} is {shown_tree(flatten(start)[1])} before a "
                f"trip, and {kind} after it",
                f"give {name} an array or a number in every trip",
            )
        tree = flatten(start)[1]
        if flatten(found)[1] != tree:
            raise tracing_error(
                f"{self._what} with a traced condition: {shown_name(name)} is {shown_tree(tree)} before a "
                f"trip, and {shown_tree(flatten(found)[1])} after it",
                "start with the structure that stays; a list cannot grow in such a loop: write y[i] = x into "
                "an array",
            )

    def _result(self, name: str, last: dict[str, Any]) -> Any:
        before = self._before[name]
        if name not in last:
            if before is NOTHING or (is_opaque(before) and not is_missing(before)):
                return before
            return Unknown(
                name,
                f"it is assigned in the body of {self._what} alone, which may make no trip",
                f"assign {name} before the loop",
            )
        if name in self._types:
            return last[name]
        if name not in self._replaced and name not in self._written:
            return before
        return self._results.value(
            name, last[name], [(self._ends[name], self._originals), (before, Themselves())]
        )
