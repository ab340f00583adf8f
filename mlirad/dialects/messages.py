"""Messages of reports: text with places for values, a language much smaller than `str.format` knows.

    message   text in which each {field} stands for a value, and {{ and }} for braces
    field     [number] [: spec]         the value of that number, or the next one where no field has a number
    spec      [[fill] align] [sign] [#] [0] [width] [, or _] [.precision] [type]

    "x = {}, y = {:.3f}"        "{1} before {0}"        "{0:>10}"

A message may come from a file. So nothing of a value can be reached but the value itself, widths and
precisions are bounded, and what the message asks for is possible for values of the types given: filling in
cannot fail. Arrays have no spec.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter
from typing import Final

from xdsl.ir import Attribute

from mlirad.dialects.array.literals import NUMPY_DTYPES
from mlirad.dialects.shapes import ELEMENTS, element_of, shape_of

MAX_WIDTH: Final = 200
"""The most characters that a field may be padded to, and the most digits it may ask for."""

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,5}")

_SPEC: Final = re.compile(
    r"(?:.?[<>=^])?[-+ ]?#?0?(?P<width>[0-9]+)?[_,]?(?:\.(?P<precision>[0-9]+))?[bdeEfFgGoxX%]?", re.DOTALL
)


def check_message(message: str, types: Sequence[Attribute]) -> None:
    """Require a message that can be filled with values of the given types, batch axes taken off.

    Raises ValueError with a sentence that says what is wrong.
    """
    for number, spec in fields(message, len(types)):
        if not spec:
            continue
        type_ = types[number]
        if shape_of(type_):
            raise ValueError(f"{{:{spec}}} is for scalars, value {number} is an array")
        if element_of(type_) not in ELEMENTS:
            raise ValueError(f"value {number} of type {type_} cannot be shown")
        try:
            format(NUMPY_DTYPES[type_].type(0), spec)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{{:{spec}}} does not fit value {number} of type {type_}") from error


def fields(message: str, count: int) -> list[tuple[int, str]]:
    """The number and the spec of each field of a message for a given number of values.

    Raises ValueError with a sentence that says what is wrong.
    """
    try:
        parts = list(Formatter().parse(message))
    except ValueError as error:
        raise ValueError("a brace is left open; {{ and }} stand for braces") from error
    found: list[tuple[int, str]] = []
    numbered: set[bool] = set()
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if conversion or (name and not _NUMBER.fullmatch(name)):
            shown = name + (f"!{conversion}" if conversion else "")
            raise ValueError(
                f"{{{shown}}} is not a field: fields are {{}} and {{0}}, with formats after colons"
            )
        number = int(name) if name else len(found)
        if number >= count:
            raise ValueError(f"there is no value {number} among {count} values")
        _check_spec(spec or "")
        found.append((number, spec or ""))
        numbered.add(bool(name))
    if len(numbered) > 1:
        raise ValueError("either all fields have numbers or none has")
    return found


def _check_spec(spec: str) -> None:
    known = None if "{" in spec or "}" in spec else _SPEC.fullmatch(spec)
    if known is None:
        raise ValueError(f"{{:{spec}}} is not a format of a number")
    for what in ("width", "precision"):
        digits = known[what]
        if digits is not None and (len(digits) > 4 or int(digits) > MAX_WIDTH):
            raise ValueError(f"{{:{spec}}} asks for a {what} of more than {MAX_WIDTH}")
