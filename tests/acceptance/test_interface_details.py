"""Details that two people would decide differently, decided: weak scalars, memory, captured arrays,
promotion.
"""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from examples.programs import gmm
from mlirad.ir.locations import location_of
from mlirad.pipelines import expansion, lowering
from tests.passes.derivatives import run_passes

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])

X = np.arange(3.0)
NARROW = X.astype(np.float32)


@both_evaluators
def test_python_scalars_are_weak_and_numpy_scalars_are_not(interpret):
    times = ad.jit(lambda a, s: a * s, interpret=interpret)
    assert times(NARROW, 2.0).dtype == np.float32
    assert times(NARROW, np.float64(2.0)).dtype == np.float64
    assert times(np.arange(3, dtype=np.int32), 2).dtype == np.int32
    assert ad.jit(lambda a: a * 2.0 + 1, interpret=interpret)(NARROW).dtype == np.float32
    by_scalar, by_array = ad.grad(lambda s, a: np.sum(a * s), argnums=(0, 1), interpret=interpret)(
        2.0, NARROW
    )
    assert type(by_scalar) is np.float64
    assert by_array.dtype == np.float32


PROMOTIONS = {
    "sum of booleans": (lambda x: np.sum(x > 0), X),
    "sum of int32": (np.sum, np.arange(3, dtype=np.int32)),
    "mean of integers": (np.mean, np.arange(3)),
    "quotient of integers": (lambda n: n / 2, np.arange(3)),
    "floor quotient": (lambda n: n // 2, np.arange(-3, 3, dtype=np.int32)),
    "int32 and float32": (lambda n: n + np.ones(3, np.float32), np.arange(3, dtype=np.int32)),
    "int32 and int64": (lambda n: n * np.arange(3), np.arange(3, dtype=np.int32)),
    "booleans added": (lambda b: b + b, np.array([True, False])),
    "boolean and float": (lambda b: b * 1.5, np.array([True, False])),
    "int32 wraps": (lambda n: n * n, np.array([2**20], np.int32)),
    "round to even": (np.round, np.array([0.5, 1.5, -2.5])),
    "remainders": (lambda x: x % 2.5, np.array([-4.0, 4.0, -0.5])),
}


@both_evaluators
@pytest.mark.parametrize("name", PROMOTIONS)
def test_dtypes_and_values_are_those_of_numpy(name, interpret):
    function, argument = PROMOTIONS[name]
    result, expected = ad.jit(function, interpret=interpret)(argument), function(argument)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


MEMORY = {
    "big-endian": X.astype(">f8"),
    "misaligned": np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64),
    "strided": np.arange(12.0)[::4],
    "reversed": np.arange(3.0)[::-1],
    "repeated": np.broadcast_to(2.0, (3,)),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "read-only": np.frombuffer(X.tobytes()),
    "float16": X.astype(np.float16),
}


@pytest.mark.parametrize("name", MEMORY)
def test_arguments_of_any_layout(name):
    x = MEMORY[name]
    before = np.array(x)
    gradient = ad.grad(lambda x: np.sum(x**2))(x)
    np.testing.assert_allclose(gradient, 2 * np.asarray(x))
    np.testing.assert_array_equal(x, before)
    assert gradient.flags.writeable
    assert gradient.dtype == (np.float32 if x.dtype == np.float16 else np.float64)


@both_evaluators
def test_results_share_no_memory(interpret):
    x = X.copy()
    first, second = ad.jit(lambda x: (x, x), interpret=interpret)(x)
    first[0] = 9.0
    assert x[0] == second[0] == 0.0
    constant = ad.jit(lambda x: np.arange(3.0) + 0 * x, interpret=interpret)
    constant(X)[0] = 7.0
    assert constant(X)[0] == 0.0


def test_captured_arrays_are_compared_at_each_call():
    factors = np.array([1.0, 2.0, 3.0])
    scaled = ad.jit(lambda x: x * factors)
    scaled(X)
    factors[:] = 0.0
    np.testing.assert_array_equal(scaled(X), [0, 0, 0])


def test_pullbacks_return_tuples_and_transposed_maps_of_one_argument_do_not():
    _, pullback = ad.vjp(np.sin, X)
    assert isinstance(pullback(X), tuple)
    _, linear_map = ad.linearize(np.sin, X)
    assert isinstance(linear_map.T(X), np.ndarray)
    _, of_two = ad.linearize(np.multiply, X, X)
    assert isinstance(of_two.T(X), tuple)


def test_single_precision_gradient_of_gmm():
    instance = gmm.random_instance(3, 4, 30)
    narrow = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in instance]
    gradient = ad.grad(gmm.objective, argnums=(0, 1, 2, 3))
    for got, want in zip(gradient(*narrow), gradient(*instance), strict=True):
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3 * np.max(np.abs(want)))


def test_every_op_of_a_kernel_knows_its_line():
    instance = gmm.random_instance(2, 3, 4)
    module = ad.trace(ad.value_and_grad(gmm.objective, argnums=(0, 1, 2, 3)), *instance)
    kernels = run_passes(module, ",".join((*expansion(), *lowering())))
    for op in kernels.walk():
        if op.name.startswith(("array.", "kernel.")):
            place = location_of(op)
            assert place is not None, op.name
            assert place.rsplit(":", 1)[0] in (gmm.__file__, __file__)
