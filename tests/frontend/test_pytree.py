"""Structures: flattening, unflattening, equality."""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.stats

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
def test_round_iteration(value):
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


# Registered classes, and what stands for itself ---------------------------------------------------


@ad.register(static="name")
class Dense:
    def __init__(self, weight: Any, bias: Any, name: str = "tanh") -> None:
        self.weight, self.bias, self.name = weight, bias, name

    def __call__(self, x: Any) -> Any:
        return ACTIVATIONS[self.name](x @ self.weight + self.bias)


class Wide(Dense):
    """Structure by the rule of the class that it is derived from."""


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


class Interval:
    def __init__(self, low: Any, high: Any) -> None:
        self.middle, self.width = (low + high) / 2, high - low


class Kind(Enum):
    PLAIN = 1
    DOUBLED = 2


ad.register(Slotted, fields=("a", "b"))
ad.register(
    Interval,
    flatten=lambda v: ((v.middle, v.width), None),
    unflatten=lambda _, parts: with_parts(Interval, middle=parts[0], width=parts[1]),
)
ACTIVATIONS = {"tanh": np.tanh, "sin": np.sin}


def with_parts(kind: type[Any], **parts: Any) -> Any:
    made = object.__new__(kind)
    made.__dict__.update(parts)
    return made


def model() -> dict[str, Any]:
    table: defaultdict[str, Any] = defaultdict(list, scale=2.0)
    return {
        "layers": [Dense(np.ones((2, 3)), np.zeros(3)), Wide(np.ones((3, 1)), np.zeros(1), "sin")],
        "slots": Slotted(1.0, [2.0]),
        "interval": Interval(1.0, 3.0),
        "ordered": OrderedDict(z=1.0, a=2.0),
        "table": table,
        "kind": Kind.PLAIN,
        "activation": np.cos,
        "of python": lambda x: 3.0 * x,
        "name": "first",
        "nothing": None,
    }


def output(p: dict[str, Any], x: Any) -> Any:
    for layer in p["layers"]:
        x = layer(x)
    x = p["of python"](p["activation"](x)) * p["slots"].a * p["interval"].width
    return np.sum(x) * (2.0 if p["kind"] is Kind.DOUBLED else 1.0) * p["table"]["scale"] * p["ordered"]["z"]


def test_classes_and_what_stands_for_itself_pass_through_every_transformation():
    p, x = model(), np.array([[0.5, -1.0]])
    slope = ad.grad(output, interpret=True)
    gradient = slope(p, x)
    assert [type(g) for g in gradient["layers"]] == [Dense, Wide]
    assert gradient["layers"][1].name == "sin"
    assert type(gradient["ordered"]) is OrderedDict
    assert list(gradient["ordered"]) == ["z", "a"]
    assert gradient["table"].default_factory is list
    assert (gradient["activation"], gradient["name"], gradient["kind"]) == (np.cos, "first", Kind.PLAIN)
    vector, unravel = ad.tree.ravel(p)
    flat_slope = ad.grad(lambda v: output(unravel(v), x), interpret=True)(vector)
    np.testing.assert_allclose(ad.tree.ravel(gradient)[0], flat_slope, rtol=1e-12)
    moved = ad.tree.map(lambda a, g: a - 0.1 * g, p, gradient)
    np.testing.assert_allclose(ad.tree.ravel(moved)[0], vector - 0.1 * flat_slope, rtol=1e-12)
    _, change = ad.jvp(lambda q: output(q, x), (p,), (gradient,), interpret=True)
    np.testing.assert_allclose(change, flat_slope @ flat_slope, rtol=1e-12)
    doubled = slope({**p, "kind": Kind.DOUBLED}, x)
    np.testing.assert_allclose(ad.tree.ravel(doubled)[0], 2.0 * flat_slope, rtol=1e-12)
    _, derivative = ad.linearize(output, p, x, argnums="p", interpret=True)
    np.testing.assert_allclose(ad.tree.ravel(derivative.T(1.0))[0], flat_slope, rtol=1e-12)

    def twice(q: Any) -> Any:
        return ad.scan(lambda c, _: (ad.tree.map(lambda a: 2.0 * a, c), None), q, None, 2)[0]

    np.testing.assert_allclose(ad.tree.ravel(ad.jit(twice, interpret=True)(p))[0], 4.0 * vector)


