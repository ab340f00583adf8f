"""Variables after a branch or a loop: the original objects, with the values written into their copies.

table = {"v": v}            The branch has written copies. Behind it v has been written, and so has the
if x > 0:                   dictionary that `table` is, whatever else refers to it: `Results` writes what
    table["v"][0] = x       the branch gives into the original objects.
    table["n"] = x
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.frontend.control_flow.holders import is_held_elsewhere
from mlirad.frontend.control_flow.objects import are_same, containers_in, fill, is_mutable, opened, with_parts
from mlirad.frontend.control_flow.originals import Originals
from mlirad.frontend.control_flow.places import Attribute
from mlirad.frontend.control_flow.state import Unknown, is_same
from mlirad.frontend.numpy_functions.writes.writes import replace
from mlirad.frontend.tracing.array import Array, base_of, doubt, forget
from mlirad.frontend.tracing.containers import Opened
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.raising import tracing_error

End: TypeAlias = tuple[Any, Originals]
"""The value of a variable at the end of one way through the program, and the originals of the objects in it.
"""


class Results:
    """The values of variables, whose parts are the original objects where all ways end with them.

    These get the elements of the results, so whatever else refers to them sees the change. An object that was
    written, and then replaced by another one in its variable, has no result: reading it is an error.
    """

    def __init__(self, before: Mapping[str, Any], cells: Set[int], attributes: Iterable[Attribute]) -> None:
        self._cells, self._attributes = cells, attributes
        self._restored: dict[int, object] = {}
        self.choices: list[tuple[str, list[Any]]] = []
        """The new lists and dictionaries by variables, each with the ones from outside that it stands for."""
        self._names: dict[int, set[str]] = {}
        """The variables that hold a list or dictionary before, by its identity."""
        for path, found in containers_in(before):
            self._names.setdefault(id(found), set()).add(path[0])

    def value(self, name: str, result: Any, ends: Sequence[End]) -> Any:
        """The value of a variable."""
        copies = [originals.of(end) for end, originals in ends]
        first, found = copies[0], ends[0][0]
        is_object = isinstance(found, Array) or is_mutable(found)
        if first is None and is_object and all(end is found for end, _ in ends):
            return found  # an object from outside
        is_one = first is not None and all(c is not None and c.original is first.original for c in copies)
        if isinstance(result, Array):
            if first is not None and is_one:
                is_written = any(c is not None and c.is_written for c in copies)
                return self._written(name, first.original, result) if is_written else first.original
            is_known = not isinstance(found, Array) and all(is_same(found, end) for end, _ in ends)
            return found if is_known else result
        taken, others = opened(result), [opened(end) for end, _ in ends]
        if taken is None or any(o is None or len(o.parts) != len(taken.parts) for o in others):
            return result
        by_place = zip(*(cast(Opened, o).parts for o in others), strict=True)
        parts = [
            self.value(name, part, [(end, o) for end, (_, o) in zip(place, ends, strict=True)])
            for part, place in zip(taken.parts, by_place, strict=True)
        ]
        whole = with_parts(result, taken, parts)
        if first is not None and is_one:
            return self._put(first.original, whole, parts)
        objects = [originals.object_of(end) for end, originals in ends]
        outside = {id(end) for end, originals in ends if id(end) in originals.outside}
        shared = [x for x in objects if x is not None]
        if any(id(x) in outside or self.is_shared(x, name) for x in shared):
            self.choices.append((name, [whole, *shared]))
        return whole

    def is_shared(self, found: object, name: str) -> bool:
        """Return whether a list or dictionary, or what it stands for, is held by anything but a variable."""
        if self._names.get(id(found)) != {name}:
            return True
        objects = [found]
        for originals in reversed(current_frame().bodies):
            copy = originals.of(objects[-1])
            if copy is not None:
                objects.append(copy.original)
        return any(is_held_elsewhere(x, name, self._cells, self._attributes) for x in objects)

    def note_restored(self, original: object) -> None:
        """Have an original object be one that got its elements, or that nothing refers to any longer."""
        self._restored[id(original)] = original

    def note_chosen(self, name: str, shown: str, result: Any, ends: Iterable[End]) -> None:
        """Note the objects that some ways end with, and others hold, for which a value has new ones."""
        held = [(x, originals) for end, originals in ends for _, x in containers_in({name: end})]
        outside = {id(x) for x, originals in held if id(x) in originals.outside}
        objects = [x for x in (originals.object_of(x) for x, originals in held) if x is not None]
        if any(id(x) in outside or self.is_shared(x, name) for x in objects):
            self.choices.append((shown, [*(x for _, x in containers_in({name: result})), *objects]))

    def _written(self, name: str, original: Any, result: Array) -> Any:
        """An array with the elements of the result."""
        if isinstance(original, Array):
            replace(original, result.value)
            base = base_of(original)
            self._restored[id(base)] = base
            return original
        if isinstance(original, np.ndarray):
            raise tracing_error(
                f"this writes traced values into {name}, which is a NumPy array",
                f"make the array traced first: {name} = ad.asarray({name})",
            )
        return result

    def _put(self, original: Any, result: Any, parts: Sequence[Any]) -> Any:
        """A container with the parts of the result."""
        if is_mutable(original):
            fill(original, result)
            self._restored[id(original)] = original
            return original
        taken = opened(original)
        return original if taken is not None and are_same(taken.parts, parts) else result

    def forget(self, bodies: Iterable[Originals]) -> None:
        """Have the original objects that bodies have written, and that got no elements, be errors to read."""
        for copy in (copy for body in bodies for copy in body.written()):
            original = base_of(copy.original) if isinstance(copy.original, Array) else copy.original
            if id(original) in self._restored:
                continue
            self._restored[id(original)] = original
            if isinstance(original, Array):
                (forget if copy.is_written else doubt)(original)
            elif is_mutable(original):
                unknown = Unknown(
                    f"an element of what {copy.name} was",
                    "it is written under a traced condition, and then the variable gets another value",
                    f"make {copy.name} a copy before it is written",
                )
                fill(original, with_parts(original, *_all_unknown(original, unknown)))


def _all_unknown(value: Any, unknown: Unknown) -> tuple[Opened, list[Any]]:
    taken = cast(Opened, opened(value))
    return taken, [unknown for _ in taken.parts]
