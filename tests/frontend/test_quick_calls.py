"""Calls with structured arguments go the quick way, and only where it leads to what any other call gives."""

from __future__ import annotations

import random
from collections import OrderedDict
from dataclasses import dataclass, field, make_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.quick_calls import MOST_SIGNATURES
from mlirad.frontend.tracing.pytree import flatten
from tests.robustness.sessions.structures import Pair, Record, leaves_of, mapped, random_structure

X = np.array([1.0, 2.0])
Y = np.array([3.0, 4.0])


@dataclass
class Model:
    weight: Any
    bias: Any
    power: int = field(default=2, metadata={"static": True})

    def __call__(self, x: Any) -> Any:
        return self.weight * x**self.power + self.bias


class Options(NamedTuple):
    rate: Any
    name: Any


def dispatched(transformed: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments of calls that look up their signature."""
    calls: list[Any] = []
    dispatch = type(transformed)._dispatch

    def noted(self: Any, args: Any, kwargs: Any) -> Any:
        calls.append(args)
        return dispatch(self, args, kwargs)

    monkeypatch.setattr(type(transformed), "_dispatch", noted)
    return calls


STRUCTURES = [
    ({"w": X, "b": 2.0},),
    ([X, Y, (X,)], 3),
    ({"layers": [{"w": X, "b": Y}, {"w": Y, "b": X}], "rate": 0.5, "none": None},),
    (Options(X, {"left": Y, "right": ()}), None, X),
    (Model(X, Y, power=3),),
    (np.float64(2.0), [np.float32(3.0), np.zeros((0, 2))]),
    (OrderedDict(b=X, a=Y),),
    ([],),
]


@pytest.mark.parametrize("args", STRUCTURES, ids=str)
def test_the_third_call_looks_nothing_up_and_gives_the_same(
    args: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def f(*given: Any) -> Any:
        leaves, tree = flatten(given)
        return tree.unflatten([leaf * 2 + 1 for leaf in leaves])

    transformed = ad.jit(f)
    first = transformed(*args)
    assert_same(transformed(*args), first)
    calls = dispatched(transformed, monkeypatch)
    assert_same(transformed(*args), first)
    assert not calls


def assert_same(found: Any, expected: Any) -> None:
    leaves, tree = flatten(found)
    others, other = flatten(expected)
    assert tree == other
    assert [type(a) for a in leaves] == [type(b) for b in others]
    for a, b in zip(leaves, others, strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_array_equal(a, b)


def changed(value: Any, rng: random.Random) -> Any:
    """A structure that differs a little: in a leaf, in its type, in a container, in a name."""
    changes: list[Any] = [
        lambda leaf: np.float32(leaf) if np.ndim(leaf) == 0 else leaf.astype(np.float32),
        lambda leaf: leaf if np.ndim(leaf) else int(3 * leaf),
        lambda leaf: np.asarray(leaf),
        lambda leaf: np.append(leaf, 1.0),
        lambda leaf: (leaf,),
        lambda leaf: None,
        lambda leaf: leaf if np.ndim(leaf) else leaf > 0,
        lambda leaf: leaf.tolist() if np.ndim(leaf) else leaf,
        lambda leaf: np.stack([leaf, leaf], 1)[:, 0] if np.ndim(leaf) else leaf,
        lambda leaf: leaf + 1.0,
    ]
    place, change = rng.randrange(max(len(leaves_of(value)), 1)), rng.choice(changes)
    numbers = iter(range(100))
    made = mapped(lambda leaf: change(leaf) if next(numbers) == place else leaf, value)
    match made:
        case Record() if rng.random() < 0.3:
            return Pair(made.left, made.right)
        case dict() if made and rng.random() < 0.5:
            name = rng.choice(list(made))
            made = dict(made)
            part = made.pop(name)
            return made if rng.random() < 0.3 else {**made, name + "x": part}
        case tuple() if type(made) is tuple and rng.random() < 0.3:
            return list(made)
        case list() if rng.random() < 0.3:
            return [*made, 1.0]
        case _:
            return made


@pytest.mark.parametrize("seed", range(8))
def test_random_structures_that_change_give_what_a_new_function_gives(seed: int) -> None:
    rng = random.Random(seed)
    value = random_structure(rng, 3)

    def f(x: Any) -> Any:
        numbers = iter(range(1, 100))
        return mapped(lambda leaf: leaf * next(numbers) + 1, x), sum(np.sum(leaf) for leaf in leaves_of(x))

    transformed = ad.jit(f)
    for _ in range(3):
        assert_same(transformed(value), ad.jit(lambda x: f(x))(value))
    for _ in range(3):
        other = changed(value, rng)
        try:
            expected = ad.jit(lambda x: f(x))(other)
        except Exception as error:
            with pytest.raises(type(error)):
                transformed(other)
            continue
        assert_same(transformed(other), expected)
        assert_same(transformed(other), expected)
        assert_same(transformed(value), ad.jit(lambda x: f(x))(value))


@pytest.mark.parametrize(
    "x",
    [
        np.ones(6)[::2],
        np.ones(3)[::-1],
        np.asfortranarray(np.ones((2, 3))),
        np.frombuffer(b"0" + np.ones(3).tobytes(), np.uint8)[1:].view(np.float64),
        np.ones(3, np.int8),
        np.ones(3, np.uint16),
        np.ones(3, np.float16),
        np.ones(3, np.float32),
        np.array(2.0),
        np.uint8(3),
        np.float64(2.0),
        2.0,
        2,
        True,
        np.True_,
    ],
    ids=str,
)
def test_arrays_and_scalars_of_all_kinds_take_the_quick_way(x: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    f = ad.jit(lambda x: x * 3 + 1)
    g = ad.jit(lambda d: {"y": d["x"] * 3 + 1})
    first = f(x)
    assert_same(first, f(x))
    g({"x": x}), g({"x": x})
    calls = dispatched(f, monkeypatch)
    for _ in range(2):
        assert_same(f(x), first)
        assert_same(g({"x": x}), {"y": first})
    assert not calls


def test_names_and_static_arguments_take_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    f = ad.jit(lambda x, y, n, label=None: x * n + (y if label else 0), static_argnames=("n", "label"))
    ways: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((X, Y, 3), {}),
        ((X, Y), {"n": 2}),
        ((X,), {"n": 2, "y": Y, "label": "with"}),
        ((), {"y": X, "x": Y, "n": True}),
    ]
    results = [f(*args, **kwargs) for args, kwargs in ways]
    for args, kwargs in ways:
        f(*args, **kwargs)
    calls = dispatched(f, monkeypatch)
    for (args, kwargs), expected in zip(ways, results, strict=True):
        assert_same(f(*args, **kwargs), expected)
    assert not calls
    assert_same(f(X, Y, 4), X * 4)
    assert_same(f(X, Y, n=1), X * 1)
    assert_same(f(X, Y, 3.0), X * 3.0)
    with pytest.raises(ad.ArgumentError, match="missing a required argument"):
        f(X, n=2)


def test_arguments_in_a_tuple_of_the_function_take_no_place_of_others() -> None:
    f = ad.jit(lambda *xs, scale: sum(xs) * scale)
    g = ad.jit(lambda x, **rest: x * rest["scale"] + len(rest))
    for _ in range(3):
        assert_same(f(X, scale=2.0), X * 2.0)
        assert_same(f(X, Y, scale=2.0), (X + Y) * 2.0)
        assert_same(g(X, scale=2.0), X * 2.0 + 1)
        assert_same(g(X, scale=2.0, other=1.0), X * 2.0 + 2)


def test_signatures_that_take_turns_are_all_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are kept; those beyond are looked up, and compute the same."""
    f = ad.jit(lambda x: x * 2)
    inputs = [np.ones(n + 1) for n in range(MOST_SIGNATURES + 2)]
    for _ in range(2):
        for x in inputs:
            f(x)
    calls = dispatched(f, monkeypatch)
    for x in inputs:
        assert_same(f(x), x * 2)
    assert len(calls) == 2


def test_compiled_ahead_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ad.jit(lambda d, x: d["w"] * x).lower({"w": X}, 2.0).compile()
    for _ in range(3):
        assert_same(compiled({"w": X}, 2.0), X * 2.0)
        with pytest.raises(ad.ArgumentError, match="is compiled for"):
            compiled({"w": np.ones(3)}, 2.0)


def test_static_fields_and_methods_of_classes_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = ad.grad(lambda model, x: np.sum(model(x)))
    model = Model(X, Y, power=3)
    for _ in range(3):
        assert_same(gradient(model, Y), Model(Y**3, np.ones(2), power=3))
    assert_same(gradient(replace(model, power=1), Y), Model(Y, np.ones(2), power=1))
    assert_same(gradient(replace(model, power=True), Y), Model(Y, np.ones(2), power=True))
    monkeypatch.setattr(Model, "__call__", lambda self, x: self.weight * self.bias)
    assert_same(gradient(model, Y), Model(Y, X, power=3))


def test_what_the_function_reads_is_seen() -> None:
    scale = [2.0]
    f = ad.jit(lambda d: {"y": d["x"] * scale[0]})
    for _ in range(3):
        assert_same(f({"x": X}), {"y": 2 * X})
    scale[0] = 5.0
    assert_same(f({"x": X}), {"y": 5 * X})


def test_names_and_fields_that_no_code_can_check_quickly() -> None:
    """Keys that are not strings, and static fields whose equal values differ, take the long way."""
    f = ad.jit(lambda d: d[1] * 2)
    g = ad.jit(lambda m: m.x / m.zero)
    holder = make_dataclass("holder", ["x", ("zero", float, field(metadata={"static": True}))])
    for _ in range(3):
        assert_same(f({1: X}), 2 * X)
        with np.errstate(divide="ignore"):
            assert_same(g(holder(X, 0.0)), X * np.inf)
            assert_same(g(holder(X, -0.0)), X * -np.inf)
    with pytest.raises(KeyError):
        ad.jit(lambda d: d["w"] * 2)({"v": X})


def test_wrong_calls_say_the_same_on_the_quick_way() -> None:
    f = ad.jit(lambda d, x: d["w"] * x)
    for _ in range(3):
        f({"w": X}, 2.0)
    for args in (
        ({"w": X},),
        ({"w": X}, 2.0, 3.0),
        ({"w": "text"}, 2.0),
        ({"w": X}, np.ones(3)),
        (None, 2.0),
    ):
        with pytest.raises(Exception) as quick:
            f(*args)
        with pytest.raises(Exception) as other:
            ad.jit(lambda d, x: d["w"] * x)(*args)
        assert type(quick.value) is type(other.value)


@pytest.mark.parametrize("case", STRUCTURES[:4])
def test_the_first_call_of_one_transformed_again_makes_no_quick_call(case: tuple[Any, ...]) -> None:
    def first(*args: Any) -> Any:
        return args

    made = [ad.jit(first) for _ in range(3)]
    for transformed in made:
        transformed(*case)
    assert all(f._by_position.call is None for f in made)
    made[-1](*case)
    assert made[-1]._by_position.call is not None