def test_quick_calls_see_every_change_of_what_is_static():
    compiled = ad.jit(lambda p: p["f"](p["layer"].weight) * (2.0 if p["layer"].name == "sin" else 1.0))
    layer = Dense(np.ones(2), None)
    factor = 3.0

    def scaled(x: Any) -> Any:
        return factor * x

    for _ in range(3):
        assert compiled({"f": np.negative, "layer": layer})[0] == -1.0
        assert compiled({"f": scaled, "layer": layer})[0] == factor
    factor = 5.0
    assert compiled({"f": scaled, "layer": layer})[0] == 5.0
    layer.name = "sin"
    assert compiled({"f": scaled, "layer": layer})[0] == 10.0
    layer.extra = 1.0  # one part more
    assert compiled({"f": scaled, "layer": layer})[0] == 10.0
    interval = ad.jit(lambda v: v)
    for low in (0.0, 1.0, 2.0):
        given = Interval(low, 3.0)
        made = interval(given)
        assert (type(made), made.middle, made.width) == (Interval, given.middle, given.width)


def test_attrs_classes_are_structure():
    attrs = pytest.importorskip("attrs")
    kind = attrs.make_class(
        "Pair", {"a": attrs.field(), "n": attrs.field(metadata={"static": True})}, frozen=True
    )
    gradient = ad.grad(lambda p: p.a**p.n, interpret=True)(kind(3.0, 2))
    assert (type(gradient), gradient.a, gradient.n) == (kind, 6.0, 2)


def test_a_field_of_an_attrs_class_is_found_without_the_package():
    """Only the traces that `attrs` leaves on a class are read."""

    class Pair:
        __attrs_attrs__ = (
            SimpleNamespace(name="a", metadata={}),
            SimpleNamespace(name="n", metadata={"static": True}),
        )

    leaves, tree = flatten(with_parts(Pair, a=3.0, n=2))
    assert leaves == [3.0]
    assert str(tree) == "Pair(a=*, n=2)"


def test_mistakes_with_structures_are_errors_at_the_users_line():
    @dataclass
    class Sized:
        x: Any
        sizes: Any = field(metadata={"static": True})

    class Plain:
        x = 1.0

    no_pair = type("NoPair", (), {})
    ad.register(no_pair, flatten=lambda _: 3, unflatten=lambda s, parts: s)
    late, use = with_parts(Dense, weight=1.0), ad.jit(lambda p: p.x)
    cases: list[tuple[Callable[[], Any], str, str]] = [
        (lambda: use(Plain()), "is a Plain, and compiled", "@ad.register above class Plain"),
        (lambda: ad.jit(lambda x: x * Plain())(1.0), "a Plain is neither", "the array that it holds"),
        (lambda: use(Sized(1.0, [2])), "sizes of Sized is static, and is a list", "a tuple"),
        (lambda: use(Sized(1.0, (np.ones(2),))), "is an ndarray, which", "not static"),
        (lambda: use(late), "no attribute 'name', which is registered", "every value"),
        (lambda: use(no_pair()), "flatten of NoPair must return the parts", "return"),
        (lambda: ad.register(3), "takes a class, got an int", "@ad.register"),
        (lambda: ad.register(float), "is a number or a string", "attribute"),
        (lambda: ad.register(Plain, flatten=len), "come together", "write both"),
        (lambda: ad.register(Plain, static=(1,)), "1, which is not a name", "static="),
        (lambda: ad.tree.map(np.add, [1.0, 2.0], [1.0]), "structured like [*, *], got [*]", ""),
        (lambda: ad.tree.unflatten(ad.tree.structure([1]), []), "has 1 leaves, 0 are given", ""),
        (lambda: ad.tree.unflatten([1], [1]), "takes a structure, got a list", "ad.tree.structure"),
        (lambda: ad.tree.ravel([1.0])[1](np.ones(2)), "shape [2], and [1] is expected", ""),
        (lambda: ad.jvp(lambda x, y: x, (1.0, 2.0), (1.0, 2.0), argnums=0), "structured like (*,)", ""),
        (lambda: ad.grad(lambda x, y=1.0: x * y, argnums="y")(1.0), "leaves at its default", "pass y"),
        (lambda: ad.linearize(lambda x, y: x, 1.0, 2.0, argnums="z"), "no parameter 'z'", "it has x, y"),
    ]  # fmt: skip
    for attempt, message, hint in cases:
        with pytest.raises(ad.MliradError) as caught:
            attempt()
        assert message in caught.value.message
        assert hint in (caught.value.hint or "")
        assert __file__ in (caught.value.location or "")


