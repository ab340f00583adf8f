"""Operands of LLVM IR text: a spelling, an element kind and a vector width.

A `Value` of width 1 is a scalar of its kind, of width W > 1 the vector `<W x kind>`. A literal is a
value that knows its number (the same in every lane); it costs no instruction and becomes a `splat`
where a vector is wanted. Kinds are spelled as LLVM spells them. Booleans are `i1` in registers and
`i8` in memory.

    constant("double", 0.5)        double 0x3FE0000000000000
    lanes(4)                       <4 x i64> <i64 0, i64 1, i64 2, i64 3>
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["double", "float", "i64", "i32", "i8", "i1", "ptr"]

BITS: dict[Kind, int] = {
    "double": 64,
    "float": 32,
    "i64": 64,
    "i32": 32,
    "i8": 8,
    "i1": 1,
    "ptr": 64,
}
"""Bits of one element in a register."""

BYTES: dict[Kind, int] = {"double": 8, "float": 4, "i64": 8, "i32": 4, "i8": 1, "i1": 1, "ptr": 8}
"""Natural alignment, in bytes, of one element."""

MANGLING: dict[Kind, str] = {
    "double": "f64",
    "float": "f32",
    "i64": "i64",
    "i32": "i32",
    "i8": "i8",
    "i1": "i1",
    "ptr": "p0",
}
"""The name of a kind inside the name of an overloaded intrinsic."""

_TYPES: dict[tuple[Kind, int], str] = {}


class Value(NamedTuple):
    """An operand: `text` as written after its type; `literal` is its number if it is a constant."""

    text: str
    kind: Kind
    width: int = 1
    literal: float | int | None = None

    @property
    def type(self) -> str:
        """The LLVM type, `double` or `<8 x double>`."""
        return type_text(self.kind, self.width)

    @property
    def typed(self) -> str:
        """The operand with its type in front, as calls and stores want it."""
        return f"{type_text(self.kind, self.width)} {self.text}"

    @property
    def is_float(self) -> bool:
        return self.kind == "double" or self.kind == "float"


def type_text(kind: Kind, width: int = 1) -> str:
    """The LLVM spelling of a scalar (width 1) or vector type."""
    if width == 1:
        return kind
    key = (kind, width)
    text = _TYPES.get(key)
    if text is None:
        text = _TYPES[key] = f"<{width} x {kind}>"
    return text


def mangled(kind: Kind, width: int = 1) -> str:
    """The suffix of an overloaded intrinsic's name, `f64` or `v8f64`."""
    return MANGLING[kind] if width == 1 else f"v{width}{MANGLING[kind]}"


def float_text(number: float, kind: Kind) -> str:
    """A float as exact hexadecimal; `float` constants are spelled as the double of equal value."""
    if kind == "float":
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def wrapped(number: int, kind: Kind) -> int:
    """An integer reduced to the two's complement range of its kind."""
    if kind == "i1":
        return number & 1
    bits = BITS[kind]
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def constant(kind: Kind, number: float | int) -> Value:
    """A literal of a kind; integers wrap to their width, floats round to theirs.

    The only pointer literal is 0, the null pointer.
    """
    if kind == "double" or kind == "float":
        number = float(number)
        if kind == "float":
            number = _to_single(number)
        return Value(float_text(number, kind), kind, 1, number)
    if kind == "ptr":
        return Value("null", kind, 1, 0)
    number = wrapped(int(number), kind)
    if kind == "i1":
        return Value("true" if number else "false", kind, 1, number)
    return Value(str(number), kind, 1, number)


def _to_single(number: float) -> float:
    """The nearest float32, with overflow to infinity rather than an error."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def vector(kind: Kind, numbers: Iterable[float | int]) -> Value:
    """A constant vector with the given lanes."""
    elements = [constant(kind, number) for number in numbers]
    if len(elements) == 1:
        return elements[0]
    return Value("<" + ", ".join(e.typed for e in elements) + ">", kind, len(elements))


def lanes(width: int, kind: Kind = "i64") -> Value:
    """The lane numbers `<0, 1, ..., width - 1>`; the scalar 0 when width is 1."""
    return vector(kind, range(width))


def undefined(kind: Kind, width: int = 1) -> Value:
    """A value whose content does not matter."""
    return Value("poison", kind, width)
