"""Sweeps of instances over random programs: both directions, derivatives, and what does not matter."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i1

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.shapes import Value, element_of, is_float, shape_of
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.parsing import parse_module
from mlirad.passes.sweep import INSTANCES
from mlirad.pipelines import expansion
from tests.generators import arguments_for, random_higher_order, random_program
from tests.passes.derivatives import function_of, run_passes

PREPARED = "eliminate-functions,mlirad-inline,bulk-operations"
UNKNOWN = "has no line for"


def prepared(seed: int) -> ModuleOp:
    """A random program, of first order or with functions as values."""
    if seed % 3 == 0:
        return run_passes(random_higher_order(seed, 10), PREPARED)
    return run_passes(random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp), PREPARED)


def swept(module: ModuleOp, instance: str, mode: str) -> ModuleOp | None:
    """The module with `@main_sweep`, `None` where the instance has no line for an op."""
    try:
        return run_passes(module.clone(), f"sweep{{function=main instance={instance} mode={mode}}}")
    except DifferentiationError as error:
        assert UNKNOWN in error.message, error
        return None


def drawn(module: ModuleOp, arguments: int, rng: np.random.Generator) -> list[Any]:
    """Data for the operands of `@main_sweep` behind the arguments."""
    types = function_of(module, "main_sweep").function_type.inputs.data[arguments:]
    found = [rng.random(shape_of_type) for shape_of_type in map(shape_of, types)]
    return [x > 0.6 if element_of(t) == i1 else x for x, t in zip(found, types, strict=True)]


def assert_same(found: Any, expected: Any) -> None:
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9)


@pytest.mark.parametrize("instance", ["provenance", "cotangents"])
@pytest.mark.parametrize("seed", range(12))
def test_both_directions_are_transposes(seed: int, instance: str) -> None:
    """Values are as they were, and <forward d, ct> = <d, reverse ct>."""
    module, rng = prepared(seed), np.random.default_rng(seed)
    forward, reverse = (swept(module, instance, mode) for mode in ("forward", "reverse"))
    if forward is None or reverse is None:
        assert instance == "cotangents" and forward is reverse
        return
    arguments = arguments_for(module, random.Random(seed))
    expected = run_function(module, arguments, function="main")
    d, ct = drawn(forward, len(arguments), rng), drawn(reverse, len(arguments), rng)
    ahead = run_function(forward, [*arguments, *d], function="main_sweep")
    back = run_function(reverse, [*arguments, *ct], function="main_sweep")
    count = len(expected)
    assert_same(ahead[:count], expected)
    assert_same(back[:count], expected)
    if instance == "provenance":
        left = any(np.any(x & y) for x, y in zip(ahead[count:], ct, strict=True))
        assert left == any(np.any(x & y) for x, y in zip(d, back[count:], strict=True))
    else:
        left = sum(np.sum(x * y) for x, y in zip(ahead[count:], ct, strict=True))
        right = sum(np.sum(x * y) for x, y in zip(d, back[count:], strict=True))
        np.testing.assert_allclose(left, right, rtol=1e-7)


def test_most_random_programs_have_lines() -> None:
    """So the tests above judge something."""
    assert sum(swept(prepared(seed), "cotangents", "reverse") is not None for seed in range(12)) >= 5


@pytest.mark.parametrize("seed", range(12))
def test_cotangents_are_the_derivatives_of_the_methods(seed: int) -> None:
    module, rng = prepared(seed), np.random.default_rng(seed)
    forward = swept(module, "cotangents", "forward")
    if forward is None:
        return
    arguments = arguments_for(module, random.Random(seed))
    d = drawn(forward, len(arguments), rng)
    inputs = function_of(module, "main").function_type.inputs.data
    wrt = [k for k, t in enumerate(inputs) if is_float(t)]
    places = ",".join(map(str, wrt))
    asked = f"differentiate{{function=main wrt={places} mode=forward}}"
    derived = run_passes(module.clone(), ",".join([asked, *expansion()]))
    found = run_function(forward, [*arguments, *d], function="main_sweep")
    expected = run_function(derived, [*arguments, *d], function="main_jvp")
    assert_same(found, expected)


@pytest.mark.parametrize("seed", range(12))
def test_elements_that_do_not_reach_a_result_do_not_matter(seed: int) -> None:
    """By perturbation: one element of an argument is replaced at a time."""
    module = prepared(seed)
    forward = swept(module, "provenance", "forward")
    assert forward is not None
    rng, python = np.random.default_rng(seed), random.Random(seed)
    arguments = [np.asarray(a) for a in arguments_for(module, python)]
    others = [np.asarray(a) for a in arguments_for(module, python)]
    expected = run_function(module, arguments, function="main")
    for k, argument in enumerate(arguments):
        for place in list(np.ndindex(argument.shape))[:3]:
            moved = [a.copy() for a in arguments]
            moved[k][place] = others[k][place] if rng.random() < 0.5 else moved[k][place] + 1
            seeds = [np.zeros(a.shape, bool) for a in arguments]
            seeds[k][place] = True
            sets = run_function(forward, [*arguments, *seeds], function="main_sweep")[len(expected) :]
            after = run_function(module, moved, function="main")
            for old, new, reached in zip(expected, after, sets, strict=True):
                np.testing.assert_allclose(np.where(reached, 0, old), np.where(reached, 0, new), rtol=1e-9)


def test_conditions_and_positions_are_read() -> None:
    module = parse_module(
        """
        func.func @f(%x: tensor<4xf64>, %k: i64, %p: i1, %a: f64, %b: f64) -> (f64, f64) {
          %r = array.if %p : i1 -> f64 { array.yield %a : f64 } else { array.yield %b : f64 }
          %e = array.index %x[%k] : tensor<4xf64> -> f64
          func.return %r, %e : f64, f64
        }"""
    )
    new = run_passes(module, "sweep{function=f}")
    point = [np.arange(4.0), 2, np.True_, 1.0, 2.0]
    chosen = run_function(new, [*point, np.True_, np.False_], function="f_sweep")[2:]
    assert [bool(np.any(v)) for v in chosen] == [False, False, True, True, False]
    read = run_function(new, [*point, np.False_, np.True_], function="f_sweep")[2:]
    np.testing.assert_array_equal(read[0], [False, False, True, False])
    assert [bool(v) for v in read[1:]] == [True, False, False, False]


def test_every_instance_says_how_every_elementwise_op_of_its_semiring_acts() -> None:
    """The sum and the product of each semiring have lines."""
    semirings: dict[str, tuple[type[ew.BinaryOp], type[ew.BinaryOp]]] = {
        "cotangents": (ew.AddOp, ew.MulOp),
        "z2": (ew.XorOp, ew.AndOp),
        "naturals": (ew.AddOp, ew.MulOp),
        "min-plus": (ew.MinOp, ew.AddOp),
    }
    assert {*semirings, "provenance"} == set(INSTANCES)
    for name, ops in semirings.items():
        assert all(op in INSTANCES[name].partials for op in ops)


@pytest.mark.parametrize(
    ("passes", "message"),
    [
        ("sweep{function=g}", "there is no function @g"),
        ("sweep{instance=z0}", "there is no instance 'z0'"),
        ("sweep{mode=sideways}", "there is no mode 'sideways'"),
    ],
)
def test_what_does_not_exist(passes: str, message: str) -> None:
    module = parse_module("func.func @f(%x: f64) -> f64 { func.return %x : f64 }")
    with pytest.raises(UnsupportedError, match=message):
        run_passes(module, passes)


def test_an_op_without_a_line_is_refused_where_data_reach_it() -> None:
    text = """func.func @f(%x: f64, %n: i64) -> f64 {
      %c = array.convert %n : i64 -> f64
      %s = array.sin %c : f64
      %y = array.add %x, %s : f64
      func.return %y : f64
    }"""
    run_passes(parse_module(text), "sweep{instance=min-plus}")
    with pytest.raises(DifferentiationError, match=r"'naturals' has no data for what array\.convert makes"):
        run_passes(parse_module(text), "sweep{instance=naturals}")
    reached = text.replace("array.sin %c", "array.sin %x")
    with pytest.raises(DifferentiationError, match=r"'min-plus' has no line for array\.sin") as caught:
        run_passes(parse_module(reached, "f.mlir"), "sweep{instance=min-plus}")
    assert caught.value.location is not None and caught.value.location.startswith("f.mlir:3")


# Formal derivatives of booleans ------------------------------------------------------------


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
    ahead, back = (swept(module, "z2", mode) for mode in ("forward", "reverse"))
    assert ahead is not None and back is not None
    for _ in range(4):
        x = [np.bool_(rng.random() < 0.5) for _ in range(count)]
        (_, *slopes) = run_function(back, [*x, np.True_], function="main_sweep")
        for k in range(count):
            along = [np.bool_(n == k) for n in range(count)]
            (before,) = run_function(module, x)
            (after,) = run_function(module, [v ^ d for v, d in zip(x, along, strict=True)])
            assert run_function(ahead, [*x, *along], function="main_sweep") == (before, before ^ after)
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
    module = run_passes(parse_module(PARITY), "sweep{function=parity instance=z2 mode=forward}")
    bits, mask = np.array([1, 0, 1, 1], bool), np.array([1, 1, 0, 1], bool)
    d_bits, none = np.array([0, 1, 1, 0], bool), np.zeros(4, bool)
    found = run_function(module, [bits, mask, d_bits, none], function="parity_sweep")
    assert found[2] == np.bitwise_xor.reduce(d_bits & mask)
    np.testing.assert_array_equal(found[3], [False, False, True, True])
    reverse = run_passes(parse_module(PARITY), "sweep{function=parity instance=z2}")
    ct, cts = np.True_, np.array([1, 0, 0, 1], bool)
    back = run_function(reverse, [bits, mask, ct, cts], function="parity_sweep")
    image = (found[2] & ct) ^ np.bitwise_xor.reduce(found[3] & cts)
    assert image == np.bitwise_xor.reduce(back[2] & d_bits)
