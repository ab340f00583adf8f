"""A program is used only while what its function reads from outside is as it was when it was traced.

The witness is Python: every function is x times what it reads, so it is called as it is, and its derivatives
are what it gives at 1.
"""

import enum
import functools
import gc
import itertools
import operator
import os
import random
import types
import warnings
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.function_compiler import FunctionCompiler
from mlirad.frontend.tracing import value_walk
from mlirad.frontend.tracing.capture_walk import Walk
from mlirad.frontend.tracing.captures import find_captures
from mlirad.jit import object_layout

Case = tuple[Callable[[Any], Any], list[Callable[[], object]]]
"""A function and changes of what it reads."""

number = 2.0
table = {"scale": 2.0, "parts": [1.0, {"deep": 3.0}]}


def helper(x):
    return x * number


def with_default(x, scale=2.0):
    return x * scale


class Model:
    shared = 1.5

    def __init__(self):
        self.scale = 2.0
        self.child = types.SimpleNamespace(weight=3.0)

    def method(self, x):
        return x * self.scale * self.child.weight * self.shared

    @property
    def doubled(self):
        return 2 * self.scale

    def __call__(self, x):
        return x * self.doubled


class Derived(Model):
    def method(self, x):
        return super().method(x) + x


class Slotted:
    __slots__ = ("scale",)

    def __init__(self):
        self.scale = 2.0


@dataclass
class Config:
    scale: float = 2.0
    rates: tuple[float, ...] = (1.0, 2.0)


def of_cell() -> Case:
    scale: Any = 2.0

    def change(value: Any) -> Callable[[], object]:
        def set_() -> None:
            nonlocal scale
            scale = value

        return set_

    values = [3.0, 3, True, np.float32(3), np.array(4.0), -0.0, 0.0, np.ones(())]
    return lambda x: x * scale, [change(value) for value in values]


def of_global() -> Case:
    def change(value: float) -> None:
        global number
        number = value

    return helper, [lambda: change(3.0), lambda: change(5.0), lambda: change(2.0)]


def of_nested_table() -> Case:
    def change(value: float) -> None:
        table["parts"][1]["deep"] = value  # pyright: ignore

    return lambda x: x * table["scale"] * table["parts"][1]["deep"], [
        lambda: change(4.0),
        lambda: change(3.0),
    ]


def of_default() -> Case:
    def change(value: float) -> None:
        with_default.__defaults__ = (value,)

    return lambda x: with_default(x), [lambda: change(3.0), lambda: change(2.0)]


def of_default_of_the_function() -> Case:
    def f(x, *, scale=2.0):
        return x * scale

    return f, [
        lambda: f.__kwdefaults__.update(scale=3.0),
        lambda: setattr(f, "__kwdefaults__", {"scale": 4.0}),
    ]


def of_array() -> Case:
    scale = np.array([2.0, 3.0])
    return lambda x: x * scale[1], [lambda: scale.__setitem__(1, 5.0), lambda: scale.__imul__(2.0)]


def of_strided_array() -> Case:
    whole = np.arange(6.0)
    scale = whole[::2]
    return lambda x: x * np.sum(scale), [
        lambda: whole.__setitem__(1, 50.0),
        lambda: whole.__setitem__(2, 9.0),
    ]


def of_array_as_positions() -> Case:
    at, values = np.array([0, 1]), np.arange(5.0)
    return lambda x: x * np.sum(values[at]), [lambda: at.__setitem__(0, 3)]


def of_shape_of_array() -> Case:
    scale = np.ones(6)
    return lambda x: x * scale.shape[0], [lambda: setattr(scale, "shape", (3, 2))]


def of_attribute() -> Case:
    model = Model()
    return lambda x: model.method(x), [
        lambda: setattr(model, "scale", 3.0),
        lambda: setattr(model.child, "weight", 7.0),
        lambda: setattr(model, "shared", 9.0),
        lambda: setattr(model, "child", types.SimpleNamespace(weight=5.0)),
        lambda: setattr(model, "__dict__", {**model.__dict__, "scale": 11.0}),
        lambda: setattr(model, "method", lambda x: x * 13.0),
    ]


