"""The location of an op in the user's code, as an attribute on it.

y = np.sum(x * x)      # model.py, line 12      -->  ops located at model.py:12
"""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr, UnknownLoc

from mlirad.frontend.tracing.source import user_place
from mlirad.ir.locations import source_location

_UNKNOWN = UnknownLoc()


def user_location() -> LocationAttr:
    """The user's place as a location attribute."""
    return location_at(user_place())


def location_at(place: tuple[str, int] | None) -> LocationAttr:
    """A place, if there is one, as a location attribute."""
    return _UNKNOWN if place is None else source_location(*place)
