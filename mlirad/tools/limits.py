"""Limits for a program from text: bounds that are checked before it runs, and that options raise.

    array.build over 2**40 positions       refused: --max-work
    tensor<1000000000000xf64>              refused: --max-memory

Data-dependent loops and recursion have no such bounds; only a time limit ends them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.kernel import DotOp as KernelDotOp
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.kernel.plans import stated_arena
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import ELEMENTS, is_array, size_of
from mlirad.errors import UnsupportedError
from mlirad.interpreter.counting import cost
from mlirad.ir.arrays import extents_of
from mlirad.ir.locations import location_of

MAX_WORK = 2**31
"""The number of elements that an op may compute, in all iterations of the loops around it: some seconds of
native code."""

MAX_INTERPRETED_WORK = 2**24
"""The same by the interpreter, which takes up to some microseconds for each."""


KEPT_MAP_BYTES = 1000
"""About the bytes that the interpreter holds for an op of the map of one position; it makes all such maps
beforehand.
"""


def memory_limit() -> int:
    """Half of the machine's memory, in bytes: the operating system grants more, and kills what uses it."""
    if not hasattr(os, "sysconf"):
        return 2**33
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def check_work(module: ModuleOp, function: FuncOp, most: int) -> None:
    """Refuse a program in which an op computes more than `most` elements.

    Data-dependent loops count as one iteration, and so do recursive calls. Raises `UnsupportedError` at the
    op.
    """
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
    _Work(functions, most).check_function(function.sym_name.data, 1)


class _Work:
    """The walk over functions, each for the most iterations that it was called in."""

    def __init__(self, functions: Mapping[str, FuncOp], most: int):
        self.functions = functions
        self.most = most
        self.checked: dict[str, int] = {}

    def check_function(self, name: str, iterations: int) -> None:
        pending = [(name, iterations)]
        while pending:
            name, iterations = pending.pop()
            if self.checked.get(name, 0) >= iterations or name not in self.functions:
                continue
            is_recursive = name in self.checked
            self.checked[name] = self.most if is_recursive else iterations
            ops = [(op, iterations) for op in self.functions[name].body.block.ops]
            while ops:
                op, iterations = ops.pop()
                self._check(op, iterations)
                if isinstance(op, CallOp):
                    pending.append((op.callee.root_reference.data, iterations))
                inside = iterations * max(_iterations_of(op), 1)
                ops += [(inner, inside) for region in op.regions for inner in region.block.ops]

    def _check(self, op: Operation, iterations: int) -> None:
        elements = sum(map(size_of, op.results)) if isinstance(op, DotOp | KernelDotOp) else cost(op)
        work = iterations * max(_iterations_of(op), elements, 1)
        if work > self.most:
            raise UnsupportedError(
                f"{op.name}: {work} elements or iterations, more than {self.most}",
                location=location_of(op),
                hint="raise the limit with --max-work",
            )


def _iterations_of(op: Operation) -> int:
    match op:
        case ScheduledOp():
            return prod(op.extents)
        case StripsOp():
            return op.iterations
        case _:
            return prod(extents_of(op))


def check_memory(module: ModuleOp, limit: int) -> None:
    """Refuse a program with a value, or an arena, of more than `limit` bytes. Raises `UnsupportedError`."""
    for op in module.walk():
        if isinstance(op, FuncOp) and (stated_arena(op) or 0) > limit:
            raise memory_error(op, f"the arena of @{op.sym_name.data}", limit)
        arguments = op.function_type.inputs.data if isinstance(op, FuncOp) else ()
        for type_ in (*arguments, *(result.type for result in op.results)):
            if is_array(type_, ELEMENTS) and size_of(type_) * numpy_dtype(type_).itemsize > limit:
                raise memory_error(op, f"{op.name}: {type_}", limit)


def check_kept_maps(module: ModuleOp, limit: int) -> None:
    """Refuse a program whose maps of positions and iterations take the interpreter more than about `limit`
    bytes.

    Raises `UnsupportedError` at the outermost op to blame.
    """
    pending: list[tuple[Operation, int]] = [(module, 1)]
    while pending:
        op, iterations = pending.pop()
        if isinstance(op, linear.IndexedMapOp | linear.ScanOp):
            iterations *= _iterations_of(op)
            if iterations * KEPT_MAP_BYTES * sum(1 for _ in op.body.walk()) > limit:
                what = f"{op.name}: the list of {iterations} maps that the interpreter makes first"
                raise memory_error(op, what, limit)
        pending += [
            (inner, iterations) for region in op.regions for block in region.blocks for inner in block.ops
        ]


def memory_error(op: Operation, what: str, limit: int) -> UnsupportedError:
    """The error that something takes more than `limit` bytes."""
    return UnsupportedError(
        f"{what} takes more than {limit} bytes",
        location=location_of(op),
        hint="raise the limit, by default half of this machine's memory, with --max-memory",
    )
