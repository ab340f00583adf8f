"""Functions that code enters otherwise than by a call are rewritten where they block a trace."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.frontend.control_flow.calling_modules import calling_modules

PACKAGE = """
import contextlib, dataclasses, functools, math, operator, typing
import numpy as np

def bent(x):
    if x > 1.0:
        return x * x
    return 3.0 * x

class Model:
    rate = None
    def __init__(self, x): self.x = x
    @property
    def value(self): return self.x * 2 if self.x > 1.0 else self.x
    @functools.cached_property
    def kept(self): return math.exp(self.x)
    @property
    def level(self): return self._level
    @level.setter
    def level(self, x): self._level = max(x, 1.0)
    def __add__(self, other): return bent(self.x) + other
    def __radd__(self, other): return other - bent(self.x)
    def __neg__(self): return math.sin(self.x)
    def __abs__(self): return max(self.x, 1.0)
    def __eq__(self, other): return bent(self.x) * other
    def __lt__(self, other): return bent(self.x) - other
    __hash__ = object.__hash__
    def __getitem__(self, k): return bent(self.x) * k
    def __setitem__(self, k, x): self.x = bent(x)
    def __getattr__(self, name):
        if name.startswith("scaled_"):
            return math.exp(self.x) * len(name)
        raise AttributeError(name)
    def __iter__(self):
        for k in range(3):
            yield math.cos(self.x * k)
    def __enter__(self): return max(self.x, 1.0)
    def __exit__(self, *error): return False
    def __call__(self, y): return bent(self.x) * y

class Bound:
    def __get__(self, owner, kind): return math.exp(owner.x)
    def __set__(self, owner, x): owner.__dict__["x"] = max(x, 1.0)

class Bounded:
    y = Bound()
    def __init__(self, x):
        self.x = x
    def moved(self, x):
        self.y = x
        return self.x

@dataclasses.dataclass
class Record:
    x: float
    def __post_init__(self): self.y = bent(self.x)

class Meta(type):
    def __call__(cls, *args): return super().__call__(*args)

class Made(metaclass=Meta):
    def __init__(self, x): self.y = bent(x)

class New:
    def __new__(cls, x):
        made = object.__new__(cls)
        made.y = bent(x)
        return made

class Base:
    def total(self): return bent(self.x)

class Derived(Base):
    def __init__(self, x): self.x = x
    @property
    def both(self): return super().total() + math.exp(self.x)

class Named(typing.NamedTuple):
    x: float
    @property
    def bent(self): return bent(self.x)

def waves(x):
    for k in range(3):
        yield math.exp(-float(x) * k)

def outer_waves(x):
    yield from waves(x)
    yield bent(x)

@contextlib.contextmanager
def entered(x):
    yield bent(x)

exec("def wrapped(x):\\n    return bent(x) + math.exp(x)")

@functools.singledispatch
def dispatched(x): return bent(x)

def used_in_with(x):
    with entered(x) as y, Model(x) as z:
        return y + z

def set_level(x):
    model = Model(0.0)
    model.level = x
    model[0] = x
    return model.level + model.x

total = operator.methodcaller("total")
"""

WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "property": lambda p, x: p.Model(x).value,
    "cached property": lambda p, x: p.Model(x).kept,
    "setters": lambda p, x: p.set_level(x),
    "operators": lambda p, x: (p.Model(x) + 1.0) + (2.0 + p.Model(x)) * -p.Model(x) * abs(p.Model(x)),
    "comparisons": lambda p, x: (p.Model(x) == 2.0) + (p.Model(x) < 3.0),
    "items": lambda p, x: p.Model(x)[2],
    "attribute that is not there": lambda p, x: p.Model(x).scaled_y,
    "iterator": lambda p, x: sum(p.Model(x)),
    "context": lambda p, x: p.used_in_with(x),
    "instance": lambda p, x: p.Model(x)(3.0),
    "descriptor": lambda p, x: p.Bounded(x).y * p.Bounded(0.0).moved(x),
    "dataclass": lambda p, x: p.Record(x).y,
    "metaclass": lambda p, x: p.Made(x).y,
    "new": lambda p, x: p.New(x).y,
    "super": lambda p, x: p.Derived(x).both,
    "named tuple": lambda p, x: p.Named(x).bent,
    "generator": lambda p, x: sum(p.waves(x)),
    "generator of generators": lambda p, x: sum(y * k for k, y in enumerate(p.outer_waves(x))),
    "code without source": lambda p, x: p.wrapped(x),
    "dispatch": lambda p, x: p.dispatched(x),
    "method caller": lambda p, x: p.total(p.Derived(x)),
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A package as it would be installed."""
    yield from installed(tmp_path_factory.mktemp("env"), "ad_entered_package", PACKAGE)


def installed(folder: Path, name: str, text: str) -> Iterator[ModuleType]:
    """A package of one file, which is gone afterwards."""
    file = folder / "site-packages" / name / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[name]


@pytest.mark.parametrize("way", WAYS)
def test_however_a_function_is_entered_it_is_rewritten(package: ModuleType, way: str) -> None:
    def function(x: Any) -> Any:
        return WAYS[way](package, x)

    function.__qualname__ = way
    transformed = ad.value_and_grad(function, control="rewrite")
    for x in (0.4, 1.7):
        value, derivative = transformed(x)
        h = 1e-5
        assert value == pytest.approx(function(x), rel=1e-12)
        assert derivative == pytest.approx((function(x + h) - function(x - h)) / (2 * h), rel=1e-7, abs=1e-8)


