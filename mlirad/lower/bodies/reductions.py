"""Combiners: identities, one step, and merging lanes and parallel accumulators.

An accumulator is a list of values: one, or value and position for `argmax` and `argmin`. Floats are added in
an order that the shape and the schedule fix; max and min give NaN if any operand is NaN; the argument of an
extremum is the first of equals, and that of the first NaN if there is one.
"""

from __future__ import annotations

from typing import Final

from mlirad.lower.bodies.elementwise import CONTRACT, maximum, minimum
from mlirad.lower.llvm.text import BITS, IRBuilder, Kind, Value, constant

Accumulator = list[Value]

_GREATEST: Final = 2**63 - 1


def identity(combiner: str, kind: Kind, *, of_memory: bool = False) -> Value:
    """Return what an empty reduction gives.

    In registers the sum of floats starts at -0.0, which vanishes from the first addition; in memory, and
    where nothing is added, at 0.0.
    """
    is_float = kind in ("double", "float")
    match combiner:
        case "add":
            return constant(kind, -0.0 if is_float and not of_memory else 0)
        case "prod":
            return constant(kind, 1)
        case "max" | "argmax":
            return constant(kind, float("-inf") if is_float else -(1 << BITS[kind] - 1))
        case "min" | "argmin":
            least = (1 << BITS[kind] - 1) - 1
            return constant(kind, float("inf") if is_float else least)
        case "and":
            return constant(kind, -1)
        case _:
            return constant(kind, 0)


def start(f: IRBuilder, combiner: str, kind: Kind, width: int) -> Accumulator:
    """An accumulator that nothing has entered."""
    values = [f.widen(identity(combiner, kind), width)]
    if combiner.startswith("arg"):
        values.append(f.widen(constant("i64", 0), width))
    return values


def combine(f: IRBuilder, combiner: str, total: Accumulator, new: Accumulator) -> Accumulator:
    """The accumulator after one operand; for arguments `new` is later than all before."""
    a, b = total[0], new[0]
    match combiner:
        case "add":
            return [f.fadd(a, b, CONTRACT) if a.is_float else f.add(a, b)]
        case "prod":
            return [f.fmul(a, b, CONTRACT) if a.is_float else f.mul(a, b)]
        case "max":
            return [_extremum(f, "ogt", a, b) or maximum(f, a, b)]
        case "min":
            return [_extremum(f, "olt", a, b) or minimum(f, a, b)]
        case "and":
            return [f.and_(a, b)]
        case "or":
            return [f.or_(a, b)]
        case _:
            better = _is_better(f, combiner, b, a)
            return [f.select(better, b, a), f.select(better, new[1], total[1])]


def _extremum(f: IRBuilder, beyond: str, total: Value, new: Value) -> Value | None:
    """The extremum so far of vectors of floats, where the processor's own loses a NaN.

    Its instruction gives the total if that is NaN. A new NaN is put there as a mask, apart from the chain of
    extrema that wait for each other.
    """
    if f.globals.instructions.extrema or not new.is_float or new.width == 1:
        return None
    bits: Kind = "i64" if new.kind == "double" else "i32"
    known = f.select(f.fcmp(beyond, new, total), new, total)
    marked = f.or_(f.bitcast(known, bits), f.sext(f.fcmp("uno", new, new), bits))
    return f.bitcast(marked, new.kind)


def _is_better(f: IRBuilder, combiner: str, new: Value, old: Value) -> Value:
    """Return whether an operand replaces an earlier one: it is beyond it, or the first NaN."""
    beyond = "gt" if combiner == "argmax" else "lt"
    if not new.is_float:
        return f.icmp("s" + beyond, new, old)
    return f.and_(f.fcmp("u" + beyond, new, old), f.fcmp("ord", old, old))


def merge(f: IRBuilder, combiner: str, one: Accumulator, other: Accumulator) -> Accumulator:
    """Two accumulators of different operands in one."""
    if len(one) == 1:
        return combine(f, combiner, one, other)
    better = _is_better(f, combiner, other[0], one[0])
    tied = f.and_(f.not_(_is_better(f, combiner, one[0], other[0])), f.icmp("slt", other[1], one[1]))
    better = f.or_(better, tied)
    return [f.select(better, other[0], one[0]), f.select(better, other[1], one[1])]


def across_lanes(f: IRBuilder, combiner: str, total: Accumulator) -> Accumulator:
    """The lanes of an accumulator in one scalar accumulator."""
    value = total[0]
    if value.width == 1:
        return total
    match combiner:
        case "add":
            if value.is_float:
                return [f.reduce("fadd", value, flags="reassoc")]
            return [f.reduce("add", value)]
        case "prod":
            if value.is_float:
                return [f.reduce("fmul", value, flags="reassoc")]
            return [f.reduce("mul", value)]
        case "max" | "min":
            return [_extremum_of_lanes(f, combiner, value)]
        case "and" | "or":
            return [f.reduce(combiner, value)]
        case _:
            best = _extremum_of_lanes(f, combiner.removeprefix("arg"), value)
            chosen = f.fcmp("ueq", value, best) if value.is_float else f.icmp("eq", value, best)
            if value.is_float:
                # If the extremum is NaN every lane compares as equal: only those that are NaN count.
                chosen = f.and_(chosen, f.icmp("eq", f.fcmp("uno", value, value), f.fcmp("uno", best, best)))
            positions = f.select(chosen, total[1], _GREATEST)
            return [best, f.reduce("smin", positions)]


def _extremum_of_lanes(f: IRBuilder, which: str, value: Value) -> Value:
    if value.is_float:
        return f.reduce(f"f{which}imum", value, flags="nsz")
    return f.reduce(f"s{which}", value)