def test_chosen_arguments_of_every_derivative_agree():
    def f(x: Any, y: Any, mode: str) -> Any:
        return np.sum(x**2 * y) * (2.0 if mode == "twice" else 1.0)

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    given = (x, y, "twice")
    by_y, by_both = ad.grad(f, "y", interpret=True)(*given), ad.grad(f, (0, 1), interpret=True)(*given)
    np.testing.assert_allclose(ad.vjp(f, *given, argnums="y", interpret=True)[1](1.0)[0], by_y)
    np.testing.assert_allclose(ad.linearize(f, *given, argnums=1, interpret=True)[1].T(1.0), by_y)
    np.testing.assert_allclose(ad.jvp(f, given, (y,), argnums="y", interpret=True)[1], by_y @ y)
    both = ad.jvp(f, given, (y, x), argnums=(0, 1), interpret=True)[1]
    np.testing.assert_allclose(both, by_both[0] @ y + by_both[1] @ x)
    matrix = ad.hessian(f, argnums=0, interpret=True)(*given)
    np.testing.assert_allclose(ad.hvp(f, given, (y,), argnums=0, interpret=True), matrix @ y)

    def inside(x: Any, y: Any) -> Any:
        _, derivative = ad.linearize(f, x, y, "twice", argnums=("y",))
        _, pull = ad.vjp(f, x, y, "twice", argnums="y")
        return derivative(y), pull(1.0)[0]

    image, pulled = ad.jit(inside, interpret=True)(x, y)
    np.testing.assert_allclose(image, by_y @ y)
    np.testing.assert_allclose(pulled, by_y)


def test_methods_are_transformed_where_they_are_defined():
    class Model:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        @ad.grad(interpret=True)
        def slope(self, x: Any) -> Any:
            return self.scale * x**2

    first, second = Model(1.0), Model(2.0)
    assert (first.slope(3.0), second.slope(3.0)) == (6.0, 12.0)
    first.scale = 5.0
    assert first.slope(3.0) == 30.0


NUMBERS = {
    "a number": 3 - 4j,
    "a scalar": np.complex64(3 - 4j),
    "an array": np.array([3 - 4j, 1j]),
    "among others": {"b": [2.0, np.array([1j])], "a": (1 + 1j, None, "text")},
    "of a class": Layer(np.array([1j, 2.0]), 3.0),
}


@pytest.mark.parametrize("value", NUMBERS.values(), ids=NUMBERS)
def test_a_complex_number_is_one_leaf_of_the_module(value):
    leaves, structure = ad.tree.flatten(value)
    assert [np.iscomplexobj(leaf) for leaf in leaves].count(True) >= 1
    assert len(leaves) == len(ad.tree.leaves(value)) == len(ad.tree.paths(value, "v"))
    for leaf, path in zip(leaves, ad.tree.paths(value, "v"), strict=True):
        assert np.array_equal(eval(path, {"v": value}), leaf)
    assert ad.tree.structure(value) == structure
    again = ad.tree.leaves(ad.tree.unflatten(structure, leaves))
    assert all(a is b for a, b in zip(again, leaves, strict=True))
    moduli = ad.tree.map(lambda z, w: np.abs(z) * np.abs(w), value, value)
    traced = ad.jit(lambda v: ad.tree.map(lambda z, w: np.abs(z) * np.abs(w), v, v))(value)
    for found in (moduli, traced):
        for product, leaf in zip(ad.tree.leaves(found), leaves, strict=True):
            np.testing.assert_allclose(product, np.abs(leaf) ** 2, rtol=1e-6)
    vector, unravel = ad.tree.ravel(value)
    assert vector.dtype.kind == "f"
    for part, leaf in zip(ad.tree.leaves(unravel(vector)), leaves, strict=True):
        assert np.array_equal(part, leaf)


class Polar(NamedTuple):
    radius: Any
    angle: Any


