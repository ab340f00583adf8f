"""Library functions are traced however the code came by them, and nobody else notices."""

from __future__ import annotations

import functools
import inspect
import pickle
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import numpy.linalg as la
import pytest
import scipy.fft
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats
from numpy import array, asarray, sin
from numpy import array as arr
from numpy import linalg as numpy_linalg
from numpy.linalg import norm as npnorm
from scipy.fft import dct, rfft
from scipy.interpolate import CubicSpline
from scipy.linalg import cho_factor, cho_solve, expm, solve_triangular
from scipy.ndimage import gaussian_filter
from scipy.signal import fftconvolve
from scipy.special import logsumexp
from scipy.special import softmax as soft
from scipy.stats import multivariate_normal, norm

import mlirad as ad
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from mlirad.frontend.splicing.questions import Question, question_of
from mlirad.frontend.tracing.library_calls import ANSWERED, Finding, listen
from mlirad.jit.object_layout import asked_arguments
from tests.frontend import imported_helpers

X = np.array([0.3, 1.7, -0.4])
M = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])
LOGPDF = norm.logpdf
TABLE: dict[str, Callable[..., Any]] = {"f": logsumexp, "a": array, "s": sin, "n": scipy.stats.norm.logpdf}
OF_FLOATS = {"dtype": float}
ROW = np.arange(12.0).reshape(3, 4) ** 2


class Model:
    """Functions as attributes of a class, and of its objects."""

    f = staticmethod(logsumexp)
    table: ClassVar = TABLE
    made = array

    def __init__(self) -> None:
        self.g = asarray

    def __call__(self, x: Any) -> Any:
        return self.f(x) + np.sum(self.g([x[0], x[1] * 2]))

    def __add__(self, x: Any) -> Any:
        return np.sum(array([x[0], x[1] * x[2]]))

    @property
    def scaled(self) -> Callable[[Any], Any]:
        return lambda x: array([x[0], 2.0]) * 3


@dataclass
class Options:
    reduce: Callable[..., Any] = logsumexp
    tables: dict[str, Any] = field(default_factory=lambda: {"soft": soft})


MODEL, OPTIONS, SPACE = Model(), Options(), SimpleNamespace(f=fftconvolve)


def by_default(x: Any, f: Callable[..., Any] = logsumexp, *, g: Callable[..., Any] = array) -> Any:
    return f(x) + np.sum(g([x[0], x[1]]))


def in_closure() -> Callable[[Any], Any]:
    f, a = logsumexp, asarray

    def inner(x: Any) -> Any:
        def innermost(y: Any) -> Any:
            return f(y) + np.sum(a((y[0], 1.0)))

        return innermost(x)

    return inner


@functools.wraps(logsumexp)
def wrapped(*args: Any, **options: Any) -> Any:
    return logsumexp(*args, **options)


def imported_inside(x: Any) -> Any:
    from numpy import array as made
    from scipy.special import logsumexp as log

    return log(made([x[0], x[1], x[0] * x[1]]))


