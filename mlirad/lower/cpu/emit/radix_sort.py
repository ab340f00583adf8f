"""A stable sort of one line by the digits of its elements, from the least significant one, for long lines.

An element is read as an unsigned integer, its key, in the same order; a digit is a byte of it. One pass over
the line counts all digits. Then, digit by digit, the counts say where the first element with each digit goes,
and the line is moved. A digit that all elements have in common moves nothing.

    float        key: the bits, those of negative numbers inverted, otherwise the sign bit; of NaN all ones
    integer      key: the bits with the sign inverted

This is one load and two stores per element and digit, whatever the values; a merge sort makes a number of
comparisons that grows with the length, and they have to wait for each other.
"""

from __future__ import annotations

from typing import Final

from mlirad.lower.cpu.emit.sorted_lines import Lines
from mlirad.lower.llvm.text import BITS, BYTES, IRBuilder, Kind, Value

DIGITS: Final = 256
"""The number of values that a digit has."""

_INTEGER: Final[dict[Kind, Kind]] = {"double": "i64", "float": "i32", "i64": "i64", "i32": "i32"}


def radix_sort(f: IRBuilder, lines: Lines, n: Value, at_most: int | None) -> None:
    """Write the sort of a line of n elements, at most `at_most` where that is known."""
    kind = lines.kind
    places = BYTES[kind]
    counts = f.alloca("i32", places * DIGITS, 64)
    f.memset(counts, 0, places * DIGITS * BYTES["i32"])
    here = lines.here()
    with f.loop(0, n, name="count", at_most=at_most) as loop:
        key = _key(f, lines.load(here, loop.index)[0])
        for place in range(places):
            digit = _digit(f, key, f.value(8 * place, key.kind))
            count = f.gep(counts, f.add(digit, place * DIGITS), "i32")
            f.store(f.add(f.load(count, "i32"), 1), count)
    with f.loop(0, places, name="digit") as loop:
        shift = f.shl(loop.index, 3)
        _move(f, lines, n, f.gep(counts, f.mul(loop.index, DIGITS), "i32"), shift, at_most)


def _move(f: IRBuilder, lines: Lines, n: Value, counts: Value, shift: Value, at_most: int | None) -> None:
    """Move the line into the order of one digit, whose values have been counted."""
    source, target = lines.here(), lines.there()

    def digit_of(element: Value) -> Value:
        key = _key(f, element)
        return _digit(f, key, shift if key.kind == "i64" else f.trunc(shift, key.kind))

    first = digit_of(lines.load(source, f.value(0, "i64"))[0])
    with f.conditional(f.icmp("ne", f.load(f.gep(counts, first, "i32"), "i32"), f.trunc(n, "i32"))):
        with f.loop(0, DIGITS, carries=[f.value(0, "i32")], name="start") as loop:
            slot, (start,) = f.gep(counts, loop.index, "i32"), loop.carries
            count = f.load(slot, "i32")
            f.store(start, slot)
            loop.carry(f.add(start, count))
        with f.loop(0, n, name="move", at_most=at_most) as loop:
            moved = lines.load(source, loop.index)
            slot = f.gep(counts, digit_of(moved[0]), "i32")
            place = f.load(slot, "i32")
            f.store(f.add(place, 1), slot)
            lines.store(moved, target, f.zext(place, "i64"))
        lines.swap()


def _digit(f: IRBuilder, key: Value, shift: Value) -> Value:
    """A byte of a key, as a position."""
    digit = f.and_(f.lshr(key, shift), DIGITS - 1)
    return digit if digit.kind == "i64" else f.zext(digit, "i64")


def _key(f: IRBuilder, element: Value) -> Value:
    """The key of an element: an integer which, unsigned, is ordered as the elements are."""
    kind = _INTEGER[element.kind]
    sign = f.value(-(1 << (BITS[kind] - 1)), kind)
    if not element.is_float:
        return f.xor(element, sign)
    bits = f.bitcast(f.fadd(element, 0.0), kind)  # both zeros are +0
    key = f.xor(bits, f.or_(f.ashr(bits, BITS[kind] - 1), sign))
    return f.select(f.fcmp("uno", element, element), f.value(-1, kind), key)
