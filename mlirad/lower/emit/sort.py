"""`kernel.sort` as LLVM functions that sort one line, called for each line along a dimension.

Sorts are stable, zeros of both signs are equal, and NaN comes last. Short lines are merged (`merge_sort.py`),
long ones distributed by their digits (`radix_sort.py`). Both move a line between two pieces of memory, and
positions along with the elements, so that a sort and an argsort are the same code.
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.kernel import SortOp
from mlirad.lower.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.emit.merge_sort import merge_sort
from mlirad.lower.emit.radix_sort import radix_sort
from mlirad.lower.emit.sorted_lines import Lines
from mlirad.lower.large_sizes import greatest
from mlirad.lower.llvm_text import BYTES, Bounds, IRBuilder, Kind, ModuleText, Parameter, Value

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
    output, *scratch = buffers
    if not output.size:
        return
    dim = op.dim.value.data
    outer, extent, inner = prod(output.shape[:dim]), output.shape[dim], prod(output.shape[dim + 1 :])
    work = nominal(output.size) * max(1, nominal(extent).bit_length()) * 4
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
    """The name of the function that sorts a line of this kind and length, with others of similar length."""
    is_long = nominal(extent) >= DISTRIBUTED and at_most(1, extent)
    by_digits = is_long and greatest(extent) < COUNTED and kind != "i1"
    most = SHORT if greatest(extent) <= SHORT else None
    name = f"mlirad_{'radix' if by_digits else 'merge'}_{'argsort' if positions else 'sort'}_{kind}"
    name += "" if most else "_long"
    kinds: list[Kind] = [kind, "i64"] if positions else [kind]
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
