"""The working notes on linear maps, figure by figure: types, meanings, laws, what they ask of AD."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mlirad as ad
from mlirad.interpreter import run_function
from mlirad.ir.maps import CONSTRUCTED_LAWS
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.linear_maps.laws import LAWS, PAIR_LAWS
from tests.linear_maps.law_instances import mlir
from tests.passes.derivatives import run_passes

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])

DOT = r"linear.dot_right \1 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : m33"
"""The map of a matrix."""

PASSES = ["", "apply-linear-maps", "simplify-maps,apply-linear-maps"]


def images(captured: str, space: str, body: str, passes: str, *values):
    """The matrix of `%m` from its images of the basis, and that of its transpose."""
    s, t = space.split("⊸")
    texts = [
        f"func.func @{apply}({captured}%x: {x}) -> {y} {{{body}\n"
        f"  %y = linear.{apply} %m, %x : ⟨{space}⟩, {x} -> {y}\n  func.return %y : {y}\n}}\n"
        for apply, x, y in (("apply", s, t), ("apply_transpose", t, s))
    ]
    module = parse_module(mlir(re.sub(r"MATRIX\((%\w+)\)", DOT, "".join(texts))))
    verify_module(module)
    if passes:
        module = run_passes(module, passes)
    matrices = []
    for function, x in (("apply", s), ("apply_transpose", t)):
        shape = tuple(int(e) for e in re.findall(r"(\d+)x", mlir(x)))
        basis = np.eye(int(np.prod(shape))).reshape(-1, *shape)
        made = [run_function(module, [*values, e[()]], function=function)[0] for e in basis]
        matrices.append(np.stack([np.ravel(m) for m in made], 1))
    return matrices


A, B = np.random.default_rng(0).normal(size=(2, 3, 3))
V, W = np.random.default_rng(1).normal(size=(2, 3))

TWO = """
  %a = MATRIX(%A) -> ⟨v3⊸v3⟩
  %b = MATRIX(%B) -> ⟨v3⊸v3⟩"""

MATRICES = {
    "compose": ("v3⊸v3", "\n  %m = linear.compose %a, %b : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩", A @ B),
    "add": ("v3⊸v3", "\n  %m = linear.add %a, %b : ⟨v3⊸v3⟩", A + B),
    "zero": ("v3⊸v3", "\n  %m = linear.zero : -> ⟨v3⊸v3⟩", np.zeros((3, 3))),
    "identity": ("v3⊸v3", "\n  %m = linear.identity : -> ⟨v3⊸v3⟩", np.eye(3)),
    "scale": ("v3⊸v3", "\n  %m = linear.scale %k : f64 -> ⟨v3⊸v3⟩", 2.5 * np.eye(3)),
    "transpose": ("v3⊸v3", "\n  %m = linear.transpose %a : ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩", A.T),
    "vcat": (
        "v3⊸m23",
        "\n  %v = linear.vcat %a, %b : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸tuple<v3, v3>⟩"
        "\n  %s = linear.stack {dim = 0} : -> ⟨tuple<v3, v3>⊸m23⟩"
        "\n  %m = linear.compose %s, %v : ⟨tuple<v3, v3>⊸m23⟩, ⟨v3⊸tuple<v3, v3>⟩ -> ⟨v3⊸m23⟩",
        np.vstack([A, B]),
    ),
    "hcat": (
        "m23⊸v3",
        "\n  %h = linear.hcat %a, %b : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨tuple<v3, v3>⊸v3⟩"
        "\n  %s = linear.unstack {dim = 0} : -> ⟨m23⊸tuple<v3, v3>⟩"
        "\n  %m = linear.compose %h, %s : ⟨tuple<v3, v3>⊸v3⟩, ⟨m23⊸tuple<v3, v3>⟩ -> ⟨m23⊸v3⟩",
        np.hstack([A, B]),
    ),
    "build": (
        "v3⊸m23",
        "\n  %m = linear.build (%i) {extents = [2]} : -> ⟨v3⊸m23⟩ {"
        "\n    %r = array.index %C[%i] : tensor<2x3x3xf64> -> m33"
        "\n    %t = MATRIX(%r) -> ⟨v3⊸v3⟩\n    array.yield %t : ⟨v3⊸v3⟩\n  }",
        np.vstack([A, B]),
    ),
    "build_transpose": (
        "m23⊸v3",
        "\n  %m = linear.build_transpose (%i) {extents = [2]} : -> ⟨m23⊸v3⟩ {"
        "\n    %r = array.index %C[%i] : tensor<2x3x3xf64> -> m33"
        "\n    %t = MATRIX(%r) -> ⟨v3⊸v3⟩\n    array.yield %t : ⟨v3⊸v3⟩\n  }",
        np.hstack([A, B]),
    ),
    "function, evaluated": (
        "v3⊸f64",
        "\n  %f = linear.function (%i) : -> ⟨v3⊸P⟩ {"
        "\n    %e = linear.index [%i] : -> ⟨v3⊸f64⟩\n    array.yield %e : ⟨v3⊸f64⟩\n  }"
        "\n  %one = array.constant 1 : i64\n  %e = linear.evaluate %one : i64 -> ⟨P⊸f64⟩"
        "\n  %m = linear.compose %e, %f : ⟨P⊸f64⟩, ⟨v3⊸P⟩ -> ⟨v3⊸f64⟩",
        np.eye(3)[1:2],
    ),
    "lambda": (
        "v3⊸v3",
        "\n  %m = linear.lambda (%dx : v3) : -> ⟨v3⊸v3⟩ {"
        "\n    %t = linear.apply %a, %dx : ⟨v3⊸v3⟩, v3 -> v3\n    %u = array.add %t, %dx : v3"
        "\n    array.yield %u : v3\n  }",
        A + np.eye(3),
    ),
}


@pytest.mark.parametrize("passes", PASSES, ids=["interpreted", "applied", "simplified"])
@pytest.mark.parametrize("name", MATRICES)
def test_figures_3_and_4_every_operation_is_that_of_its_matrix(name, passes):
    space, body, matrix = MATRICES[name]
    captured = "%A: m33, %B: m33, %C: tensor<2x3x3xf64>, %k: f64, "
    there, back = images(captured, space, TWO + body, passes, A, B, np.stack([A, B]), 2.5)
    np.testing.assert_allclose(there, matrix, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(back, matrix.T, rtol=1e-12, atol=1e-12)


def test_figures_4_and_5_every_law_is_one_of_ours():
    known = {name for name, _ in CONSTRUCTED_LAWS} | {law.name for law in (*LAWS, *PAIR_LAWS)}
    notes = {
        "0 ∘ m = 0, m ∘ 0 = 0": "zero",
        "1 ∘ m = m, m ∘ 1 = m, m ⊕ 0 = m, 0 ⊕ m = m": "units",
        "m ∘ (n1 ⋈ n2) = (m ∘ n1) ⋈ (m ∘ n2)": "distribution over a join",
        "(m1 ⋈ m2) ∘ (n1 × n2) = (m1 ∘ n1) ⊕ (m2 ∘ n2)": "join of a pair",
        "S(k1) ∘ S(k2) = S(k1 k2)": "scales compose",
        "S(k1) ⊕ S(k2) = S(k1 + k2)": "sum of scales",
        "(m1 ∘ m2)ᵀ = m2ᵀ ∘ m1ᵀ": "transpose of a composition",
        "(m1 × m2)ᵀ = m1ᵀ ⋈ m2ᵀ and back": "transpose of pairs and joins",
        "V(v)ᵀ = H(vᵀ), B(n, m)ᵀ = B'(n, mᵀ), L(m)ᵀ = L'(mᵀ) and back": "transpose under regions",
        "(m1 ⊕ m2)ᵀ = m1ᵀ ⊕ m2ᵀ": "transpose of a sum",
        "0ᵀ = 0, 1ᵀ = 1, S(k)ᵀ = S(k)": "own transposes",
        "(mᵀ)ᵀ = m": "double transpose",
        "sum(build(n, i. if i == e then x else 0)) = if e inside then x[e/i] else 0": "one position of a sum",
    }
    assert set(notes.values()) <= known


def test_figure_2_derivatives_of_index_and_sum():
    """Both are B', of a map that is 1 at one position or everywhere."""
    read = """
  %m = linear.build_transpose (%i) {extents = [4]} : -> ⟨v4⊸f64⟩ {
    %p = array.compare eq %i, %e : i64, i64 -> i1
    %c = linear.mask %p : i1 -> ⟨f64⊸f64⟩
    array.yield %c : ⟨f64⊸f64⟩
  }"""
    for passes in PASSES:
        for e in (-1, 2, 4):
            there, back = images("%e: i64, ", "v4⊸f64", read, passes, e)
            expected = np.array([[float(i == e) for i in range(4)]])
            np.testing.assert_array_equal(there, expected)
            np.testing.assert_array_equal(back, expected.T)
    whole = """
  %m = linear.build_transpose (%i) {extents = [4]} : -> ⟨v4⊸f64⟩ {
    %c = linear.identity : -> ⟨f64⊸f64⟩
    array.yield %c : ⟨f64⊸f64⟩
  }"""
    for passes in PASSES:
        np.testing.assert_array_equal(images("", "v4⊸f64", whole, passes)[0], np.ones((1, 4)))


