"""Sweeps of other things than derivatives: sets of arguments, and formal derivatives over Z/2."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i1

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.shapes import Value
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.parsing import parse_module
from tests.generators import arguments_for, random_higher_order, random_program
from tests.passes.derivatives import function_of, run_passes

PREPARED = "eliminate-functions,mlirad-inline,bulk-operations"

# Provenance ----------------------------------------------------------------------------------------


def check_non_interference(module: ModuleOp, seed: int) -> None:
    """Results are as they were, and do not change with arguments that are not in their sets."""
    count = len(function_of(module, "main").function_type.outputs.data)
    new = run_passes(module.clone(), f"{PREPARED},provenance{{function=main}}")
    arguments = arguments_for(module, random.Random(seed))
    others = arguments_for(module, random.Random(seed + 1))
    expected = run_function(module, arguments)
    found = run_function(new, arguments, function="main_provenance")
    assert_same(found[:count], expected)
    for k, other in enumerate(others):
        moved = run_function(module, [*arguments[:k], other, *arguments[k + 1 :]])
        kept = [n for n in range(count) if not int(found[count + n]) >> k & 1]
        assert_same([moved[n] for n in kept], [expected[n] for n in kept])


def assert_same(found: Any, expected: Any) -> None:
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9)


@pytest.mark.parametrize("seed", range(15))
def test_what_is_not_in_a_set_does_not_matter(seed: int) -> None:
    check_non_interference(random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp), seed)


@pytest.mark.parametrize("seed", range(5))
def test_sets_of_higher_order_programs(seed: int) -> None:
    module = random_higher_order(seed, 14)
    try:
        check_non_interference(module, seed)
    except UnsupportedError as error:
        # Programs that call themselves have no bound on what they read.
        assert "calls itself" in str(error)


def test_sets_are_not_always_everything() -> None:
    """Of random programs with several results most have one that some argument does not reach."""
    smaller = 0
    for seed in range(6):
        module = random_program(seed, 12, smooth=True, straight=True)
        new = run_passes(module.clone(), f"{PREPARED},provenance{{function=main}}")
        count = len(function_of(module, "main").function_type.outputs.data)
        arguments = arguments_for(module, random.Random(seed))
        sets = run_function(new, arguments, function="main_provenance")[count:]
        smaller += any(int(s) + 1 < 1 << len(arguments) for s in sets)
    assert smaller >= 3


def test_too_many_arguments() -> None:
    names = [f"%x{k}: f64" for k in range(64)]
    module = parse_module(f"func.func @f({', '.join(names)}) -> f64 {{ func.return %x0 : f64 }}")
    with pytest.raises(UnsupportedError, match="64 arguments"):
        run_passes(module, "provenance")


# Formal derivatives ----------------------------------------------------------------------------------


def read_once(rng: random.Random, count: int) -> ModuleOp:
    """A random polynomial over Z/2 that reads every argument once, in a loop over its halves."""

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        pool = list(args)
        while len(pool) > 1:
            rng.shuffle(pool)
            x, y = pool.pop(), pool.pop()
            kind = rng.choice(["and", "or", "xor", "select", "not"])
            match kind:
                case "select" if pool:
                    pool.append(b.select(x, y, pool.pop()))
                case "not":
                    pool += (
                        [b.logical_not(x), y] if rng.random() < 0.3 else [b.logical_and(b.logical_not(x), y)]
                    )
                case _:
                    op = {"and": ew.AndOp, "or": ew.OrOp}.get(kind, ew.XorOp)
                    pool.append(b.binary(op, x, y))
        return pool

    return ModuleOp([new_function("main", [i1] * count, body)])


@pytest.mark.parametrize("seed", range(15))
def test_formal_derivatives_are_differences_of_multilinear_functions(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(2, 8)
    module = read_once(rng, count)
    new = run_passes(
        module.clone(), "formal-derivative{function=main},formal-derivative{function=main mode=reverse}"
    )
    for _ in range(4):
        x = [np.bool_(rng.random() < 0.5) for _ in range(count)]
        (_, *slopes) = run_function(new, [*x, np.True_], function="main_formal_reverse")
        for k in range(count):
            along = [np.bool_(n == k) for n in range(count)]
            (before,) = run_function(module, x)
            (after,) = run_function(module, [v ^ d for v, d in zip(x, along, strict=True)])
            assert run_function(new, [*x, *along], function="main_formal") == (before, before ^ after)
            assert slopes[k] == before ^ after


PARITY = """
func.func @parity(%bits: tensor<4xi1>, %mask: tensor<4xi1>) -> (i1, tensor<4xi1>) {
  %false = array.constant false
  %p, %all = array.scan %false, %bits, %mask (%i, %c: i1, %x: i1, %m: i1) {carries = 1, length = 4}
      : i1, tensor<4xi1>, tensor<4xi1> -> (i1, tensor<4xi1>) {
    %y = array.and %x, %m : i1
    %n = array.xor %c, %y : i1
    array.yield %n, %c : i1, i1
  }
  func.return %p, %all : i1, tensor<4xi1>
}"""


def test_formal_derivatives_of_loops() -> None:
    module = run_passes(parse_module(PARITY), "formal-derivative{function=parity}")
    bits, mask = np.array([1, 0, 1, 1], bool), np.array([1, 1, 0, 1], bool)
    d_bits, none = np.array([0, 1, 1, 0], bool), np.zeros(4, bool)
    found = run_function(module, [bits, mask, d_bits, none], function="parity_formal")
    assert found[2] == np.bitwise_xor.reduce(d_bits & mask)
    np.testing.assert_array_equal(found[3], [False, False, True, True])
    reverse = run_passes(parse_module(PARITY), "formal-derivative{function=parity mode=reverse}")
    ct, cts = np.True_, np.array([1, 0, 0, 1], bool)
    back = run_function(reverse, [bits, mask, ct, cts], function="parity_formal_reverse")
    image = (found[2] & ct) ^ np.bitwise_xor.reduce(found[3] & cts)
    assert image == np.bitwise_xor.reduce(back[2] & d_bits)


def test_conditions_have_no_formal_derivative() -> None:
    module = parse_module(
        """func.func @f(%p: i1, %q: i1) -> i1 {
          %r = array.if %p : i1 -> i1 { array.yield %q : i1 } else { array.yield %p : i1 }
          func.return %r : i1
        }"""
    )
    for mode in ("forward", "reverse"):
        with pytest.raises(DifferentiationError, match=r"array\.if has no formal derivative"):
            run_passes(module.clone(), f"formal-derivative{{function=f mode={mode}}}")