class OfPoint(Polar):
    """Made of other values than its fields."""

    def __new__(cls, x, y):
        return super().__new__(cls, np.hypot(x, y), np.arctan2(y, x))


class Weighted(list):
    def __init__(self, items, weight):
        super().__init__(items)
        self.weight, self.name, self.owner = weight, "weighted", OWNER


class Marked(dict):
    def __init__(self, mark, entries):
        super().__init__(entries)
        self.mark = mark


class Ordered(OrderedDict):
    def __init__(self, mark, entries):
        super().__init__(entries)
        self.mark = mark


class Defaults(defaultdict):
    def __init__(self, mark, entries):
        super().__init__(list, entries)
        self.mark = mark


class Open(dict):
    """A dictionary whose entries are its attributes."""

    def __init__(self, **entries):
        super().__init__(**entries)
        self.__dict__ = self


OWNER = object()
DERIVED = {
    "tuple": (OfPoint(3.0, 4.0), lambda v: v.radius * v.angle),
    "list": (Weighted([1.0, 2.0], 3.0), lambda v: v.weight * v[1]),
    "dict": (Marked(2.0, {"a": 3.0, "mark": 1.0}), lambda v: v.mark * v["a"] * v["mark"]),
    "ordered": (Ordered(2.0, {"b": 3.0, "a": 1.0}), lambda v: v.mark * v["b"]),
    "default": (Defaults(2.0, {"a": 3.0}), lambda v: v.mark * v["a"] + len(v["none"])),
    "open": (Open(a=2.0, b=3.0), lambda v: v.a * v["b"]),
}


@pytest.mark.parametrize(("value", "function"), DERIVED.values(), ids=DERIVED)
def test_attributes_of_derived_containers_are_parts(value, function):
    leaves, tree = flatten(value)
    assert flatten(tree.unflatten(leaves))[1] == tree
    assert hash(flatten(value)[1]) == hash(tree)
    for leaf, path in zip(leaves, tree.paths("v"), strict=True):
        assert eval(path, {"v": value}) is leaf
    again = ad.jit(lambda v: v)(value)
    assert type(again) is type(value)
    assert again == value
    assert vars(again) == vars(value)
    assert list(again) == list(value)
    gradient = ad.grad(function)(value)
    assert type(gradient) is type(value)
    for k, found in enumerate(flatten(gradient)[0]):
        moved = [
            function(tree.unflatten([v + h * (j == k) for j, v in enumerate(leaves)])) for h in (-0.5, 0.5)
        ]
        assert found == pytest.approx(moved[1] - moved[0])  # which is exact for products
    batch = tree.unflatten([np.array([leaf, 2 * leaf]) for leaf in leaves])
    np.testing.assert_allclose(ad.vmap(function)(batch)[0], function(value))


def results_of_scipy() -> list[type[Any]]:
    """The classes of the results of tests and fits, which are tuples with further attributes."""
    modules = [m for name, m in sys.modules.items() if name.startswith("scipy.stats.")]
    found = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    return sorted(
        (k for k in found if issubclass(k, tuple) and hasattr(k, "_fields")), key=lambda k: k.__name__
    )


@pytest.mark.parametrize("kind", results_of_scipy(), ids=lambda kind: kind.__name__)
def test_results_of_scipy_are_structures(kind):
    value = tuple.__new__(kind, [float(k) for k in range(len(kind._fields))])
    for name in getattr(kind, "_extra_fields", ()):
        value.__dict__[name] = 0.5
    again = ad.jit(lambda v: v)(value)
    assert type(again) is kind
    assert tuple(again) == tuple(value)
    assert getattr(again, "__dict__", {}) == getattr(value, "__dict__", {})


def test_results_of_fits_in_branches():
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([0.0, 1.0, 2.0, 3.5])
    fit = ad.jit(lambda y: scipy.stats.linregress(x, y), control="rewrite")(y)
    expected = scipy.stats.linregress(x, y)
    np.testing.assert_allclose(tuple(fit), tuple(expected))
    np.testing.assert_allclose(fit.intercept_stderr, expected.intercept_stderr)
    test = ad.jit(lambda y: scipy.stats.ttest_1samp(y, 0.5), control="rewrite")(y)
    np.testing.assert_allclose(
        test.confidence_interval(), scipy.stats.ttest_1samp(y, 0.5).confidence_interval()
    )