def of_class() -> Case:
    model = Derived()
    change = lambda value: setattr(Model, "shared", value)  # noqa: E731
    return model.method, [lambda: change(4.0), lambda: change(1.5)]


def of_class_of_object() -> Case:
    model = Model()
    return lambda x: model.method(x), [lambda: setattr(model, "__class__", Derived)]


def of_bound_method() -> Case:
    model = Model()
    return model.method, [lambda: setattr(model, "scale", 3.0)]


def of_callable_object() -> Case:
    model = Model()
    return model, [lambda: setattr(model, "scale", 3.0)]


def of_slots() -> Case:
    model = Slotted()
    return lambda x: x * model.scale, [lambda: setattr(model, "scale", 3.0)]


def of_attribute_by_name() -> Case:
    model = Model()
    return lambda x: x * getattr(model, "sca" + "le"), [lambda: setattr(model, "scale", 3.0)]


def of_dataclass() -> Case:
    config = Config()
    return lambda x: x * config.scale * config.rates[1], [
        lambda: setattr(config, "scale", 3.0),
        lambda: setattr(config, "rates", (1.0, 5.0)),
    ]


def of_list() -> Case:
    values = [1.0, 2.0]

    def f(x):
        for value in values:
            x = x * value
        return x

    return f, [lambda: values.append(3.0), lambda: values.__setitem__(0, 5.0), lambda: values.pop()]


def of_long_list() -> Case:
    values = [1.0] * 100
    return lambda x: x * sum(values), [lambda: values.__setitem__(70, 5.0), lambda: values.pop()]


def of_order() -> Case:
    values = {"a": 2.0, "b": 3.0}

    def f(x):
        return x * (next(iter(values.values())) + 10)

    return f, [lambda: values.__setitem__("a", values.pop("a"))]


def of_set_and_deque() -> Case:
    seen, last = {1.0}, deque([2.0])
    return lambda x: x * sum(seen) * last[-1], [lambda: seen.add(5.0), lambda: last.append(3.0)]


def of_module() -> Case:
    module = types.ModuleType("settings")
    module.scale = 2.0
    return lambda x: x * module.scale, [lambda: setattr(module, "scale", 3.0)]


def of_helper_redefined() -> Case:
    space: dict[str, Any] = {}
    exec("def inner(x): return x * 2\ndef f(x): return inner(x)", space)
    change = lambda: exec("def inner(x): return x * 3", space)  # noqa: E731
    return space["f"], [change, lambda: setattr(space["inner"], "__code__", (lambda x: x * 7).__code__)]


def of_builtin_hidden() -> Case:
    space: dict[str, Any] = {}
    exec("def f(x): return x * abs(-2)", space)
    return space["f"], [lambda: space.__setitem__("abs", lambda x: 5.0), lambda: space.pop("abs")]


def of_partial() -> Case:
    rates = {"scale": [2.0]}
    partial = functools.partial(lambda x, rates: x * rates["scale"][0], rates=rates)
    return partial, [lambda: rates["scale"].__setitem__(0, 3.0), lambda: rates.update(scale=[4.0])]


def of_decorated_function() -> Case:
    scale = [2.0]

    def twice(f):
        @functools.wraps(f)
        def wrapped(x):
            return 2 * f(x)

        return wrapped

    @twice
    def f(x):
        return x * scale[0]

    return f, [lambda: scale.__setitem__(0, 3.0)]


def of_function_with_cache() -> Case:
    scale = [2.0]

    @functools.lru_cache
    def factor():
        return scale[0]

    def change() -> None:
        scale[0] = 3.0
        factor.cache_clear()

    return lambda x: x * factor(), [change]


