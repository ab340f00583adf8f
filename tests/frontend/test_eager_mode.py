"""`ad.config.eager`: functions run as they stand, and give what compiled ones give."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mlirad as ad

X = np.array([1.0, 2.0, 4.0])


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    yield
    ad.config.eager = False


def loss(x: Any) -> Any:
    return np.sum(np.sin(x) ** 2)


CALLS = {
    "jit": lambda: ad.jit(lambda x, n: {"a": x * n, "b": (n, None)})(X, 3),
    "jit of scalars": lambda: ad.jit(lambda a, b: a * b)(2.0, np.float32(3)),
    "promotion": lambda: ad.jit(lambda x, a: x * a)(X.astype(np.float32), 2.0),
    "static": lambda: ad.jit(lambda x, how: x.sum() if how == "sum" else x, static_argnames="how")(
        X, how="sum"
    ),
    "keywords": lambda: ad.jit(lambda x, y=2.0: x - y)(y=1.0, x=X),
    "complex": lambda: ad.jit(lambda z: z * z.conj())(X + 1j),
    "nested": lambda: ad.jit(lambda x: ad.jit(lambda y: y + 1)(x) * 2)(X),
    "loop": lambda: ad.jit(lambda x: ad.scan(lambda c, v: (c + v, c), 0.0, x))(X),
    "vmap": lambda: ad.vmap(lambda x, w: {"v": x @ w, "x": x}, (0, None), {"v": 0, "x": 1})(np.eye(3)[:2], X),
    "vmap along another axis": lambda: ad.vmap(lambda x: x[0], in_axes=1)(np.arange(6.0).reshape(2, 3)),
    "vmap of nothing": lambda: ad.vmap(lambda x: 2 * x)(np.zeros((0, 2))),
    "shared result": lambda: ad.vmap(lambda x: (x, 1.5), out_axes=(0, None))(X),
    "vmap of grad": lambda: ad.vmap(ad.grad(np.sin))(X),
    "grad": lambda: ad.grad(loss)(X),
    "value_and_grad": lambda: ad.value_and_grad(loss)(X),
    "jvp": lambda: ad.jvp(loss, (X,), (X,)),
    "vjp": lambda: ad.vjp(np.sin, X)[1](X),
    "hessian": lambda: ad.hessian(loss)(X),
    "jacobian": lambda: ad.jacobian(np.outer, argnums=(0, 1))(X, X),
    "sparse": lambda: ad.jacobian(lambda x: x[1:] - x[:-1], sparse=True)(X).toarray(),
    "jet": lambda: ad.jet(np.sin, (1.0,), ([1.0, 0.0],)),
    "hvp": lambda: ad.hvp(loss, (X,), (X,)),
    "function": lambda: ad.function(lambda x: 2 * x)(X),
    "root": lambda: ad.root(lambda x: x**2 - 2.0, 1.0),
    "odeint": lambda: ad.odeint(lambda y, t: -y, 1.0, np.array([0.0, 1.0])),
    "random": lambda: ad.random.normal(ad.random.key(0), (3,)),
    "segments": lambda: ad.jit(lambda x: ad.segment_sum(x, [0, 0, 1], 2))(X),
    "shapes": lambda: np.zeros(ad.eval_shape(ad.jit(np.outer), X, X).shape),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_compiled_functions(name: str) -> None:
    wanted = CALLS[name]()
    with ad.config.eager:
        found = CALLS[name]()
    assert ad.tree.structure(found) == ad.tree.structure(wanted)
    for one, other in zip(ad.tree.leaves(found), ad.tree.leaves(wanted), strict=True):
        assert type(one) is type(other)
        assert (np.shape(one), one.dtype) == (np.shape(other), other.dtype)
        np.testing.assert_allclose(one, other, 1e-9, 1e-12)


def test_the_function_runs_as_it_stands() -> None:
    seen: list[Any] = []

    def function(x: Any) -> Any:
        seen.append(x)
        if x[0] > 0:  # asks for an element
            x[0] = 9.0
        return x

    own, jitted = X.copy(), ad.jit(function)
    with ad.config.eager:
        assert jitted(own).tolist() == [9.0, 2.0, 4.0]
        assert ad.vmap(function)(own[None]).tolist() == [[9.0, 2.0, 4.0]]
    assert all(type(x) is np.ndarray for x in seen)
    np.testing.assert_array_equal(own, X)  # the function writes to an array of its own
    result = np.zeros(3)
    with ad.config.eager:
        assert ad.jit(lambda x: 2 * x)(X, out=result) is result
    np.testing.assert_array_equal(result, 2 * X)
    with ad.config.eager, pytest.raises(ZeroDivisionError):
        ad.jit(lambda n: 1 // int(n))(0)


def test_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    from mlirad.frontend.compiling import run_compiler

    def native_program(*_: Any, **__: Any) -> Any:
        raise AssertionError("compiled")

    monkeypatch.setattr(run_compiler, "native_program", native_program)
    monkeypatch.setattr(run_compiler, "compile_module", native_program)
    with pytest.raises(AssertionError, match="compiled"):
        ad.jit(lambda x: x * 5)(X)
    with ad.config.eager:
        for name in ("jit", "vmap", "grad", "hessian", "jvp", "function", "root", "random"):
            CALLS[name]()


def test_the_switch_and_its_contexts() -> None:
    assert not ad.config.eager
    assert ad.config.eager == False  # noqa: E712
    with ad.config.eager:
        with ad.config.eager:
            assert ad.config.eager
        assert ad.config.eager == True  # noqa: E712
        assert "eager=True" in repr(ad.config)
    assert not ad.config.eager
    ad.config.eager = True
    with pytest.raises(KeyError), ad.config.eager:
        raise KeyError
    assert ad.config.eager
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(bool(ad.config.eager)))
    thread.start()
    thread.join()
    assert found == [True]
    ad.config.eager = False
    with pytest.raises(ad.ArgumentError, match="eager is 1"):
        ad.config.eager = 1


def test_compiled_functions_take_over_again() -> None:
    traces: list[int] = []
    jitted = ad.jit(lambda x: (traces.append(1), 2 * x)[1])
    jitted(X)
    count = len(traces)
    with ad.config.eager:
        jitted(X)
    assert len(traces) == count + 1
    jitted(X)
    assert len(traces) == count + 1


MISTAKES = {
    "batch sizes": (lambda: ad.vmap(np.add)(X, X[:2]), ad.ShapeError, "one batch size"),
    "axes": (lambda: ad.vmap(np.add, (0,))(X, X), ad.ShapeError, "in_axes has 1"),
    "arguments": (lambda: ad.jit(lambda x: x)(X, X), ad.ArgumentError, "argument"),
    "result": (lambda: ad.jit(lambda x: object())(X), ad.MliradError, ""),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    call, kind, message = MISTAKES[name]
    with ad.config.eager, pytest.raises(kind, match=message) as caught:
        call()
    assert __file__ in str(caught.value.location)
