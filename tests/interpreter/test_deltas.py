"""Scalar dual numbers, by the sections of the dual-numbers paper, and against the compiler's derivatives."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from xdsl.dialects.builtin import f64, i1, i32, i64

import mlirad as ad
from examples.programs import ba, gmm, kmeans, llsq, lse
from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.factorisations import FACTORISATION_OPS
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.array.transforms import TRANSFORM_OPS
from mlirad.dialects.shapes import is_float
from mlirad.errors import DifferentiationError, ShapeError, UnsupportedError
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.pytree import flatten
from mlirad.interpreter import run_function
from mlirad.interpreter.deltas import delta_nodes, naive_gradient, run_duals
from mlirad.interpreter.deltas.delta_terms import ZERO, Add, Input, Scale, Share, distinct
from mlirad.interpreter.deltas.evaluators import eval0, eval1, eval2, eval3, reverse_pass
from mlirad.interpreter.deltas.partials import CONSTANT, PARTIALS
from mlirad.interpreter.deltas.rules import RULES
from mlirad.rules.derivatives import DERIVATIVES
from tests.generators import arguments_for, random_program
from tests.interpreter.programs import module
from tests.passes.derivatives import differentiated, drawn, float_arguments, function_of, run_passes

INPUTS = 3
BULK = "mlirad-canonicalize,bulk-operations,raise-contractions"


def function(parameters, results, *lines):
    return module(f"func.func @f({parameters}) -> ({results}) {{\n" + "\n".join(lines) + "\n}")


def term_of(program, *args):
    """The term of the one scalar result of a program, all of whose arguments are inputs."""
    ((term,),) = run_duals(program, args, range(len(args))).deltas
    return term


def random_term(rng, size=10):
    """A term with sharing. Its factors are small integers, so that evaluators agree exactly."""
    terms = [ZERO, *map(Input, range(INPUTS))]
    for identity in range(size):
        left, right = rng.choice(terms), rng.choice(terms)
        factor = float(rng.randint(-3, 3))
        made = rng.choice((Add(left, right), Scale(factor, left), Add(Scale(factor, left), right)))
        terms += [made, Share(identity, made)]
    return terms[-1]


def dense(gradient, inputs=INPUTS):
    return [gradient.get(name, 0.0) for name in range(inputs)]


# Sections 2.3 and 2.4 ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_a_term_along_a_direction_is_the_gradient_times_it(seed):
    rng = random.Random(seed)
    term, direction = random_term(rng), [float(rng.randint(-5, 5)) for _ in range(INPUTS)]
    gradient = [eval0(term, unit) for unit in np.eye(INPUTS).tolist()]
    assert eval0(term, direction) == np.dot(gradient, direction)


@pytest.mark.parametrize("seed", range(10))
def test_the_term_of_a_result_is_its_derivative(seed):
    """Section 2.3: the values are those of the program, eval0 is what differences tend to."""
    program = random_program(seed, 4, smooth=True, straight=True, ranks=(0, 1))
    args = arguments_for(program, random.Random(seed))
    wrt = float_arguments(program, "main")
    rng = np.random.default_rng(seed)
    direction = [rng.normal(size=np.shape(args[k])) for k in wrt]

    def moved(step):
        at = list(args)
        for k, dx in zip(wrt, direction, strict=True):
            at[k] = np.asarray(args[k] + step * dx)[()]
        return run_function(program, at)

    duals = run_duals(program, args, wrt)
    flat = [float(x) for part in direction for x in np.ravel(part)]
    step = 1e-5
    for value, same, terms, up, down in zip(
        duals.values, run_function(program, args), duals.deltas, moved(step), moved(-step), strict=True
    ):
        np.testing.assert_allclose(value, same, rtol=1e-14)
        slopes = [eval0(term, flat) for term in terms]
        expected = np.ravel(up - down) / (2 * step)
        np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_every_evaluator_is_the_one_before(seed):
    rng = random.Random(seed)
    term = random_term(rng)
    vector = [float(rng.randint(-5, 5)) for _ in range(INPUTS)]
    zero = [0.0] * INPUTS
    assert eval1(term, INPUTS) == [eval0(term, unit) for unit in np.eye(INPUTS).tolist()]
    assert eval1(term, INPUTS) == eval2(term, zero)
    assert eval2(term, vector) == eval3(1.0, term, vector)
    assert dense(reverse_pass(1.0, term)) == eval3(1.0, term, zero)
    assert dense(reverse_pass(-2.0, term)) == eval3(-2.0, term, zero)


def test_scaling_leaves_alone_what_was_there_before():
    """Composing "times 2" after the inner term, as eval2 is printed, would give [2, 2]."""
    term = Add(Input(0), Scale(2.0, Input(1)))
    assert eval2(term, [0.0, 0.0]) == eval1(term, 2) == [1.0, 2.0]


def test_zeros_absorb():
    term = Scale(0.0, Scale(np.inf, Input(0)))
    assert reverse_pass(1.0, term) == {0: 0.0}
    assert reverse_pass(0.0, Scale(np.nan, Input(0))) == {0: 0.0}
    assert eval3(1.0, term, [0.0]) == [0.0]


# Sections 2.5 and 2.6 ----------------------------------------------------------------------------


def test_figure_4():
    program = function(
        "%x: f64",
        "f64",
        "%y = array.exp %x : f64",
        "%z = array.log %y : f64",
        "%s = array.sin %z : f64",
        "%c = array.cos %z : f64",
        "%t = array.div %s, %c : f64",
        "%r = array.add %y, %t : f64",
        "func.return %r : f64",
    )
    term = term_of(program, 0.4)
    slope = np.exp(0.4) + 1 / np.cos(0.4) ** 2
    by_paths, once = [], []
    assert eval3(1.0, term, [0.0], by_paths) == pytest.approx([slope])
    assert reverse_pass(1.0, term, once) == pytest.approx({0: slope})
    assert len(by_paths) == 12
    assert [getattr(visit, "id", "input") for visit in once] == [5, 4, 3, 2, 1, 0, "input"]


def test_doublings():
    """The time of a pass is linear, and IDs decrease strictly on the way."""
    steps = 200
    lines = [f"%x{k + 1} = array.add %x{k}, %x{k} : f64" for k in range(steps)]
    term = term_of(function("%x0: f64", "f64", *lines, f"func.return %x{steps} : f64"), 1.0)
    visited = []
    assert reverse_pass(1.0, term, visited) == {0: 2.0**steps}
    assert [visit.id for visit in visited[:steps]] == list(reversed(range(steps)))
    assert len(visited) == steps + 2
    assert delta_nodes(term) == 2 * steps


@pytest.mark.parametrize("seed", range(10))
def test_invariants(seed):
    """IDs under a Share are smaller than its own, and one ID is one object."""
    program = random_program(seed, 10, smooth=True, straight=True)
    args = arguments_for(program, random.Random(seed))
    duals = run_duals(program, args, float_arguments(program, "main"))
    shares = [d for d in distinct(*(d for own in duals.deltas for d in own or ())) if isinstance(d, Share)]
    assert len({share.id for share in shares}) == len(shares)
    below = {}
    for share in sorted(shares, key=lambda share: share.id):
        below[share.id] = max((d.id for d in fragment(share.term)), default=-1)
        assert below[share.id] < share.id


def fragment(term):
    """The Shares that a term holds, not those under them."""
    match term:
        case Share():
            yield term
        case Add(left, right):
            yield from fragment(left)
            yield from fragment(right)
        case Scale(_, inner):
            yield from fragment(inner)


# Section 2.7 -------------------------------------------------------------------------------------


def test_discrete_arguments_and_results():
    program = function(
        "%n: i64, %x: tensor<2xf64>, %b: tensor<2xi1>",
        "f64, tensor<2xf64>, i64, tensor<2xi1>, i64",
        "%k = array.convert %n : i64 -> f64",
        "%ks = array.broadcast %k {dims = []} : f64 -> tensor<2xf64>",
        "%xk = array.mul %x, %ks : tensor<2xf64>",
        "%xx = array.mul %x, %x : tensor<2xf64>",
        "%y = array.select %b, %xk, %xx : tensor<2xi1>, tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>",
        "%total = array.sum %y {dims = [0]} : tensor<2xf64> -> f64",
        "%round = array.round %y : tensor<2xf64>",
        "%best = array.argmax %y {dim = 0} : tensor<2xf64> -> i64",
        "%less = array.compare lt %xk, %xx : tensor<2xf64>, tensor<2xf64> -> tensor<2xi1>",
        "func.return %total, %round, %best, %less, %n : f64, tensor<2xf64>, i64, tensor<2xi1>, i64",
    )
    args = [np.int64(3), np.array([0.4, 1.3]), np.array([True, False])]
    duals = run_duals(program, args, [1])
    assert [d if d is None else len(d) for d in duals.deltas] == [1, 2, None, None, None]
    assert duals.deltas[1] == [ZERO, ZERO]
    (gradient,) = naive_gradient(program, args, [1], [2.0, np.ones(2)])
    np.testing.assert_allclose(gradient, [6.0, 5.2])
    with pytest.raises(DifferentiationError, match="argument 0 of @f is i64"):
        naive_gradient(program, args, [0, 1], [2.0, np.ones(2)])


# Section 4 ---------------------------------------------------------------------------------------

BY_BUILD = """func.func @f(%a: tensor<{n}xf64>, %b: tensor<{n}xf64>) -> f64 {{
  %products = array.build (%i) : -> tensor<{n}xf64> {{
    %x = array.index %a[%i] : tensor<{n}xf64> -> f64
    %y = array.index %b[%i] : tensor<{n}xf64> -> f64
    %product = array.mul %x, %y : f64
    array.yield %product : f64
  }}
  %sum = array.sum %products {{dims = [0]}} : tensor<{n}xf64> -> f64
  func.return %sum : f64
}}"""

BY_DOT = """func.func @f(%a: tensor<{n}xf64>, %b: tensor<{n}xf64>) -> f64 {{
  %dot = array.dot %a, %b {{lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]}}
    : tensor<{n}xf64>, tensor<{n}xf64> -> f64
  func.return %dot : f64
}}"""


@pytest.mark.parametrize("text", [BY_BUILD, BY_DOT], ids=["build", "dot"])
def test_the_delta_explosion(text):
    """Section 4.1: 5 n + 1 nodes for a dot product; in bulk, a number of linear ops that does not grow."""
    maps = set()
    for n in (2, 7, 40):
        program = module(text.format(n=n))
        x, y = np.random.default_rng(n).normal(size=(2, n))
        assert delta_nodes(term_of(program, x, y)) == 5 * n + 1
        by_x, by_y = naive_gradient(program, [x, y], [0, 1])
        np.testing.assert_array_equal(by_x, y)
        np.testing.assert_array_equal(by_y, x)
        bulk = run_passes(program, f"differentiate{{function=f wrt=0,1}},{BULK},linearize")
        maps.add(sum(isinstance(op, linear.MapOp) for op in bulk.walk()))
    assert len(maps) == 1
    assert max(maps) <= 12


def test_reading_by_index_is_linear():
    """Section 4.4: n reads of an array of n elements visit 3 n + 1 terms, not n^2."""
    for n in (10, 20):
        visited = []
        x, y = np.ones((2, n))
        reverse_pass(1.0, term_of(module(BY_BUILD.format(n=n)), x, y), visited)
        assert len(visited) == 3 * n + 1


# Appendix C --------------------------------------------------------------------------------------

UNARY = [op for op in PARTIALS if issubclass(op, ew.UnaryOp) and op is not ew.PolygammaOp]
BINARY = [op for op in PARTIALS if issubclass(op, ew.BinaryOp)]
FINITE = (-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 2.0)
NUMBERS = {1: (*FINITE, -np.inf, np.inf, np.nan), 2: (*FINITE, np.nan)}


def scalar_program(op, type_="f64"):
    names = ["%x", "%y"][: 1 if op in UNARY else 2]
    parameters = ", ".join(f"{name}: {type_}" for name in names)
    line = f"%r = {op.name} {', '.join(names)} : {type_}"
    return f"func.func @f({parameters}) -> ({type_}) {{\n{line}\nfunc.return %r : {type_}\n}}"


@pytest.mark.parametrize("op", [*UNARY, *BINARY], ids=lambda op: op.name)
def test_one_scalar_meaning(op):
    """At arrays (NumPy's rules), at IR (folding) and at dual numbers: the same bits."""
    args = [0.7, 0.6][: 1 if op in UNARY else 2]
    if op is ew.AcoshOp:
        args = [1.3]
    text = scalar_program(op)
    names = ["%x", "%y"][: len(args)]
    constants = [f"{name} = array.constant {x} : f64" for name, x in zip(names, args, strict=True)]
    body = text.split("\n")[1:]
    folded = run_passes(
        module("\n".join(["func.func @f() -> f64 {", *constants, *body])), "mlirad-canonicalize"
    )
    *_, constant, _ = function_of(folded, "f").body.block.ops
    assert isinstance(constant, ConstantOp)
    (interpreted,) = run_function(module(text), args)
    (dual,) = run_duals(module(text), args, range(len(args))).values
    assert interpreted == dual == literal_array(constant)


@pytest.mark.parametrize("op", [*UNARY, *BINARY], ids=lambda op: op.name)
def test_partial_derivatives_are_those_of_the_rules(op):
    """Two tables written apart, at ordinary and special points; `tanh_slope` is told the tanh of x."""
    text = scalar_program(op)
    count = 1 if op in UNARY else 2
    compiled = differentiated(text, "f", tuple(range(count)), "reverse")
    program = module(text)
    points = product(NUMBERS[count], repeat=count)
    if op is ew.TanhSlopeOp:
        points = [(x, np.tanh(x)) for x in NUMBERS[count]]
    for args in points:
        expected = run_function(compiled, args, function="f_grad")[1:]
        got = naive_gradient(program, args, range(count))
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14, err_msg=str(args))


