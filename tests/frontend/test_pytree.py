"""Structures: flattening, unflattening, equality."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

import mlirad as ad
from mlirad.frontend.tracing.pytree import LEAF, flatten


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True)
class Layer:
    weight: Any
    bias: Any
    name: str = field(default="layer", metadata={"static": True})

    def __post_init__(self) -> None:
        assert self.weight is not None


VALUES = [
    1.0,
    None,
    (),
    (1.0,),
    [1.0, (2.0, None)],
    {"b": 1.0, "a": [2.0]},
    {2: 1.0, "a": 2.0},
    Pair(1.0, {"x": 2.0}),
    Layer(1.0, (2.0, 3.0), name="first"),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_round_trip(value):
    leaves, tree = flatten(value)
    assert tree.size == len(leaves)
    again = tree.unflatten(leaves)
    assert again == value
    assert type(again) is type(value)
    assert flatten(again)[1] == tree
    assert hash(flatten(again)[1]) == hash(tree)
    assert tree.flatten_like(value, "value") == leaves


def test_dictionaries_are_equal_in_any_order_and_keep_theirs():
    leaves, tree = flatten({"b": 1, "a": 2})
    others, other = flatten({"a": 2, "b": 1})
    assert tree == other
    assert leaves == others == [2, 1]
    assert list(tree.unflatten(leaves)) == ["b", "a"]


def test_static_fields_are_structure():
    first, second = flatten(Layer(1.0, 2.0, "a"))[1], flatten(Layer(1.0, 2.0, "b"))[1]
    assert first != second
    assert first.unflatten([3.0, 4.0]) == Layer(3.0, 4.0, "a")


def test_paths_read_like_python():
    tree = flatten({"w": (1, 2), "l": Layer(1, 2), "p": Pair(1, [2])})[1]
    assert tree.paths("x") == [
        "x['l'].weight", "x['l'].bias", "x['p'].left", "x['p'].right[0]", "x['w'][0]", "x['w'][1]",
    ]  # fmt: skip
    assert LEAF.paths("x") == ["x"]


@pytest.mark.parametrize("other", [(1.0,), [1.0, 2.0], {"a": 1.0}, 3.0, None], ids=str)
def test_other_structures_are_rejected_with_their_place(other):
    tree = flatten((1.0, (2.0, 3.0)))[1]
    with pytest.raises(ValueError, match=r"ct\[1\] must be structured like \(\*, \*\)"):
        tree.flatten_like((1.0, other), "ct")


def test_none_and_containers_stand_for_leaves():
    assert flatten((1.0, 2.0))[1].flatten_like((None, [3]), "x") == [None, [3]]


def itself(kind: type) -> object:
    """A list or dictionary that contains itself."""
    made = kind()
    if kind is list:
        made.append(made)
    else:
        made["a"] = made
    return made


def deep() -> object:
    """A tuple in a tuple, thousands of times."""
    value: object = 1.0
    for _ in range(5000):
        value = (value,)
    return value


@pytest.mark.parametrize("value", [itself(list), itself(dict), deep()], ids=["list", "dict", "deep"])
def test_structures_without_end_are_refused(value):
    for attempt in (
        lambda: ad.jit(lambda x: 1.0)(value),
        lambda: ad.grad(lambda x: 1.0)(value),
        lambda: ad.jit(lambda x: value)(1.0),
        lambda: ad.vjp(lambda x: x, value),
        lambda: ad.jit(lambda x: ad.fori_loop(0, 3, lambda i, c: c, (x, value)))(1.0),
    ):
        with pytest.raises(ad.UnsupportedError, match="nested more than 200 deep"):
            attempt()
