"""Values that stand for one of several groups of values: slots that can hold any of the groups.

merged([(f64, i64), (i64, i64)])      slots (f64, i64, i64), the groups in places (0, 1) and (1, 2)
merged([(f64,), (f64,)], [("x",), ("y",)])      slots (f64, f64), as no slot is for two labels
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute


def merged(
    groups: Sequence[Sequence[Attribute]], labels: Sequence[Sequence[object]] | None = None
) -> tuple[list[Attribute], list[list[int]]]:
    """Slots that can hold any of the groups, given as types, and for each group the slots of its members.

    With labels members of several groups share a slot only if they have the same.
    """
    slots: list[tuple[Attribute, object]] = []
    places: list[list[int]] = []
    for number, group in enumerate(groups):
        free = list(range(len(slots)))
        own: list[int] = []
        for k, type_ in enumerate(group):
            member = type_, labels[number][k] if labels else None
            place = next((k for k in free if slots[k] == member), None)
            if place is None:
                place = len(slots)
                slots.append(member)
            else:
                free.remove(place)
            own.append(place)
        places.append(own)
    return [type_ for type_, _ in slots], places
