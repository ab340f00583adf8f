"""Programs are shared by calls that no trace can tell apart, and by no others."""

import enum
import functools
import itertools
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.tracing.captures import static_key
from mlirad.frontend.tracing.value_keys import value_key


class Colour(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    ONE = 1


class Metres(float):
    pass


class Pair(NamedTuple):
    a: float
    b: float


def one(x):
    return x * 1.0


DIFFERENT: list[Any] = [
    0, 0.0, -0.0, False, 1, 1.0, True, math.nan, -math.nan, math.inf, 1 + 0j, complex(1, -0.0), "1", b"1",
    None, ...,
    np.float64(0.0), np.float64(-0.0), np.float32(0.0), np.int64(0), np.int32(0), np.bool_(False),
    np.float64("nan"), np.dtype("f8"), np.dtype("f4"), np.dtype(">f8"), np.float64, float,
    (), (0.0,), (-0.0,), (0,), (math.nan,), ((0.0,),), ((-0.0,),), frozenset((0.0,)), frozenset((-0.0,)),
    Colour.RED, Number.ONE, Metres(1.0), Metres(2.0), Pair(0.0, 1.0), Pair(-0.0, 1.0), (0.0, 1.0), range(2),
    range(0, 2, 3), slice(0, 2), slice(0.0, 2), np.sin, np.cos, math.sin, one, lambda x: x, lambda x: -x,
]  # fmt: skip
"""Values that a trace can tell apart, though Python's equality cannot tell all."""


def test_different_values_have_different_keys():
    for a, b in itertools.combinations(DIFFERENT, 2):
        assert static_key(a) != static_key(b), (a, b)


def test_equal_values_have_equal_keys():
    make = [
        lambda: float("nan"),
        lambda: np.float32("nan"),
        lambda: (float("nan"), "".join(["a", "b"]), 10**30),
        lambda: np.float64(2.5),
        lambda: Metres(1.5),
        lambda: Pair(float("1.5"), [2.0]),
        lambda: lambda x: x,
        lambda: functools.partial(one, x=float("1.5")),
        lambda: {"a": [np.arange(3.0)]},
    ]
    for each in make:
        first, second = each(), each()
        assert static_key(first) == static_key(second)
        assert hash(static_key(first)) == hash(static_key(second))


def test_keys_of_values_that_change_follow_them():
    values: list[Any] = [[1.0], {"a": 1.0}, np.ones(2), {1.0}]
    keys = [static_key(value) for value in values]
    values[0][0], values[1]["a"], values[2][0] = 2.0, 2.0, 2.0
    values[3].add(2.0)
    assert not any(static_key(value) == key for value, key in zip(values, keys, strict=True))
    assert all(value_key(value) is None for value in values)


def counted(body):
    traces: list[Any] = []

    def function(x, n=3.0):
        traces.append(n)
        return body(x, n)

    return function, traces


def test_static_arguments_are_told_apart_by_their_bits():
    function, traces = counted(lambda x, n: np.copysign(x, n))
    compiled = ad.jit(function, static_argnames="n", interpret=True)
    for _ in range(2):
        for n in (0.0, -0.0, 0, False, math.nan, float("nan"), np.float32(0), 1, True, 1.0, np.True_):
            assert compiled(2.0, n=n) == np.copysign(2.0, n)
    assert len(traces) == 10


def test_a_default_is_a_value_like_any_other():
    function, traces = counted(lambda x, n: x if n is None else x * n)
    compiled = ad.jit(function, static_argnames="n", interpret=True)
    assert [compiled(2.0), compiled(2.0, None), compiled(2.0, n=3.0), compiled(2.0)] == [6.0, 2.0, 6.0, 6.0]
    assert traces == [3.0, None]


class Scale:
    def __init__(self, value: float):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scale)

    def __hash__(self) -> int:
        return 1

    def of(self, x):
        return x * self.value


def test_static_objects_that_equal_others_or_change():
    function, traces = counted(lambda x, n: n.of(x))
    compiled = ad.jit(function, static_argnames="n", interpret=True)
    a, b = Scale(2.0), Scale(3.0)
    assert [compiled(1.0, a), compiled(1.0, b), compiled(1.0, a)] == [2.0, 3.0, 2.0]
    a.value = 5.0
    assert compiled(1.0, a) == compiled(1.0, Scale(5.0)) == 5.0
    assert len(traces) == 3


def test_static_functions_that_read_what_changes():
    scale = 2.0
    compiled = ad.jit(lambda x, f: f(x), static_argnames="f", interpret=True)
    activation = lambda x: x * scale  # noqa: E731
    assert compiled(1.0, activation) == 2.0
    scale = 3.0
    assert compiled(1.0, activation) == 3.0


@dataclass
class Layer:
    weight: float
    mode: Any = field(metadata={"static": True})

    def apply(self, x):
        return np.copysign(x * self.weight, self.mode)


def test_static_fields_and_methods_of_arguments(monkeypatch):
    compiled = ad.jit(lambda layer, x: layer.apply(x), interpret=True)
    for mode in (0.0, -0.0, 1, True, -1.0, math.nan):
        assert compiled(Layer(2.0, mode), 3.0) == np.copysign(6.0, mode)
    monkeypatch.setattr(Layer, "apply", lambda self, x: x + self.weight)
    assert compiled(Layer(2.0, 0.0), 3.0) == 5.0
    assert ad.linearize(lambda layer: layer.apply(3.0), Layer(2.0, 0.0), interpret=True)[0] == 5.0


def test_keys_of_dictionaries():
    compiled = ad.jit(lambda d: {type(k).__name__: v for k, v in d.items()}, interpret=True)
    for key in (1, True, 1.0):
        assert compiled({key: 2.0}) == {type(key).__name__: 2.0}


@pytest.mark.parametrize("names", ["k", ("n", "k"), ["k"], ("x y",), (0,), 0, (None,), "args"])
@pytest.mark.parametrize("transform", [ad.jit, ad.grad, ad.vmap, ad.hessian, ad.jacobian, ad.value_and_grad])
def test_static_names_of_no_parameter(names, transform):
    def f(x, n=1, *args):
        return x * n

    with pytest.raises(ad.ArgumentError, match="no parameter") as caught:
        transform(f, static_argnames=names)
    assert "'n'" in str(caught.value) or "x, n" in str(caught.value)
    assert __file__ in str(caught.value)


def test_static_names_of_keywords():
    compiled = ad.jit(lambda x, **options: x * options["n"], static_argnames="n", interpret=True)
    assert [compiled(2.0, n=3), compiled(2.0, n=4)] == [6.0, 8.0]