def of_transformed_function() -> Case:
    scale = [2.0]
    inner = ad.jit(lambda x: x * scale[0])
    return lambda x: inner(x), [lambda: scale.__setitem__(0, 3.0)]


def of_function_of_the_program() -> Case:
    scale = [2.0]
    inner = ad.function(lambda x: x * scale[0])
    return lambda x: inner(x), [lambda: scale.__setitem__(0, 3.0)]


def of_checkpoint() -> Case:
    scale = [2.0]
    inner = ad.checkpoint(lambda x: x * scale[0])
    return lambda x: inner(x), [lambda: scale.__setitem__(0, 3.0)]


def of_nested_function() -> Case:
    scale = [2.0]

    def f(x):
        def inner(y):
            return y * scale[0]

        return inner(x)

    return f, [lambda: scale.__setitem__(0, 3.0)]


def of_environment() -> Case:
    os.environ["MLIRAD_TEST_SCALE"] = "2"
    change = lambda: os.environ.__setitem__("MLIRAD_TEST_SCALE", "3")  # noqa: E731
    return lambda x: x * float(os.environ["MLIRAD_TEST_SCALE"]), [change]


def of_getter() -> Case:
    held, getter = types.SimpleNamespace(scale=2.0), operator.attrgetter("scale")
    return lambda x: x * getter(held), [lambda: setattr(held, "scale", 3.0)]


def of_bytes() -> Case:
    held = bytearray(b"\2\3")
    return lambda x: x * held[0], [lambda: held.__setitem__(0, 5), lambda: held.append(1)]


def of_metaclass() -> Case:
    class Meta(type):
        scale = 2.0

    class Made(metaclass=Meta):
        pass

    return lambda x: x * Made.scale, [lambda: setattr(Meta, "scale", 3.0)]


def of_method_of_enum() -> Case:
    class Mode(enum.Enum):
        TRAIN = 1

        def scaled(self, x):
            return x * number

    mode = Mode.TRAIN
    return lambda x: mode.scaled(x), [lambda: globals().__setitem__("number", 7.0)]


def of_subclass_of_array() -> Case:
    held = np.zeros(2).view(type("Marked", (np.ndarray,), {}))
    held.scale = 2.0
    masked = np.ma.array([1.0, 2.0])
    changes = [lambda: setattr(held, "scale", 3.0), lambda: masked.__setitem__(0, np.ma.masked)]
    return lambda x: x * held.scale * float(masked.sum()), changes


def of_module_by_name() -> Case:
    settings, name = types.ModuleType("settings"), "scale"
    settings.scale = 2.0
    return lambda x: x * getattr(settings, name), [lambda: setattr(settings, "scale", 3.0)]


CASES = [case for name, case in list(globals().items()) if name.startswith("of_")]


TRANSFORMATIONS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: lambda: ad.grad(f, interpret=True),
    "vmap": lambda f: lambda: lambda x: ad.vmap(f, interpret=True)(np.full(2, x))[1],
    "jvp": lambda f: lambda: lambda x: ad.jvp(f, (3.0,), (x,), interpret=True)[1],
    "linearize": lambda f: lambda: lambda x: ad.linearize(f, 3.0, interpret=True)[1](x),
    "vjp": lambda f: lambda: lambda x: ad.vjp(f, 3.0, interpret=True)[1](x)[0],
    "jacobian": lambda f: lambda: ad.jacobian(f, interpret=True),
    "sparse": lambda f: lambda: lambda x: ad.jacobian(f, sparse=True, interpret=True)(x).toarray()[0, 0],
    "value_and_grad": lambda f: lambda: lambda x: ad.value_and_grad(f, interpret=True)(x)[1],
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_changes_are_seen(case):
    """Changes are seen by a compiled function that is kept, whose third call goes through machine code."""
    f, changes = case()
    x = np.array([1.0])
    compiled = ad.jit(f, interpret=case not in (of_cell, of_attribute, of_array, of_list, of_bound_method))
    g = lambda: [np.ravel(compiled(x)).tolist() for _ in range(3)]  # noqa: E731
    expected = [np.ravel(f(x)).tolist()] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.CaptureWarning)
        assert str(g()) == str(expected)
        for change in changes:
            change()
            assert str(g()) == str([np.ravel(f(x)).tolist()] * 3)


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_changes_are_seen_by_every_transformation(name):
    for case in (of_cell, of_attribute):
        f, changes = case()
        made = TRANSFORMATIONS[name](f)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ad.CaptureWarning)
            for change in [lambda: None, *changes[:3]]:
                change()
                assert [float(made()(1.0)) for _ in range(2)] == [float(f(1.0))] * 2


