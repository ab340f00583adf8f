"""`control="auto"`: functions are traced as they stand, and rewritten where code asks for elements."""

from __future__ import annotations

import bisect
import datetime
import decimal
import hashlib
import importlib.util
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.structures import leaves_of

PACKAGE = """
import math
import numpy as np

class Model:
    def __init__(self, a):
        self.a = a if a > 0 else -a

    def value(self, x):
        if x > self.a:
            return self.a * x
        return x * x

def clipped(x, low=-1.0, high=1.0):
    if x < low:
        return low + 0.1 * (x - low)
    return min(max(x, low), high)

def wave(x):
    return math.exp(-float(x)) * math.sin(np.float64(x)) + math.erf(x)

def checked(x):
    x = np.asarray(x)
    if np.any(x < 0):
        raise ValueError("x must not be negative")
    return np.sqrt(x)

def careless(x):
    try:
        return math.exp(x)
    except Exception:
        return 1e300

def insisting(x):
    if type(x).__module__ != "numpy" and not isinstance(x, float):
        raise TypeError("invalid input type")
    return x

def applied(f, x):
    return f(x) + 1.0
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A package as it would be installed."""
    folder = tmp_path_factory.mktemp("env") / "site-packages" / "ad_example_package"
    folder.mkdir(parents=True)
    file = folder / "__init__.py"
    file.write_text(PACKAGE)
    spec = importlib.util.spec_from_file_location("ad_example_package", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def slope(f: Callable[[float], float], x: float) -> float:
    h = 1e-4
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def branching(x: Any) -> Any:
    if x > 0:
        return math.sin(x) * x
    return max(x, -3.0) * np.float64(x)


def halving(x: Any) -> Any:
    n = 0
    while x > 1.0:
        x, n = x / 2, n + 1
    return x * n + x


def counted(x: Any) -> Any:
    total = 0.0
    for k in range(int(abs(x)) + 1):
        total = total + x * k
    return total


class Number:
    """A number of the program's own."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __float__(self) -> float:
        return self.x * 2 if self.x > 1.0 else self.x

    def __int__(self) -> int:
        return int(self.x * 3)

    def __bool__(self) -> bool:
        return bool(self.x > 0)


def converged(x: Any) -> Any:
    change = np.ones(1)  # an array before the first iteration, a scalar after it
    while np.max(np.abs(change)) > 1e-12:
        change = np.cos(x) * 0.5 - x
        x = x + change
    return x


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "if": branching,
    "while": halving,
    "float": lambda x: float(x) * 2.0,
    "int": lambda x: int(x) * x,
    "complex": lambda x: (complex(x, 2.0) * complex(x)).real,
    "math": lambda x: math.exp(x) + math.log(abs(x) + 1.0, 3) + math.gamma(abs(x) + 1.5) + math.erf(x),
    "max": lambda x: max(x, 0.5, 2 * x) + min([x, 1.0]),
    "sorted": lambda x: sorted([x, 1.0, -x])[0] + 2 * sorted([x, 1.0, -x], reverse=True)[0],
    "float64": lambda x: np.float64(x) * np.float32(0.5) + np.int64(x),
    "and": lambda x: x if x > 0 and x < 1.5 else 3 * x,
    "range": lambda x: counted(x),
    "bisect": lambda x: bisect.bisect([-1.0, 0.0, 2 * x, 9.0], x) * x + bisect.bisect_left([0.0, 1.0], x) * x,
    "of one element": lambda x: x * 2.0 if np.array([x]) > 1.0 and not np.array([[x]]) < 0.0 else x,
    "until it converges": lambda x: converged(x),
    "item": lambda x: np.array([x, 2 * x]).max().item() + np.array([[x, 1.0]]).tolist()[0][0] * 3,
    "float of an object": lambda x: float(Number(x)) * int(Number(x)) + bool(Number(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("interpret", [True, False])
def test_values_and_derivatives_are_those_of_the_function(name: str, interpret: bool) -> None:
    function = FUNCTIONS[name]
    for x in (0.7, 2.3, -1.2) if not interpret else (0.7, -1.2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ad.ControlFlowWarning)
            value, derivative = ad.value_and_grad(function, interpret=interpret)(x)
        assert value == pytest.approx(function(x), rel=1e-12)
        assert derivative == pytest.approx(slope(function, x), rel=1e-6, abs=1e-7)


TRANSFORMED: dict[str, Callable[[Any], Any]] = {
    "jit": lambda f: ad.jit(f)(2.3),
    "grad": lambda f: ad.grad(f)(2.3),
    "hessian": lambda f: ad.hessian(f)(2.3),
    "jvp": lambda f: ad.jvp(f, (2.3,), (1.0,)),
    "vjp": lambda f: ad.vjp(f, 2.3)[1](1.0),
    "linearize": lambda f: ad.linearize(f, 2.3)[1](1.0),
    "vmap": lambda f: ad.vmap(f)(np.array([2.3, -0.5])),
    "sparse": lambda f: ad.jacobian(lambda x: np.stack([f(x[0]), f(x[1])]), sparse=True)(
        np.ones(2)
    ).toarray(),
    "nested": lambda f: ad.jit(lambda x: ad.grad(f)(x) + ad.jvp(f, (x,), (1.0,))[1])(2.3),
    "by name": lambda f: ad.jit(lambda x, scale: f(x) * scale, static_argnames="scale")(x=2.3, scale=2.0),
    "made before": lambda f: (lambda g: ad.jit(lambda x: g(x) * 2.0)(2.3))(ad.grad(f)),
    "scan": lambda f: ad.jit(lambda x: ad.scan(lambda c, t: (f(c) + t, c), x, np.ones(3)))(2.3),
    "checkpoint": lambda f: ad.grad(ad.checkpoint(f))(2.3),
    "function": lambda f: ad.grad(ad.function(f))(2.3),
    "trace": lambda f: str(ad.trace(f, 2.3)).count("array.if") > 0,
    "dynamic": lambda f: ad.jit(lambda x: f(x.sum()), dynamic="x:0")(np.ones(3)),
    "check": lambda f: ad.check_derivatives(f, 2.3),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_every_transformation_rewrites_where_it_has_to(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.ControlFlowWarning)
        found = TRANSFORMED[name](branching)
    wanted = TRANSFORMED[name](ad.rewritten(branching))
    for one, other in zip(leaves_of(found), leaves_of(wanted), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_warning_says_once_what_was_rewritten_and_why() -> None:
    def helper(x: Any) -> Any:
        return x if x > 0 else -x

    def function(x: Any) -> Any:
        return helper(x) * 2.0

    with pytest.warns(ad.ControlFlowWarning) as heard:
        assert ad.jit(function)(-1.0) == 2.0
    (warning,) = heard
    line = helper.__code__.co_firstlineno
    assert f"helper ({__file__}:{line})" in str(warning.message)
    assert f"{__file__}:{line + 1}: the truth of Array" in str(warning.message)
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ad.grad(function)(-1.0) == -2.0
        assert ad.jit(function)(np.float32(-1.0)) == 2.0


def test_the_log_tells_of_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "mlirad")
    with pytest.warns(ad.ControlFlowWarning):
        ad.jit(lambda x: x if x > 0.25 else 0.25)(1.0)
    assert any(
        "with its control flow rewritten, as the truth of" in record.message for record in caplog.records
    )


def test_nothing_is_rewritten_that_can_be_traced() -> None:
    seen: list[object] = []

    def function(x: Any) -> Any:
        seen.append(sys._getframe().f_code.co_freevars)
        return np.sin(x) if x.ndim else x

    with warnings.catch_warnings():
        warnings.simplefilter("error", ad.ControlFlowWarning)
        ad.grad(function)(1.0)
    assert seen == [("seen",)]


def test_other_modes() -> None:
    with pytest.raises(ad.TracingError, match="the truth of"):
        ad.jit(branching, control="plain")(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ad.jit(halving, control="rewrite")(5.0) == halving(5.0)
    with pytest.raises(ad.ArgumentError, match="there are auto, rewrite, plain"):
        ad.jit(branching, control="sometimes")


def test_functions_of_packages_are_rewritten(package: ModuleType) -> None:
    functions: list[Callable[[Any], Any]] = [
        package.clipped,
        lambda x: package.wave(x),
        lambda x: package.Model(-2.0 * x).value(3.0 * x),
        lambda x: package.Model(0.7).value(x),
        lambda x: package.applied(lambda y: y if y > 1 else y * y, x),
        lambda x: package.checked(x * x),
        lambda x: package.careless(x),
    ]
    for function in functions:
        for x in (0.3, 1.7, -1.3):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ad.ControlFlowWarning)
                value, derivative = ad.value_and_grad(function, interpret=True)(x)
            assert value == pytest.approx(function(x), rel=1e-12)
            assert derivative == pytest.approx(slope(function, x), rel=1e-6, abs=1e-8)


def test_an_error_that_code_hides_is_found_out(package: ModuleType) -> None:
    with pytest.warns(ad.SwallowedErrorWarning, match="catches an error"):
        assert ad.jit(package.careless, control="plain")(1.0) == 1e300

    def hidden(x: Any) -> Any:
        try:
            return sum({k: y for k, y in enumerate((x, 2.0)) if y > 0}.values())
        except TypeError:
            return 0.5

    with pytest.warns(ad.SwallowedErrorWarning, match="catches an error"):
        assert ad.jit(hidden)(1.0) == 0.5


def test_exceptions_of_packages_say_that_the_function_is_traced(package: ModuleType) -> None:
    with pytest.raises(TypeError, match="invalid input type") as caught:
        ad.jit(lambda x: package.insisting([x]))(1.0)
    (note,) = caught.value.__notes__
    assert note.startswith("mlirad: this function is being traced")
    assert "hint: " in note


def adopted(x: Any) -> Any:
    y = np.zeros(3)
    y[0] = x
    return y


IN_C: dict[str, Callable[[Any], Any]] = {
    "memoryview": lambda x: memoryview(adopted(x)),
    "frombuffer": lambda x: np.frombuffer(adopted(x)),
    "buffer": lambda x: hashlib.sha256(adopted(x)),
    "join": lambda x: ",".join([x]),
    "timedelta": lambda x: datetime.timedelta(seconds=x),
    "plus": lambda x: "a" + x,
    "decimal": lambda x: decimal.Decimal(x),
    "complex": lambda x: re.match("a", adopted(x) + 1j),
}


@pytest.mark.parametrize("control", ["auto", "plain"])
@pytest.mark.parametrize("name", IN_C)
def test_exceptions_of_functions_in_c_say_so_too(name: str, control: str) -> None:
    with pytest.raises(TypeError) as caught:
        ad.jit(lambda x: IN_C[name](x) and x, control=control)(1.0)
    (note,) = caught.value.__notes__
    if name in ("memoryview", "frombuffer", "buffer"):
        assert "asks for the memory of an array" in note and "ad.callback" in note
    else:
        assert "traced arrays" in note
    assert note.startswith("mlirad: ") and "hint: " in note
    with pytest.raises(TypeError) as caught:
        ad.jit(lambda x: None + x.shape)(1.0)
    assert not hasattr(caught.value, "__notes__")


def test_code_without_source_is_refused_with_a_hint() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return 1.0 if x > 0 else 2.0\n", names)
    with pytest.raises(ad.TracingError, match="the truth of") as caught:
        ad.grad(lambda x: names["f"](x) * x)(1.0)
    assert "code without source" in str(caught.value.hint)
