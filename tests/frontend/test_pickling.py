"""Pickles and copies of compiled functions and of linear maps, here and in a process that is spawned."""

from __future__ import annotations

import copy
import functools
import multiprocessing
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import PicklingError, TracingError

X = np.linspace(0.1, 0.7, 3)


def loss(x: Any) -> Any:
    return np.sum(np.tanh(x) * x)


def squares(x: Any, y: Any = 1.0) -> Any:
    return x * x * y


@ad.jit
def decorated(x: Any) -> Any:
    return np.sin(x) * x


@ad.grad(argnums=1)
def with_options(x: Any, y: Any) -> Any:
    return np.sum(x * y)


@ad.custom_derivative
def doubled(x: Any) -> Any:
    return 2.0 * x


@doubled.rule
def _(x: Any) -> Callable[[Any], Any]:
    return lambda dx: 5.0 * dx


@ad.function
def power(x: Any, n: Any) -> Any:
    return ad.cond(n <= 0, lambda: 1.0, lambda: x * power(x, n - 1))


gradient = ad.grad(loss)


class Model:
    """An object with a compiled method of its own."""

    def __init__(self, factor: float):
        self.factor = factor
        self.gradient = ad.grad(self.loss)

    def loss(self, x: Any) -> Any:
        return self.factor * np.sum(x)


class Scaled:
    """An object that is called."""

    def __init__(self, factor: float):
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return self.factor * x


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "gradient": (gradient, (X,)),
    "decorated": (decorated, (X,)),
    "with options": (with_options, (X, X)),
    "several": (ad.value_and_grad(squares, ("x", "y")), (2.0, 3.0)),
    "nested": (ad.jit(ad.grad(decorated)), (2.0,)),
    "jacobian": (ad.jacfwd(squares, method="jacobian"), (X,)),
    "hessian": (ad.hessian(loss), (X,)),
    "batch": (ad.vmap(gradient, in_axes=1, out_axes=-1), (np.stack([X, -X], 1),)),
    "static": (ad.jit(squares, static_argnames="y"), (X, 2)),
    "interpreted": (ad.grad(loss, interpret=True), (X,)),
    "custom": (ad.grad(doubled), (2.0,)),
    "recursive": (ad.grad(power), (1.5, 4)),
    "partial": (ad.jit(functools.partial(squares, y=3.0)), (X,)),
    "method": (Model(3.0).gradient, (X,)),
    "object": (ad.jit(Scaled(3.0)), (X,)),
}


def assert_same(one: Any, other: Any) -> None:
    for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (one, other)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "again",
    [lambda f: pickle.loads(pickle.dumps(f)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deep"],
)
def test_functions(name: str, again: Callable[[Any], Any]) -> None:
    function, given = FUNCTIONS[name]
    made = again(function)
    assert type(made) is type(function)
    assert_same(made(*given), function(*given))


def test_what_a_module_has_by_a_name_is_that_object() -> None:
    for function in (decorated, with_options, doubled, power):
        assert pickle.loads(pickle.dumps(function)) is function
    sparse = pickle.loads(pickle.dumps(ad.jacobian(squares, sparse=True)))
    np.testing.assert_array_equal(sparse(X).toarray(), np.diag(2 * X))


def test_copies_of_objects_have_functions_of_their_own() -> None:
    model = Model(2.0)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        again.factor = 5.0
        assert (model.gradient(X)[0], again.gradient(X)[0]) == (2.0, 5.0)


def test_functions_without_a_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Dask brings a pickler along that needs no names.
    for module in ("cloudpickle", "dill"):
        monkeypatch.delitem(sys.modules, module, raising=False)

    def local(x: Any) -> Any:
        return x

    for function, name in ((local, "local"), (lambda x: x, "lambda")):
        with pytest.raises(
            pickle.PicklingError, match=rf"test_pickling\.py:\d+: {name} cannot be pickled"
        ) as e:
            pickle.dumps(ad.jit(ad.jit(function)))
        assert isinstance(e.value, PicklingError)
        assert copy.deepcopy(ad.jit(function))(2.0) == 2.0
    lowered = gradient.lower(X)
    for one in (lowered, lowered.compile()):
        assert copy.copy(one) is copy.deepcopy(one) is one
        with pytest.raises(PicklingError, match="pickle the function that was lowered"):
            pickle.dumps(one)


def maps() -> dict[str, ad.LinearMap]:
    _, J = ad.linearize(squares, X, 2.0)
    _, K = ad.linearize(power, 1.5, 3)
    eye = ad.LinearMap.identity(X)
    return {
        "derivative": J,
        "normal": J.T @ J + 0.5 * ad.LinearMap.identity((X, 2.0)),
        "recursive": K + K,
        "algebra": ad.LinearMap.vstack({"a": eye, "b": ad.LinearMap.diagonal(X) - eye}),
        "matrix": ad.LinearMap.from_dense(np.arange(6.0).reshape(2, 3)),
    }


MAPS = ("derivative", "normal", "recursive", "algebra", "matrix")


@pytest.mark.parametrize("name", MAPS)
def test_maps(name: str) -> None:
    one = maps()[name]
    hash(one.expression)
    for again in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        np.testing.assert_array_equal(again.to_dense(), one.to_dense())
        np.testing.assert_array_equal((again - one).to_dense(), np.zeros(one.shape))
        assert repr(again) == repr(one)
        assert again.expression == one.expression  # so they have their programs together
    deep = copy.deepcopy(one)
    assert all(a is not b for a, b in zip(deep.arrays, one.arrays, strict=True) if isinstance(a, np.ndarray))


def test_maps_of_a_trace_are_refused() -> None:
    def inside(x: Any) -> Any:
        pickle.dumps(ad.linearize(squares, x)[1])
        return x

    with pytest.raises((PicklingError, TracingError), match="inside a trace"):
        ad.jit(inside)(2.0)


def _results(function: Any, given: tuple[Any, ...], map_: Any) -> tuple[Any, Any, Any]:
    return function(*given), map_.to_dense(), pickle.loads(pickle.dumps(map_)).to_dense()


def test_a_process_that_is_spawned_computes_the_same() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for name, map_ in zip(("nested", "recursive", "object"), list(maps().values())[:3], strict=True):
            function, given = FUNCTIONS[name]
            value, *dense = pool.apply(_results, (function, given, map_))
            assert_same(value, function(*given))
            for matrix in dense:
                np.testing.assert_array_equal(matrix, map_.to_dense())