STYLES: dict[str, Callable[[Any], Any]] = {
    "from": lambda x: logsumexp(x), "from, as": lambda x: soft(x)[0], "module, as": lambda x: la.norm(x),
    "itself": logsumexp, "itself, of a module": scipy.special.logsumexp, "method itself": LOGPDF,
    "frozen": norm(0.5, 2.0).logpdf, "dictionary": lambda x: TABLE["f"](x) + TABLE["n"](x[0]),
    "class": lambda x: Model.f(x) + Model.table["f"](x), "object": MODEL, "operator": lambda x: MODEL + x,
    "property": lambda x: MODEL.scaled(x), "field": lambda x: OPTIONS.reduce(x) * OPTIONS.tables["soft"](x),
    "namespace": lambda x: SPACE.f(x, x), "default": by_default, "closure": in_closure(),
    "partial": functools.partial(logsumexp, b=np.array([1.0, 2.0, 0.5])),
    "partial inside": lambda x: functools.partial(array, dtype=np.float32)([x[0], 1.0]),
    "wraps": wrapped, "helper module": imported_helpers.loss, "helper's name": imported_helpers.lse,
    "helper's star": imported_helpers.starred, "imported inside": imported_inside,
    "getattr": lambda x: getattr(scipy.special, "logsumexp")(x),  # noqa: B009
    "list": lambda x: sum(f(x) for f in [logsumexp, npnorm, np.max]),
    "map": lambda x: np.sum(np.stack(list(map(array, [[x[0], x[1]], [x[1], x[2]]])))),
    "reduce": lambda x: functools.reduce(lambda a, b: np.sum(array([a, b])), [x[0], x[1], x[2]]),
    "array": lambda x: array([x[0], x[1] * x[2]]), "array, as": lambda x: arr(((x[0], 1.0), (x[1], x[2]))),
    "asarray": lambda x: asarray(x, dtype=float) * 2.0,
    "array of options": lambda x: array(x, ndmin=2, copy=True),
    "keywords": lambda x: array(object=[x[0], x[1]], dtype=np.float32),
    "unpacked": lambda x: array(*[[x[0], x[1]]], **OF_FLOATS),
    "ufunc of list": lambda x: np.sin([x[0], x[1] ** 2]), "ufunc by name": lambda x: sin([[x[0]], [2.0]]),
    "ufunc of two": lambda x: np.maximum([x[0], x[1]], 0.5),
    "ufunc in table": lambda x: TABLE["s"]([x[0], 1]),
    "reduce of list": lambda x: np.add.reduce([x[0], x[1]]) + np.multiply.accumulate((x[0], x[1]))[1],
    "outer of list": lambda x: np.multiply.outer([x[0], 1.0], [x[1], x[2]]),
    "special of list": lambda x: scipy.special.expit([x[0], x[1]]),
    "function of list": lambda x: np.mean([x[0], x[1]]) + npnorm((x[0], 2.0)),
    "product of lists": lambda x: np.dot([x[0], 1.0], [x[1], x[2]]),
    "block": lambda x: np.block([[x[:2], x[2:]]]),
    "einsum": lambda x: np.einsum("i,i", [x[0], x[1]], [2.0, x[2]]),
    "select": lambda x: np.select([[x[0] > 0, True]], [[x[1], x[2]]], 0.0),
    "chosen": lambda x: [x[0], x[1] * 2][np.argmin(x[:2])], "tuple": lambda x: (x, x * 2, x**2)[np.argmax(x)],
    "row": lambda x: ROW[np.argmax(x)] * x[0], "element": lambda x: ROW[np.argmin(x), np.argmax(x)] * x[0],
    "rows": lambda x: ROW[np.argsort(x)] * x[0], "backwards": lambda x: ROW[:, np.argmax(x) - 2] * x,
    "take": lambda x: np.take(ROW, np.argmax(x), axis=0) * x[0],
    "method": lambda x: ROW.take(np.argmax(x)) * x[0],
    "cho_factor": lambda x: cho_solve(cho_factor(M + np.outer(x, x)), x),
    "expm": lambda x: expm(np.outer(x, x)),
    "triangular": lambda x: solve_triangular(M + np.outer(x, x), x), "rfft": lambda x: np.abs(rfft(x)),
    "dct": lambda x: dct(x), "filter": lambda x: gaussian_filter(x, 1.0),
    "convolve": lambda x: fftconvolve(x, x),
    "spline": lambda x: CubicSpline([0.0, 1.0, 2.0], x)(0.5),
    "mvn": lambda x: multivariate_normal.logpdf(x, x, M),
    "linalg": lambda x: numpy_linalg.solve(M, x),
}  # fmt: skip


@pytest.mark.parametrize("name", STYLES)
def test_every_style(name: str) -> None:
    """Values and derivatives agree with NumPy's values, in the first trace and in a later one."""
    function = STYLES[name]
    for x in (X, X[:3] * 0.5 + 0.1):
        got = ad.jit(function, interpret=True)(x)
        want = np.asarray(function(x))
        assert got.dtype == want.dtype and np.shape(got) == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-6 if want.dtype == np.float32 else 1e-12)
    slope = ad.jvp(function, (X,), (np.ones(3),), interpret=True)[1]
    step = 1e-6
    want = (np.asarray(function(X + step)) - np.asarray(function(X - step))) / (2 * step)
    if np.asarray(function(X)).dtype == np.float64:
        np.testing.assert_allclose(slope, want, rtol=1e-6, atol=1e-7)


