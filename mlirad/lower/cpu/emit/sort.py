"""`kernel.sort` as LLVM functions that sort one line, called for each line along a dimension.

Sorts are stable, zeros of both signs are equal, and NaN comes last. Short lines are merged (`merge_sort.py`),
long ones distributed by their digits (`radix_sort.py`). Both move a line between two pieces of memory, and
positions along with the elements, so that a sort and an argsort are the same code. The line of the
result is one of these pieces where it can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.kernel import SortOp
from mlirad.lower.cpu.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.cpu.emit.merge_sort import merge_sort
from mlirad.lower.cpu.emit.radix_sort import radix_sort
from mlirad.lower.cpu.emit.sorted_lines import Lines
from mlirad.lower.large_sizes import greatest
from mlirad.lower.llvm.text import BYTES, Bounds, IRBuilder, Kind, ModuleText, Parameter, Value

DISTRIBUTED = 256
"""Lines from this length on are sorted by their digits."""

COUNTED = 1 << 31
"""Lines from this length on are merged again: the counts of digits have 32 bits."""

SHORT = 1 << 13
"""Lines of this length are sorted without a poll."""


def emit_sort(emitter: KernelEmitter, op: SortOp) -> None:
    """Write the function of a sort and the call of it."""
    source = emitter.buffers[op.operand]
    buffers = [emitter.buffers[r] for r in op.results]
    output = buffers[0]
    if at_most(output.size, 0):
        return
    dim = op.dim.value.data
    outer, extent, inner = prod(output.shape[:dim]), output.shape[dim], prod(output.shape[dim + 1 :])
    work = nominal(output.size) * max(1, nominal(extent).bit_length()) * 4
    what = "sort" if op.positions is None else "argsort"
    kernel = begin_kernel(emitter, op, what, [source], buffers, work)
    f = kernel.f
    kinds = _kinds(op, source.kind)
    name = _define_sort(f, kinds, extent)
    read, written = kernel.pointers[source.place], kernel.pointers[output.place]
    scratch = [kernel.pointers[b.place] for b in buffers[1:]]
    with f.loop(0, outer, name="outer") as around, f.loop(0, inner, name="inner") as loop:
        start = f.add(f.mul(around.index, extent * inner), loop.index)
        line = f.gep(written, start, output.kind)
        lines = [*scratch, line] if op.is_contiguous else scratch
        columns = [_column(f, lines[2 * c : 2 * c + 2], kind, extent) for c, kind in enumerate(kinds)]
        homes = [home for home, _ in columns]
        with f.loop(0, extent, name="k") as elements:
            k = elements.index
            value = f.load(f.gep(read, f.add(start, f.mul(k, inner)), source.kind), source.kind)
            f.store(value, f.gep(homes[0], k, source.kind))
            if op.positions is not None:
                f.store(f.trunc(k, "i32") if kinds[1] == "i32" else k, f.gep(homes[1], k, kinds[1]))
        spans = [(c, extent * BYTES[kind]) for kind, both in zip(kinds, columns, strict=True) for c in both]
        fits = reduce(f.and_, [f.inside(column, size) for column, size in spans])
        length = f.select(fits, f.value(extent, "i64"), 0)
        f.call(name, [*(c for c, _ in spans), length, *([] if f.bounds is None else [f.bounds.fault])])
        if homes[-1] is not line or kinds[-1] != output.kind:
            with f.loop(0, extent, name="k") as elements:
                k = f.sub(extent - 1, elements.index)  # short positions lie where their line begins
                value = f.load(f.gep(homes[-1], k, kinds[-1]), kinds[-1])
                value = value if kinds[-1] == output.kind else f.zext(value, output.kind)
                f.store(value, f.gep(line, f.mul(k, inner), output.kind))
    f.ret()


def _kinds(op: SortOp, kind: Kind) -> list[Kind]:
    """Return what is moved while a line is sorted: elements and, of an argsort, their positions."""
    if op.positions is None:
        return [kind]
    return [kind, "i32" if op.has_short_positions else "i64"]


def _column(f: IRBuilder, lines: Sequence[Value], kind: Kind, extent: int) -> tuple[Value, Value]:
    """The two places of what is moved, the one in which it begins first: lines, or the halves of a line."""
    if len(lines) == 1:
        return lines[0], f.gep(lines[0], extent, kind)
    return lines[1], lines[0]


def _define_sort(f: IRBuilder, kinds: list[Kind], extent: int) -> str:
    """The name of the function that sorts a line of these kinds and length, with others of similar length."""
    is_long = nominal(extent) >= DISTRIBUTED and at_most(1, extent)
    by_digits = is_long and greatest(extent) < COUNTED and kinds[0] != "i1"
    most = SHORT if greatest(extent) <= SHORT else None
    name = f"mlirad_{'radix' if by_digits else 'merge'}_sort_{'_'.join(kinds)}"
    name += "" if most else "_long"
    f.module.shared_function(
        name, lambda: _write_sort(f.module, name, kinds, most, f.bounds is not None, by_digits)
    )
    return name


def _write_sort(
    module: ModuleText, name: str, kinds: list[Kind], most: int | None, checks: bool, by_digits: bool
) -> IRBuilder:
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
    lines = Lines(f, kinds, pointers[0::2], pointers[1::2])
    (radix_sort if by_digits else merge_sort)(f, lines, n, most)
    lines.bring_home(n)
    f.ret()
    return f
