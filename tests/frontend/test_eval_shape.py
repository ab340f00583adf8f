"""`ad.eval_shape` against the shapes and dtypes of what compiled functions return, and without memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad

X, W = np.ones((2, 3)), np.ones((3, 4), np.float32)

FUNCTIONS = {
    "product": (lambda x, w: x @ w, (X, W)),
    "structure": (lambda p, k: {"a": p["x"][k], "b": (p["w"].sum(), None, 2.0)}, ({"x": X, "w": W}, 1)),
    "integers": (lambda x: (np.argmax(x), x > 0, x.astype(np.int32)), (X,)),
    "scalars": (lambda a, b: (a * b, a + 1), (2.0, 3)),
    "empty": (lambda x: (x[:0], x[:, None]), (X,)),
    "complex": (lambda z, x: [z * x, z.real, np.fft.fft(x)], (X + 1j, X)),
    "narrow complex": (lambda z: (2 * z, abs(z)), (X.astype(np.complex64),)),
    "gradient": (ad.grad(lambda p: np.sum(p["w"] ** 2)), ({"w": W, "n": 3},)),
    "Jacobian": (ad.jacobian(lambda x: x @ W), (X,)),
    "batch": (ad.vmap(lambda x: np.outer(x, x)), (X,)),
    "loop": (lambda x: ad.scan(lambda c, r: (c + r, c[:1]), np.zeros(3), x), (X,)),
    "report": (lambda x: (ad.debug_print("{}", x), 2 * x)[1], (X,)),
}


def stated(value: Any) -> Any:
    """The same by hand, of a result; complex arrays are single leaves."""
    if isinstance(value, dict):
        return {k: stated(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(map(stated, value))
    return None if value is None else ad.ShapeDtype(np.shape(value), value.dtype)


def specifications(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: specifications(v) for k, v in value.items()}
    return stated(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_what_the_function_returns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    function, args = FUNCTIONS[name]
    for given in (args, tuple(map(specifications, args))):
        found = ad.eval_shape(function, *given)
        assert capsys.readouterr().out == ""
        assert found == stated(ad.jit(function)(*args))
        capsys.readouterr()


def test_in_traces_of_what_these_made(capsys: pytest.CaptureFixture[str]) -> None:
    """The function may read traced values; nothing of it is left in the program."""
    found: list[Any] = []

    def function(x: Any) -> Any:
        y = np.sin(x)

        def inner(z: Any) -> Any:
            ad.debug_print("{}", z)
            return np.exp(y) @ z

        found.append(ad.eval_shape(inner, ad.ShapeDtype((3, 5))))
        found.append(ad.eval_shape(lambda z: (z, y), z=1j * x))
        return 2 * y

    jitted = ad.jit(function)
    np.testing.assert_allclose(jitted(X), 2 * np.sin(X))
    assert capsys.readouterr().out == ""
    assert found[-2:] == [ad.ShapeDtype((2, 5)), (ad.ShapeDtype((2, 3), complex), ad.ShapeDtype((2, 3)))]
    assert "exp" not in jitted.ir(X)


def test_nothing_of_the_size_is_made() -> None:
    large = ad.ShapeDtype((10**6, 10**6))
    assert ad.eval_shape(lambda x: (x.T @ x, 1j * x), large) == (large, ad.ShapeDtype(large.shape, complex))


def test_specifications() -> None:
    one = ad.ShapeDtype([2, 3], np.float32)
    assert one == ad.ShapeDtype((2, 3), "float32")
    assert one != ad.ShapeDtype((2, 3))
    assert one != (2, 3)
    assert len({one, ad.ShapeDtype((2, 3), "float32"), ad.ShapeDtype(2)}) == 2
    assert (one.ndim, one.size, ad.ShapeDtype(4).shape, repr(one)) == (
        2,
        6,
        (4,),
        "ShapeDtype((2, 3), float32)",
    )
    assert ad.jit(lambda x: ad.callback(lambda x: x, ad.ShapeDtype(3), x))(np.ones(3)).shape == (3,)


MISTAKES = {
    "no function": (lambda: ad.eval_shape(3.0, X), ad.ArgumentError, "function"),
    "shapes": (lambda: ad.eval_shape(lambda x, y: x @ y, X, ad.ShapeDtype((2, 2))), ad.ShapeError, "3"),
    "argument": (lambda: ad.eval_shape(lambda x: x, object()), ad.ArgumentError, "argument x is"),
    "too many": (lambda: ad.eval_shape(lambda x: x, X, X), ad.ArgumentError, "argument"),
    "shape": (lambda: ad.ShapeDtype((2, -1)), ad.ArgumentError, "an extent of the shape is -1"),
    "text": (lambda: ad.ShapeDtype("ab"), ad.ArgumentError, "shape"),
    "dtype": (lambda: ad.ShapeDtype(2, "sideways"), ad.DtypeError, "not a dtype"),
    "other dtype": (lambda: ad.ShapeDtype(2, "datetime64[s]"), ad.DtypeError, "datetime64"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    call, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message) as caught:
        call()
    assert caught.value.hint
    assert __file__ in str(caught.value.location)