@both_evaluators
def test_section_2_5_a_gradient_is_n_one_hots_or_one_transposed_application(interpret):
    def function(x):
        return np.sum(np.sin(x) * x[::-1]) ** 2

    x = np.array([0.3, -1.2, 2.0, 0.7])
    columns = [ad.jvp(function, (x,), (e,), interpret=interpret)[1] for e in np.eye(4)]
    np.testing.assert_allclose(ad.grad(function, interpret=interpret)(x), columns, rtol=1e-12)


@both_evaluators
def test_section_3_1_both_modes_of_a_chain(interpret):
    """(p ∘ q ∘ r)'(x) dx = p' (q' (r' dx)), and its transpose the other way round."""
    parts = [np.sin, lambda x: x**3, np.exp]
    x = 0.4

    def chain(x):
        for part in parts:
            x = part(x)
        return x

    slope = np.exp(np.sin(x) ** 3) * 3 * np.sin(x) ** 2 * np.cos(x)
    assert ad.jvp(chain, (x,), (2.0,), interpret=interpret)[1] == pytest.approx(2 * slope)
    _, pullback = ad.vjp(chain, x, interpret=interpret)
    assert np.squeeze(pullback(3.0)) == pytest.approx(3 * slope)


@both_evaluators
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_section_4_1_the_derivative_of_a_product_of_n_numbers(zeros, interpret):
    """The derivative by the product of the others, without division: exact where factors are 0."""
    x = np.array([1.5, -2.0, 0.5, 3.0])
    x[:zeros] = 0.0
    expected = [np.prod(np.delete(x, k)) for k in range(4)]

    def by_loop(x):
        total = 1.0
        for k in range(4):
            total = total * x[k]
        return total

    for function in (np.prod, by_loop):
        np.testing.assert_allclose(ad.grad(function, interpret=interpret)(x), expected, rtol=1e-14)