def test_rules_of_custom_derivatives_are_seen():
    slope = [2.0]
    warnings.simplefilter("ignore", ad.CaptureWarning)
    rounded = ad.custom_derivative(lambda x: np.round(x))
    rounded.rule(lambda x: lambda dx: slope[0] * dx)
    gradient = ad.grad(lambda x: rounded(x), interpret=True)
    assert gradient(1.0) == 2.0
    slope[0] = 3.0
    assert gradient(1.0) == 3.0
    rounded.rule(lambda x: lambda dx: 5.0 * dx)
    assert gradient(1.0) == 5.0
    rounded.transposed_rule(lambda x: lambda ct: 6.0 * ct)
    assert gradient(1.0) == 6.0


def test_what_comes_back_is_not_compiled_again():
    traces, mode = [], ["train"]

    def f(x):
        traces.append(mode[0])
        return x * (2.0 if mode[0] == "train" else 3.0)

    compiled = ad.jit(f, interpret=True)
    for _ in range(5):
        for mode[0], factor in (("train", 2.0), ("test", 3.0)):
            assert compiled(1.0) == compiled(1.0) == factor
    assert traces == ["train", "test"]


def test_equal_values_are_not_compiled_again():
    """Objects that are made again with the same content."""
    traces, state = [], {}

    def f(x):
        traces.append(1)
        return x * state["array"] * state["list"][0] * state["config"].scale

    compiled = ad.jit(f, interpret=True)
    for _ in range(4):
        state.update(array=np.array([2.0, 3.0]), list=[float("2.5")], config=Config(float("1.5")))
        assert compiled(1.0).tolist() == [7.5, 11.25]
    assert len(traces) == 1


def test_other_names_are_not_looked_at():
    """Values that the code does not read may change."""
    traces, model = [], Model()

    def f(x):
        traces.append(1)
        return x * model.scale

    compiled = ad.jit(f, interpret=True)
    for step in range(4):
        model.step = step
        globals()["unused"] = step
        assert compiled(1.0) == 2.0
    assert len(traces) == 1


def test_values_that_change_with_every_call_are_reported():
    scale = 0.0
    compiled = ad.jit(lambda x: x * scale, interpret=True)
    with pytest.warns(ad.CaptureWarning, match="because what it reads from outside changes: scale") as caught:
        for step in range(10):
            scale = float(step)
            assert compiled(2.0) == 2.0 * scale
    assert len(caught) == 1
    assert "as an argument" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_equal_functions_are_compiled_once(monkeypatch):
    class Model:
        def __init__(self, rate):
            self.rate = rate
            self.weights = np.ones(2)

        def loss(self, x):
            return self.rate * np.sum(self.weights * x)

        def __call__(self, x):
            return self.loss(x) * 2.0

    def scaled(k, x):
        return k * x

    def count(self, function, *args, **named):
        compiled.append(1)
        return compile_(self, function, *args, **named)

    compiled: list[int] = []
    compile_ = FunctionCompiler.compile
    monkeypatch.setattr(FunctionCompiler, "compile", count)
    compiles_by_rate = []
    for rate in (1.0, 2.0, 1.0, 2.0, 1.0):
        slopes = {
            6.0: lambda x, rate=rate: rate * x * x,
            6.5: lambda x: rate * x * (x + 0.5),  # noqa: B023
            1.0: functools.partial(scaled, rate),
            2.0: Model(rate).loss,
            4.0: Model(rate),
        }
        for slope, function in slopes.items():
            assert float(ad.grad(function, interpret=True)(3.0)) == rate * slope
        assert float(ad.hvp(lambda x: rate * x**3, (1.0,), (1.0,), interpret=True)) == rate * 6.0  # noqa: B023
        compiles_by_rate.append(len(compiled))
    assert compiles_by_rate == [6, 12, 12, 12, 12]


