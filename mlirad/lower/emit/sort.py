"""`kernel.sort` as LLVM functions: a stable merge sort of one line, called for each line along a dimension.

Short runs are sorted by insertion and merged in passes, each twice as wide, between two pieces of memory.
Merging has no branches: which side is taken is added to the positions. Positions move along with the
elements, so that all memory is read in order.

NaN comes last: `a` is before `b` if `a` is no NaN, and `b` is one or `a < b`.
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.kernel import SortOp
from mlirad.lower.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.llvm_text import BYTES, Bounds, IRBuilder, Kind, ModuleText, Parameter, Value

RUN = 16
"""Lines of this length are sorted by insertion."""

SHORT = 1 << 13
"""Lines of this length are sorted without a poll."""

MOST_PASSES = 64


def emit_sort(emitter: KernelEmitter, op: SortOp) -> None:
    """Write the function of a sort and the call of it."""
    source = emitter.buffers[op.operand]
    buffers = [emitter.buffers[r] for r in op.results]
    output, *scratch = buffers
    if not output.size:
        return
    dim = op.dim.value.data
    outer, extent, inner = prod(output.shape[:dim]), output.shape[dim], prod(output.shape[dim + 1 :])
    work = output.size * max(1, extent.bit_length()) * 4
    what = "sort" if op.positions is None else "argsort"
    kernel = begin_kernel(emitter, op, what, [source], buffers, work)
    f = kernel.f
    name = _define_sort(f, source.kind, extent, positions=op.positions is not None)
    read, written = kernel.pointers[source.place], kernel.pointers[output.place]
    keys, *positions = [kernel.pointers[b.place] for b in scratch]

    def half(pointer: Value, kind: Kind) -> list[Value]:
        return [pointer, f.gep(pointer, extent, kind)]

    with f.loop(0, outer, name="outer") as around, f.loop(0, inner, name="inner") as loop:
        start = f.add(f.mul(around.index, extent * inner), loop.index)
        line = f.gep(written, start, output.kind)
        with f.loop(0, extent, name="k") as elements:
            k = elements.index
            value = f.load(f.gep(read, f.add(start, f.mul(k, inner)), source.kind), source.kind)
            f.store(value, f.gep(keys, k, source.kind))
            if positions:
                f.store(k, f.gep(positions[0], k, "i64"))
        operands = [*half(keys, source.kind), *(half(positions[0], "i64") if positions else ())]
        fits = f.inside(keys, 2 * extent * BYTES[source.kind])
        if positions:
            fits = f.and_(fits, f.inside(positions[0], 2 * extent * BYTES["i64"]))
        length = f.select(fits, f.value(extent, "i64"), 0)
        f.call(name, [*operands, length, *([] if f.bounds is None else [f.bounds.fault])])
        sorted_line = positions[0] if positions else keys
        if inner == 1:
            f.memcpy(line, sorted_line, extent * BYTES[output.kind])
        else:
            with f.loop(0, extent, name="k") as elements:
                k = elements.index
                value = f.load(f.gep(sorted_line, k, output.kind), output.kind)
                f.store(value, f.gep(line, f.mul(k, inner), output.kind))
    f.ret()


def _define_sort(f: IRBuilder, kind: Kind, extent: int, *, positions: bool) -> str:
    """The name of the function that sorts a line of this kind: one for short lines, one that polls for
    others."""
    is_short = extent <= SHORT
    name = f"mlirad_{'argsort' if positions else 'sort'}_{kind}{'' if is_short else '_long'}"
    at_most = SHORT if is_short else None
    checks = f.bounds is not None
    f.module.shared_function(
        name, lambda: _write_sort(f.module, name, kind, at_most, positions=positions, checks=checks)
    )
    return name


def _is_before(f: IRBuilder, a: Value, b: Value) -> Value:
    if a.is_float:
        return f.and_(f.fcmp("ord", a, a), f.fcmp("ult", a, b))
    return f.icmp("ult" if a.kind == "i1" else "slt", a, b)


class _Columns:
    """What moves together in a line: elements, and with them their positions."""

    def __init__(self, f: IRBuilder, kinds: list[Kind]):
        self.f = f
        self.kinds = kinds

    def load(self, pointers: list[Value], at: Value) -> list[Value]:
        """The element at a place, and its position."""
        f = self.f
        return [f.load(f.gep(p, at, k), k) for p, k in zip(pointers, self.kinds, strict=True)]

    def store(self, values: list[Value], pointers: list[Value], at: Value) -> None:
        """Put an element and its position somewhere."""
        f = self.f
        for value, pointer, kind in zip(values, pointers, self.kinds, strict=True):
            f.store(value, f.gep(pointer, at, kind))


def _write_sort(
    module: ModuleText, name: str, kind: Kind, at_most: int | None, *, positions: bool, checks: bool
) -> IRBuilder:
    kinds: list[Kind] = [kind, "i64"] if positions else [kind]
    names = [f"{which}{k}" for k in range(len(kinds)) for which in ("line", "other")]
    parameters = [Parameter(n, "ptr", 1, "noalias") for n in names]
    parameters.append(Parameter("n", "i64"))
    if checks:
        parameters.append(Parameter("fault", "ptr"))
    f = module.function(name, parameters, attributes="noinline nounwind")
    pointers, n = f.arguments[: len(names)], f.arguments[len(names)]
    if checks:
        sizes = [f.mul(n, BYTES[k]) for k in kinds for _ in range(2)]
        f.own(f.arguments[-1])
        f.bounds = Bounds(f.arguments[-1], list(zip(pointers, sizes, strict=True)))
    columns = _Columns(f, kinds)
    line, other = pointers[0::2], pointers[1::2]
    runs = None if at_most is None else at_most // RUN
    with f.loop(0, n, RUN, name="run", at_most=runs) as loop:
        _sort_run(f, columns, line, loop.index, f.intrinsic("smin", f.add(loop.index, RUN), n))
    slots = [(f.alloca("ptr", 1, 8), f.alloca("ptr", 1, 8)) for _ in kinds]
    width = f.alloca("i64", 1, 8)
    for (here, there), a, b in zip(slots, line, other, strict=True):
        f.store(a, here)
        f.store(b, there)
    f.store(f.value(RUN, "i64"), width)
    with f.repeat(lambda: f.icmp("slt", f.load(width, "i64"), n), at_most=MOST_PASSES):
        half = f.load(width, "i64")
        source = [f.load(here, "ptr") for here, _ in slots]
        target = [f.load(there, "ptr") for _, there in slots]
        pairs = f.sdiv(f.add(n, f.sub(f.shl(half, 1), 1)), f.shl(half, 1))
        with f.loop(0, pairs, name="pair", at_most=None if at_most is None else 1) as loop:
            low = f.mul(loop.index, f.shl(half, 1))
            middle = f.intrinsic("smin", f.add(low, half), n)
            high = f.intrinsic("smin", f.add(middle, half), n)
            _merge(f, columns, source, target, (low, middle, high), at_most)
        for (here, there), a, b in zip(slots, source, target, strict=True):
            f.store(b, here)
            f.store(a, there)
        f.store(f.shl(half, 1), width)
    for (here, _), pointer, k in zip(slots, line, kinds, strict=True):
        last = f.load(here, "ptr")
        with f.conditional(f.icmp("ne", last, pointer)):
            f.memcpy(pointer, last, f.mul(n, BYTES[k]))
    f.ret()
    return f


def _sort_run(f: IRBuilder, columns: _Columns, line: list[Value], start: Value, end: Value) -> None:
    """Sort a short stretch by insertion."""
    place = f.alloca("i64", 1, 8)
    with f.loop(f.add(start, 1), end, name="insert", at_most=RUN) as loop:
        moved = columns.load(line, loop.index)
        f.store(loop.index, place)

        def goes_left() -> Value:
            j = f.load(place, "i64")
            inside = f.icmp("sgt", j, start)
            with f.conditional(inside, [inside]) as choice:
                before = columns.load(line, f.sub(j, 1))
                choice.give(_is_before(f, moved[0], before[0]))
            return choice.results[0]

        with f.repeat(goes_left, at_most=RUN):
            j = f.load(place, "i64")
            columns.store(columns.load(line, f.sub(j, 1)), line, j)
            f.store(f.sub(j, 1), place)
        columns.store(moved, line, f.load(place, "i64"))


def _merge(
    f: IRBuilder,
    columns: _Columns,
    source: list[Value],
    target: list[Value],
    bounds: tuple[Value, Value, Value],
    at_most: int | None,
) -> None:
    """Merge two sorted neighbours; of equal elements those of the left one come first."""
    low, middle, high = bounds
    with f.loop(low, high, carries=[low, middle], name="merge", at_most=at_most) as loop:
        i, j = loop.carries
        left = columns.load(source, f.intrinsic("smin", i, f.sub(middle, 1)))
        right = columns.load(source, f.intrinsic("smin", j, f.sub(high, 1)))
        left_is_used_up = f.icmp("sge", i, middle)
        takes = f.or_(left_is_used_up, _is_before(f, right[0], left[0]))
        takes = f.and_(takes, f.icmp("slt", j, high))
        columns.store([f.select(takes, b, a) for a, b in zip(left, right, strict=True)], target, loop.index)
        step = f.zext(takes, "i64")
        loop.carry(f.add(i, f.sub(1, step)), f.add(j, step))
