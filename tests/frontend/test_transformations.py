"""`jit`, `grad`, `value_and_grad`, `jvp`: structure, options, nesting, caching, results."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import ArgumentError
from mlirad.frontend.compiling import programs, recompiles
from mlirad.frontend.tracing.pytree import flatten

both = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
X = np.array([0.3, -0.4, 1.1])


def finite_difference(function: Any, x: Any, step: float = 1e-6) -> Any:
    x = np.asarray(x, dtype=np.float64)
    slopes = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        shift = np.zeros(x.shape)
        shift[at] = step
        slopes[at] = (function(x + shift) - function(x - shift)) / (2 * step)
    return slopes


def products(x: Any) -> Any:
    """x_i x_{j+1}; by `build` where x is traced."""
    if isinstance(x, ad.Array):
        return ad.build((3, 2), lambda i, j: x[i] * x[j + 1])
    return np.outer(x, x[1:])


def assigned(x: Any) -> Any:
    """x with another second element."""
    if isinstance(x, ad.Array):
        x[1] = x[0] * x[2]
        return x
    return np.array([x[0], x[0] * x[2], x[2]])


def mapped(x: Any) -> Any:
    """x sin x; by `map` where x is traced."""
    return ad.map(lambda a: np.sin(a) * a, x) if isinstance(x, ad.Array) else np.sin(x) * x


FUNCTIONS = {
    "elementwise": lambda x: np.sum(np.sin(x) * np.exp(-x) + x**3),
    "logsumexp": lambda x: np.log(np.sum(np.exp(x - np.max(x)))) + np.max(x),
    "norm": lambda x: np.linalg.norm(x) * np.mean(x),
    "matrix": lambda x: np.trace(np.outer(x, x) @ np.diag(x)) + np.sum(np.tril(np.outer(x, x))),
    "indexing": lambda x: x[0] * x[-1] + np.sum(x[::-1] * x),
    "where": lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x) + 1), x * x)),
    "einsum": lambda x: np.einsum("i,ij,j->", x, np.outer(x, x) + np.eye(3), x),
    "var": lambda x: np.var(x, ddof=1) + np.std(x),
    "build": lambda x: np.sum(products(x) ** 2),
    "assignment": lambda x: np.sum(assigned(x) ** 2),
    "map": lambda x: np.sum(mapped(x)),
}


@both
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_gradient_against_finite_differences(function, interpret):
    value, gradient = ad.value_and_grad(function, interpret=interpret)(X)
    np.testing.assert_allclose(value, function(X), rtol=1e-12)
    np.testing.assert_allclose(gradient, finite_difference(function, X), rtol=1e-6, atol=1e-8)
    _, slope = ad.jvp(function, (X,), (np.ones(3),), interpret=interpret)
    np.testing.assert_allclose(slope, np.sum(gradient), rtol=1e-10, atol=1e-14)


# Structure ---------------------------------------------------------------------------------------


class Model(NamedTuple):
    w: Any
    b: Any


@dataclass
class Data:
    x: Any
    labels: Any


def loss(model: Any, data: Any) -> Any:
    return np.sum((data.x @ model.w + model.b["bias"]) * data.labels)


@both
def test_gradients_are_structured_like_the_argument(interpret):
    model = Model(np.ones(3), {"bias": 0.5, "count": 3})
    data = Data(np.arange(6.0).reshape(2, 3), np.array([1, 2]))
    gradient = ad.grad(loss, interpret=interpret)(model, data)
    assert isinstance(gradient, Model)
    np.testing.assert_array_equal(gradient.w, data.labels @ data.x)
    assert gradient.b == {"bias": 3.0, "count": None}
    both_gradients = ad.grad(loss, argnums=("data", "model"), interpret=interpret)(model, data)
    assert isinstance(both_gradients[0], Data)
    assert both_gradients[0].labels is None


@both
def test_structures_of_results(interpret):
    def function(x: Any) -> Any:
        return {"z": x, "a": (None, [2 * x, 3])}

    result = ad.jit(function, interpret=interpret)(2.0)
    assert result == {"z": 2.0, "a": (None, [4.0, 3])}
    assert list(result) == ["z", "a"]
    assert ad.jit(lambda: (), interpret=interpret)() == ()
    assert ad.jit(lambda x: None, interpret=interpret)(1.0) is None
    assert ad.jit(lambda x: (x,), interpret=interpret)(1.0) == (1.0,)
    assert ad.jit(lambda x: [x, x + 1], interpret=interpret)(1.0) == [1.0, 2.0]


@both
def test_results_are_numpy_scalars_and_fresh_arrays(interpret):
    identity = ad.jit(lambda x: x, interpret=interpret)
    for dtype in (np.float64, np.float32, np.int64, np.int32, np.bool_):
        scalar = identity(dtype(1))
        assert type(scalar) is dtype
        array = np.ones(3, dtype)
        result = identity(array)
        assert type(result) is np.ndarray
        assert result.dtype == dtype
        result[0] = 0
        assert array[0] == 1
    assert type(identity(2.0)) is np.float64
    assert type(identity(2)) is np.int64


@both
def test_argnums_aux_and_names(interpret):
    def function(x: Any, y: Any, scale: Any = 2.0) -> Any:
        return scale * x * y, {"sum": x + y}

    options = {"has_aux": True, "interpret": interpret}
    assert ad.grad(function, **options)(3.0, 4.0) == (8.0, {"sum": 7.0})
    assert ad.grad(function, argnums=-1, **options)(3.0, 4.0) == (6.0, {"sum": 7.0})
    value, gradient = ad.value_and_grad(function, argnums=("y", 0), **options)(3.0, 4.0)
    assert value == (24.0, {"sum": 7.0})
    assert gradient == (6.0, 8.0)
    by_name = ad.grad(function, argnums="y", **options)
    assert by_name(y=4.0, x=3.0) == (6.0, {"sum": 7.0})
    assert by_name(3.0, 4.0, scale=5.0) == (15.0, {"sum": 7.0})


@both
def test_keyword_only_and_static_arguments(interpret):
    def function(x: Any, n: int = 1, *, mode: str) -> Any:
        for _ in range(n):
            x = np.sin(x) if mode == "sin" else 2 * x
        return x

    compiled = ad.jit(function, static_argnames=("n", "mode"), interpret=interpret)
    assert compiled(1.0, 3, mode="double") == 8.0
    assert compiled(1.0, n=2, mode="double") == 4.0
    assert compiled(1.0, mode="sin") == np.sin(1.0)
    slope = ad.grad(function, static_argnames="mode", interpret=interpret)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.ControlFlowWarning)  # which comes once in a process
        assert slope(1.0, 2, mode="sin") == pytest.approx(np.cos(np.sin(1.0)) * np.cos(1.0))
    with pytest.raises(ad.ArgumentError, match="not hashable"):
        ad.jit(lambda x, k: x, static_argnames="k")(1.0, [1])


def test_a_traced_bound_of_a_range_is_warned_of():
    def function(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.sin(x)
        return x

    with pytest.warns(ad.ControlFlowWarning, match="bound of a range"):
        assert ad.grad(function)(1.0, 2) == pytest.approx(np.cos(np.sin(1.0)) * np.cos(1.0))


# Nesting -----------------------------------------------------------------------------------------


@both
def test_second_derivatives(interpret):
    cube = lambda x: x**3  # noqa: E731
    assert ad.grad(ad.grad(cube), interpret=interpret)(2.0) == pytest.approx(12.0)
    assert ad.jvp(ad.grad(cube), (2.0,), (1.0,), interpret=interpret)[1] == pytest.approx(12.0)
    assert ad.grad(ad.grad(ad.grad(cube)), interpret=interpret)(2.0) == pytest.approx(6.0)
    inside = lambda x: x * ad.grad(lambda y: x * y * y)(x)  # noqa: E731
    assert ad.grad(inside, interpret=interpret)(2.0) == pytest.approx(6 * 2.0**2)


@both
def test_no_perturbation_confusion(interpret):
    confused = lambda x: x * ad.jvp(lambda y: x + y, (1.0,), (1.0,))[1]  # noqa: E731
    assert ad.grad(confused, interpret=interpret)(3.0) == 1.0
    assert ad.jvp(confused, (3.0,), (1.0,), interpret=interpret)[1] == 1.0


@both
def test_derivatives_inside_build_capture_indices_and_outer_values(interpret):
    def function(x: Any) -> Any:
        return np.sum(ad.build((3,), lambda i: ad.grad(lambda y: y * y * x[i] * i)(x[i])))

    value, gradient = ad.value_and_grad(function, interpret=interpret)(X)
    assert value == pytest.approx(np.sum(2 * X**2 * np.arange(3)))
    np.testing.assert_allclose(gradient, 4 * X * np.arange(3))


@both
def test_closures_over_several_levels(interpret):
    def function(a: Any) -> Any:
        def middle(b: Any) -> Any:
            return ad.grad(lambda c: a * b * c * c)(b) * a

        return ad.grad(middle)(a)

    assert ad.jit(function, interpret=interpret)(1.5) == pytest.approx(4 * 1.5**3)
    assert ad.grad(function, interpret=interpret)(1.5) == pytest.approx(12 * 1.5**2)


@both
def test_maps_and_pullbacks_inside_traces(interpret):
    def function(x: Any) -> Any:
        y, pull = ad.vjp(lambda v: (np.sin(v), v * x), x)
        z, jacobian = ad.linearize(np.exp, x)
        return pull((1.0, 2.0))[0] * y[0] + jacobian(x) * jacobian.T(z)

    expected = lambda x: (np.cos(x) + 2 * x) * np.sin(x) + np.exp(x) * x * np.exp(2 * x)  # noqa: E731
    assert ad.jit(function, interpret=interpret)(0.7) == pytest.approx(expected(0.7))
    slope = ad.grad(function, interpret=interpret)(0.7)
    assert slope == pytest.approx(finite_difference(expected, 0.7), rel=1e-7)


@both
def test_stop_gradient(interpret):
    function = lambda x: x * ad.stop_gradient(x * x)  # noqa: E731
    assert ad.value_and_grad(function, interpret=interpret)(3.0) == (27.0, 9.0)
    assert ad.grad(ad.grad(lambda x: x * function(x)), interpret=interpret)(3.0) == 18.0
    assert ad.stop_gradient((1.0, None)) == (1.0, None)


def test_transformed_functions_are_plain_in_traces():
    inner = ad.jit(lambda x, *, k=2: k * x)
    assert ad.grad(lambda x: inner(x, k=3) * inner(x), interpret=True)(1.0) == 12.0


# Compiling ---------------------------------------------------------------------------------------


def counted() -> tuple[Any, list[int]]:
    traces: list[int] = []

    def function(x: Any, *rest: Any) -> Any:
        traces.append(1)
        return np.sum(x) * 2.0

    return function, traces


def test_one_trace_per_signature():
    function, traces = counted()
    compiled = ad.jit(lambda tree: function(*flatten(tree)[0]), interpret=True)
    signatures = [
        (np.ones(3), np.zeros(3)),
        (np.ones(4),),
        (np.ones(3, np.float32),),
        (1.0, 2.0),
        (1, 2),
        (np.float64(1), np.asarray(2.0)),
        ([1.0, 2.0], [3.0, 4.0]),
        ([3.0, 4],),
        ((3.0, 4.0), (5.0, 6.0)),
        ({"a": 1.0, "b": 2.0}, {"b": 1.0, "a": 2.0}),
    ]
    for count, arguments in enumerate(signatures, 1):
        for argument in arguments:
            compiled(argument)
        assert len(traces) == count


def test_programs_are_shared_between_objects_and_dropped_with_the_function():
    function, traces = counted()
    for _ in range(3):
        ad.jit(function, interpret=True)(np.ones(3))
    assert len(traces) == 1
    ad.grad(function, interpret=True)(np.ones(3))
    ad.grad(function, interpret=True)(np.ones(3))
    assert len(traces) == 2
    alive = weakref.ref(function)
    del function
    gc.collect()
    assert alive() is None


def test_caches_are_bounded(monkeypatch):
    monkeypatch.setattr(programs, "CACHE_SIZE", 2)
    monkeypatch.setattr(recompiles, "SHARED", 0)
    function, traces = counted()
    compiled = ad.jit(function, interpret=True)
    for size in (1, 2, 1, 3, 1, 2):
        compiled(np.ones(size))
    assert len(traces) == 4


@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
def test_programs_of_states_that_are_gone_are_bounded_by_their_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recompiles, "SHARED", 0)
    scale, traces = np.ones(1000), []

    def function(x):
        traces.append(x)
        return np.sum(scale) * x

    def traces_of(bound, calls):
        monkeypatch.setattr(programs, "CACHE_BYTES", bound)
        before, compiled = len(traces), ad.jit(lambda x: function(x), interpret=True)
        for state, size in calls:
            scale[0] = state
            assert np.array_equal(compiled(np.ones(size)), np.full(size, 999.0 + state))
        return len(traces) - before

    states = [(1.0, 1), (2.0, 1), (1.0, 1), (2.0, 1)]
    assert traces_of(scale.nbytes, states) == 2
    assert traces_of(scale.nbytes - 1, states) == 4
    assert traces_of(0, states) == 4
    shapes = [(1.0, 1), (1.0, 2), (1.0, 1), (1.0, 2)]
    assert traces_of(0, shapes) == 2


def test_unusual_arguments():
    total = ad.jit(lambda x: np.sum(x, axis=0))
    for dtype in (np.float16, np.uint8, np.int16, ">f8", np.uint32):
        assert np.array_equal(total(np.arange(4).astype(dtype)), 6)
    strided = np.arange(12.0).reshape(3, 4).T[::2]
    np.testing.assert_array_equal(total(strided), strided.sum(axis=0))
    assert total(np.float64(2.5) * np.ones(1)) == 2.5


def test_threads_compile_once():
    function, traces = counted()
    compiled = ad.jit(function, interpret=True)
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(compiled(np.ones(5)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [10.0] * 4
    assert len(traces) == 1


def test_looking_inside():
    gradient = ad.grad(lambda w, x: np.sum(np.tanh(x @ w)))
    w, x = np.ones(3), np.ones((4, 3))
    assert "linear.linearize" in gradient.ir(w, x)
    assert "linear.linearize" not in gradient.ir(w, x, after="linearize")
    with pytest.raises(ad.ArgumentError, match="no pass 'nothing'"):
        gradient.ir(w, x, after="nothing")
    stats = gradient.stats(w, x)
    assert stats.stages[0].name == "trace"
    assert "linearize" in str(stats)
    assert "@mlirad_main" in gradient.llvm(w, x)
    assert "mlirad_main" in gradient.asm(w, x)
    assert gradient.lower(w, x).outputs[0].shape == (3,)
    assert "array.tanh" in str(ad.trace(lambda w, x: np.sum(np.tanh(x @ w)), w, x))


def test_sharing_is_kept():
    def doubled(x: Any) -> Any:
        for _ in range(200):
            x = x + x
        return x

    assert ad.grad(doubled, interpret=True)(1.0) == 2.0**200


# Lowering and compiling ahead of calls ------------------------------------------------------------


def test_lowered_functions_show_each_stage_and_compile():
    def loss(p, x):
        return np.sum((p["w"] * x - p["b"]) ** 2)

    p, x = {"w": np.arange(3.0), "b": 1.0}, np.ones(3)
    gradient = ad.grad(loss)
    lowered = gradient.lower(p, x)
    assert "linear.apply_transpose" in lowered.ir() == lowered.as_text()
    assert lowered.ir(after="apply-linear-maps") == gradient.ir(p, x, after="apply-linear-maps")
    assert "define void @mlirad_main" in lowered.llvm() == gradient.llvm(p, x)
    assert lowered.outputs[0].shape in ((), (3,)) and lowered.arena_bytes >= 0
    compiled = lowered.compile()
    assert compiled.stats().stages[0].name == "trace"
    found, expected = compiled(p, x), gradient(p, x)
    np.testing.assert_array_equal(found["w"], expected["w"])
    assert found["b"] == expected["b"]
    assert repr(compiled) == "<loss, compiled for p['b']: float64[], p['w']: float64[3], x: float64[3]>"


def test_compiled_functions_accept_one_signature():
    compiled = ad.jit(lambda x, n: x * n, static_argnames="n").lower(np.ones(3), n=2).compile()
    np.testing.assert_array_equal(compiled(np.ones(3), n=2), [2.0, 2.0, 2.0])
    with pytest.raises(ArgumentError, match=r"compiled for x: float64\[3\], and is given float64\[4\]"):
        compiled(np.ones(4), n=2)
    with pytest.raises(ArgumentError, match=r"is given float32\[3\]"):
        compiled(np.ones(3, np.float32), n=2)
    with pytest.raises(ArgumentError, match=r"structured .* and is given"):
        compiled((np.ones(3), 1.0), n=2)
    with pytest.raises(ArgumentError, match="other values of static arguments"):
        compiled(np.ones(3), n=3)


def test_an_interpreted_function_is_lowered_too():
    compiled = ad.jit(lambda x: x * 2, interpret=True).lower(1.5).compile()
    assert compiled(2.0) == 4.0
