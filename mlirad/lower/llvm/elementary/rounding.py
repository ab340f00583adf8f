"""The functions that are exact, or one instruction: sqrt floor ceil round trunc sign."""

from __future__ import annotations

from mlirad.lower.llvm.elementary.floats import full
from mlirad.lower.llvm.text import IRBuilder, Value


def sqrt(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("sqrt", x)


def floor(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("floor", x)


def ceil(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("ceil", x)


def round_to_even(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("roundeven", x)


def truncate(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("trunc", x)


def sign(f: IRBuilder, x: Value) -> Value:
    """-1, 0 or 1; NaN of NaN; +0 of both zeros, as in NumPy."""
    zero = full(f, 0.0, x)
    below = f.select(f.fcmp("olt", x, 0.0), -1.0, zero)
    y = f.select(f.fcmp("ogt", x, 0.0), 1.0, below)
    return f.select(f.fcmp("uno", x, x), x, y)
