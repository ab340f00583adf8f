"""The same bits for every number of threads: examples, golden problems, random programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from benchmarks.problems import ba, gmm, kmeans, llsq, lse, lstm, ode
from mlirad.frontend.tracing.pytree import flatten
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import NativeProgram
from tests.acceptance.same_bits import native_program
from tests.lower.native import compiled_program
from tests.threads.sharing import counted, digests, everything_shared, is_shared

PROBLEMS = {module.PROBLEM.name: module.PROBLEM for module in (ba, gmm, kmeans, llsq, lse, lstm, ode)}

rng = np.random.default_rng(11)
X, LONG = rng.normal(size=(61, 40)), rng.normal(size=5003)


def softmax_loss(z: Any) -> Any:
    z = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[:, 3])


def scanned(x: Any) -> Any:
    return ad.fori_loop(0, 5, lambda i, c: np.sin(c) * x + i, x)


def smoothed(x: Any) -> Any:
    for _ in range(2):
        x = x[1:-1, 1:-1] * 0.5 + 0.1 * (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:])
    return x


CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "map": (ad.jit(lambda x: np.exp(x) * np.tanh(x)), (LONG,)),
    "single precision": (ad.jit(lambda x: np.sum(np.exp(x), axis=0)), (X.astype(np.float32),)),
    "row sums": (ad.jit(lambda x: np.sum(x * x, axis=1)), (X,)),
    "column sums": (ad.jit(lambda x: np.sum(x * x, axis=0)), (rng.normal(size=(700, 31)),)),
    "total": (ad.jit(lambda x: (np.sum(x), np.max(x), np.prod(x))), (LONG,)),
    "any": (ad.jit(lambda x: (np.any(x > 3), np.all(x < 4))), (LONG,)),
    "softmax": (ad.value_and_grad(softmax_loss), (X,)),
    "scan": (ad.grad(lambda x: np.sum(scanned(x))), (LONG,)),
    "recurrence": (ad.jit(lambda x: ad.fori_loop(0, 9, lambda i, c: c * x + i, x)), (LONG,)),
    "stencil": (ad.jit(smoothed), (X,)),
    "product": (ad.grad(lambda a: np.sum(np.tanh(a @ a.T @ a))), (rng.normal(size=(130, 129)),)),
    "batch of products": (ad.jit(lambda a: a @ np.swapaxes(a, 1, 2)), (rng.normal(size=(5, 90, 110)),)),
    "positions": (ad.jit(lambda x: np.exp(x[np.arange(2000) % 50])), (LONG[:50],)),
    "in blocks": (ad.jit(ad.vmap(lambda x: np.sum(np.sort(np.sin(x)))), chunk=1), (X,)),
    "transforms": (
        ad.grad(lambda x: np.sum(np.tanh(np.fft.irfft2(np.fft.rfft2(x) * np.fft.rfft2(x[::-1]))))),
        (rng.normal(size=(50, 36)),),
    ),
    "products of others": (ad.grad(lambda x: np.prod(np.exp(0.01 * x))), (rng.normal(size=2 * 32 * 128),)),
    "triangle": (
        ad.grad(lambda m: np.sum(np.tanh(X @ np.where(np.tri(40, dtype=bool), m, 0.0)))),
        (rng.normal(size=(40, 40)),),
    ),
    "order": (ad.jit(lambda x: (np.cumsum(np.exp(x), axis=1), np.sort(np.exp(x), axis=0))), (X,)),
}


def shared_program(function: Any, arguments: tuple[Any, ...]) -> NativeProgram:
    function = function if hasattr(function, "lower") else ad.jit(function)
    with everything_shared():
        return function.lower(*arguments).program


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    function, arguments = CALLS[name]
    program = shared_program(function, arguments)
    leaves = flatten(arguments)[0]
    assert is_shared(program)
    assert len(set(digests(program, leaves).values())) == 1
    whole = function.lower(*arguments).program
    for found, expected in zip(
        NativeFunction(program, threads=2)(*leaves), NativeFunction(whole)(*leaves), strict=True
    ):
        tolerance = 2e-5 if np.asarray(found).dtype == np.float32 else 1e-11
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", PROBLEMS)
def test_golden_problems(name: str) -> None:
    problem = PROBLEMS[name]
    golden = problem.golden()
    function = problem.derivative_in(ad, problem.numpy_program)
    program = shared_program(function, golden.arguments)
    leaves = flatten(golden.arguments)[0]
    assert is_shared(program)
    assert len(set(digests(program, leaves).values())) == 1
    found = NativeFunction(program, threads=3)(*leaves)
    assert len(found) == len(golden.gradient)
    for one, expected in zip(found, golden.gradient, strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed: int) -> None:
    with everything_shared():
        program, given = native_program(seed)
    assert len(set(digests(program, given).values())) == 1


@pytest.mark.parametrize("seed", range(10))
def test_checked_random_programs(seed: int) -> None:
    """With checks of addresses, and under guard."""
    with everything_shared():
        plain, given = native_program(seed)
        checked, _ = native_program(seed, checked=True)
    expected = digests(plain, given)[1]
    assert set(digests(checked, given).values()) == {expected}
    guarded = [NativeFunction(checked, debug=True, threads=n)(*given) for n in (1, 3)]
    assert digests(plain, given)[2] == expected
    for one, another in zip(*guarded, strict=True):
        np.testing.assert_array_equal(one, another)


STATED = """
func.func @f(%x: tensor<19xf64>) -> tensor<19xf64> {
  %y = kernel.nest %x (%i) {space = [19], reduction = [], lane = 0, width = 4, parallel = BLOCK}
      : tensor<19xf64> -> tensor<19xf64> {
    %0 = kernel.load %x[%i] : tensor<19xf64> -> f64
    %1 = array.OP %0 : f64
    array.yield %1 : f64
  }
  func.return %y : tensor<19xf64>
}
"""


@pytest.mark.parametrize("block", [1, 4, 5, 8, 18, 19, 1000])
@pytest.mark.parametrize("op", ["exp", "neg"])
def test_blocks_of_any_size(op: str, block: int) -> None:
    """Blocks that are not a multiple of the lanes; a last vector that overlaps the one before, and a
    remainder that belongs to the last task.
    """
    text = STATED.replace("BLOCK", str(block)).replace("OP", op)
    given = np.linspace(-1.0, 1.0, 19)
    program = compiled_program(parse_module(text), "f", checks=False)
    (expected,) = run_function(parse_module(text), [given], function="f")
    found = re.search(r"load <(\d+) x double>", program.llvm)  # as stated, or wider
    assert found is not None
    lanes = int(found[1])
    iterations = -(-19 // lanes) if op == "exp" else 19 // lanes
    assert program.kernels[0].tasks == -(-iterations // -(-block // lanes))
    for threads in (1, 2, 3):
        (found,) = NativeFunction(program, threads=threads)(given)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_the_number_of_tasks_does_not_depend_on_that_of_threads() -> None:
    x = rng.normal(size=400_000)
    functions: list[Callable[..., Any]] = [ad.jit(lambda x: np.exp(x) + 1.0, threads=n) for n in (1, 2, 5)]
    texts = {function.lower(x).llvm() for function in functions}  # pyright: ignore[reportFunctionMemberAccess]
    assert len(texts) == 1
    tasks = functions[0].lower(x).program.kernels[0].tasks  # pyright: ignore[reportFunctionMemberAccess]
    runs = [counted(lambda f=f: f(x)) for f in functions]
    assert [run.loops for run in runs] == [0, 1, 1]
    assert [run.tasks for run in runs] == [0, tasks, tasks]
    assert runs[0].tasks_of_workers == 0 <= runs[1].tasks_of_workers <= tasks


def three_products(x: Any, a: Any, b: Any, c: Any) -> Any:
    """As the queries, keys and values of attention: they read one array, and not each other."""
    return np.tanh(x @ a), np.tanh(x @ b), np.tanh(x @ c)


def test_independent_products_are_one_group_of_tasks() -> None:
    x, a, b, c = (rng.normal(size=shape) for shape in [(128, 256), *[(256, 256)] * 3])
    f = ad.jit(three_products)
    program = f.lower(x, a, b, c).program
    shared = [kernel for kernel in program.kernels if kernel.tasks > 1]
    kinds = [kernel.what for kernel in shared]
    assert kinds.count("dot") == 3  # where tangents are slow, those are a group, too
    call = NativeFunction(program, threads=2)
    run = counted(lambda: call(x, a, b, c))
    assert run.loops == len(set(kinds)) and run.tasks == sum(kernel.tasks for kernel in shared)
    assert len(set(digests(program, [x, a, b, c]).values())) == 1
    for found, weights in zip(call(x, a, b, c), (a, b, c), strict=True):
        np.testing.assert_allclose(found, np.tanh(x @ weights), rtol=1e-12, atol=1e-12)


def test_a_product_that_reads_another_waits_for_it() -> None:
    x, a = rng.normal(size=(256, 256)), rng.normal(size=(256, 256))
    program = ad.jit(lambda x, a: (x @ a) @ a).lower(x, a).program
    assert counted(lambda: NativeFunction(program, threads=2)(x, a)).loops == 2


def test_operands_stay_for_products_of_their_group() -> None:
    """Both products of a gradient run at once, though the operands of one are not read behind it."""
    x, a, b = (rng.normal(size=(256, 256)) for _ in range(3))
    gradient = ad.grad(lambda x, a, b: np.sum(np.sin(np.sin(x @ a) @ b)), argnums=(1, 2))
    program = gradient.lower(x, a, b).program  # pyright: ignore[reportFunctionMemberAccess]
    products = [kernel for kernel in program.kernels if kernel.what == "dot"]
    shared = [kernel for kernel in program.kernels if kernel.tasks > 1]
    call = NativeFunction(program, threads=2)
    assert len(products) == 5
    assert counted(lambda: call(x, a, b)).loops < len(shared)
    assert len(set(digests(program, [x, a, b]).values())) == 1


def test_small_work_stays_on_one_thread() -> None:
    small = ad.jit(lambda x: np.sum(np.exp(x) + 1.0), threads=2)
    assert "parallel" not in small.lower(np.ones(1000)).llvm()
    assert counted(lambda: small(np.ones(1000))).loops == 0
    stats = small.lower(np.ones(1000)).stats()
    assert stats.shared_kernels == stats.shared_work == 0


def test_stats_say_what_is_shared() -> None:
    stats = ad.grad(lambda x: np.sum(np.exp(x))).lower(np.ones(400_000)).stats()
    assert 0 < stats.shared_kernels <= stats.kernels
    assert 0.9 * stats.work < stats.shared_work <= stats.work
    assert "threads may share" in str(stats)
