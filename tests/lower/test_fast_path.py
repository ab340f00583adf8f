"""The fast paths of kernels compute what the interpreter does: at borders, at poles, and inside."""

from __future__ import annotations

import random
import re
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import f64

from mlirad.compiler import compile_module, transform
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.parsing import parse_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.cpu.complete_schedules import fast_paths
from mlirad.passes.differentiate import DifferentiatePass
from mlirad.pipeline_options import Options
from tests.generators import arguments_for, random_program
from tests.lower.emission import TYPES, check, compiled, tensor
from tests.lower.test_emit_nest import SCHEDULES

NAN_TEST = "fcmp uno"
GUARDED_LOAD = re.compile(r"@llvm\.masked\.load\.v\d+f64\.p0\(ptr align")

POLES = [0.0, np.inf, np.nan, -0.0, -np.inf]


def force(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a fast path to every kernel that can have one."""
    monkeypatch.setattr(fast_paths, "SECOND_PATH", 0)
    monkeypatch.setattr(fast_paths, "LEAST_SAVED", -100)
    monkeypatch.setattr(fast_paths, "LEAST_SHARE", -100)
    monkeypatch.setattr(fast_paths, "LEAST_BORDER", 0)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    force(monkeypatch)


def with_poles(shape: tuple[int, int], seed: int) -> np.ndarray:
    """Normal numbers; in the first rows there are zeros, infinities and NaNs, in the last ones none."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0.5, -0.5, shape[0])[:, np.newaxis]
    return np.where(rng.random(shape) < share, rng.choice(POLES, shape), rng.normal(size=shape))


def stencil(n: int, m: int, schedule: str) -> str:
    """Products with the neighbours in a matrix, 0 outside of it; zeros absorb."""
    t = tensor((n, m))
    return f"""
func.func @main(%x: {t}, %k: {t}) -> {t} {{
  %z = kernel.nest %x, %k (%i, %j) {{space = [{n}, {m}], reduction = []{schedule}}} : {t}, {t} -> {t} {{
    %1 = array.constant 1 : i64
    %2 = array.constant -2 : i64
    %last = array.constant {m - 1} : i64
    %zero = array.constant 0.0 : f64
    %below = array.add %i, %2 : i64
    %inside = array.compare gt %i, %1 : i64, i64 -> i1
    %a = kernel.load_if %inside, %x[%below, %j] : i1, {t} -> f64
    %left = array.sub %j, %1 : i64
    %first = array.compare lt %j, %1 : i64, i64 -> i1
    %others = array.not %first : i1
    %b = kernel.load_if %others, %x[%i, %left] : i1, {t} -> f64
    %right = array.add %j, %1 : i64
    %more = array.compare ne %j, %last : i64, i64 -> i1
    %both = array.and %inside, %more : i1
    %c = kernel.load_if %both, %x[%below, %right] : i1, {t} -> f64
    %u = kernel.load %k[%i, %j] : {t} -> f64
    %p = array.absorbing_mul %u, %a : f64
    %q = array.absorbing_mul %b, %c : f64
    %r = array.select %more, %q, %u : i1, f64, f64 -> f64
    %s = array.add %p, %r : f64
    %e = array.select %first, %zero, %s : i1, f64, f64 -> f64
    array.yield %e : f64
  }}
  func.return %z : {t}
}}"""


@pytest.mark.parametrize("schedule", ["", ", lane = 1", ", lane = 0", ", lane = 1, tile_dim = 0, tile = 3"])
@pytest.mark.parametrize("shape", [(9, 41), (33, 6), (3, 3)])
def test_borders_and_poles_of_a_stencil(always: None, schedule: str, shape: tuple[int, int]) -> None:
    check(stencil(*shape, schedule), with_poles(shape, 0), with_poles(shape, 1))


def reduction(combiner: str, n: int, m: int, schedule: str) -> str:
    """A reduction of absorbing products of matrices, over rows."""
    t, result = tensor((n, m)), tensor((n,))
    return f"""
func.func @main(%x: {t}, %y: {t}) -> {result} {{
  %z = kernel.nest %x, %y (%i, %r) {{space = [{n}], reduction = [{m}], combiners = [{combiner}]{schedule}}}
      : {t}, {t} -> {result} {{
    %a = kernel.load %x[%i, %r] : {t} -> f64
    %b = kernel.load %y[%i, %r] : {t} -> f64
    %p = array.absorbing_mul %a, %b : f64
    array.yield %p : f64
  }}
  func.return %z : {result}
}}"""


@pytest.mark.parametrize("combiner", ["add", "prod", "max"])
@pytest.mark.parametrize("schedule", ["", ", lane = 1", ", lane = 0", ", lane = 0, reduction_outer"])
def test_reductions_of_products_with_poles(always: None, combiner: str, schedule: str) -> None:
    check(reduction(combiner, 11, 45, schedule), with_poles((11, 45), 2), with_poles((11, 45), 3))


def sums(n: int, m: int, k: int, schedule: str = "", dtype: str = "float64", last: str = "array.neg") -> str:
    """Two sums of absorbing products over r, one of them through an op on its way, and a maximum."""
    x, y, z, t = tensor((n, k), dtype), tensor((k, m), dtype), tensor((n, m), dtype), TYPES[dtype]
    return f"""
func.func @main(%x: {x}, %y: {y}) -> ({z}, {z}, {z}) {{
  %z:3 = kernel.nest %x, %y (%i, %j, %r) {{space = [{n}, {m}], reduction = [{k}],
    combiners = [add, add, max]{schedule}}} : {x}, {y} -> ({z}, {z}, {z}) {{
    %a = kernel.load %x[%i, %r] : {x} -> {t}
    %b = kernel.load %y[%r, %j] : {y} -> {t}
    %p = array.absorbing_mul %a, %b : {t}
    %q = array.absorbing_mul %p, %b : {t}
    %s = {last} %q : {t}
    array.yield %p, %s, %a : {t}, {t}, {t}
  }}
  func.return %z#0, %z#1, %z#2 : {z}, {z}, {z}
}}"""


def sprinkled(random: np.random.Generator, shape: tuple[int, ...], share: float) -> npt.NDArray[np.float64]:
    """Normal numbers, a share of them poles."""
    return np.where(
        random.uniform(size=shape) < share, random.choice(POLES, shape), random.normal(size=shape)
    )


@pytest.mark.parametrize("schedule", [s for s in SCHEDULES[::2] if "layouts" not in s])
def test_sums_of_products_in_every_schedule(always: None, schedule: str) -> None:
    random = np.random.default_rng(0)
    for dtype, share, rtol, (n, m, k) in (
        ("float64", 0.02, 1e-12, (17, 3, 33)),
        ("float32", 0.1, 1e-5, (3, 10, 7)),
    ):
        x, y = (sprinkled(random, shape, share).astype(dtype) for shape in ((n, k), (k, m)))
        assert NAN_TEST in check(sums(n, m, k, schedule, dtype), x, y, rtol=rtol).llvm


def test_a_product_shows_in_any_sum_that_keeps_it() -> None:
    """The first product is a factor of the second, which absorbs where a floor hides its NaN."""
    random = np.random.default_rng(1)
    x, y = sprinkled(random, (40, 50), 0.05), sprinkled(random, (50, 64), 0.05)
    compares: list[int] = []
    for last in ("array.abs", "array.floor"):
        llvm = check(sums(40, 64, 50, ", lane = 1", last=last), x, y).llvm
        assert NAN_TEST in llvm
        compares.append(llvm.count("fcmp une <"))
    # On the fast path, too, a floor has both factors of the second product compared.
    assert compares[1] == compares[0] + 2


@pytest.mark.parametrize("guards", [1, 4])
def test_guarded_sums_of_products(always: None, guards: int) -> None:
    """Sums of products with what stands before: the totals are tested, or, with many guards, each block."""
    n, m = 7, 83
    t, result = tensor((n, m)), tensor((n,))
    terms = [
        f"""
    %d{d} = array.constant {d} : i64
    %at{d} = array.sub %r, %d{d} : i64
    %in{d} = array.compare ge %r, %d{d} : i64, i64 -> i1
    %x{d} = kernel.load_if %in{d}, %x[%i, %at{d}] : i1, {t} -> f64
    %s{d} = array.add %s{d - 1}, %x{d} : f64"""
        for d in range(1, guards + 1)
    ]
    text = f"""
func.func @main(%x: {t}, %y: {t}) -> {result} {{
  %z = kernel.nest %x, %y (%i, %r) {{space = [{n}], reduction = [{m}], combiners = [add], lane = 1}}
      : {t}, {t} -> {result} {{
    %s0 = kernel.load %x[%i, %r] : {t} -> f64
    %k = kernel.load %y[%i, %r] : {t} -> f64 {"".join(terms)}
    %p = array.absorbing_mul %k, %s{guards} : f64
    array.yield %p : f64
  }}
  func.return %z : {result}
}}"""
    random = np.random.default_rng(2)
    program = check(text, sprinkled(random, (n, m), 0.02), sprinkled(random, (n, m), 0.02))
    assert ("icmp sge i64" in program.llvm) == (guards > 1)


def test_products_whose_nans_are_lost_absorb(always: None) -> None:
    t = tensor((64,))
    text = f"""
func.func @main(%x: {t}, %y: {t}) -> {t} {{
  %z = kernel.nest %x, %y (%i) {{space = [64], reduction = [], lane = 0}} : {t}, {t} -> {t} {{
    %a = kernel.load %x[%i] : {t} -> f64
    %b = kernel.load %y[%i] : {t} -> f64
    %0 = array.constant 0.0 : f64
    %p = array.absorbing_mul %a, %b : f64
    %q = array.absorbing_mul %p, %a : f64
    %c = array.compare lt %q, %0 : f64, f64 -> i1
    %s = array.absorbing_mul %b, %b : f64
    %r = array.select %c, %s, %b : i1, f64, f64 -> f64
    array.yield %r : f64
  }}
  func.return %z : {t}
}}"""
    x, y = (np.array([pair[k] for pair in product([*POLES, 1.0, -2.0, 3.0], repeat=2)]) for k in (0, 1))
    _, program, _ = compiled(text)
    assert program.llvm.count("fcmp une <") == 2 * 2 + 2  # of %p and %q on both paths, of %s on one
    check(text, x, y)


def products_of_a_loop(n: int) -> str:
    """Products of a scalar and what a loop makes of it, step by step; zeros absorb."""
    t = tensor((n,))
    return f"""
func.func @main(%c: f64, %x: {t}) -> (f64, {t}) {{
  %last, %all = array.scan %c, %x (%i, %p: f64, %f: f64) {{carries = 1, length = {n}}}
      : f64, {t} -> (f64, {t}) {{
    %q = array.absorbing_mul %p, %f : f64
    %r = array.absorbing_mul %p, %q : f64
    array.yield %q, %r : f64, f64
  }}
  func.return %last, %all : f64, {t}
}}"""


def test_scalars_of_a_loop() -> None:
    """A long loop tests its products for NaN, a short one compares their factors with 0."""
    for n, has_fast_path in ((5, False), (4000, True)):
        text = products_of_a_loop(n)
        function = functions_by_name(parse_module(text))["main"]
        program = compile_module(parse_module(text), Options(start="arrays"), flush_subnormals=False).program
        assert (NAN_TEST in program.llvm) == has_fast_path
        native = NativeFunction(program, debug=True)
        factors = np.random.default_rng(n).choice([0.5, 2.0, -1.0], n)
        for k, pole in enumerate([1.0, *POLES]):
            for start in (1.5, 0.0, np.inf, np.nan):
                x = factors.copy()
                x[n // 3], x[n // 2] = pole, POLES[(k + 1) % len(POLES)] if k else 1.0
                args = [np.float64(start), x]
                for one, other in zip(native(*args), run_function(function, args), strict=True):
                    np.testing.assert_array_equal(one, other)


def test_there_is_a_fast_path_only_where_it_pays() -> None:
    assert NAN_TEST not in compiled(stencil(8, 64, ", lane = 1"))[1].llvm
    assert NAN_TEST not in compiled(sums(4, 6, 8, ", lane = 1"))[1].llvm
    large = compiled(stencil(200, 200, ", lane = 1"))[1].llvm
    assert large.count(NAN_TEST) == 1
    assert len(GUARDED_LOAD.findall(large)) == 2  # the general path alone has guards
    six_vectors = 6 * find_target().vector_bytes // 8
    narrow = compiled(stencil(2000, six_vectors, ", lane = 1"))[1].llvm
    assert narrow.count(NAN_TEST) == 2  # a third of the blocks lie at borders
    assert len(GUARDED_LOAD.findall(narrow)) == 4


ROWS_ABOVE = 4


def rows_in_blocks(blocks: int, rows: int, m: int) -> str:
    """Sums of differences to the rows above, 0 outside, of blocks of rows: an iteration of a loop each."""
    t, result = tensor((blocks * rows, m)), tensor((blocks,))
    differences = "".join(
        f"""
      %d{k} = array.constant {k} : i64
      %inside{k} = array.compare ge %row, %d{k} : i64, i64 -> i1
      %above{k} = array.sub %row, %d{k} : i64
      %a{k} = kernel.load_if %inside{k}, %x[%above{k}, %j] : i1, {t} -> f64
      %s{k} = array.sub %s{k - 1}, %a{k} : f64"""
        for k in range(1, ROWS_ABOVE + 1)
    )
    return f"""
func.func @main(%x: {t}) -> {result} {{
  %sums = array.scan (%k) {{carries = 0, length = {blocks}}} : -> {result} {{
    %s = kernel.nest %k, %x (%i, %j) {{space = [], reduction = [{rows}, {m}], combiners = [add], lane = 1}}
        : i64, {t} -> f64 {{
      %block = kernel.load %k : i64 -> i64
      %rows = array.constant {rows} : i64
      %first = array.mul %block, %rows : i64
      %row = array.add %first, %i : i64
      %s0 = kernel.load %x[%row, %j] : {t} -> f64{differences}
      array.yield %s{ROWS_ABOVE} : f64
    }}
    array.yield %s : f64
  }}
  func.return %sums : {result}
}}"""


def test_guards_on_the_iteration_of_a_loop_around_a_kernel(always: None) -> None:
    """A guard chooses an address for each subtraction, but on the fast path."""
    text = rows_in_blocks(8, 16, 32)
    program = compile_module(parse_module(text), Options(start="kernels", entry="main")).program
    x = np.arange(8.0 * 16 * 32).reshape(128, 32)
    above = sum(np.vstack([np.zeros((k, 32)), x[:-k]]) for k in range(1, ROWS_ABOVE + 1))
    (found,) = NativeFunction(program, debug=True)(x)
    np.testing.assert_allclose(np.asarray(found, float), (x - above).reshape(8, -1).sum(axis=1))
    assert 0 < program.llvm.count("select i1") < program.llvm.count("fsub ")


@pytest.mark.parametrize("seed", range(40))
def test_random_gradients(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every fast path that can be, and with none; of usual arguments, also interpreted."""
    module = random_program(seed, 10, smooth=True, elements={f64: 1}, straight=True)
    DifferentiatePass(wrt=tuple(range(len(functions_by_name(module)["main"].args)))).apply(Context(), module)
    transform(module, Options(end="arrays"))
    options = Options(start="arrays", entry="main_grad")
    plain = compile_module(module.clone(), options, flush_subnormals=False).program
    force(monkeypatch)
    fast = compile_module(module.clone(), options, flush_subnormals=False).program
    for special in (False, True):
        args = arguments_for(module, random.Random(seed), special=special, function="main_grad")
        found = NativeFunction(fast, debug=True)(*args)
        wants = [NativeFunction(plain, debug=True)(*args)]
        if not special:
            wants.append(run_function(module, args, function="main_grad"))
        for want in wants:
            for one, other in zip(found, want, strict=True):
                np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), 1e-6, 1e-6)