def test_it_is_rewritten_by_default_and_by_no_other_mode(package: ModuleType) -> None:
    class Own(package.Model):  # whose methods no other test has met
        @property
        def value(self) -> Any:
            return self.x * 5 if self.x > 1.0 else self.x

    def function(x: Any) -> Any:
        return Own(x).value

    with pytest.raises(ad.TracingError, match="truth"):
        ad.grad(function, control="plain")(2.0)
    with pytest.warns(ad.ControlFlowWarning, match="value"):
        assert ad.grad(function)(2.0) == 5.0
    with pytest.raises(ad.TracingError, match="truth"):
        ad.grad(function, control="plain")(2.0)


def test_plain_calls_and_other_threads_run_the_function_as_it_stands() -> None:
    class Own:
        def __init__(self, x: Any) -> None:
            self.x = x

        @property
        def value(self) -> Any:
            return (self.x if self.x > 1.0 else -self.x), calling_modules()

    with ThreadPoolExecutor(1) as pool:

        def function(x: Any) -> Any:
            number, names = pool.submit(lambda: Own(0.5).value).result()
            assert number == -0.5 and not any(name.startswith("mlirad") for name in names)
            return Own(x).value[0] + number

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ad.ControlFlowWarning)
            assert ad.jit(function)(2.0) == 1.5
    number, names = Own(0.5).value
    assert number == -0.5 and not any(name.startswith("mlirad") for name in names)


def test_what_cannot_be_rewritten_is_given_up() -> None:
    def halves(x: Any) -> Iterator[Any]:
        while x > 1.0:
            x = (yield x) or x / 2

    def function(x: Any) -> Any:
        return sum(halves(x))

    with pytest.raises(ad.TracingError, match="truth"):
        ad.jit(function)(3.0)


class Dispatcher:
    """A function compiled by Numba: it takes numbers and arrays of NumPy, by what they hold in memory."""

    __module__ = "numba.core.registry"

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function

    def __call__(self, *args: Any) -> Any:
        for value in args:
            if type(value).__module__.startswith("mlirad"):
                raise TypeError("can't unbox array from PyObject into native value")
        return self.py_func(*args)


@Dispatcher
def compiled(x: Any, n: int) -> Any:
    total = x[0] * 0
    for k in range(n):
        total += x[k] if x[k] > 1.0 else 2 * x[k]
    return total


def test_functions_compiled_by_numba_are_called_as_python() -> None:
    def function(x: Any) -> Any:
        return compiled(x * 2, 3) + compiled([1.0, 2.0], 2)

    x = np.array([0.2, 0.7, 3.0])
    with pytest.warns(ad.ControlFlowWarning, match="does not take traced arrays|do not take traced arrays"):
        value, derivative = ad.value_and_grad(function)(x)
    assert value == pytest.approx(function(x))
    np.testing.assert_array_equal(derivative, [4.0, 2.0, 2.0])
    with pytest.raises(TypeError, match="unbox"):
        ad.grad(function, control="plain")(x)


class Elementwise(Dispatcher):
    """A function compiled by Numba with `vectorize`: it asks arguments as NumPy's ufuncs do."""

    __module__ = "numba.np.ufunc.dufunc"
    signature = None
    nin = 2

    def __call__(self, *args: Any) -> Any:
        for value in args:
            if type(value).__module__.startswith("mlirad"):
                return value.__array_ufunc__(self, "__call__", *args)
        return np.vectorize(self.py_func)(*args)


@Elementwise
def larger(a: Any, b: Any) -> Any:
    return a * b if a > b else a


class OneDimension:
    name = "float64"
    dtype = np.dtype("float64")
    ndim = 1


class Generalised(Dispatcher):
    """A function compiled by Numba with `guvectorize`: it writes its last argument."""

    __module__ = "numba.np.ufunc.gufunc"
    ufunc = np.vecdot
    signature = "(n),(n)->()"
    nin = 2
    gufunc_builder: Any = SimpleNamespace(_sigs=[SimpleNamespace(args=(OneDimension,) * 3)])

    def __call__(self, *args: Any) -> Any:
        if any(type(value).__module__.startswith("mlirad") for value in args):
            return self.ufunc(*args)

        def returning(a: Any, b: Any) -> Any:
            self.py_func(a, b, total := np.zeros(1))
            return total[0]

        return np.vectorize(returning, signature=self.signature)(*args)


@Generalised
def weighted(a: Any, b: Any, total: Any) -> None:
    for k in range(a.shape[0]):
        total[0] += a[k] * b[k] * 2.0 if a[k] > 1.0 else a[k]


@pytest.mark.filterwarnings("ignore::mlirad.errors.ControlFlowWarning")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: larger(x, 1.5 * x[::-1]),
        lambda x: larger(x[0], x[1]),
        lambda x: larger(x[:, None], x),
        lambda x: weighted(x, 2.0 * x),
        lambda x: weighted(x[:, None] * x, x),
        lambda x: larger(weighted(x, x), x),
    ],
)
def test_ufuncs_compiled_by_numba_are_their_function_at_every_position(function: Callable[..., Any]) -> None:
    x = np.array([0.2, 0.7, 3.0])

    def loss(x: Any) -> Any:
        return np.sum(np.sin(function(x)))

    value, derivative = ad.value_and_grad(loss, interpret=True)(x)
    np.testing.assert_allclose(value, loss(x), rtol=1e-12)
    steps = np.eye(3) * 1e-6
    want = [(loss(x + step) - loss(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(derivative, want, rtol=1e-6)
