"""Transforms of lengths that are not compiled: calls of the loop that `numpy.fft` calls, of many rows each.

Between two calls the program looks whether it is to go on.

NumPy's loop from half a spectrum to real numbers takes twice what stands for two numbers of the whole
spectrum, and `half` takes everything once. It is half of what the loop gives and half of what that took once:
y[j] = (loop(s)[j] + Re s[0] + (-1)^j Re s[n / 2]) / 2, where the last term is there for even n.
"""

from __future__ import annotations

from math import prod
from typing import Final

from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.llvm.text import BYTES, IRBuilder, Kind, Value, constant
from mlirad.lower.native_program import LOOP_PREFIX, TRANSFORM_PREFIX

NUMBERS: Final = 1 << 20
"""Numbers of a call, if it has several rows: it takes some 10 milliseconds."""

FLOPS: Final = 50
"""The rough cost of a number, which is less for short rows."""


def call_library(
    f: IRBuilder, what: str, source: Buffer, output: Buffer, pointers: tuple[Value, Value]
) -> None:
    """Write the calls for all rows of an array whose numbers are pairs."""
    own = 1 if what == "real" else 2
    rows, taken = prod(source.shape[:-own]), source.shape[-own]
    given = output.shape[-1] if what == "half" else output.shape[-2]
    sizes_of_row = taken * own, given * (1 if what == "half" else 2)
    together = max(1, NUMBERS // max(taken, given))

    def call(first: Value, count: int) -> None:
        begins = [f.gep(p, f.mul(first, n), output.kind) for p, n in zip(pointers, sizes_of_row, strict=True)]
        _call(f, what, output.kind, (begins[0], begins[1]), (count, taken, given))
        f.work += FLOPS * count * max(taken, given)

    whole, rest = divmod(rows, together)
    if rows <= together:
        _call(f, what, output.kind, pointers, (rows, taken, given))
    else:
        with f.loop(0, whole, name="rows") as part:
            call(f.mul(part.index, together), together)
        if rest:
            call(constant("i64", whole * together), rest)
    if what == "half":
        _add_ends(f, output.kind, pointers, (rows, taken, given))


def _call(
    f: IRBuilder, what: str, kind: Kind, pointers: tuple[Value, Value], sizes: tuple[int, int, int]
) -> None:
    """Call NumPy's loop; it gets a factor as operand."""
    rows, taken, given = sizes
    real, pair = BYTES[kind], 2 * BYTES[kind]
    letters = {"double": "dD", "float": "fF"}[kind]
    takes, gives = letters[what != "real"], letters[what != "half"]
    name = {
        "forward": "fft",
        "backward": "ifft",
        "half": "irfft",
        "real": "rfft_n_odd" if taken % 2 else "rfft_n_even",
    }[what]
    symbol = f"{LOOP_PREFIX}{TRANSFORM_PREFIX}{name}_{takes}{letters[0]}_{gives}"
    f.module.external(symbol, "void", ["ptr", "ptr", "ptr"], "nounwind")
    factor = f.module.table(kind, [0.5 if what == "half" else 1.0])
    addresses = f.alloca("ptr", 3, 8)
    for k, pointer in enumerate((pointers[0], factor, pointers[1])):
        f.store(pointer, f.gep(addresses, k, "ptr"))
    steps = (real if what == "real" else pair), (real if what == "half" else pair)
    dimensions = f.module.table("i64", [rows, taken, given])
    strides = f.module.table("i64", [taken * steps[0], 0, given * steps[1], *steps])
    f.call(symbol, [addresses, dimensions, strides])


def _add_ends(f: IRBuilder, kind: Kind, pointers: tuple[Value, Value], sizes: tuple[int, int, int]) -> None:
    """Add half of what stands for one number: the first and, in rows of even length, the last."""
    rows, taken, given = sizes
    read, written = pointers
    half = constant(kind, 0.5)
    with f.loop(0, rows, name="row") as row:
        spectrum = f.gep(read, f.mul(row.index, 2 * taken), kind)
        signal = f.gep(written, f.mul(row.index, given), kind)
        first = f.fmul(f.load(spectrum, kind), half)
        if given % 2:
            terms = [first]
        else:
            last = f.fmul(f.load(f.gep(spectrum, 2 * (taken - 1), kind), kind), half)
            terms = [f.fadd(first, last), f.fsub(first, last)]
        with f.loop(0, given, len(terms), name="number") as number:
            for k, term in enumerate(terms):
                place = f.gep(signal, f.add(number.index, k), kind)
                f.store(f.fadd(f.load(place, kind), term), place)
