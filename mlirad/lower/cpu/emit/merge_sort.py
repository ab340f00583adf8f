"""A stable merge sort of one line, for short ones.

Runs are sorted by insertion and merged in passes, each twice as wide, between two pieces of memory. Merging
has no branches: which side is taken is added to the positions, and all memory is read in order.
"""

from __future__ import annotations

from mlirad.lower.cpu.emit.sorted_lines import Lines
from mlirad.lower.llvm.text import IRBuilder, Value

RUN = 16
"""Lines of this length are sorted by insertion."""

MOST_PASSES = 64


def merge_sort(f: IRBuilder, lines: Lines, n: Value, at_most: int | None) -> None:
    """Write the sort of a line of n elements, at most `at_most` where that is known."""
    runs = None if at_most is None else at_most // RUN
    with f.loop(0, n, RUN, name="run", at_most=runs) as loop:
        _sort_run(f, lines, loop.index, f.intrinsic("smin", f.add(loop.index, RUN), n))
    width = f.alloca("i64", 1, 8)
    f.store(f.value(RUN, "i64"), width)
    with f.repeat(lambda: f.icmp("slt", f.load(width, "i64"), n), at_most=MOST_PASSES):
        half = f.load(width, "i64")
        pairs = f.sdiv(f.add(n, f.sub(f.shl(half, 1), 1)), f.shl(half, 1))
        with f.loop(0, pairs, name="pair", at_most=None if at_most is None else 1) as loop:
            low = f.mul(loop.index, f.shl(half, 1))
            middle = f.intrinsic("smin", f.add(low, half), n)
            high = f.intrinsic("smin", f.add(middle, half), n)
            _merge(f, lines, (low, middle, high), at_most)
        lines.swap()
        f.store(f.shl(half, 1), width)


def _is_before(f: IRBuilder, a: Value, b: Value) -> Value:
    """Return whether `a` is not NaN, and `b` is one or `a < b`."""
    if a.is_float:
        return f.and_(f.fcmp("ord", a, a), f.fcmp("ult", a, b))
    return f.icmp("ult" if a.kind == "i1" else "slt", a, b)


def _sort_run(f: IRBuilder, lines: Lines, start: Value, end: Value) -> None:
    """Sort a short stretch by insertion."""
    place, line = f.alloca("i64", 1, 8), lines.here()
    with f.loop(f.add(start, 1), end, name="insert", at_most=RUN) as loop:
        moved = lines.load(line, loop.index)
        f.store(loop.index, place)

        def goes_left() -> Value:
            j = f.load(place, "i64")
            inside = f.icmp("sgt", j, start)
            with f.conditional(inside, [inside]) as choice:
                before = lines.load(line, f.sub(j, 1))
                choice.give(_is_before(f, moved[0], before[0]))
            return choice.results[0]

        with f.repeat(goes_left, at_most=RUN):
            j = f.load(place, "i64")
            lines.store(lines.load(line, f.sub(j, 1)), line, j)
            f.store(f.sub(j, 1), place)
        lines.store(moved, line, f.load(place, "i64"))


def _merge(f: IRBuilder, lines: Lines, bounds: tuple[Value, Value, Value], at_most: int | None) -> None:
    """Merge two sorted neighbours; of equal elements those of the left one come first."""
    low, middle, high = bounds
    source, target = lines.here(), lines.there()
    with f.loop(low, high, carries=[low, middle], name="merge", at_most=at_most) as loop:
        i, j = loop.carries
        left = lines.load(source, f.intrinsic("smin", i, f.sub(middle, 1)))
        right = lines.load(source, f.intrinsic("smin", j, f.sub(high, 1)))
        left_is_used_up = f.icmp("sge", i, middle)
        takes = f.or_(left_is_used_up, _is_before(f, right[0], left[0]))
        takes = f.and_(takes, f.icmp("slt", j, high))
        lines.store([f.select(takes, b, a) for a, b in zip(left, right, strict=True)], target, loop.index)
        step = f.zext(takes, "i64")
        loop.carry(f.add(i, f.sub(1, step)), f.add(j, step))
