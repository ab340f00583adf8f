"""Values that stand for one of several groups of values: slots that can hold any of the groups.

merged([(f64, i64), (i64, i64)])      slots (f64, i64, i64), the groups in places (0, 1) and (1, 2)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute


def merged(
    groups: Sequence[Sequence[Attribute]], *, is_shared: Callable[[Attribute], bool] = lambda type_: True
) -> tuple[list[Attribute], list[list[int]]]:
    """Slots that can hold any of the groups, given as types, and for each group the slots of its members.

    A slot is for members of several groups if `is_shared` says so of its type.
    """
    slots: list[Attribute] = []
    places: list[list[int]] = []
    for group in groups:
        free = [k for k, type_ in enumerate(slots) if is_shared(type_)]
        own: list[int] = []
        for type_ in group:
            place = next((k for k in free if slots[k] == type_), None)
            if place is None:
                place = len(slots)
                slots.append(type_)
            else:
                free.remove(place)
            own.append(place)
        places.append(own)
    return slots, places
