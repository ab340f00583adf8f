"""`while` and `for`: Python's iterations as long as what steers them is known, then a loop of the program.

    while_(test, body, state)          the first iterations in Python until the test is traced
    for_(xs, next, body, state, stop)  over a traced array, or a long range: a loop, if the body can be one

A loop whose number of iterations is known means the same whether it is written out or not, so it is written
out where its body cannot be traced once for all iterations: it appends to a list, or needs to know its index.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from mlirad.dialects.extents import is_static
from mlirad.errors import MliradError
from mlirad.frontend.constructs import loops
from mlirad.frontend.constructs.endings import ended_by_exceptions
from mlirad.frontend.control_flow.branches import if_
from mlirad.frontend.control_flow.carried import CarriedLoop
from mlirad.frontend.control_flow.endless import Patience, may_be_left
from mlirad.frontend.control_flow.expressions import and_, not_
from mlirad.frontend.control_flow.iterables import ChosenItems, Iterations, Once, TracedRange, iterations_of
from mlirad.frontend.control_flow.kept import KeptList, flagged, use_up
from mlirad.frontend.control_flow.reached import Reached
from mlirad.frontend.control_flow.state import State, is_missing, is_traced, truth_of
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.tracing.control import attempting
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.tokens import last_token, resume

WRITTEN_OUT: Final = 16
"""Loops of at most this number of iterations are written out."""

Counted: TypeAlias = TracedRange | ChosenItems

Thunk = Callable[[], Any]
Next = Callable[[Any], None]


def while_(test: Thunk, body: Thunk, state: State) -> None:
    """`while`: iterations in Python until the test is traced.

    A first iteration that is certain to be made is written out, too, where the loop cannot begin before it,
    as where it gives a variable another shape.
    """
    may_begin_later = True
    patience = Patience() if may_be_left(body) else None
    while True:
        if patience is not None:
            patience.wait()
        before = state.get()
        goes_on = test()
        if is_traced(goes_on):
            tested = state.get()
            state.put(before)
            state.require_rewritable("a `while` loop")
            if not may_begin_later or not truth_of(goes_on, "`while`"):
                _repeat(test, body, state)
                return
            if _attempted(functools.partial(_repeat, test, body, state), (test, body), state):
                return
            may_begin_later = False
            state.put(tested)
        elif not goes_on:
            return
        body()


def _repeat(test: Thunk, body: Thunk, state: State) -> None:
    """A loop of the program as long as the test holds."""
    loop = CarriedLoop(state, body, "`while`")
    loop.run(
        lambda init: ended_by_exceptions(
            loops.repeated,
            lambda carry: loop.enter(carry, test),
            loop.iteration,
            init,
            "`while`",
            of_variables=True,
        )
    )


def for_(iterable: Any, next_: Next, body: Thunk, state: State, stop: Thunk | None) -> None:
    """`for`: a loop of the program over traced arrays and long ranges, else iterations in Python."""
    if isinstance(iterable, MaskedElements) and iterable.dim == 0 and is_tracing():
        iterable = ChosenItems(iterable)
    elif isinstance(iterable, KeptList) and len(iterable.values) > WRITTEN_OUT and iterable.has_numbers():
        iterable = ChosenItems(iterable.chosen())
    if isinstance(iterable, Counted):
        state.require_rewritable("a `for` loop")
        _count(iterable, next_, body, state, stop)
        return
    iterations = iterations_of(iterable) if is_tracing() and not state.refuses else None
    if iterations is not None and not is_static(iterations.length):
        _loop_over(iterations, 0, next_, body, state, stop)
        return
    attempts = {0, 1} if iterations is not None and iterations.length > WRITTEN_OUT else set[int]()
    patience, is_left_early = Patience(iterable), may_be_left(body)
    pairs, left = flagged(iterable), False
    for k in itertools.count():
        left = False if stop is None else stop()
        if not is_traced(left) and left:
            return
        pair = next(pairs, None)
        if pair is None:
            break
        counts, item = pair
        if is_left_early or is_traced(left) or counts is not True:
            patience.wait()
        if iterations is not None and (k in attempts or is_traced(left)):
            parts = (next_, body) if stop is None else (next_, body, stop)
            if _attempted(
                functools.partial(_loop_over, iterations, k, next_, body, state, stop), parts, state
            ):
                if isinstance(iterable, Once):
                    iterable.use_up(wholly=stop is None)
                return
            if is_traced(left):
                iterations = None  # what cannot be a loop from here on is written out
        if is_traced(left) or counts is not True:
            is_made = and_(True, counts, lambda left=left: not_(left))
            if_(is_made, lambda item=item: _iteration(item, next_, body), _pass, state)
        else:
            _iteration(item, next_, body)
    if is_traced(left):
        use_up(iterable)


def _iteration(item: Any, next_: Next, body: Thunk) -> None:
    next_(item)
    body()


def _pass() -> None:
    """The other way of an iteration that is not made."""


def _attempted(loop: Callable[[], None], parts: tuple[Callable[..., Any], ...], state: State) -> bool:
    """Return whether a loop, of these parts, could be traced; all is as before if not."""
    reached = Reached(parts, state.cells)
    if reached.has_iterators:
        return False
    before, token = state.get(), last_token()
    try:
        with attempting():
            loop()
    except MliradError:
        reached.restore()
        state.put(before)
        resume(token)
        return False
    return True


def _loop_over(
    iterations: Iterations, first: int, next_: Next, body: Thunk, state: State, stop: Thunk | None
) -> None:
    """A loop over known iterations, from the first one on that is left."""
    before = state.get()
    next_(iterations.item(first))  # so that variables of the target that are read later have a type
    is_certain = first == 0 and is_static(
        iterations.length
    )  # else variables keep their values if no iteration is left
    after = state.get()
    if not is_certain:
        after |= {name: found for name, found in before.items() if not is_missing(found)}
    if all(after[name] is before[name] for name in state.live):
        after = before
    state.put(after)
    loop = CarriedLoop(state, body, "`for`", iterations.whole, can_carry=not is_static(iterations.length))

    def counted(init: dict[str, Any]) -> dict[str, Any]:
        def step(k: Any, carry: dict[str, Any], slices: list[Any]) -> tuple[dict[str, Any], tuple[()]]:
            number = k + first if first else k
            return loop.iteration(carry, lambda: next_(iterations.of_slices(number, slices))), ()

        arrays, length = iterations.arrays(first), iterations.length - first
        return loops.counted(step, init, arrays, length, False, None, "`for`", of_variables=True)[0]

    loop.run(counted if stop is None else lambda init: _stopping(iterations, first, loop, next_, stop, init))


def _count(items: Counted, next_: Next, body: Thunk, state: State, stop: Thunk | None) -> None:
    """A loop with a traced number of iterations."""
    loop = CarriedLoop(state, body, "`for`")

    def counting(init: dict[str, Any]) -> dict[str, Any]:
        low, high = items.bounds()

        def step(k: Any, carry: dict[str, Any]) -> dict[str, Any]:
            return loop.iteration(carry, lambda: next_(items.of_index(k)))

        return loops.counting(low, high, step, init, "`for`", of_variables=True)

    loop.run(counting if stop is None else lambda init: _stopping(items, 0, loop, next_, stop, init))


def _stopping(
    iterations: Iterations | Counted,
    first: int,
    loop: CarriedLoop,
    next_: Next,
    stop: Thunk,
    init: dict[str, Any],
) -> dict[str, Any]:
    """A loop over iterations from the first one on, which may be left before the last one."""
    length = iterations.length

    def goes_on(carry: tuple[Any, dict[str, Any]]) -> Any:
        left = loop.enter(carry[1], stop)
        return xp.logical_and(xp.less(carry[0], length), not_(left))

    def step(carry: tuple[Any, dict[str, Any]]) -> tuple[Any, dict[str, Any]]:
        k, rest = carry
        return k + 1, loop.iteration(rest, lambda: next_(iterations.item(k)))

    return loops.repeated(goes_on, step, (first, init), "`for`", of_variables=True)[1]
