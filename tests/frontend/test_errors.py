"""Every mistake is reported at the user's line, with what is wrong and what to write instead."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from typing import Any

import numpy as np
import pytest

import mlirad as ad

X = np.arange(3.0)
N = np.arange(10.0)


def raising(error: type[Exception], function: Any, *args: Any, hint: str = "", match: str = "") -> None:
    """Tracing `function` as it stands raises the error at a line of this file, inside the function."""
    with pytest.raises(error) as caught:
        ad.jit(function, control="plain")(*args)
    assert isinstance(caught.value, ad.MliradError)
    lines, first = inspect.getsourcelines(function)
    assert caught.value.location is not None
    file, line = caught.value.location.rsplit(":", 1)
    assert file == __file__
    assert first <= int(line) < first + len(lines)
    assert match in str(caught.value)
    assert hint in (caught.value.hint or "")


def branch(x):
    if x[0] > 0:
        return x
    return -x


def assign_to_numpy(x):
    N[0] = x[0]
    return N


def add_to_numpy(x):
    total = N
    total[:3] += x
    return total


def halve(x):
    while x[0] > 1:
        x = x / 2
    return x


def leak(x):
    kept = []
    ad.build((3,), lambda i: kept.append(x[i]) or x[i])
    return kept[0] + 1


CONTROL = {
    "if": (branch, "np.where", "truth"),
    "if-cond": (branch, "ad.cond", "truth"),
    "while": (halve, "ad.while_loop", "truth"),
    "for": (lambda x: [x for _ in range(x[0].astype(int))], "ad.fori_loop", "bound of a range"),
    "float": (lambda x: float(x[0]), "astype", "float"),
    "int": (lambda x: int(x[0]), "astype", "int"),
    "math": (lambda x: math.sin(x[0]), "np.sin", ""),
    "assign-to-numpy": (assign_to_numpy, "a = a.copy()", "was there before the trace"),
    "mask": (lambda x: x[x > 0], "np.where(mask", "depends on a traced mask"),
    "where-1": (lambda x: np.where(x > 0), "np.where(mask, x, other)", "depends on a traced mask"),
    "leak": (leak, "return it", "has ended"),
}


@pytest.mark.parametrize("case", CONTROL.values(), ids=CONTROL.keys())
def test_what_needs_elements(case):
    function, hint, match = case
    raising(ad.TracingError, function, X, hint=hint, match=match)


def test_traced_positions_and_shapes():
    assert ad.jit(lambda i: [np.sin, np.cos][i](0.5))(1) == pytest.approx(np.cos(0.5))
    raising(ad.TracingError, lambda n: np.random.default_rng(0).normal(size=n), 3, hint="static")
    raising(ad.TracingError, lambda n: np.zeros(n), 3, hint="static")
    raising(ad.TracingError, lambda n: sum(range(n)), 3, hint="static")
    raising(ad.TracingError, lambda x, n: x[:n], X, 2, hint="np.arange", match="slice")


SHAPES = {
    "add": lambda x: x + np.ones(4),
    "where": lambda x: np.where(x > 0, x, np.ones(4)),
    "matmul": lambda x: x @ np.ones((4, 2)),
    "reshape": lambda x: x.reshape(2, 2),
    "axis": lambda x: np.sum(x, axis=1),
    "concatenate": lambda x: np.concatenate((x[None], np.ones((1, 4)))),
    "stack": lambda x: np.stack([x, np.ones(4)]),
    "einsum": lambda x: np.einsum("i,i->", x, np.ones(4)),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 4)),
    "squeeze": lambda x: np.squeeze(x, 0),
    "assign": lambda x: x.at[:2].set(np.ones(3)),
    "max-of-nothing": lambda x: np.max(x[:0]),
    "tangent": lambda x: ad.jvp(np.sin, (x,), (np.ones(4),))[1],
    "map": lambda x: ad.map(lambda a, b: a + b, x, x[:2]),
}


@pytest.mark.parametrize("function", SHAPES.values(), ids=SHAPES.keys())
def test_shapes_that_do_not_fit(function):
    raising(ad.ShapeError, function, X)


def test_dtypes():
    raising(ad.DtypeError, lambda x: x & 1, X, match="bitwise_and")
    raising(ad.DtypeError, lambda x: -(x > 0), X)
    raising(ad.ArgumentError, lambda n: n**-1, np.int64(2), match="negative power")
    for bad in (np.ones(2, np.longdouble), np.array(["a"]), np.array([None])):
        with pytest.raises(ad.DtypeError, match="argument x"):
            ad.jit(lambda x: x)(bad)
    with pytest.raises(ad.DtypeError, match="MaskedArray"):
        ad.jit(lambda x: x)(np.ma.array([1.0]))


def test_positions():
    raising(ad.PositionError, lambda x: x[3], X, match="position 3 lies outside")
    raising(ad.PositionError, lambda x: x[-4], X)
    raising(ad.PositionError, lambda x: x[0, 0], X, match="2 positions for an array of rank 1")
    raising(ad.PositionError, lambda x: x[np.array([0, 5])], X, match="position 5")
    raising(ad.PositionError, lambda x: x[1.5], X)
    raising(ad.PositionError, lambda x: x[x], X, hint="astype")
    raising(ad.PositionError, lambda x: x[..., ...], X)
    raising(ad.PositionError, lambda x: ad.index(x, (0, 0)), X)
    raising(ad.PositionError, lambda x: ad.index(x, (0.5,)), X)


UNSUPPORTED = {
    "linalg": lambda x: np.linalg.qr(np.outer(x, x), mode="raw"),
    "packbits": lambda x: np.packbits(x > 1),
    "ufunc": lambda x: np.bitwise_count(x.astype(np.int64)),
    "signature": lambda x: np.sin(x, signature="d->d"),
    "out": lambda x: np.add(x, 1.0, out=N[:3]),
    "iadd": add_to_numpy,
    "function-result": lambda x: np.sin,
}


@pytest.mark.parametrize("function", UNSUPPORTED.values(), ids=UNSUPPORTED.keys())
def test_what_is_not_supported(function):
    raising(ad.UnsupportedError, function, X)


def test_unsupported_functions_are_named():
    raising(ad.UnsupportedError, lambda x: np.packbits(x > 1), X, match="np.packbits cannot be traced")
    raising(ad.UnsupportedError, lambda x: np.setxor1d(x, x), X, match="np.setxor1d cannot be traced")


def test_values_that_outlive_their_trace():
    kept = []
    ad.jit(lambda x: kept.append(x) or x)(X)
    with pytest.raises(ad.TracingError, match="has ended"):
        kept[0] + 1
    with pytest.raises(ad.TracingError, match="has ended"):
        ad.jit(lambda x: x + kept[0])(X)

    def leaks_from_grad(x):
        ad.grad(lambda y: kept.append(y * 2) or y)(x)
        return kept[-1]

    with pytest.raises(ad.TracingError, match="has ended"):
        ad.jit(leaks_from_grad)(1.0)


def test_a_failed_trace_leaves_no_trace():
    with pytest.raises(ad.TracingError):
        ad.jit(branch, control="plain")(X)
    assert ad.jit(lambda x: x + 1, interpret=True)(1.0) == 2.0


def test_derivatives_that_do_not_exist():
    raising(ad.DifferentiationError, lambda x: ad.grad(lambda y: y * 2)(x), X, hint="ad.vjp")
    raising(ad.DifferentiationError, lambda n: ad.grad(lambda m: m * 2.0)(n), 3, match="m of dtype int64")
    raising(ad.DifferentiationError, lambda x: ad.grad(lambda y: np.argmax(y))(x), X, match="int64")
    raising(ad.DifferentiationError, lambda x: ad.grad(lambda y: (y, y))(x), 1.0, match="tuple")
    raising(ad.ArgumentError, lambda x: ad.grad(np.sin, argnums=1)(x), 1.0, match="argument 1")
    raising(ad.ArgumentError, lambda x: ad.grad(lambda y: y, argnums="z")(x), 1.0, match="'z'")


def test_arguments_that_are_no_arrays():
    class Model:
        weight = 1.0

    for bad, hint in (
        (Model(), "@ad.register above class Model"),
        ({1, 2}, "a tuple"),
        (iter([]), "static_argnames"),
    ):
        with pytest.raises(ad.ArgumentError, match=rf"argument f\['a'\] is a(?s:.*){hint}"):
            ad.jit(lambda f, x: x)({"a": bad}, 1.0)
    with pytest.raises(ad.ArgumentError, match="a function is needed"):
        ad.grad(3.0)


def test_printing_a_traced_value_says_what_it_is_and_where_it_was_made(capsys):
    def function(x):
        y = x * 2
        print(y)  # noqa: T201
        return y

    ad.trace(function, X)
    line = function.__code__.co_firstlineno + 1
    assert capsys.readouterr().out == f"Array(float64[3]) made at {__file__}:{line}\n"


@pytest.mark.parametrize(
    "kind", [o for o in vars(ad).values() if inspect.isclass(o) and issubclass(o, ad.MliradError)]
)
def test_errors_of_all_classes_can_be_pickled_and_said_in_other_words(kind):
    error = kind("wrong", location="f.py:3", hint="do this")
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert (type(other), str(other), vars(other)) == (kind, str(error), vars(error))
    restated = error.restated("as said", "g.py:5")
    assert type(restated) is kind
    assert (restated.message, restated.location, restated.hint) == ("as said", "g.py:5", error.hint)
