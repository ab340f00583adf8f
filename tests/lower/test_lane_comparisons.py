"""Comparisons of the index of the lane loop with what lanes share, by any predicate and with any integer."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.lower.emission import TYPES, check, compiled, tensor

SIZE = 21
PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")
LIMITS = (0, 3, SIZE - 1, SIZE, 1 << 32, (1 << 32) + 3, (1 << 63) - 1)
FEATURES = ("x86-64-v3", "x86-64-v2", "baseline")


def comparisons(dtype: str) -> str:
    """Each predicate, with the index on either side, is a bit of an element of the result."""
    kind, z = TYPES[dtype], tensor((SIZE,), dtype)
    lines: list[str] = []
    for k, (predicate, sides) in enumerate((p, s) for p in PREDICATES for s in ("%i, %m", "%m, %i")):
        lines += [
            f"%c{k} = array.compare {predicate} {sides} : i64, i64 -> i1",
            f"%b{k} = array.constant {2.0**k} : {kind}",
            f"%o{k} = array.constant 0.0 : {kind}",
            f"%s{k} = array.select %c{k}, %b{k}, %o{k} : i1, {kind}, {kind} -> {kind}",
            f"%t{k} = array.add {f'%t{k - 1}' if k else '%a'}, %s{k} : {kind}",
        ]
    body, total = "\n    ".join(lines), f"%t{len(lines) // 5 - 1}"
    return f"""
func.func @main(%x: {z}, %n: i64) -> {z} {{
  %z = kernel.nest %x, %n (%i) {{space = [{SIZE}], reduction = [], lane = 0}} : {z}, i64 -> {z} {{
    %a = kernel.load %x[%i] : {z} -> {kind}
    %m = kernel.load %n[] : i64 -> i64
    {body}
    array.yield {total} : {kind}
  }}
  func.return %z : {z}
}}"""


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_predicates_with_limits_inside_and_far_outside(dtype: str, features: str) -> None:
    text, x = comparisons(dtype), np.zeros(SIZE, dtype)
    _, _, native = compiled(text, features=features)
    index = np.arange(SIZE)
    for limit in (*LIMITS, *(-n - 1 for n in LIMITS)):
        bits = [
            holds(*pair)
            for holds in (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
            for pair in ((index, limit), (limit, index))
        ]
        want = sum(np.where(bit, 2**k, 0) for k, bit in enumerate(bits))
        np.testing.assert_array_equal(native(x, limit)[0], want)
    check(text, x, 5, features=features)


@pytest.mark.parametrize(("dtype", "kind"), [("float32", "i32"), ("float64", "i64")])
def test_lanes_are_compared_as_integers_of_the_size_of_elements(dtype: str, kind: str) -> None:
    _, program, _ = compiled(comparisons(dtype), features="x86-64-v3")
    compared = re.findall(r"icmp \w+ <\d+ x (i\d+)>", program.llvm)
    assert set(compared) == {kind}
    assert not re.search(r" add <\d+ x i64>", program.llvm)