SQRT = """
func.func private @f(%x: f64, %y: f64, %z: f64) -> f64 {
  %p = array.mul %y, %z : f64
  %s = array.add %x, %p : f64
  %r = array.sqrt %s : f64
  func.return %r : f64
}
func.func @main(%x: f64, %y: f64, %z: f64) -> (f64, f64, f64) {
  %v, %d = linear.linearize %x, %y, %z {callee = @f, wrt = [0, 1, 2]}
    : f64, f64, f64 -> (f64, ⟨tuple<f64, f64, f64>⊸f64⟩)
  %one = array.constant 1.0 : f64
  %a, %b, %c = linear.apply_transpose %d, %one : ⟨tuple<f64, f64, f64>⊸f64⟩, f64 -> (f64, f64, f64)
  func.return %a, %b, %c : f64, f64, f64
}
"""


def test_section_5_1_nothing_is_computed_twice():
    module = run_passes(
        parse_module(mlir(SQRT)), "linearize,apply-linear-maps,mlirad-canonicalize,mlirad-dce"
    )
    names = [op.name for op in module.walk()]
    assert names.count("array.sqrt") == 1
    # y z once, and the factors of dy and dz.
    assert names.count("array.mul") + names.count("array.absorbing_mul") <= 4


CRUCIAL = """
func.func private @f(%x: v3) -> v3 {
  %s = array.sin %x : v3
  %y = array.mul %s, %x : v3
  func.return %y : v3
}
func.func @main(%x: v3, %a: v3, %b: v3, %dx: v3) -> (v3, v3) {
  %m1 = linear.scale %a : v3 -> ⟨v3⊸v3⟩
  %r = linear.cumulative_sum {dim = 0} : -> ⟨v3⊸v3⟩
  %s = linear.scale %b : v3 -> ⟨v3⊸v3⟩
  %m2 = linear.compose %s, %r : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩
  %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : v3 -> (v3, ⟨v3⊸v3⟩)
  %d1 = linear.compose %d, %m1 : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩
  %t = linear.apply %m2, %dx : ⟨v3⊸v3⟩, v3 -> v3
  %left = linear.apply %d1, %t : ⟨v3⊸v3⟩, v3 -> v3
  %m = linear.compose %m1, %m2 : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩
  %d2 = linear.compose %d, %m : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩
  %right = linear.apply %d2, %dx : ⟨v3⊸v3⟩, v3 -> v3
  func.return %left, %right : v3, v3
}
"""


@pytest.mark.parametrize("passes", ["linearize", "linearize,simplify-maps,apply-linear-maps"])
def test_section_5_3_a_derivative_after_a_map_is_a_map(passes):
    """(CP): f'(x, m1) (m2 db) = f'(x, m1 m2) db."""
    module = run_passes(parse_module(mlir(CRUCIAL)), passes)
    rng = np.random.default_rng(0)
    left, right = run_function(module, [*rng.normal(size=(4, 3))], function="main")
    np.testing.assert_allclose(left, right, rtol=1e-13)


@both_evaluators
def test_section_6_functions_of_n_arguments_are_functions_of_a_tuple(interpret):
    def separate(x, y, z):
        return np.sin(x) * y + z**2 * x

    def tupled(t):
        return separate(*t)

    point = (0.3, 1.2, -0.7)
    by_tuple = ad.grad(tupled, interpret=interpret)(point)
    by_arguments = ad.grad(separate, argnums=(0, 1, 2), interpret=interpret)(*point)
    np.testing.assert_allclose(by_tuple, by_arguments, rtol=1e-15)


@both_evaluators
def test_section_7_the_example_has_the_derivative_it_should(interpret):
    """ex2 is x^2 (x + x^2). The notes print t1 t2 + t1 t2 with t1 = x + x^2, t2 = 2 x, which is not it."""

    def ex2(x):
        y = x * x
        z = x + y
        return y * z

    for x in (1.0, -0.3, 2.0):
        assert ad.grad(ex2, interpret=interpret)(x) == pytest.approx(3 * x**2 + 4 * x**3)
    assert ad.grad(ex2, interpret=interpret)(1.0) == 7.0
