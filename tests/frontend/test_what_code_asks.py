"""Questions of code about its argument have the answers in a trace that they have for NumPy's values."""

from __future__ import annotations

import collections.abc
import functools
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import mlirad as ad
from mlirad.frontend.control_flow.calls import FLOAT_OPERATORS
from mlirad.frontend.numpy_functions.protocols.asked_calls import OF_BOTTLENECK

ASKED: dict[str, Callable[[Any], Any]] = {
    "isinstance np.ndarray": lambda x: isinstance(x, np.ndarray),
    "isinstance of several": lambda x: isinstance(x, (np.ndarray, list, tuple)),
    "isinstance of a union": lambda x: isinstance(x, np.ndarray | list),
    "isinstance float": lambda x: isinstance(x, float),
    "isinstance int": lambda x: isinstance(x, int),
    "isinstance np.floating": lambda x: isinstance(x, np.floating),
    "isinstance np.generic": lambda x: isinstance(x, np.generic),
    "isinstance Number": lambda x: isinstance(x, numbers.Number),
    "isinstance Real": lambda x: isinstance(x, numbers.Real),
    "isinstance Integral": lambda x: isinstance(x, numbers.Integral),
    "isinstance Iterable": lambda x: isinstance(x, collections.abc.Iterable),
    "isinstance Sized": lambda x: isinstance(x, collections.abc.Sized),
    "isinstance Sequence": lambda x: isinstance(x, collections.abc.Sequence),
    "isinstance Hashable": lambda x: isinstance(x, list | dict | str),
    "issubclass of __class__": lambda x: issubclass(x.__class__, np.ndarray | float),
    "np.isscalar": np.isscalar,
    "np.iterable": np.iterable,
    "np.ndim": np.ndim,
    "np.shape": np.shape,
    "np.size": np.size,
    "np.iscomplexobj": np.iscomplexobj,
    "np.isrealobj": np.isrealobj,
    "all np.isreal": lambda x: bool(np.all(np.isreal(x))),
    "any np.iscomplex": lambda x: bool(np.any(np.iscomplex(x))),
    "method all of np.isreal": lambda x: bool(np.asarray(np.isreal(x)).all()),
    "hasattr __len__": lambda x: hasattr(x, "__len__"),
    "hasattr toarray": lambda x: hasattr(x, "toarray"),
    "hasattr append": lambda x: hasattr(x, "append"),
    "callable": callable,
    "kind": lambda x: np.asarray(x).dtype.kind,
    "np.result_type": lambda x: np.result_type(x).name,
    "np.ma": np.ma.isMaskedArray,
    "len": lambda x: _or_error(lambda: len(x)),
    "list": lambda x: _or_error(lambda: len(list(x))),
    "unpacking": lambda x: _or_error(lambda: len([*x])),
    "singledispatch": lambda x: _dispatched(x),
    "np.require": lambda x: np.require(x, dtype=float, requirements="C").shape,
    "copy mode": lambda x: np.array(x, copy=np._CopyMode.IF_NEEDED).shape,
}

VALUES: dict[str, Any] = {
    "float": 1.5,
    "int": 3,
    "np.float64": np.float64(1.5),
    "np.float32": np.float32(1.5),
    "np.int64": np.int64(2),
    "vector": np.ones(2),
    "matrix": np.ones((2, 3), np.float32),
    "integers": np.arange(3),
    "empty": np.ones((0, 2)),
    "complex": np.ones(2) * 1j,
}