def test_methods_and_attributes_are_never_stale():
    class Model:
        rate = 1.0

        def __init__(self):
            self.weights = np.ones(2)
            self.table = {"a": 1.0}

        def loss(self, x):
            return self.rate * np.sum(self.weights * x) * self.table["a"]

        def slope(self, x):
            return float(ad.grad(self.loss, interpret=True)(x))

    model = Model()
    assert model.slope(3.0) == 2.0
    model.weights[0] = 3.0
    assert model.slope(3.0) == 4.0
    model.weights = np.full(2, 5.0)
    assert model.slope(3.0) == 10.0
    model.rate = 2.0
    assert model.slope(3.0) == 20.0
    del model.rate
    Model.rate = 3.0
    assert model.slope(3.0) == 30.0
    model.table["a"] = 2.0
    assert model.slope(3.0) == 60.0
    model.loss = lambda x: 7.0 * x
    assert model.slope(3.0) == 7.0


def test_functions_that_are_made_again_are_reported():
    with pytest.warns(
        ad.CaptureWarning, match="made again on every call, each time with another scale"
    ) as caught:
        for k in range(15):
            scale = float(k)
            assert ad.jit(lambda x: x * scale, interpret=True)(1.0) == scale  # noqa: B023
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_the_fifth_shape_and_the_fifth_static_value_are_reported():
    total = ad.jit(lambda x, n: np.sum(x) * n, static_argnames="n", interpret=True)
    with pytest.warns(
        ad.RecompileWarning, match=r"5th time.*\(x: \[1\], \[2\], \[3\], \[4\], \[5\]\)(?s:.*)pad"
    ) as caught:
        for size in range(1, 9):
            assert total(np.ones(size), 1) == size
    assert len(caught) == 1
    with pytest.warns(ad.RecompileWarning, match=r"(?s)5th time.*what is static.*n=2.*not static") as caught:
        for n in range(1, 9):
            assert total(2.0, n) == 2.0 * n
    assert len(caught) == 1


def test_values_that_traces_change_are_reported():
    count, traces = 0, []

    def f(x):
        nonlocal count
        count += 1
        traces.append(count)
        return x * 2.0

    compiled = ad.jit(f, interpret=True)
    with pytest.warns(ad.CaptureWarning, match="changes what it reads from outside when it is traced: count"):
        for _ in range(5):
            for size in (1, 2, 3):
                assert compiled(np.ones(size)).tolist() == [2.0] * size
    assert len(traces) <= 5