def test_modules_that_a_trace_imports() -> None:
    """The first trace of a process imports SciPy while it is under way."""
    code = """
import numpy as np, mlirad as ad, sys
def f(x):
    import scipy.special
    from scipy.linalg import expm
    from scipy.stats import norm
    return scipy.special.logsumexp(x) + np.sum(expm(np.outer(x, x))) + np.sum(norm.logpdf(x))
assert "scipy.special" not in sys.modules
x = np.array([0.3, 1.7])
print(ad.jit(f, interpret=True)(x) - f(x))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert abs(float(run.stdout)) < 1e-11, run.stderr


def test_code_without_source() -> None:
    space: dict[str, Any] = {}
    exec("from numpy import array\ndef f(x):\n    g = lambda y: array([y, 1.0])\n    return g(x) * 2", space)
    np.testing.assert_array_equal(ad.jit(space["f"], interpret=True)(3.0), [6.0, 2.0])


def test_functions_that_are_defined_again_in_every_trace() -> None:
    """By another function that the trace calls, and by a loop outside of it."""

    def factory(scale: float) -> Callable[[Any], Any]:
        a = array
        return lambda x: a([x, scale])

    def f(x: Any) -> Any:
        return sum(factory(k)(x) for k in (1.0, 2.0))

    np.testing.assert_array_equal(ad.jit(f, interpret=True)(3.0), [6.0, 3.0])
    for k in range(3):
        np.testing.assert_array_equal(ad.jit(lambda x, k=k: array([x, k]), interpret=True)(3.0), [3.0, k])


def test_many_functions_are_told_in_one_trace() -> None:
    space: dict[str, Any] = {"made": array}
    lines = [f"def f{k}(x): return made([x, {k}.0])" for k in range(60)]
    lines.append(f"def f(x): return sum(g(x) for g in ({', '.join(f'f{k}' for k in range(60))}))")
    exec("\n".join(lines), space)
    np.testing.assert_array_equal(ad.jit(space["f"], interpret=True)(1.0), [60.0, sum(range(60))])


# Views of others ----------------------------------------------------------------------------------


def asking_functions() -> Iterator[FunctionType]:
    """All functions of libraries that ask, of those that this version of SciPy has."""
    found: list[tuple[ModuleType, Finding]] = []
    for name, find in ANSWERED.items():
        with suppress(ModuleNotFoundError):
            found.append((import_module(name), find))
    listen()
    for module, find in found:
        yield from (function for function, _ in find(module))


def test_every_function_of_the_tables_asks() -> None:
    """Every name there is reached in the versions at hand, if they have it."""
    functions = list(asking_functions())
    assert len(functions) > 300
    assert all(isinstance(question_of(function), Question) for function in functions)
    dispatched = [f for f in FUNCTIONS if type(f) is type(np.sum)]
    assert len(dispatched) > 150
    unreached = [f for f in dispatched if asked_arguments(f) is None]
    assert not unreached


def test_functions_are_what_they_were() -> None:
    """In another process, before and after a trace: identity, hash, signature, text, source, pickles."""
    code = """