def test_every_op_with_a_derivative_has_a_rule():
    without = {*FACTORISATION_OPS, *TRANSFORM_OPS}
    assert set(RULES) == (set(DERIVATIVES) - without) | (CONSTANT - without)


# Against the compiler ----------------------------------------------------------------------------


def check_against_the_compiler(program, args, name="main"):
    """The gradients of random combinations of the float results."""
    wrt = float_arguments(program, name)
    outputs = function_of(program, name).function_type.outputs.data
    cotangents = drawn([t for t in outputs if is_float(t)], np.random.default_rng(0))
    given = [] if len(outputs) == 1 and not np.ndim(cotangents[0]) else cotangents
    positions = ",".join(map(str, wrt))
    insert = f"differentiate{{function={name} wrt={positions}}}"
    passes = f"mlirad-inline,{insert},{BULK},linearize,apply-linear-maps"
    compiled = run_passes(program.clone(), passes)
    expected = run_function(compiled, [*args, *given], function=f"{name}_grad")[len(outputs) :]
    got = naive_gradient(program, args, wrt, given or None, function=name)
    for part, want in zip(got, expected, strict=True):
        assert (np.shape(part), part.dtype) == (np.shape(want), want.dtype)
        tolerance = 1e-9 if want.dtype == np.float64 else 1e-5
        largest = float(np.max(np.abs(want[np.isfinite(want)]), initial=1.0))
        np.testing.assert_allclose(part, want, rtol=tolerance, atol=tolerance * largest)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    program = random_program(seed, random.Random(seed).randint(2, 14), smooth=True, straight=True)
    check_against_the_compiler(program, arguments_for(program, random.Random(seed)))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_where_floats_decide(seed):
    """Positions, conditions and integers computed from floats; poles; discrete results."""
    program = random_program(
        seed,
        random.Random(seed).randint(2, 10),
        elements={f64: 12, i64: 3, i32: 1, i1: 1},
        straight=True,
    )
    if any(map(is_float, function_of(program, "main").function_type.outputs.data)):
        check_against_the_compiler(program, arguments_for(program, random.Random(seed)))