def test_notes_taken_while_tracing_are_no_changes():
    notes: list[Any] = []
    computed: dict[int, float] = {}

    def f(x):
        notes.append(x.shape)
        return x * computed.setdefault(x.size, 2.0 * x.size)

    compiled = ad.jit(f, interpret=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            for size in (1, 2, 3):
                assert compiled(np.ones(size)).tolist() == [2.0 * size] * size
    assert len(notes) == 3


def generators() -> dict[str, Callable[[], float]]:
    rng, state = np.random.default_rng(0), np.random.RandomState(0)
    holder = types.SimpleNamespace(rng=np.random.default_rng(0))
    draw, python = rng.normal, random.Random(0)
    return {
        "generator": lambda: rng.normal(),
        "state": lambda: state.rand(),
        "held": lambda: holder.rng.uniform(),
        "method": lambda: draw(),
        "numpy": lambda: np.random.normal(),
        "module": lambda: random.random(),
        "python": lambda: python.gauss(0, 1),
    }


@pytest.mark.parametrize("name", generators())
def test_random_numbers_are_refused(name):
    draw = generators()[name]
    with pytest.raises(ad.TracingError, match="draws random numbers") as caught:
        ad.jit(lambda x: x * draw(), interpret=True)(1.0)
    assert "draw them outside" in str(caught.value)
    assert __file__ in str(caught.value)


ITERATORS: dict[str, Callable[[], Any]] = {
    "list": lambda: iter([1.0, 2.0]),
    "array": lambda: iter(np.array([1.0, 2.0])),
    "range": lambda: iter(range(3)),
    "reversed": lambda: reversed((1.0, 2.0)),
    "keys": lambda: iter({1.0: None, 2.0: None}),
    "set": lambda: iter({1.0, 2.0}),
    "map": lambda: map(float, range(2)),
    "zip": lambda: (a for a, _ in zip([1.0], [2.0], strict=True)),
    "filter": lambda: filter(None, [1.0, 2.0]),
    "generator": lambda: (float(k) for k in range(3)),
    "chain": lambda: itertools.chain([1.0], [2.0]),
    "slice": lambda: itertools.islice([1.0, 2.0], 1),
    "accumulated": lambda: itertools.accumulate([1.0, 2.0]),
    "count": lambda: itertools.count(),
    "repeat": lambda: itertools.repeat(1.0, 3),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_elements_of_iterators_are_refused(name):
    """A trace would use them up, so the next one would find other ones, or none."""
    weights, taken = ITERATORS[name](), ITERATORS[name]()
    next(taken)

    def started(x):
        return x * sum(weight for weight, _ in zip(taken, range(5), strict=False))

    for f in (lambda x: x * next(weights), started):
        with pytest.raises(ad.TracingError, match="reads the elements of the iterator") as caught:
            ad.jit(f, interpret=True)(1.0)
        assert "make a list of them" in str(caught.value)
        assert __file__ in str(caught.value)


def test_iterators_that_are_not_read_are_no_mistake():
    class Layer:
        numbers = itertools.count()

        def __init__(self, scale):
            self.scale, self.number, self.rest = scale, next(self.numbers), iter([1.0])

        def __call__(self, x):
            return x * self.scale if self.rest else x

    assert ad.jit(Layer(3.0), interpret=True)(2.0) == 6.0


def test_proxies_of_what_is_gone_raise_when_they_are_used():
    class Holder:
        scale = 3.0

    holder = Holder()
    proxy = weakref.proxy(holder)
    scaled = lambda x: x * proxy.scale  # noqa: E731
    with pytest.raises(ad.UnsupportedError, match="a weak proxy cannot be part of a structure"):
        ad.jit(lambda x: x, interpret=True)(proxy)
    del holder
    with pytest.raises(ReferenceError):
        ad.jit(scaled, interpret=True)(2.0)
    assert ad.jit(lambda x, table={"proxy": proxy}: x * len(table), interpret=True)(2.0) == 2.0
    with pytest.raises(ad.UnsupportedError, match="a weak proxy cannot be part of a structure"):
        ad.jit(lambda x: (x, proxy), interpret=True)(2.0)


def test_random_numbers_of_a_fixed_seed_are_constants():
    def f(x):
        return x * np.random.default_rng(3).normal()

    assert ad.jit(f, interpret=True)(1.0) == np.random.default_rng(3).normal()


def test_programs_are_dropped_with_what_they_belong_to():
    """Recursive functions read themselves. Of objects that do, a few are kept."""

    class Own(Model):
        pass

    def recursive():
        def f(x, n=3):
            return x if n == 0 else 2 * f(x, n - 1)

        return f

    models, function = [Own() for _ in range(12)], recursive()
    for model in models[1:]:
        model.itself = model
    for model in models:
        assert ad.grad(model.method, interpret=True)(1.0) == ad.grad(model, interpret=True)(1.0) + 5.0
    assert ad.grad(function, interpret=True)(1.0) == 8.0
    alive = [weakref.ref(object) for object in (function, *models)]
    del model, models, function
    gc.collect()
    assert [reference() is None for reference in alive[:8]] == [True] * 8


def test_copied_attributes_are_no_programs():
    """`functools.wraps` copies the attributes of a function, among them where its programs are."""

    def f(x):
        return x * 2.0

    assert ad.grad(f, interpret=True)(1.0) == 2.0

    @functools.wraps(f)
    def g(x):
        return f(x) * 3.0

    assert ad.grad(g, interpret=True)(1.0) == 6.0
    assert ad.grad(f, interpret=True)(1.0) == 2.0


def test_programs_are_shared_by_transformed_functions():
    traces, model = [], Model()

    def f(x):
        traces.append(1)
        return x * model.scale

    model.loss = types.MethodType(lambda self, x: f(x), model)
    for _ in range(3):
        ad.grad(f, interpret=True)(1.0)
        ad.grad(model.loss, interpret=True)(1.0)
    assert len(traces) == 2


def test_without_a_known_layout(monkeypatch):
    """Python then checks what machine code checks otherwise."""
    monkeypatch.setattr(object_layout, "is_layout_known", lambda: False)
    for case in (of_cell, of_global, of_attribute, of_array, of_list, of_order, of_helper_redefined):
        test_changes_are_seen(case)


def test_large_containers():
    """Values beyond the limit are not looked at."""
    values = [[float(k)] for k in range(20_000)]
    compiled = ad.jit(lambda x: x * values[0][0], interpret=True)
    with pytest.warns(ad.CaptureWarning, match="more than 20000 values"):
        assert compiled(1.0) == 0.0
    values[0][0] = 3.0
    assert compiled(1.0) == 3.0


READING: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda x: x,
    "attributes": lambda x: getattr(x, str(x)),
    "globals": lambda x: globals()[x],
    "a text": lambda x: eval(x),
    "its frame": lambda x: x.f_locals,
    "a name": lambda x: x.__name__,
    "annotations": lambda x: x.__annotations__,
    "a module": lambda x: operator.index(x).__doc__,
}


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("guess", ["none", "right", "wrong"])
def test_keys_do_not_depend_on_what_a_walk_looks_for_first(name, guess):
    function = READING[name]
    sought = {"none": frozenset[str](), "wrong": frozenset(("__name__", "*", "shape"))}
    first = find_captures(function)
    assert find_captures(function, guess=sought.get(guess, first.names)).key == first.key
    copied = types.FunctionType(function.__code__.replace(), globals())
    assert find_captures(copied, guess=sought.get(guess, first.names)).key == find_captures(copied).key


@pytest.mark.parametrize("guess", [(), ("b",), ("a", "b"), ("c",)])
@pytest.mark.parametrize("most", [10, 30, 100, 300, 1000])
def test_walks_that_are_cut_short_end(monkeypatch, most, guess):
    """A walk that looks at `known.b` is cut before it finds the function that reads it."""

    class Known:
        a = None
        b = None

    known = Known()
    known.a = [[[lambda x: x.b]]]
    known.b = [[k] for k in range(1000)]
    walks = []
    run = Walk.run
    monkeypatch.setattr(value_walk, "LIMIT", most)
    monkeypatch.setattr(Walk, "run", lambda walk, root: (walks.append(walk), run(walk, root)))
    found = find_captures(lambda x: known.a[0][0][0](x), guess=frozenset(guess))
    assert not found.is_whole and len(walks) <= 3
