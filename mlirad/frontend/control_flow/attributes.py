"""Attributes of objects that a body changes: its statement carries them, like the variables that it changes.

    if x > 0:           A branch is traced once, whether it is taken or not. When it has been traced, it shows
        b.m = 2 * x     what it has changed: `b.m` becomes a variable of the statement, which is read and
    y = b.m             written in b itself, and the branch is traced again.

So an attribute counts wherever it is written, in the statement or in a method that it calls, and by whatever
name its object is reached. Objects that are not compared (`reached.py`) are told by `owner`.

Attributes are found to be carried, not looked for in the source: only running `self.step(x)` shows the
attributes that it writes, and their objects. A body that changes attributes is traced again, with these as
variables that are read and written in the object itself: any name for the object, and any method, sees a
variable's value. Elements of dictionaries and lists count where an attribute holds these. Attributes have no
unknown values, which `hasattr` and `is None` would not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any, cast

from mlirad.errors import of_class
from mlirad.frontend.control_flow.originals import Found
from mlirad.frontend.control_flow.places import Attribute
from mlirad.frontend.control_flow.state import State, Unknown
from mlirad.frontend.tracing.captured_objects import is_rewritable_class
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.source import user_line

AFTERWARDS = "assign a local variable there, and write this after the statement"


def carry_known(state: State) -> None:
    """Carry the attributes that enclosing statements carry and this one changed in an earlier trace."""
    frame = current_frame()
    known = frame.functions.attributes.get(state.code, set())
    around = {a.key: a for f in frame.around() for body in f.bodies for a in body.attributes}
    state.carry([a for key, a in around.items() if key in known])


def carry_found(state: State, found: Found) -> None:
    """Carry the attributes that a body of a statement changes. All objects must be as before."""
    attributes = [Attribute(*holder) for holder in found.attributes]
    known = current_frame().functions.attributes.setdefault(state.code, set())
    known.update(attribute.key for attribute in attributes)
    _require_defaults(attributes)
    state.carry(attributes)


def _require_defaults(attributes: Iterable[Attribute]) -> None:
    """Require of the trace that classes keep what objects without an attribute of their own have of them."""
    for attribute in attributes:
        if attribute.is_of_class:
            current_frame().requirements.append(partial(attribute.require_default, user_line()))


def require_values(state: State, results: Mapping[str, Any]) -> None:
    """Raise if an attribute that a statement carries has no value behind it: objects hold nothing unknown."""
    for name in state.attributes:
        found = results.get(name)
        if isinstance(found, Unknown):
            raise tracing_error(found.message, found.hint)


def owner(found: Any, shown: str) -> Any:
    """Return the object whose attribute is written, as `shown` in the source.

    Raises `TracingError` under a traced condition if that is an object whose changes are not noticed.
    """
    if is_tracing() and any(frame.bodies for frame in current_frame().around()) and not _is_compared(found):
        raise tracing_error(
            f"{shown} is written under a traced condition, and changes of {of_class(found)} are not noticed",
            AFTERWARDS,
        )
    return found


def _is_compared(found: Any) -> bool:
    kind = found if isinstance(found, type) else cast("type[Any]", type(found))
    return kind in (FunctionType, SimpleNamespace) or is_rewritable_class(kind)
