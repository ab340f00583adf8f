"""`if`: one of two bodies as in Python, or both as branches of an op.

if_(x > 0, ad_if, ad_else, state)        runs one of the two, or traces both into an `ad.cond`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from mlirad.frontend.constructs.alternatives import place_where
from mlirad.frontend.constructs.branches import either
from mlirad.frontend.constructs.carries import leaf_value
from mlirad.frontend.constructs.endings import Ends, Part, end_where, in_loop, traced_part
from mlirad.frontend.control_flow.aliases import Shares, copies, hold_bases, objects_in
from mlirad.frontend.control_flow.attributes import carry_found, carry_known, require_values
from mlirad.frontend.control_flow.choices import require_unwritten
from mlirad.frontend.control_flow.grown import Grown
from mlirad.frontend.control_flow.kept import KeptList
from mlirad.frontend.control_flow.originals import Found, Originals
from mlirad.frontend.control_flow.outside import read_all, require_known, standing
from mlirad.frontend.control_flow.raised import RaisingSide, also_raising, raise_later, raising_as
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
    settled,
    truth_of,
)
from mlirad.frontend.control_flow.unions import Unions, Widened
from mlirad.frontend.rewriting.jumps import SHOWN
from mlirad.frontend.tracing.captured_objects import is_program_class
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.control import hand_copies
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.tokens import last_token, resume
from mlirad.frontend.tracing.values import ValueType, type_of

Thunk = Callable[[], Any]


def if_(test: Any, then: Thunk, otherwise: Thunk, state: State) -> None:
    """One of two bodies; both, as branches of an op, where the test is traced."""
    test = settled(test)
    known = truth_of(test, "`if`")
    if known is not None:
        (then if known else otherwise)()
        return
    state.require_rewritable("an `if`")
    _Choice(test, (then, otherwise), state).make()


_FAILED = "ad_failed"
"""The name by which branches pass on whether they have met an exception."""


class Returned(Exception):
    """The branches are to be traced again: what a function returns is of other types, or a variable."""


class _Choice:
    """An `if` on a traced condition."""

    def __init__(self, test: Any, sides: tuple[Thunk, Thunk], state: State):
        self._test, self._sides, self._state = test, sides, state
        state.include(objects_in)
        carry_known(state)
        hold_bases(state)
        self._before = state.get()
        self._shares = Shares(self._before)
        self._after: list[dict[str, Any]] = [{}, {}]
        self._originals = [Originals({}, {}), Originals({}, {})]
        self._results = Results(self._before, state.cells, state.attributes.values())
        self._types: dict[str, tuple[Tree, list[ValueType]]] = {}
        self._sent: tuple[str, ...] = ()
        self._traced_sides: list[int] = []
        self._written: set[str] = set()
        self._replaced: set[str] = set()
        self._parts = (Part(), Part())
        self._unions = Unions(state.code, current_frame().functions.options, state.attributes)
        self._complex: set[str] = set()
        """Variables that one branch leaves complex and the other one real."""
        self._ends = False
        """True if an exception in a branch ends a loop around the `if`."""
        self._grown = Grown(state.code)
        self._live: tuple[str, ...] = state.live
        """The live variables, with those that stand for lists in the place of these."""
        self._guessed: set[str] = set()
        """Elements of lists whose types are those of an earlier iteration."""

    def make(self) -> None:
        """Trace it. Variables and attributes are as before, if it cannot be traced."""
        try:
            self._make()
        except BaseException:
            self._state.put(self._before)
            raise

    def _make(self) -> None:
        hand_copies()
        token = last_token()
        try:
            while True:
                try:
                    chosen = self._traced()
                    break
                except (Returned, Widened):
                    pass
                except Ends as ends:
                    if ends.part not in self._parts:
                        raise
                    self._ends = True
                except Found as found:
                    if found.body not in self._originals:
                        raise
                    self._state.put(self._before)
                    carry_found(self._state, found)
                    hold_bases(self._state)
                    self._before = self._state.get()
                    self._results = Results(self._before, self._state.cells, self._state.attributes.values())
                resume(token)
                self._traced_sides.clear()
                self._shares = Shares(self._before)
        except RaisingSide as raising:
            resume(token)
            self._state.put(self._before)
            raise_later(self._test, raising)
            with also_raising(raising.error):
                self._sides[1 - raising.side]()
            return
        failed = chosen.pop(_FAILED, None)
        if failed is not None:
            end_where(failed)
        lists = self._grown.before(self._before)
        results = {name: self._result(name, chosen) for name in self._live}
        self._shares.mark(results, self._replaced | self._written)
        self._grown.gather(self._test, lists, results, self._originals, self._results)
        self._grown.keep_types(self._types)
        results = {name: results[name] for name in self._state.live}
        require_values(self._state, results)
        self._results.forget(self._originals)
        require_unwritten(self._results.choices)
        self._state.put(results)

    def _traced(self) -> dict[str, Any]:
        return either(self._test, lambda: self._part(0), lambda: self._part(1), "`if`", of_variables=True)

    def _part(self, k: int) -> dict[str, Any]:
        """One branch and, where that ends a loop, whether it meets an exception."""
        if not in_loop():
            return self._side(k)
        part = self._parts[k]
        failed = as_array(np.bool_(False)) if self._ends else None
        sent = traced_part(part, failed, lambda: self._side(k))
        return sent | {_FAILED: part.failed} if self._ends else sent

    def _side(self, k: int) -> dict[str, Any]:
        state = self._state
        if state.attributes:
            state.put(self._before)  # objects hold what the other branch has given them
        start = copies(self._before, self._before)
        for name, found in self._before.items():
            place = place_where(found, self._test, holds=k == 0)
            if place is not None:
                start[name] = dict(start[name].answers())[place]
        held = {name: contents(found) for name, found in start.items()}
        self._grown.begin(k, start, state.live)
        attributes = state.attributes.values()
        self._originals[k] = Originals(self._before, start, attributes, can_carry=True)
        state.put(start)
        with standing(self._originals[k]):
            with raising_as(k):
                without_changes((self._sides[k],), state.cells, "an `if`", self._originals[k])
            after = state.get()
            # The first side, or one that is traced again.
            is_first = len(self._traced_sides) != 1 or k in self._traced_sides
            after |= self._spread(k, after, is_first=is_first)
            encoded = self._unions.encoded(k, {name: after[name] for name in self._live})
            after = self._after[k] = after | encoded
            given = {name: after[name] for name in self._live}
            read_all(given)
        require_known(self._originals[k], frozenset(), "an `if`")
        self._shares.note(given, self._originals[k])
        for name in self._live:
            if name not in start or after[name] is not start[name]:
                self._replaced.add(name)
            elif is_written(held[name], after[name]):
                self._written.add(name)
        if is_first:
            self._traced_sides = [k]
            return self._first(after)
        self._traced_sides.append(k)
        return self._second(after, self._after[1 - k])

    def _spread(self, k: int, after: dict[str, Any], *, is_first: bool) -> dict[str, Any]:
        """The variables that stand for lists whose length the branches change."""
        state = self._state
        if self._grown.notes(k, after, state.live) and not is_first:
            raise Returned
        made = self._grown.spread(k, after, self._originals[k], is_first=is_first)
        if made is None:
            raise Returned
        self._live = tuple(name for name in (*state.live, *made) if name not in self._grown)
        if is_first:
            guessed = self._grown.guessed([name for name in made if name not in self._types])
            self._types |= guessed
            self._guessed |= guessed.keys()
        return made

    def _first(self, after: dict[str, Any]) -> dict[str, Any]:
        """Return what the first branch gives: all that is a value of the program."""
        sent: dict[str, Any] = {}
        for name in self._live:
            found = after[name]
            if found is NOTHING and name in self._types:
                sent[name] = zeros_of(*self._types[name])
            elif not is_missing(found) and not is_opaque(found):
                if name in self._complex:
                    found = after[name] = as_complex(found)
                sent[name] = found
                self._types[name] = types_of(found)
        self._sent = tuple(sent)
        return sent

    def _second(self, after: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
        """Return what the other branch gives for the same variables."""
        sent: dict[str, Any] = {}
        self._unions.widen(self._live, self._after[1 - self._traced_sides[-1]], after)
        for name in self._live:
            found = after[name]
            if name in self._sent:
                if name in self._guessed and not is_missing(found) and not is_opaque(found):
                    self._require_guessed(name, found)
                if is_missing(found) or is_opaque(found):
                    sent[name] = zeros_of(*self._types[name])
                else:
                    if name in self._complex:
                        found = after[name] = as_complex(found)
                    elif is_complex(self._types[name][0]) is not is_complex(flatten(found)[1]):
                        self._note_complex(name, found)
                    self._require_structure(name, self._types[name][0], found)
                    sent[name] = found
            elif before[name] is NOTHING and not is_missing(found) and not is_opaque(found):
                self._types[name] = types_of(found)
                raise Returned
        return sent

    def _require_guessed(self, name: str, found: Any) -> None:
        """Have the branches traced again if an element is not what it was in an earlier iteration."""
        types = types_of(found)
        if types != self._types[name]:
            self._types[name] = types
            self._guessed.discard(name)
            raise Returned

    def _require_structure(self, name: str, tree: Tree, found: Any) -> None:
        """Require one structure of a variable after both branches, but for the length of a list."""
        other = flatten(found)[1]
        kinds = {tree.kind, other.kind}
        if (
            other != tree
            and kinds <= {list, KeptList}
            and (KeptList in kinds or len(tree.children) != len(other.children))
        ):
            self._grown.note((name,), shown_name(name))
            raise Returned
        _require_structure(name, tree, found)

    def _note_complex(self, name: str, found: Any) -> None:
        """Have a variable be complex at both ends, if it is so at one and real at the other."""
        trees = (self._types[name][0], flatten(found)[1])
        if all(tree.kind is None or is_complex(tree) for tree in trees):
            self._complex.add(name)
            del self._types[name]
            raise Returned

    def _result(self, name: str, chosen: dict[str, Any]) -> Any:
        """The value of a variable after the `if`."""
        before = self._before.get(name, NOTHING)
        if name not in self._replaced and name not in self._written:
            return before
        if not all(self._after):  # a recursion whose result is unknown yet: this attempt is given up
            return chosen[name] if name in chosen else next(filter(None, self._after))[name]
        one, other = (after[name] for after in self._after)
        if is_same(one, other):
            return one
        if self._unions.is_one(name):
            return self._unions.found(name)
        if one is NOTHING or other is NOTHING:
            rest = other if one is NOTHING else one
            if name in chosen or not is_missing(rest):
                found = chosen.get(name, rest)
                self._results.note_chosen(
                    name, name, found, [(rest, self._originals[0 if rest is one else 1])]
                )
                return found
        if is_missing(one) or is_missing(other):
            return _missing(name, one if is_missing(one) else other, "an `if`")
        if name not in chosen or is_opaque(one) or is_opaque(other):
            return Unknown(
                name,
                "the branches of an `if` with a traced condition give it different values, which are neither "
                "arrays nor numbers",
                _way_out(one, other),
            )
        ends = [(after[name], found) for after, found in zip(self._after, self._originals, strict=True)]
        return self._results.value(name, chosen[name], ends)


def _way_out(one: Any, other: Any) -> str:
    """The hint for two objects that branches cannot merge."""
    kind = cast("type[Any]", type(one))
    if kind is not type(other) or not is_program_class(kind):
        return "let both branches compute arrays or numbers"
    return (
        f"make {kind.__name__} a dataclass, or say by ad.register which fields it has: then both branches "
        "may make objects"
    )


def _missing(name: str, found: Any, what: str) -> Unknown:
    if isinstance(found, Unknown):
        return found
    return Unknown(
        name,
        f"only one way through {what} with a traced condition assigns it",
        f"assign {name} before it, or in both branches",
    )


def types_of(found: Any) -> tuple[Tree, list[ValueType]]:
    """The structure of a value, and the types of its leaves."""
    leaves, tree = flatten(found)
    return tree, [type_of(leaf_value(leaf, "", "")) for leaf in leaves]


def is_complex(tree: Tree) -> bool:
    """Tell if a value of this structure is one complex number or array."""
    return tree.kind is complex


def zeros_of(tree: Tree, types: Sequence[ValueType]) -> Any:
    """A value of these types, for a way through the program on which it is not used."""
    b = emitting()
    made: list[Any] = []
    for found in types:
        if not isinstance(found, LeafType):
            raise tracing_error(
                "a function or sum is returned on one way through a traced condition, before the end",
                "return it at the end of the function",
            )
        made.append(found.made(b.zeros(found.type)))
    return tree.unflatten(made)


def shown_name(name: str) -> str:
    """A variable as errors call it."""
    return SHOWN.get(name, name)


def shown_tree(tree: Tree) -> str:
    """The structure of a variable as errors tell it."""
    return "an array" if tree.kind is None else str(tree)


def _require_structure(name: str, tree: Tree, found: Any) -> None:
    other = flatten(found)[1]
    if other != tree:
        raise tracing_error(
            f"`if` with a traced condition: {shown_name(name)} is {shown_tree(tree)} after one branch, and "
            f"{shown_tree(other)} after the other",
            "give it the same tuples, keys and fields in both branches",
        )
