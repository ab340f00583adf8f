"""A loop of the program in the place of Python's: what it carries of the variables of a statement.

    loop = CarriedLoop(state, body, "`while`")
    loop.run(make)   traces it: `make` gives `loop.iteration` to a construct, with the values
                                        that the loop begins with; the variables get what it ends with

An iteration begins with copies of what is carried, and must end with values of the same structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.errors import of_class
from mlirad.frontend.control_flow.aliases import (
    Shares,
    Sharing,
    copies,
    hold_bases,
    objects_in,
    require_steady,
    together,
)
from mlirad.frontend.control_flow.attributes import carry_found, carry_known, require_values
from mlirad.frontend.control_flow.branches import (
    Returned,
    is_complex,
    shown_name,
    shown_tree,
    types_of,
    zeros_of,
)
from mlirad.frontend.control_flow.choices import require_unwritten
from mlirad.frontend.control_flow.objects import held_objects
from mlirad.frontend.control_flow.originals import Found, Originals, Themselves
from mlirad.frontend.control_flow.outside import (
    passed_by,
    read_all,
    require_known,
    require_own,
    standing,
)
from mlirad.frontend.control_flow.reached import without_changes
from mlirad.frontend.control_flow.results import Results
from mlirad.frontend.control_flow.state import (
    NOTHING,
    State,
    Unknown,
    contents,
    is_missing,
    is_opaque,
    is_same,
    is_written,
)
from mlirad.frontend.control_flow.unions import Unions, Widened
from mlirad.frontend.tracing.array import Array, base_of
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.control import hand_copies
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.tokens import last_token, resume
from mlirad.frontend.tracing.values import ValueType

Thunk = Callable[[], Any]


class CarriedLoop:
    """A loop of the program: what it carries of the variables of a state."""

    def __init__(
        self, state: State, body: Thunk, what: str, over: tuple[Any, ...] = (), *, can_carry: bool = True
    ):
        """With `can_carry`, the loop carries the attributes that an iteration changes."""
        self._state, self._body, self._what, self._over = state, body, what, over
        self._can_carry = can_carry
        state.include(objects_in)
        carry_known(state)
        hold_bases(state)
        self._unions = Unions(state.code, current_frame().functions.options, state.attributes)
        self._complex: set[str] = set()
        """Numbers that are real before the loop, and complex after an iteration."""
        self._begin_with()

    def _begin_with(self) -> None:
        """Note what the variables and attributes are before the loop."""
        state = self._state
        self._given = state.get()
        self._before = self._encoded(0, self._given)
        self._before |= {name: as_complex(self._before[name]) for name in self._complex}
        self._sharing = Sharing(self._before)
        self._together = together(self._before)
        self._ends: dict[str, Any] = {}
        self._originals = Originals({}, {})
        self._results = Results(self._before, state.cells, state.attributes.values())
        self._apart: set[str] = set()
        self._shares = Shares(self._before)
        self._passed: set[int] = set()
        self._types: dict[str, tuple[Tree, list[ValueType]]] = {}
        self._replaced: set[str] = set()
        self._written: set[str] = set()
        live = [name for name in state.live if name in self._before]
        self._carried = [
            n for n in live if not is_missing(self._before[n]) and not is_opaque(self._before[n])
        ]

    def _encoded(self, k: int, values: dict[str, Any]) -> dict[str, Any]:
        """The variables before an iteration or after it: a `OneOf` where they may be other objects."""
        return values | self._unions.encoded(k, {name: values[name] for name in self._state.live})

    def run(self, make: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Trace the loop, which `make` makes of the values it begins with.

        Variables and attributes are as before, if it cannot be traced.
        """
        try:
            self._run(make)
        except BaseException:
            self._state.put(self._given)
            raise

    def _run(self, make: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        hand_copies()
        token = last_token()
        while True:
            init = {name: self._before[name] for name in self._carried}
            init |= {name: zeros_of(*types) for name, types in self._types.items()}
            try:
                last = make(init)
                break
            except Returned:
                resume(token)
            except Widened:
                self._state.put(self._given)
                self._begin_with()
                resume(token)
            except Found as found:
                if found.body is not self._originals:
                    raise
                self._state.put(self._given)
                carry_found(self._state, found)
                hold_bases(self._state)
                self._begin_with()
                resume(token)
        self._require_unwritten()
        results = {name: self._result(name, last) for name in self._state.live}
        require_values(self._state, results)
        self._results.forget([self._originals])
        require_unwritten(self._results.choices)
        self._shares.mark(results, self._replaced | self._written)
        self._state.put(results)

    def _require_unwritten(self) -> None:
        """Raise if the body writes an array that the loop goes over: later iterations would have to see
        it.
        """
        bases = [base_of(x) for x in self._over if isinstance(x, Array)]
        written = [self._before[name] for name in self._written]
        if any(base_of(x) is base for x in written if isinstance(x, Array) for base in bases):
            raise tracing_error(f"{self._what} writes the array that it goes over", "go over a copy of it")

    def enter(self, carry: dict[str, Any], then: Thunk) -> Any:
        """Return what the test of a loop gives for a carry."""
        originals = Originals(self._before, self._begin(carry), self._state.attributes.values())
        with standing(originals):
            goes_on = without_changes((then,), self._state.cells, self._what, originals)
        self._passed |= passed_by(originals)
        return goes_on

    def iteration(self, carry: dict[str, Any], first: Thunk | None = None) -> dict[str, Any]:
        """One iteration: the carry after it."""
        start = self._begin(carry)
        held = {name: contents(found) for name, found in start.items()}
        objects = {name: held_objects(start[name]) for name in self._together & carry.keys()}
        sharing = Sharing({name: start[name] for name in carry})
        attributes = self._state.attributes.values()
        self._originals = Originals(self._before, start, attributes, self._can_carry)
        parts = (self._body,) if first is None else (first, self._body)
        noted = len(current_frame().doubted)
        with standing(self._originals):
            without_changes(parts, self._state.cells, self._what, self._originals)
            after = self._encoded(1, self._state.get())
            self._unions.widen([n for n in self._state.live if n in self._before], self._before, after)
            read_all({name: after[name] for name in carry})
            require_own(noted, self._what)
        require_known(self._originals, self._passed | passed_by(self._originals), self._what)
        parted = {name for name, found in objects.items() if held_objects(after[name]) != found}
        if not parted <= self._apart:  # each iteration but the first starts with what the body gives them
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
                    f"{self._what} with a traced condition: {name} is {of_class(start[name])}, and only "
                    "arrays and numbers may change in the loop",
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
            kind = "no value" if is_missing(found) else of_class(found)
            raise tracing_error(
                f"{self._what} with a traced condition: {name} is {shown_tree(flatten(start)[1])} before an "
                f"iteration, and {kind} after it",
                f"give {name} an array or a number in every iteration",
            )
        tree = flatten(start)[1]
        if isinstance(start, Array) and not start.ndim and is_complex(flatten(found)[1]):
            self._complex.add(name)
            raise Widened
        if flatten(found)[1] != tree:
            raise tracing_error(
                f"{self._what} with a traced condition: {shown_name(name)} is {shown_tree(tree)} before an "
                f"iteration, and {shown_tree(flatten(found)[1])} after it",
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
                f"it is assigned in the body of {self._what} alone, which may make no iteration",
                f"assign {name} before the loop",
            )
        if name in self._types:
            return last[name]
        if name not in self._replaced and name not in self._written:
            return before
        return self._results.value(
            name, last[name], [(self._ends[name], self._originals), (before, Themselves())]
        )
