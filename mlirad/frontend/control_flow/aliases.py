"""Variables that hold one array, or parts of it: a write by one name shows by the other, as in Python.

    w = v[1:]                       In the branch v and w are copies, and w is still a part of v:
    if x > 0:                       `copies` makes them so, and both are given back.
        w[0] = x
    u = v if x > 0 else -v          u may be v or not: `mark` makes it an error to read either of them once
                                    the other one has been written

A loop of the program carries values, so which variables hold one array must not change from iteration to
iteration where one of them is written; that is an error, too.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import Any, TypeAlias, cast

from mlirad.frontend.control_flow.choices import require_unwritten
from mlirad.frontend.control_flow.objects import Path, containers_in, is_mutable, linked, opened, part_at
from mlirad.frontend.control_flow.originals import Originals
from mlirad.frontend.control_flow.state import State, given_leaf, is_missing, is_opaque, is_same
from mlirad.frontend.indexing.views import view
from mlirad.frontend.rewriting.jumps import VALUE
from mlirad.frontend.tracing.array import Array, base_of, copied, current_twins, view_of
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.pytree import SCALAR_CLASSES, flatten
from mlirad.frontend.tracing.raising import tracing_error

Place: TypeAlias = tuple[str, int]
"""A leaf of the value of a variable."""

COPY = "make it an array of its own where it is assigned: y = x.copy()"


def arrays_in(values: Mapping[str, Any]) -> Iterator[tuple[Place, Array]]:
    """The traced arrays in variables, without scalars, which no write changes."""
    for name, found in values.items():
        if not is_missing(found) and not is_opaque(found):
            for k, leaf in enumerate(flatten(found)[0]):
                if type(leaf) not in SCALAR_CLASSES and isinstance(leaf, Array) and leaf.ndim:
                    yield (name, k), leaf


def objects_in(values: Mapping[str, Any]) -> frozenset[int]:
    """The arrays whose elements variables hold, and the lists and dictionaries in them, by identity."""
    arrays = {id(base_of(x)) for _, x in arrays_in(values)}
    return frozenset(arrays | {id(found) for _, found in containers_in(values)})


def hold_bases(state: State) -> None:
    """Have a statement change the arrays that several of its variables hold parts of, and none holds."""
    values = state.get()
    found = [x for _, x in arrays_in(values)]
    known = {id(x) for x in found}
    names: dict[int, list[str]] = {}
    bases = {id(base_of(x)): base_of(x) for x in found}
    for (name, _), x in arrays_in(values):
        names.setdefault(id(base_of(x)), []).append(name)
    held = {
        f"the array of {' and '.join(dict.fromkeys(names[key]))}": base
        for key, base in bases.items()
        if key not in known and len({id(x) for x in found if base_of(x) is base}) > 1
    }
    if held:
        state.hold(held)


def copies(
    before: Mapping[str, Any], values: Mapping[str, Any], apart: Set[str] = frozenset()
) -> dict[str, Any]:
    """The values as the body of a branch or loop gets them: copies with all arrays traced.

    Copies of what held one array or container `before` do so, too, except for those of the variables `apart`.
    """
    together = {name: found for name, found in before.items() if name not in apart}
    copying = _Copying(together, values)
    made: dict[str, Any] = {}
    for name, found in values.items():
        if is_missing(found) or is_opaque(found):
            made[name] = found
        else:
            leaves, tree = flatten(found)
            made[name] = tree.unflatten([copying.leaf((name, k), leaf) for k, leaf in enumerate(leaves)])
    copying.pair()
    return linked(together, made)


class _Copying:
    def __init__(self, before: Mapping[str, Any], values: Mapping[str, Any]):
        self._originals = {place: x for place, x in arrays_in(before) if place[0] in values}
        self._values = dict(arrays_in(values))
        self._uses = Counter(id(base_of(x)) for x in self._originals.values())
        self._made: dict[int, Array] = {}
        self._copies: list[tuple[Array, Array]] = []

    def leaf(self, place: Place, leaf: Any) -> Any:
        original = self._originals.get(place)
        if original is None:
            return given_leaf(leaf)
        made = copied(leaf) if self._uses[id(base_of(original))] == 1 else self._shared(original)
        self._copies.append((base_of(original), base_of(made)))
        return made

    def pair(self) -> None:
        """Let copies be twins where the originals are: of one another, or of what has no copy here."""
        copies: dict[int, list[Array]] = {}
        for base, copy in self._copies:
            copies.setdefault(id(base), []).append(copy)
        for base, copy in self._copies:
            twins = (other for twin in current_twins(base) for other in copies.get(id(twin), (twin,)))
            copy._twins = tuple((twin, twin._version) for twin in twins)

    def _shared(self, original: Array) -> Array:
        """The copy of an array that several variables hold, or hold parts of."""
        known = self._made.get(id(original))
        if known is not None:
            return known
        how = view_of(original)
        places = [place for place, x in self._originals.items() if x is original]
        parts = [x for x in self._originals.values() if base_of(x) is base_of(original)]
        if how is None or all(x is original for x in parts):
            if not places:
                raise tracing_error(
                    "several variables that change under a traced condition hold parts of one array",
                    COPY,
                )
            made = copied(self._values[places[0]])
        else:
            parent, base = self._shared(how.parent), self._shared(how.base)
            moved = dataclasses.replace(how, parent=parent, base=base)
            made = view(parent, moved, moved.current())
        self._made[id(original)] = made
        return made


# After a branch or a loop ------------------------------------------------------------------------


class Shares:
    """The variables that hold one array at the end of a body, or one from outside of it.

    The arrays in variables `before` are noted at once, as lists of these get the results of the bodies.
    """

    def __init__(self, before: Mapping[str, Any]) -> None:
        self._before = list(arrays_in(before))
        self._groups: list[list[Place]] = []
        self._outside: list[tuple[Place, Array]] = []
        self._containers: list[list[Path]] = []
        """The paths in variables that lead to one list or dictionary."""

    def note(self, after: Mapping[str, Any], originals: Originals) -> None:
        """The end of a body, while that is being traced, in which objects stand for original ones."""
        groups: dict[int, list[Place]] = {}
        for place, x in arrays_in(after):
            for base in _representatives(base_of(x)):
                if base._owner is current_frame().scope:
                    groups.setdefault(id(base), []).append(place)
                else:
                    self._outside.append((place, base))
                copy = originals.of(base)
                if copy is not None and isinstance(copy.original, Array):
                    self._outside.append((place, base_of(copy.original)))
        self._groups += [group for group in groups.values() if len(group) > 1]
        paths: dict[int, list[Path]] = {}
        for path, found in containers_in(after):
            paths.setdefault(id(found), []).append(path)
        self._containers += [group for group in paths.values() if len(group) > 1]

    def mark(self, results: Mapping[str, Any], changed: set[str]) -> None:
        """Mark the results that may be one array: those of the variables that some body replaced or wrote."""
        made = dict(arrays_in(results))
        for group in self._groups:
            for one, other in combinations(group, 2):
                is_new = not changed.isdisjoint((one[0], other[0]))
                if is_new and one in made and other in made:
                    _pair(made[one], base_of(made[other]))
        for place, base in self._outside:
            if place in made and place[0] in changed:
                _pair(made[place], base)
        bases = {id(base_of(x)) for _, x in self._before}
        for place, x in self._before:
            if place in made and place[0] in changed and id(base_of(made[place])) not in bases:
                _pair(made[place], base_of(x))  # which it is still on ways that do not replace it
        for paths in self._containers:
            found = [part_at(results, path) for path in paths if path[0] in results]
            objects = {id(x): x for x in found if is_mutable(x)}
            if len(objects) > 1:
                require_unwritten([(str(paths[0][0]), objects.values())])


def outside_in(value: Any) -> list[Array | None]:
    """For each leaf of what a branch gives, the array that it is, or is a part of, if that is not its own."""
    leaves = (leaf if isinstance(leaf, Array) and leaf.ndim else None for leaf in flatten(value)[0])
    bases = (None if leaf is None else base_of(leaf) for leaf in leaves)
    scope = current_frame().scope
    return [None if base is None or base._owner is scope else base for base in bases]


def mark_outside(result: Any, found: Sequence[Sequence[Array | None]]) -> None:
    """Mark the leaves of a result that may be these arrays."""
    for bases in found:
        for leaf, base in zip(flatten(result)[0], bases, strict=False):
            if base is not None and isinstance(leaf, Array):
                _pair(leaf, base)


def _pair(x: Array, base: Array) -> None:
    """Have an array and another one, or what that may be, be errors to read once either has been written."""
    own = base_of(x)
    if own is base:
        return
    known = {id(twin) for twin in current_twins(own)}
    for twin in (base, *current_twins(base)):
        if twin is not own and id(twin) not in known:
            own._twins = (*own._twins, (twin, twin._version))
            twin._twins = (*twin._twins, (own, own._version))


def _representatives(x: Array) -> list[Array]:
    """An array and some of its possible aliases, such that all others are twins of these."""
    found, covered = [x], {id(x)}
    for twin in current_twins(x):
        if id(twin) not in covered:
            found.append(twin)
            covered.update((id(twin), *map(id, current_twins(twin))))
    return found


# From iteration to iteration -------------------------------------------------------------------------------


def together(values: Mapping[str, Any]) -> set[str]:
    """The variables that hold an array or container which is held once more, by themselves or others."""
    groups: dict[int, list[str]] = {}
    for (name, _), x in arrays_in(values):
        groups.setdefault(id(base_of(x)), []).append(name)
    for path, found in containers_in(values):
        groups.setdefault(id(found), []).append(str(path[0]))
    return {name for group in groups.values() if len(group) > 1 for name in group}


class Sharing:
    """The places in variables that hold one array or container, at some point of the program."""

    def __init__(self, values: Mapping[str, Any]):
        self.arrays = dict(arrays_in(values))
        self._containers = dict(containers_in(values))
        taken = {path: opened(found) for path, found in self._containers.items()}
        self._parts = {path: list(found.parts) for path, found in taken.items() if found is not None}
        self.groups: dict[Place | Path, object] = {place: base_of(x) for place, x in self.arrays.items()}
        self.groups |= self._containers
        self._twins = {place: current_twins(base_of(x)) for place, x in self.arrays.items()}

    def outside(self, place: Place | Path) -> set[int]:
        """The arrays from outside of the body that one in it is or may be, by identity."""
        found = self.groups[place]
        own = [found] if isinstance(found, Array) else []
        scope = current_frame().scope
        arrays = (*own, *self._twins.get(cast(Place, place), ()))
        return {id(x) for x in arrays if x._owner.is_open and x._owner is not scope}

    def relation(self, one: Place | Path, other: Place | Path) -> str:
        """Return whether two places hold one array or container, or may do so."""
        if self.groups[one] is self.groups[other]:
            return "one"
        pairs = ((one, other), (other, one))
        twins = any(self.groups[b] is x for a, b in pairs for x in self._twins.get(cast(Place, a), ()))
        return "twins" if twins else "two"

    def written(self, later: Sharing) -> set[Place | Path]:
        """The places whose arrays or containers have been written since."""
        found: set[Place | Path] = {place for place, x in self.arrays.items() if base_of(x)._version}
        for path, parts in self._parts.items():
            now = opened(self._containers[path])
            if now is None or len(now.parts) != len(parts) or not all(map(is_same, parts, now.parts)):
                found.add(path)
        return found & later.groups.keys()


def require_steady(before: Sharing, start: Sharing, after: Mapping[str, Any], what: str) -> None:
    """Raise if other variables hold one array after an iteration than at its start, or than before the loop,
    and one of them is written. So it is with lists and dictionaries.

    Returned values are left out: no iteration follows the one that returns.
    """
    last = Sharing({name: found for name, found in after.items() if name != VALUE})
    written = start.written(last)
    for place in written:
        if not last.outside(place) <= start.outside(place):
            raise _unsteady(str(place[0]), str(place[0]), what)
    places = start.groups.keys() & last.groups.keys()
    for one in written:
        for other in places - {one}:
            points = (start, last, before) if {one, other} <= before.groups.keys() else (start, last)
            if len({point.relation(one, other) for point in points}) > 1:
                names = sorted((str(one[0]), str(other[0])))
                raise _unsteady(names[0], names[1], what)


def _unsteady(one: str, other: str, what: str) -> Exception:
    names = one if one == other else f"{one} and {other}"
    return tracing_error(
        f"{what} with a traced condition writes {names}, which is one object with another variable in some "
        f"iterations and not in others",
        COPY,
    )