EXAMPLES = {
    "gmm": (gmm.objective, tuple(gmm.random_instance(2, 2, 3)), (0, 1, 2, 3)),
    "lse": (lse.primal, (lse.random_instance(6),), (0,)),
    "llsq": (llsq.primal, llsq.random_instance(3, 5), (0,)),
    "kmeans": (kmeans.cost, kmeans.random_instance(4, 3, 2), (1,)),
    "ba": (
        lambda camera, point, weight: np.sum(
            ba.reprojection_error(camera, point, weight, np.array([0.3, -0.2]))
        ),
        (np.linspace(0.5, 1, 11), np.array([2.0, 2.5, 3.0]), np.float64(0.8)),
        (0, 1, 2),
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    example, arguments, wrt = EXAMPLES[name]
    program = ad.trace(example, *arguments)
    leaves = [plain_array(leaf) for leaf in flatten(arguments)[0]]
    expected = ad.grad(example, argnums=wrt)(*arguments)
    for got, want in zip(naive_gradient(program, leaves, wrt), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.max(np.abs(want)))


def test_calls_builds_in_builds_and_writes():
    """A function called twice, nested builds, an overwritten element, a tied maximum, single precision."""
    text = """
func.func @square(%x: f32) -> f32 {
  %y = array.mul %x, %x : f32
  func.return %y : f32
}
func.func @main(%x: tensor<3xf32>, %base: tensor<2xf32>) -> (tensor<2xf32>, tensor<2x3xf32>, f32) {
  %table = array.build (%i) : -> tensor<2x3xf32> {
    %row = array.build (%j) : -> tensor<3xf32> {
      %e = array.index %x[%j] : tensor<3xf32> -> f32
      %s = func.call @square(%e) : (f32) -> f32
      %t = func.call @square(%s) : (f32) -> f32
      %k = array.convert %i : i64 -> f32
      %p = array.mul %t, %k : f32
      %q = array.add %p, %e : f32
      array.yield %q : f32
    }
    array.yield %row : tensor<3xf32>
  }
  %written = array.update set %base, %x (%i) : tensor<2xf32>, tensor<3xf32> -> tensor<2xf32> {
    %half = array.shift_right %i, %i : i64
    array.yield %half : i64
  }
  %top = array.reduce max %x {dims = [0]} : tensor<3xf32> -> f32
  func.return %written, %table, %top : tensor<2xf32>, tensor<2x3xf32>, f32
}"""
    check_against_the_compiler(module(text), [np.array([0.5, 2.0, 2.0], np.float32), np.ones(2, np.float32)])


@pytest.mark.parametrize("n", [0, 1])
def test_arrays_of_no_element_and_of_one(n):
    (gradient,) = naive_gradient(
        function(
            f"%x: tensor<{n}xf64>",
            "f64",
            f"%s = array.sum %x {{dims = [0]}} : tensor<{n}xf64> -> f64",
            "%y = array.sin %s : f64",
            "func.return %y : f64",
        ),
        [np.zeros(n)],
        [0],
    )
    np.testing.assert_array_equal(gradient, np.ones(n))


# Mistakes ----------------------------------------------------------------------------------------

SINES = """func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = array.sin %x : tensor<2xf64>
  func.return %y : tensor<2xf64>
}"""


@pytest.mark.parametrize(
    ("wrt", "cotangents", "error", "message"),
    [
        ([1], None, DifferentiationError, "distinct positions among the 1 arguments of @f"),
        ([0, 0], None, DifferentiationError, "distinct positions"),
        ([0], None, DifferentiationError, r"the float results have shapes \[\[2\]\]: only a single scalar"),
        ([0], [np.ones(3)], ShapeError, r"cotangents have shapes \[\[3\]\], the float results \[\[2\]\]"),
        ([0], [], ShapeError, r"cotangents have shapes \[\]"),
    ],
)
def test_mistakes(wrt, cotangents, error, message):
    with pytest.raises(error, match=message):
        naive_gradient(module(SINES), [np.zeros(2)], wrt, cotangents)


def test_linear_maps_have_no_meaning_on_dual_numbers():
    program = run_passes(module(SINES), "differentiate{function=f},linearize")
    with pytest.raises(UnsupportedError, match="has no meaning on dual numbers"):
        naive_gradient(program, [np.zeros(2), np.ones(2)], [0], [np.ones(2), np.ones(2)], function="f_grad")