def _or_error(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except TypeError:
        return TypeError


@functools.singledispatch
def _dispatched(x: object) -> str:
    return "object"


@_dispatched.register(float)
@_dispatched.register(int)
def _(x: object) -> str:
    return "number"


@_dispatched.register(np.ndarray)
def _(x: object) -> str:
    return "array"


def _answer(ask: Callable[[Any], Any], x: Any) -> Any:
    found = ask(x)
    return bool(found) if isinstance(found, np.bool_) else found


@pytest.mark.parametrize("name", VALUES)
def test_answers_are_those_of_numpys_values(name: str) -> None:
    value = VALUES[name]
    answers: dict[str, Any] = {}
    of_elements = ("all np.isreal", "any np.iscomplex", "method all of np.isreal", "np.require")
    asked = {q: ask for q, ask in ASKED.items() if name != "complex" or q not in of_elements}

    def f(x: Any) -> Any:
        answers.update({question: _answer(ask, x) for question, ask in asked.items()})
        return x * 2

    ad.jit(f, interpret=True)(value)
    assert answers == {question: _answer(ask, value) for question, ask in asked.items()}


def test_results_of_rank_zero_are_scalars_and_views_are_arrays() -> None:
    answers: list[bool] = []

    def f(x: Any) -> Any:
        answers[:] = [
            isinstance(y, np.ndarray) for y in (x.sum(), x[0], x[0, ...], x[:1], np.mean(x), x[x > 1])
        ]
        return x

    f(np.ones(3))
    expected = list(answers)
    ad.jit(f, interpret=True)(np.ones(3))
    assert answers == expected


def test_shapes_that_change_in_place() -> None:
    def f(x: Any) -> Any:
        y = x.copy()
        y.shape = ()
        scalar = _or_error(lambda: len(y))
        y.shape = (1, 1)
        return y * (2.0 if scalar is TypeError and len(y) == 1 and len(list(y)) == 1 else 3.0)

    np.testing.assert_array_equal(ad.jit(f, interpret=True)(np.ones(1)), f(np.ones(1)))


def test_mlirad_sees_its_own_class() -> None:
    def f(x: Any) -> Any:
        assert type(x) is not np.ndarray
        assert issubclass(type(x), ad.Array)
        assert isinstance(x, ad.Array)
        return x

    ad.jit(f)(np.ones(2))


def _layouts(x: Any) -> list[Any]:
    arrays = [
        x, x.T, x[:, 1:], x[::2], x[0], x.copy(), np.diagonal(x[:, :2]), np.broadcast_to(x[0], (4, 3)),
        x[:, 0], x[0:1], np.zeros_like(x), x.sum(), x.reshape(3, 2),
    ]  # fmt: skip
    names = (
        "c_contiguous",
        "f_contiguous",
        "contiguous",
        "forc",
        "fortran",
        "writeable",
        "aligned",
        "behaved",
        "carray",
    )
    keys = ("C_CONTIGUOUS", "F", "WRITEABLE", "C", "W", "ALIGNED")
    return [[getattr(y.flags, n) for n in names] + [y.flags[k] for k in keys] for y in arrays]


def test_flags() -> None:
    x = np.arange(6.0).reshape(2, 3)
    found: list[Any] = []
    ad.jit(lambda x: (found.extend(_layouts(x)), x)[1], interpret=True)(x)
    assert found == [[bool(flag) for flag in flags] for flags in _layouts(x)]


def test_flags_are_not_set() -> None:
    def f(x: Any) -> Any:
        x.flags.writeable = False
        return x

    with pytest.raises(ad.UnsupportedError, match="writeable"):
        ad.jit(f)(np.ones(2))
    with pytest.raises(KeyError, match="Unknown flag"):
        ad.jit(lambda x: x.flags["NOTHING"])(np.ones(2))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
def test_counts_of_known_integers_with_traced_weights(dtype: Any) -> None:
    w = np.array([1, 0, 3, 1]).astype(dtype)
    for x, least in (([0, 1, 0, 2], 0), ([0, 0, 0, 0], 4), (np.array([5, 1, 1, 5], np.int32), 2)):
        found = ad.jit(lambda w, x=x, least=least: np.bincount(x, weights=w, minlength=least))(w)
        expected = np.bincount(x, weights=w, minlength=least)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype
    if dtype is np.float64:
        ad.check_derivatives(lambda w: np.bincount([0, 1, 0, 2], w) ** 2, w)
        with pytest.raises(ad.ArgumentError, match="negative"):
            ad.jit(lambda w: np.bincount([0, -1, 0, 2], w))(w)
        with pytest.raises(ad.ShapeError):
            ad.jit(lambda w: np.bincount([0, 1], w))(w)
        with pytest.raises(ad.UnsupportedError, match=r"np\.bincount"):
            ad.jit(lambda w: np.bincount(w.astype(int)))(w)


def test_types_of_arrays_in_rewritten_code() -> None:
    def doubled(x):
        if type(x) is not np.ndarray:
            raise TypeError("no array of NumPy")
        return 2.0 * x

    np.testing.assert_array_equal(ad.jit(doubled, control="rewrite")(np.ones(2)), [2.0, 2.0])


@pytest.mark.parametrize("name", sorted(FLOAT_OPERATORS))
def test_methods_of_float(name: str) -> None:
    method = getattr(float, f"__{name}__")
    others = () if name in ("neg", "pos", "abs") else (1.7,)

    def f(x):
        return method(x, *others)

    np.testing.assert_allclose(ad.jit(f)(0.6), f(0.6), rtol=1e-14)


STRIDED: dict[str, Callable[[Any], Any]] = {
    "frames": lambda x: as_strided(x[0], (3, 2), (x.strides[1], x.strides[1])),
    "a diagonal": lambda x: as_strided(x, (3,), (sum(x.strides),)),
    "repeated": lambda x: as_strided(x, (2, *x.shape), (0, *x.strides), writeable=False),
    "the same": lambda x: as_strided(x),
    "nothing": lambda x: as_strided(x, (0, 3)),
}


@pytest.mark.parametrize("name", STRIDED)
def test_as_strided(name: str) -> None:
    f, x = STRIDED[name], np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(ad.jit(f)(x), f(x))
    ad.check_derivatives(lambda x: f(x) * x[0, 1], x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: as_strided(x, (5, 4)),
        lambda x: as_strided(x, (2,), (-8,)),
        lambda x: as_strided(x, (2,), (4,)),
        lambda x: as_strided(x.T, (2,), (8,)),
    ],
)
def test_as_strided_sees_only_elements(f: Callable[[Any], Any]) -> None:
    with pytest.raises(ad.TracingError, match="as_strided reads other memory"):
        ad.jit(f)(np.ones((3, 4)))


def test_strides() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    parts: list[Callable[[Any], Any]] = [
        lambda x: x, lambda x: x.T, lambda x: x[:, ::2, 1:], lambda x: x[::-1],
        lambda x: x.astype(np.float32),
    ]  # fmt: skip
    for part in parts:
        found: list[Any] = []
        ad.jit(lambda x, part=part, found=found: (found.append(part(x).strides), x)[1])(x)
        assert found == [part(x).strides]


def test_functions_of_bottleneck() -> None:
    bottleneck = pytest.importorskip("bottleneck")
    x = np.array([[1.5, np.nan, 0.3], [2.5, 0.7, -1.0]])
    for name in OF_BOTTLENECK:
        function = getattr(bottleneck, name)
        for options in ((), (1,), (1, 1) if name in ("nanstd", "nanvar") else (0,)):
            data = np.nan_to_num(x) if name == "median" else x

            def f(x: Any, function: Any = function, options: Any = options) -> Any:
                return np.sum(function(x, *options)) * x

            np.testing.assert_allclose(ad.jit(f)(data), f(data), rtol=1e-14)
