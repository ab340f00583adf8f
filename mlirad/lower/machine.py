"""The machine that lowering decides for: what ops, memory accesses, loops and calls cost, in cycles.

    cycles_per_byte(100 * 1024)        of a working set of 100 KiB, which stays in the second level of cache

A vector instruction costs half a cycle (two issue ports); an elementary function as many of them as its table
states; what has no vector form costs once per lane. A gather is taken to cost a cycle per lane, which is why
strided lanes are worth a copy.

The caches are those of a nominal machine, the same everywhere: floats are added in an order that depends on
how loops are cut, and results are not to depend on the machine. All figures are rough, for comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import inf
from typing import Final

from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.elementwise import ConvertOp, SpecialOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.special_functions import NATIVE
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import is_float
from mlirad.lower.llvm.elementary import elementary

L1_BYTES = 32 * 1024
"""The first-level data cache."""

L2_BYTES = 512 * 1024
"""The second level, of one core."""

CACHE_BYTES = 4 * 1024 * 1024
"""The last level, shared by cores: what one of them has of it."""

_CACHES = ((L1_BYTES, 0.03), (L2_BYTES, 0.06), (CACHE_BYTES, 0.15))
"""The bytes of each level of cache, and the cycles to read or write one of its bytes."""

_MEMORY_CYCLES = 0.4
"""Cycles to read or write one byte of memory that is in no cache."""

FETCHED_AHEAD = 4096
"""The number of bytes ahead that a kernel asks for what it reads and writes of memory that is in no cache:
some hundred cycles, which processors do not always foresee in several places at once. Half as many do about
as well."""

CONFLICTING_BYTES = 1024
"""Lines at multiples of this number of bytes share few sets of the first-level data cache: 4 of 64."""

STREAMS = 12
"""The most places at which a loop may go through memory while the processor still fetches ahead in all."""

MOST_FETCHED = 8 * 1024
"""The most bytes of a record that are fetched ahead, into a first-level cache that holds more than them."""

CALL = 60.0
"""Cycles to call a kernel and to come back."""

CALL_AGAIN = 25.0
"""The same in a loop that calls nothing else, which the processor foresees."""

LOOP_START = 8.0
"""Cycles to start and leave a vector loop, remainder included."""

HORIZONTAL = 4.0
"""Cycles to reduce the lanes of a vector to one, while others are under way."""

HORIZONTAL_POSITION = 30.0
"""The same for the position of an extremum."""

CHAINED_SUM = 2.0
"""Cycles of one step of a scalar reduction, which waits for the step before unless several rows overlap."""

INSTRUCTION = 0.5
"""One vector instruction."""

DIVISION = 8.0
"""One vector division of floats."""

LATENCY = 4.0
"""Cycles until the result of an arithmetic instruction is there."""

CHAINED = 4.0
"""The factor by which the result of a division or an elementary function takes longer than its cycles: its
instructions wait for each other."""

REFETCHED = 30.0
"""Cycles to load what two stores have just written in part each, which waits for both."""

MOST_PIECED_BLOCKS = 4
"""Rows of fewer vectors than this are loaded so soon after they were stored that the stores are under way."""

SCALAR_DIVISION = 12.0
"""One division of integers, for which there are no vector instructions."""

VECTOR_BYTES = 32
"""The vectors for which library calls are weighed against kernels."""

TILE_ROWS = 4
"""Rows of a contraction that share what a kernel loads of the other operand."""

LINE_BYTES = 64
"""The bytes that a kernel reads of each row of that operand before it moves on to the next."""

LIBRARY_CALL = 1000.0
"""Cycles of a call of BLAS before it multiplies."""

LIBRARY_SHARE = 0.9
"""The part of the peak that BLAS reaches on operands that it has packed."""

PACKED_ROWS = 2.0
PACKED_COLUMNS = 4.0
"""The cycles of BLAS to copy the left operand of a row-major product, and one that lies by columns, in
multiples of those of reading it once, measured: blocks that are multiplied one by one, beside the whole."""

PACKED_RIGHT = 0.4
"""Cycles per byte to copy the right operand, which is interleaved by rows of it, measured in the same way."""

UNIFORM_LOAD = 0.2
CONTIGUOUS_LOAD = 0.5
REVERSED_LOAD = 1.0
CONTIGUOUS_STORE = 1.0
GATHERED = 1.0

MULTIPLICATION = 0.25
"""One multiplication, and addition, of a contraction by BLAS."""

SORT = 20.0
"""Sorting, per element."""

TRANSFORM = 0.35
"""Fourier transforms, per element and pass of two."""

CUMULATION = 4.0
"""Cumulative sums and their like, per element; each waits for the one before."""

SECOND_PATH = 2000.0
"""Cycles that a second path through a kernel has to save in a call, to be worth the time to compile it."""

WAKE = 40_000.0
"""Cycles until a worker thread that sleeps has begun: 5 to 15 microseconds on an idle machine, measured."""

_FLOAT_COSTS = {"div": DIVISION, "rem": 3 * DIVISION, "floor_div": 3 * DIVISION, "fmod": 3 * DIVISION}
_INTEGER_DIVISIONS = ("div", "rem", "floor_div", "fmod", "pow")


def cycles_per_byte(working_set: float) -> float:
    """Cycles to read or write a byte again when a given number of bytes are read and written between."""
    return next((cycles for size, cycles in _CACHES if working_set <= size), _MEMORY_CYCLES)


def stack_cycles_per_byte(working_set: float) -> float:
    """Cycles to read or write a byte of a stack in a working set of a given number of bytes.

    The part written last is read first, so that each cache has as much of the stack as it holds.
    """
    total = below = 0.0
    for size, cycles in (*_CACHES, (inf, _MEMORY_CYCLES)):
        total += max(0.0, min(size, working_set) - below) * cycles
        below = size
    return total / working_set if working_set else 0.0


def registers(vector_bytes: int) -> int:
    """The vector registers of a machine with vectors of this size."""
    return 32 if vector_bytes >= 64 else 16


def passes_by(size: int) -> bool:
    """Return whether a loop that works on a slice of a given number of bytes in each iteration finds none of
    them in a cache.
    """
    return size > CACHE_BYTES


def ends_in_pieces(extent: int, lanes: int, runs: float) -> bool:
    """Return whether the ends of rows of a given number of elements are loaded and stored in pieces, by a
    kernel with some lanes that runs often: it would else wait each time for what has just been stored.
    """
    is_short = is_static(extent) and extent % lanes != 0 and extent < MOST_PIECED_BLOCKS * lanes
    return is_short and runs * REFETCHED >= SECOND_PATH


def contraction_cycles(rows: int, columns: int, inner: int, element: int) -> float:
    """Cycles of a matrix product by a kernel, for elements of a given size.

    Every tile of rows reads the other operand again, down its columns: a line of each of its rows, which
    stays in the cache that holds as many lines as there are rows.
    """
    read = -(-rows // TILE_ROWS) * inner * columns * element
    return _multiplications(rows, columns, inner, element) + read * cycles_per_byte(inner * LINE_BYTES)


def library_contraction_cycles(rows: int, columns: int, inner: int, element: int) -> float:
    """Cycles of the same product by BLAS, which packs both operands first: blocks of them, for its caches.

    It adds to the result in memory, which counts where the contracted extent is short.
    """
    packed = (rows + columns) * inner * element
    added = rows * columns * element
    multiplied = _multiplications(rows, columns, inner, element) / LIBRARY_SHARE
    packing = 2 * packed * cycles_per_byte(min(packed, L2_BYTES))
    return LIBRARY_CALL + multiplied + packing + added * cycles_per_byte(min(added, L2_BYTES))


def repacking_cycles(left: int, right: int, down: int, across: int, *, is_transposed: bool) -> float:
    """Cycles that BLAS takes longer for blocks of a product than for the whole product.

    Its operands have `left` and `right` bytes. There are `down` blocks of rows, which copy the right operand
    each, and `across` blocks of columns, which copy the left one each: `is_transposed` says that it lies by
    columns.
    """
    of_left = (PACKED_COLUMNS if is_transposed else PACKED_ROWS) * cycles_per_byte(min(left, CACHE_BYTES))
    again = (across - 1) * of_left * left + (down - 1) * PACKED_RIGHT * right
    return again + (down * across - 1) * LIBRARY_CALL


def parts_cycles(parts: int, size: int) -> float:
    """Cycles that it costs to make a total of a given number of bytes in parts: each begins with one of its
    own, in memory that was not used before, and all are read again to be combined.
    """
    return 3 * parts * size * cycles_per_byte(parts * size)


def recomputing_cycles(additions: float, readings: float, element: int) -> float:
    """Cycles to compute an operand of a contraction, of the cost of a given number of additions, wherever it
    is read.

    Per element and per read: tiles of rows share what they read.
    """
    return additions * INSTRUCTION * readings / TILE_ROWS * element / VECTOR_BYTES


def storing_cycles(size: int, element: int) -> float:
    """Cycles per element to store an array by a kernel of its own, and to load it once."""
    memory = 2 * element * cycles_per_byte(size * element)
    return memory + (CONTIGUOUS_STORE + CONTIGUOUS_LOAD) * element / VECTOR_BYTES + CALL / max(size, 1)


def _multiplications(rows: int, columns: int, inner: int, element: int) -> float:
    return rows * columns * inner * element / VECTOR_BYTES * INSTRUCTION


@cache
def _cost(name: str, lanes: int, *, is_float_op: bool) -> float:
    if not is_float_op and name in _INTEGER_DIVISIONS:
        return SCALAR_DIVISION * lanes
    known = elementary(name)
    if known is not None:
        return (known.start + known.flops * (lanes if known.calls else 1)) * INSTRUCTION
    return _FLOAT_COSTS.get(name, INSTRUCTION)


def flops(name: str) -> int:
    """The additions that an elementary function takes as long as; 1 for any other op."""
    known = elementary(name)
    return 1 if known is None else max(known.flops, 1)


def op_cost(op: Operation, lanes: int) -> float:
    """Cycles of one scalar op in a vector of `lanes` lanes, or in a single lane."""
    if isinstance(op, ConstantOp):
        return 0.0
    is_float_op = is_float(op.results[0]) and not isinstance(op, ConvertOp)
    name = op.name.removeprefix("array.")
    if isinstance(op, SpecialOp) and op.function.data in NATIVE:
        name = op.function.data
    return _cost(name, lanes, is_float_op=is_float_op)


def op_latency(op: Operation, lanes: int) -> float:
    """Cycles from the operands of a scalar op, in a vector of `lanes` lanes, to its result."""
    cost = op_cost(op, lanes)
    return max(LATENCY, CHAINED * cost) if cost else 0.0


def load_cost(stride: int | None, lanes: int) -> float:
    """Cycles to load a vector whose lanes lie `stride` elements apart; `None` is an arbitrary distance."""
    match stride:
        case 0:
            return UNIFORM_LOAD
        case 1:
            return CONTIGUOUS_LOAD
        case -1:
            return REVERSED_LOAD
        case _:
            return float(lanes)


def store_cost(stride: int | None, lanes: int) -> float:
    """Cycles to store a vector whose lanes lie `stride` elements apart."""
    return CONTIGUOUS_STORE if stride == 1 else float(lanes)


def element_bytes(element: Attribute) -> int:
    """Bytes of one element in memory; a boolean takes one."""
    return numpy_dtype(element).itemsize


def instructions_of(ops: Iterable[Operation]) -> int:
    """Instructions of scalar ops per element, roughly: what a reader of the text would count."""
    return sum(_instructions(op.name.removeprefix("array.")) for op in ops)


def _instructions(name: str) -> int:
    known = elementary(name)
    return _INSTRUCTIONS.get(name, 1) if known is None else known.flops


_INSTRUCTIONS: Final = {
    "constant": 0,
    "no_frame": 0,
    "yield": 0,
    "div": 8,
    "fmod": 12,
    "rem": 16,
    "floor_div": 20,
}
