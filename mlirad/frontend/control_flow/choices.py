"""Lists and dictionaries among which a traced condition chooses: none is written later.

if x > 0:
    c = a              What c is behind the statement is a new list, of the chosen elements. A write to it
else:                  would have to change a or b. Nothing tells of writes to lists, so all of them are
    c = b              looked at again when the function has been traced.
c[0] = 1.0             an error, at the `if`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mlirad.errors import TracingError
from mlirad.frontend.control_flow.objects import are_same, containers_in, parts_or_version
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Choice:
    """The objects that `name` may be, and what stands for it; with the parts that they had at first."""

    name: str
    place: str | None
    objects: Sequence[tuple[Any, Sequence[Any]]]

    def require_unwritten(self) -> None:
        """Raise if any of the objects has got other parts."""
        if not all(are_same(parts_or_version(found), held) for found, held in self.objects):
            raise TracingError(
                f"a traced condition decides which object {self.name} is here, and one of them is written "
                "later",
                location=self.place,
                hint="choose among copies, such as list(a) or dict(a), or write before this",
            )


def require_unwritten(choices: Iterable[tuple[str, Iterable[Any]]]) -> None:
    """Have it be an error to write any of the objects that variables are chosen among."""
    for name, objects in choices:
        held = [(found, parts_or_version(found)) for found in objects]
        current_frame().requirements.append(Choice(name, user_line(), held).require_unwritten)


def require_unwritten_value(result: Any, values: Iterable[Any], outside: Mapping[int, object]) -> None:
    """The same of an expression that is one of these values, as far as they hold objects from outside."""
    objects = [found for value in values for _, found in containers_in({"": value}) if id(found) in outside]
    if objects:
        made = [found for _, found in containers_in({"": result})]
        require_unwritten([("the value of this expression", [*objects, *made])])