import inspect, pickle, sys, copy, warnings
import numpy as np, scipy.linalg, scipy.special, scipy.stats, scipy.fft, scipy.signal, scipy.ndimage
import scipy.interpolate
warnings.simplefilter("ignore")
modules = [np, np.linalg, np.fft, scipy.linalg, scipy.special, scipy.stats, scipy.fft, scipy.signal]
modules.append(scipy.ndimage)
def seen():
    found = {}
    for module in modules:
        for name in getattr(module, "__all__", ()):
            member = getattr(module, name)
            if callable(member):
                try: signature = str(inspect.signature(member))
                except (TypeError, ValueError): signature = None
                code = getattr(inspect.unwrap(member), "__code__", None)
                source = code and (code.co_filename, code.co_firstlineno, code.co_name, code.co_varnames)
                if len(found) % 50 == 0:
                    try: source = inspect.getsource(member)
                    except (TypeError, OSError): pass
                try: pickled = pickle.loads(pickle.dumps(member)) is member
                except Exception as error: pickled = repr(type(error))
                found[module.__name__, name] = (
                    id(member), hash(member), signature, source, pickled, member.__doc__, repr(member),
                    getattr(member, "__module__", None), getattr(member, "__defaults__", None))
    return found
before = seen()
inside = []
import mlirad as ad
def f(x):
    inside.append(seen())
    return scipy.special.logsumexp(np.array([x[0], 1.0])) + scipy.stats.norm.logpdf(x[1])
ad.jit(f, interpret=True)(np.ones(2))
after = seen()
wrong = [key for key in before if not before[key] == after[key] == inside[-1][key]]
print(len(before), wrong)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    count, _, wrong = run.stdout.strip().partition(" ")
    assert int(count) > 1000 and wrong == "[]", run.stdout + run.stderr


def check_beside_traces(call_count: int) -> Counter[str]:
    """Plain calls beside traces give what they give alone, of the same types; how many there were of both."""
    lines: list[Callable[[], Any]] = [
        lambda: logsumexp(X), lambda: cho_factor(M)[0], lambda: rfft(X), lambda: LOGPDF(X),
        lambda: array([1, 2.0]),
        lambda: np.mean([1.0, 2.0]), lambda: np.concatenate([X, X]), lambda: np.r_[X, 1.0], lambda: ROW[1],
        lambda: np.vectorize(lambda v: v + 1)(X), lambda: CubicSpline([0, 1, 2.0], X)(0.3), lambda: MODEL(X),
    ]  # fmt: skip
    want = [line() for line in lines]
    wrong: list[int] = []
    counts = Counter[str]()
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            for k, line in enumerate(lines):
                found = line()
                if type(found) is not type(want[k]) or not np.array_equal(found, want[k]):
                    wrong.append(k)
            counts["plain calls"] += len(lines)

    thread = threading.Thread(target=compute)
    thread.start()
    while thread.is_alive() and (counts["plain calls"] < call_count or counts["traces"] < 5):
        ad.trace(lambda x: MODEL(x) + logsumexp(array([x[0], x[1]])) + np.sum(rfft(x).real), X)
        counts["traces"] += 1
    stop.set()
    thread.join()
    assert not wrong
    assert counts["plain calls"] >= call_count
    return counts


def test_other_threads_compute_while_one_traces() -> None:
    check_beside_traces(480)


@pytest.mark.fuzz
def test_a_million_calls_beside_traces(judged: Counter[str]) -> None:
    judged.update(check_beside_traces(1_000_000))


def test_errors_of_plain_calls_are_scipys_own() -> None:
    """Their places too: no line of mlirad is in the traceback."""
    ad.trace(lambda x: logsumexp(x), X)
    with pytest.raises(ValueError, match="array must not contain") as error:
        cho_factor(np.full((2, 2), np.nan))
    assert not [entry for entry in error.traceback if "mlirad" in str(entry.path).split("site-packages")[-1]][
        1:
    ]
    assert pickle.loads(pickle.dumps(cho_factor)) is cho_factor
    assert list(inspect.signature(cho_factor).parameters) == ["a", "lower", "overwrite_a", "check_finite"]


MISTAKES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: logsumexp(x, axes=0), TypeError, "unexpected keyword argument 'axes'"),
    (lambda x: array([x, x[:2]]), ad.ShapeError, "stacked arrays must have one shape"),
    (lambda x: scipy.linalg.hessenberg(np.outer(x, x)), ad.TracingError, "SciPy's hessenberg works on NumPy"),
    (lambda x: np.testing.assert_allclose(x, x), ad.TracingError, "compare them outside"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        ad.jit(function, interpret=True)(X)
