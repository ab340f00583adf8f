"""Lists to which the branches of an `if` add elements, or from which they take some.

out = []                 One branch ends with one more element than the other. `Grown` takes the elements of
for v in x:              each branch apart: those at the front and at the end which are the ones before the
    if v > 0:            `if`, and those between, which become variables of the `if` with a flag each. A
        out.append(v)    branch that has fewer leaves the last ones without a value, and their flags say so.

So an `if` takes as many steps as its branches add elements, however long the list is. Behind it a list whose
number of elements is known is the list that it was; any other one becomes a `KeptList`, which no other name
must hold. Lists in dictionaries and objects are taken out of these, and put into them behind the `if`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from types import CodeType
from typing import Any, TypeAlias, cast

from mlirad.frontend.constructs.loops import flag_of
from mlirad.frontend.control_flow.aliases import arrays_in
from mlirad.frontend.control_flow.kept import KeptList
from mlirad.frontend.control_flow.objects import Path, containers_in, opened, part_at, replace_part
from mlirad.frontend.control_flow.originals import Originals
from mlirad.frontend.control_flow.results import Results
from mlirad.frontend.control_flow.state import NOTHING
from mlirad.frontend.rewriting.jumps import SHOWN
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.containers import container_of
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.values import ValueType
from mlirad.lazy_dataclass import dataclass

Types: TypeAlias = tuple[Tree, list[ValueType]]

Parts: TypeAlias = tuple[list[Any], list[Any]]
"""The elements of a list, and for each whether it counts."""

MOST_ADDED = 200
"""The number of elements of a list that branches may make different ones."""


@dataclass
class Plan:
    """Facts about a list, from earlier attempts and iterations, when the branches are traced."""

    shown: str
    changed: int = 0
    """The number of elements before the `if`, from the last one on, that branches change."""
    last: int | None = None
    """The number of elements at the end that stay, if it is known."""
    added: int = 0
    """The number of elements between those that stay."""
    types: dict[str, Types] = field(default_factory=dict[str, Types])

    def label(self, j: int) -> str:
        """The name of the variable for an element, as errors show it."""
        return f"element {j} that the branches put into {self.shown}"

    def labels(self) -> list[str]:
        """The names of the variables for all elements."""
        return [self.label(j) for j in range(self.added)]


@dataclass
class _End:
    """A list at the end of a branch: of its elements, `first` at the front stay, and `last` at the end."""

    found: Any
    values: list[Any]
    first: int
    last: int
    is_in_place: bool
    flags: list[bool | str | None] = field(default_factory=list["bool | str | None"])
    """For each element: whether it counts as before the `if`, `None`, or always, or by which flag."""

    @property
    def added(self) -> int:
        return len(self.values) - self.first - self.last


def is_list(found: object) -> bool:
    """Tell whether a value is a list, also one whose elements are decided by traced conditions."""
    return type(found) in (list, KeptList)


def _parts(found: Any) -> Parts:
    """The elements of a list; none of anything else."""
    if type(found) is KeptList:
        return [*found.values], [*found.flags]
    values: list[Any] = [*found] if type(found) is list else []
    return values, [True] * len(values)


_NO_PARTS: Parts = ([], [])


class Grown:
    """The lists of one `if`, by where they are in variables."""

    def __init__(self, code: CodeType):
        self._code = code
        self._known = cast("dict[tuple[CodeType, Path], Plan]", current_frame().functions.grown)
        self._plans: dict[Path, Plan] = {}
        self._flag_count = 0
        """The number of traced flags that the second branch gives."""
        self._start: list[dict[Path, Parts]] = [{}, {}]
        self._own: list[dict[Path, Any]] = [{}, {}]
        self._ends: list[dict[Path, _End]] = [{}, {}]
        self._flags: list[dict[int, tuple[str, Any]]] = [{}, {}]
        """The traced flags that each branch gives, by the identity of their values, with their names."""

    def __contains__(self, name: str) -> bool:
        return (name,) in self._plans

    def begin(self, k: int, start: Mapping[str, Any], live: Sequence[str]) -> None:
        """Note the lists at the beginning of branch `k`, and those that grew in earlier iterations."""
        found = {path: x for path, x in containers_in(start) if is_list(x)}
        self._own[k], self._start[k] = found, {path: _parts(x) for path, x in found.items()}
        for path in found:
            known = self._known.get((self._code, path))
            if known is not None and path[0] in live and not self._has_around(path):
                self.note(path, known.shown)

    def note(self, path: Path, shown: str) -> None:
        """Have a list be one whose elements are taken apart. The branches are to be traced again."""
        if path not in self._plans:
            self._plans[path] = self._known.get((self._code, path)) or Plan(shown)
            self._flag_count = max(self._flag_count, self._hint.added)

    @property
    def _hint(self) -> Plan:
        return self._known.setdefault((self._code, ()), Plan(""))

    def notes(self, k: int, after: Mapping[str, Any], live: Sequence[str]) -> bool:
        """Note the lists whose length branch `k` changes; tell whether there are new ones."""
        known = len(self._plans)
        for path, own in self._own[k].items():
            if path[0] in live and not self._has_around(path):
                found = part_at(after, path)
                if is_list(found) and (
                    type(found) is not type(own) or len(_parts(found)[0]) != len(self._start[k][path][0])
                ):
                    self.note(path, _shown(after, path))
        return len(self._plans) > known

    def _has_around(self, path: Path) -> bool:
        """Tell whether a list, or one that holds it, is known to be one whose elements are taken apart."""
        return any(path[:n] in self._plans for n in range(1, len(path) + 1))

    def spread(
        self, k: int, after: dict[str, Any], originals: Originals, *, is_first: bool
    ) -> dict[str, Any] | None:
        """The variables that stand for the lists at the end of branch `k`, from which they are taken out.

        `None` if the first branch has to be traced again, with more of them.
        """
        written = {id(copy.copy) for copy in originals.written()}
        made: dict[str, Any] = {}
        self._ends[k], self._flags[k] = {}, {}
        fits = True
        for path, plan in self._plans.items():
            found = part_at(made if path[0] in made else after, path)
            if found is NOTHING:
                found = list[Any]()
            if not is_list(found):
                raise tracing_error(
                    f"`if` with a traced condition: {plan.shown} is a list after one branch only",
                    "let both branches give it a list",
                )
            end = self._end(k, path, found, written)
            if not is_first:
                other = self._ends[1 - k][path]
                fits = fits and end.first >= other.first and end.last >= other.last
                end.first, end.last = min(end.first, other.first), min(end.last, other.last)
            before = len(self._start[k].get(path, _NO_PARTS)[0])
            plan.changed = max(plan.changed, before - end.first - end.last)
            plan.last = end.last if plan.last is None else min(plan.last, end.last)
            fits = fits and (is_first or end.added <= plan.added)
            plan.added = max(plan.added, end.added)
            if plan.added > MOST_ADDED:
                raise tracing_error(
                    f"`if` with a traced condition: its branches leave more than {MOST_ADDED} different "
                    f"elements in {plan.shown}",
                    "choose between elements, np.where(condition, a, b), or write into an array",
                )
            self._ends[k][path] = end
            new = end.values[end.first :]
            made |= {label: new[j] if j < end.added else NOTHING for j, label in enumerate(plan.labels())}
            self._note_flags(k, path, end)
            self._take_out(k, path, after)
        count = len(self._flags[k])
        if not is_first and count > self._flag_count:
            self._flag_count, fits = count, False
            self._hint.added = max(self._hint.added, count)
        return made | self._flags_of(k, is_first=is_first) if fits else None

    def _end(self, k: int, path: Path, found: Any, written: set[int]) -> _End:
        values = _parts(found)[0]
        old, plan = self._start[k].get(path, _NO_PARTS)[0], self._plans[path]
        limit = min(len(old), len(values))
        first = last = 0
        most = min(limit, len(old) - plan.changed - (plan.last or 0))
        while first < most and _stays(old[first], values[first], written):
            first += 1
        most = limit - first if plan.last is None else min(plan.last, limit - first)
        while last < most and _stays(old[-1 - last], values[-1 - last], written):
            last += 1
        own = self._own[k].get(path)
        is_in_place = found is own or (type(found) is KeptList and own is not None and found.was is own)
        return _End(found, values, first, last, is_in_place)

    def _take_out(self, k: int, path: Path, after: dict[str, Any]) -> None:
        """Have a list of one element in the place of one in a dictionary or an object.

        The variable holds that as ever: of an object without values it would not.
        """
        if len(path) > 1:
            own = self._own[k][path]
            own.clear()
            own.append(0.0)
            if not replace_part(after, path, own):
                raise tracing_error(
                    f"`if` with a traced condition changes the length of {self._plans[path].shown}, which "
                    "is in a tuple",
                    "let a variable hold the list, or a dictionary",
                )

    # Flags -----------------------------------------------------------------------------------------

    def _note_flags(self, k: int, path: Path, end: _End) -> None:
        flags, old = _parts(end.found)[1], self._start[k].get(path, _NO_PARTS)[1]
        for place, flag in enumerate(flags):
            was = _old_place(place, len(flags), len(old), end)
            if was is not None and _is_one(old[was], flag):
                end.flags.append(None)
            elif isinstance(flag, Array):
                label = f"flag {len(self._flags[k])} of branch {k}"
                end.flags.append(self._flags[k].setdefault(id(flag.value), (label, flag))[0])
            else:
                end.flags.append(flag)

    def _flags_of(self, k: int, *, is_first: bool) -> dict[str, Any]:
        """The variables of flags: those of branch `k`, and for those of the other one False."""
        own = dict(self._flags[k].values())
        if is_first:
            others = [f"flag {j} of branch {1 - k}" for j in range(self._flag_count)]
        else:
            own |= {f"flag {j} of branch {k}": as_array(False) for j in range(len(own), self._flag_count)}
            others = [label for label, _ in self._flags[1 - k].values()]
        return own | {label: as_array(False) for label in others}

    # Results ---------------------------------------------------------------------------------------

    def guessed(self, names: Sequence[str]) -> dict[str, Types]:
        """The types that elements had in earlier iterations."""
        known = {label: types for plan in self._plans.values() for label, types in plan.types.items()}
        return {name: known[name] for name in names if name in known}

    def keep_types(self, types: Mapping[str, Types]) -> None:
        """Note the types of elements for later iterations."""
        for path, plan in self._plans.items():
            plan.types |= {label: types[label] for label in plan.labels() if label in types}
            self._known[self._code, path] = plan

    def before(self, values: Mapping[str, Any]) -> dict[Path, tuple[Any, Parts]]:
        """The lists before the `if`, and their elements."""
        found = {path: part_at(values, path) for path in self._plans}
        return {path: (x, _parts(x)) for path, x in found.items()}

    def gather(
        self,
        test: Any,
        before: Mapping[Path, tuple[Any, Parts]],
        found: dict[str, Any],
        originals: Sequence[Originals],
        results: Results,
    ) -> None:
        """Put the lists behind the `if` into variables, of what stands for them in `found`."""
        for path in [*self._plans][::-1]:  # elements that are such lists come last, and are needed
            made = self._gathered(test, path, before[path], found, originals, results)
            if len(path) == 1:
                found[path[0]] = made
            elif part_at(found, path) is not made:
                replace_part(found, path, made)

    def _gathered(
        self,
        test: Any,
        path: Path,
        before: tuple[Any, Parts],
        found: Mapping[str, Any],
        originals: Sequence[Originals],
        results: Results,
    ) -> Any:
        original, (own_values, own_flags) = before
        plan, ends = self._plans[path], [end[path] for end in self._ends]
        first, last, added = ends[0].first, ends[0].last, max(end.added for end in ends)
        new = [found[label] for label in plan.labels()[:added]]
        values = [*own_values[:first], *new, *own_values[len(own_values) - last :]]
        flags: list[Any] = own_flags[: _unchanged(first, ends)]
        flag = flag_of(test, "`if`")
        conditions = (flag, xp.logical_not(flag))
        for place in range(len(flags), len(values)):
            was = _old_place(place, len(values), len(own_values), ends[0])
            behind = len(values) - place
            terms: list[tuple[Any, Any]] = []
            for k, end in enumerate(ends):
                if place < first + end.added or behind <= last:
                    own = end.flags[place if behind > last else len(end.flags) - behind]
                    holds = conditions[k]
                    if isinstance(own, str):
                        terms.append((found[own], None))
                    else:
                        terms.append((own_flags[cast(int, was)] if own is None else own, holds))
            flags.append(_joined(terms))
        is_known = all(flag is True for flag in flags)
        if not all(end.is_in_place for end in ends):
            made = values if is_known else KeptList(values, flags)
            pairs = [(end.found, own) for end, own in zip(ends, originals, strict=True)]
            results.note_chosen(str(path[0]), plan.shown, made, pairs)
            return made
        if type(original) is KeptList or is_known:
            results.note_restored(original)
            if type(original) is KeptList:
                original.become(KeptList(values, flags))
            else:
                original[:] = values
            return original
        if results.is_shared(original, str(path[0])):
            raise tracing_error(
                f"a traced condition decides how many elements {plan.shown} has, and another variable or "
                "object holds this list, too",
                "write the list by one name, and let a function return the list, or what to append",
            )
        return KeptList(values, flags, was=original)


def _stays(old: Any, new: Any, written: set[int]) -> bool:
    """Tell whether an element is the one of before, and not written."""
    if new is not old:
        return False
    if not written or (isinstance(new, Array) and not new.ndim):
        return True
    held = (*(x for _, x in arrays_in({"": new})), *(x for _, x in containers_in({"": new})))
    return all(id(x) not in written for x in held)


def _old_place(place: int, size: int, old: int, end: _End) -> int | None:
    """The place before the `if`, in a list of `old` elements, of an element that stays in one of `size`."""
    if place < end.first:
        return place
    return old - (size - place) if size - place <= end.last else None


def _unchanged(first: int, ends: Sequence[_End]) -> int:
    """The number of elements at the front, of the `first` ones, whose flags are those of before the `if`."""
    places = range(first)
    return next((k for k in places if any(end.flags[k] is not None for end in ends)), first)


def _is_one(one: Any, other: Any) -> bool:
    """Tell whether two flags are one."""
    return one is other or (isinstance(one, Array) and isinstance(other, Array) and one.value is other.value)


def _joined(terms: Sequence[tuple[Any, Any]]) -> Any:
    """The flag of an element, by those that it has in the branches in which it is: `True`, or traced.

    A flag that may hold in another branch, too, has the condition of its branch beside it.
    """
    if len(terms) == 2:
        (one, _), (other, _) = terms
        if one is True and other is True:
            return True
        if all(holds is not None for _, holds in terms) and _is_one(one, other):
            return one
    found: Any = None
    for flag, holds in terms:
        term = holds if flag is True else flag if holds is None else xp.logical_and(holds, flag)
        found = term if found is None else xp.logical_or(found, term)
    return found


def _shown(values: Mapping[str, Any], path: Path) -> str:
    """A list as code reaches it."""
    name = str(path[0])
    return SHOWN.get(name, name) + "".join(_steps(values, path))


def _steps(values: Mapping[str, Any], path: Path) -> Iterator[str]:
    found = values[path[0]]
    for k in path[1:]:
        taken, container = opened(found), container_of(cast("type[Any]", type(found)))
        if taken is None or container is None:
            return
        yield container.step(taken.names[k]) if taken.names else f"[{k}]"
        found = taken.parts[k]
