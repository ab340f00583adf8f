"""Inlining, canonicalisation, common subexpressions, dead code: meaning kept, and what each removes."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from mlirad.interpreter import run_function
from mlirad.ir.parsing import make_context, parse_module
from mlirad.registry import make_passes
from tests.generators import arguments_for, random_program
from tests.passes.derivatives import function_of, run_passes


def names(module, function: str = "f") -> list[str]:
    return [op.name.removeprefix("array.") for op in function_of(module, function).body.block.ops]


@pytest.mark.parametrize("name", ["mlirad-inline", "mlirad-canonicalize", "mlirad-cse", "mlirad-dce"])
def test_random_programs_keep_their_meaning(name) -> None:
    for seed in range(20):
        module = random_program(seed, 15)
        rewritten = run_passes(module.clone(), name)
        for special in (False, True):
            arguments = arguments_for(module, random.Random(seed), special=special)
            expected, found = run_function(module, arguments), run_function(rewritten, arguments)
            for a, b in zip(found, expected, strict=True):
                assert np.asarray(a).dtype == np.asarray(b).dtype
                tolerance = 1e-5 if np.asarray(a).dtype == np.float32 else 1e-10
                np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["mlirad-inline", "mlirad-canonicalize", "mlirad-cse", "mlirad-dce"])
def test_bodies_of_kernels_share_nothing_with_the_code_around_them(name) -> None:
    module = parse_module("""func.func @f(%x: f64) -> (tensor<2xf64>, i64) {
      %outer = array.constant 1 : i64
      %y = kernel.nest %x (%i) {space = [2], reduction = []} : f64 -> tensor<2xf64> {
        %one = array.constant 1 : i64
        %last = array.compare eq %i, %one : i64, i64 -> i1
        %zero = array.constant 0.0 : f64
        %a = kernel.load %x : f64 -> f64
        %s = array.select %last, %a, %zero : i1, f64, f64 -> f64
        array.yield %s : f64
      }
      func.return %y, %outer : tensor<2xf64>, i64 }""")
    rewritten = run_passes(module, name)
    rewritten.verify()
    assert [list(values) for values in run_function(rewritten, [3.0], function="f")[:1]] == [[0.0, 3.0]]


def test_cse_shares_equal_ops_and_nothing_else() -> None:
    module = parse_module("""func.func @f(%x: f64) -> (f64, f64) {
      %a = array.sin %x : f64
      %one = array.constant 1.0 : f64
      %b = array.sin %x : f64
      %c = array.mul %b, %one : f64
      func.return %a, %c : f64, f64 }""")
    assert names(run_passes(module, "mlirad-cse")) == ["sin", "constant", "mul", "func.return"]


def test_cse_shares_regions_and_looks_into_them() -> None:
    build = """array.build (%i) : -> tensor<3xf64> {
        %p = array.sin %x : f64
        %q = array.sin %x : f64
        %r = array.add %p, %q : f64
        array.yield %r : f64
      }"""
    module = parse_module(f"""func.func @f(%x: f64) -> (tensor<3xf64>, tensor<3xf64>) {{
      %a = {build}
      %b = {build}
      func.return %a, %b : tensor<3xf64>, tensor<3xf64> }}""")
    run_passes(module, "mlirad-cse")
    assert names(module) == ["build", "func.return"]
    build_op = function_of(module, "f").body.block.first_op
    assert build_op is not None
    assert [op.name for op in build_op.regions[0].block.ops] == ["array.sin", "array.add", "array.yield"]


def test_canonicalize_folds() -> None:
    module = parse_module("""func.func @f(%x: f64) -> f64 {
      %one = array.constant 1.0 : f64
      %dead = array.exp %x : f64
      %a = array.mul %x, %one : f64
      %b = array.neg %a : f64
      %c = array.neg %b : f64
      func.return %c : f64 }""")
    assert names(run_passes(module, "mlirad-canonicalize")) == ["func.return"]


MASKS = [
    "%m = array.select %p, %one, %zero : i1, f64, f64 -> f64",
    "%m = array.select %p, %zero, %one : i1, f64, f64 -> f64",
    *(
        f"""%n = array.select %q, {inner} : i1, f64, f64 -> f64
            %m = array.select %p, {outer} : i1, f64, f64 -> f64"""
        for inner in ("%one, %zero", "%zero, %one")
        for outer in ("%n, %zero", "%n, %one", "%zero, %n", "%one, %n")
    ),
]


@pytest.mark.parametrize("product", ["%m, %x", "%x, %m"])
@pytest.mark.parametrize("mask", MASKS)
def test_masks_select_what_they_are_multiplied_with(mask: str, product: str) -> None:
    """Selected numbers need no comparisons with 0, whichever is chosen of 0, 1 and another such selection."""
    text = f"""func.func @f(%p: i1, %q: i1, %x: f64) -> f64 {{
      %zero = array.constant 0.0 : f64
      %one = array.constant 1.0 : f64
      {mask}
      %y = array.absorbing_mul {product} : f64
      func.return %y : f64 }}"""
    source, folded = parse_module(text), run_passes(parse_module(text), "mlirad-canonicalize")
    assert "absorbing_mul" not in names(folded)
    for arguments in itertools.product([False, True], [False, True], [2.5, 0.0, np.inf, np.nan]):
        np.testing.assert_equal(run_function(folded, arguments), run_function(source, arguments))


@pytest.mark.parametrize("first", ["min", "max"])
@pytest.mark.parametrize("second", ["min", "max"])
def test_bounds_of_bounds_are_one_where_they_are_alike(first: str, second: str) -> None:
    text = f"""func.func @f(%x: f64) -> f64 {{
      %c = array.constant 2.0 : f64
      %d = array.constant 3.0 : f64
      %y = array.{first} %x, %c : f64
      %z = array.{second} %y, %d : f64
      func.return %z : f64 }}"""
    source, folded = parse_module(text), run_passes(parse_module(text), "mlirad-canonicalize")
    assert sum(name in ("min", "max") for name in names(folded)) == 1 + (first != second)
    for x in (1.0, 2.5, 4.0, -np.inf, np.inf, np.nan):
        np.testing.assert_equal(run_function(folded, [x]), run_function(source, [x]))


def test_dce_erases_chains_and_looks_into_regions() -> None:
    module = parse_module("""func.func @f(%x: f64) -> tensor<2xf64> {
      %a = array.exp %x : f64
      %b = array.exp %a : f64
      %y = array.build (%i) : -> tensor<2xf64> {
        %d = array.sin %x : f64
        array.yield %x : f64
      }
      func.return %y : tensor<2xf64> }""")
    run_passes(module, "mlirad-dce")
    assert names(module) == ["build", "func.return"]
    assert len([op for op in module.walk() if op.name == "array.sin"]) == 0


def test_inline_resolves_calls_bottom_up() -> None:
    module = parse_module("""
      func.func @f(%x: f64) -> f64 {
        %y = func.call @g(%x) : (f64) -> f64
        %z = func.call @g(%y) : (f64) -> f64
        func.return %z : f64
      }
      func.func @g(%x: f64) -> f64 {
        %y = func.call @h(%x) : (f64) -> f64
        func.return %y : f64
      }
      func.func @h(%x: f64) -> f64 {
        %b = array.build (%i) : -> tensor<2xf64> {
          %e = func.call @k(%x) : (f64) -> f64
          array.yield %e : f64
        }
        %s = array.sum %b {dims = [0]} : tensor<2xf64> -> f64
        func.return %s : f64
      }
      func.func @k(%x: f64) -> f64 {
        %y = array.exp %x : f64
        func.return %y : f64
      }""")
    before = run_function(module, [0.1], function="f")
    run_passes(module, "mlirad-inline")
    assert not [op for op in module.walk() if op.name == "func.call"]
    assert run_function(module, [0.1], function="f") == before


def test_inline_keeps_recursive_calls() -> None:
    module = parse_module("""
      func.func @f(%x: f64) -> f64 {
        %y = func.call @g(%x) : (f64) -> f64
        %z = func.call @h(%y) : (f64) -> f64
        func.return %z : f64
      }
      func.func @g(%x: f64) -> f64 {
        %y = func.call @f(%x) : (f64) -> f64
        func.return %y : f64
      }
      func.func @h(%x: f64) -> f64 {
        %y = array.exp %x : f64
        func.return %y : f64
      }
      func.func @k(%x: f64) -> f64 {
        %y = func.call @f(%x) : (f64) -> f64
        func.return %y : f64
      }""")
    run_passes(module, "mlirad-inline")
    assert names(module, "f") == ["func.call", "exp", "func.return"]
    assert names(module, "k") == ["func.call", "func.return"]


def test_inline_is_not_recursive_itself() -> None:
    depth = 1500
    call = (
        "func.func @f{}(%x: f64) -> f64 {{\n%y = func.call @f{}(%x) : (f64) -> f64\nfunc.return %y : f64\n}}"
    )
    functions = [call.format(k, k + 1) for k in range(depth)]
    last = f"func.func @f{depth}(%x: f64) -> f64 {{\n%y = array.exp %x : f64\nfunc.return %y : f64\n}}"
    module = parse_module("\n".join([*functions, last]))
    (inline,) = make_passes("mlirad-inline")
    inline.apply(make_context(), module)
    assert names(module, "f0") == ["exp", "func.return"]
