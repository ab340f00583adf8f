"""Every function of the interface, with each of its arguments replaced by values of other kinds.

A call gives a result, or an error of mlirad's own at the user's line, or an exception of the user's own code:
none of Python's from inside mlirad.
"""

from __future__ import annotations

import inspect
import io
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

import mlirad as ad

X = np.arange(1.0, 4.0)
IMAGE = np.ones((1, 1, 6))
MODEL = ad.sum_of(1.0, X)


def square(x: Any) -> Any:
    return x * x


def loss(x: Any) -> Any:
    return (x * x).sum()


DERIVATIVE = ad.linearize(square, X)[1]


class Opaque:
    """An object of a kind that nothing expects."""


KINDS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "sideways",
    "bytes": lambda: b"1",
    "negative": lambda: -1,
    "large": lambda: 2**70,
    "truth": lambda: True,
    "fraction": lambda: 2.5,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "complex": lambda: 1j,
    "list": list,
    "tuple": lambda: (1, "x", None),
    "dictionary": lambda: {"a": 1.0},
    "set": lambda: {1, 2},
    "iterator": lambda: iter([1.0]),
    "array": lambda: np.array([1.0, 2.0]),
    "objects": lambda: np.array([None, "x"], dtype=object),
    "dates": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "texts": lambda: np.array(["a", ""]),
    "empty": lambda: np.zeros((0, 3)),
    "type": lambda: float,
    "object": Opaque,
    "function": lambda: lambda *args: args,
    "function of nothing": lambda: lambda: None,
    "constant": lambda: lambda *_: 1.0,
    "returns None": lambda: lambda *_: None,
    "returns text": lambda: lambda *_: "x",
}

_folder = tempfile.TemporaryDirectory()


def new_file(ending: str) -> str:
    """The name of a file that is removed when the process ends."""
    return str(Path(_folder.name) / f"made.{ending}")


Arguments: TypeAlias = Sequence[Any]
Named: TypeAlias = Mapping[str, Any]
Call: TypeAlias = Callable[[Arguments, Named], Any]


def inside(name: str) -> Call:
    """The call of a construct while a function is traced."""
    construct = getattr(ad, name)

    def call(args: Arguments, named: Named) -> Any:
        def traced(_: Any) -> Any:
            result = construct(*args, **named)
            return 0.0 if result is None or isinstance(result, str) else result

        return ad.jit(traced, timeout=2.0)(X)

    return call


def outside(name: str) -> Call:
    """The call of a function that runs at once."""
    return lambda args, named: getattr(ad, name)(*args, **named)


def transformed(name: str) -> Call:
    """The call of a transformation, and of what it makes."""
    return lambda args, named: getattr(ad, name)(*args, **named)(X)


def later(call: Callable[..., Any]) -> Call:
    """A call of anything else."""
    return lambda args, named: call(*args, **named)


def with_rule(function: Callable[..., Any]) -> Any:
    """The call of a function with a custom derivative."""
    custom = ad.custom_derivative(function)
    custom.rule(lambda x: lambda dx: 2 * x * dx)
    return ad.jit(custom)(X)


class Plain:
    """A class to register."""

    def __init__(self, x: Any):
        self.x = x


def registered(cls: Any, **named: Any) -> Any:
    """The call of `register`, of a class of its own: what one call has registered the next one has, too."""
    own = type("Plain", (Plain,), {}) if cls is Plain else cls
    return ad.jit(lambda m: m.x)(ad.register(own, **named)(X))


OF_TRANSFORMATIONS: Named = {"argnums": 0, "has_aux": False, "static_argnames": ()}
OPTIONS: Named = {
    "interpret": False,
    "method": "dual-arrays",
    "chunk": None,
    "check_bounds": False,
    "check_nans": False,
    "check_absorbed": False,
    "timeout": None,
}

CALLS: dict[str, tuple[Call, Arguments, Named]] = {
    "asarray": (inside("asarray"), ([1.0, 2.0],), {"dtype": "float64"}),
    "associative_scan": (
        inside("associative_scan"),
        (lambda a, b: a + b, X),
        {"axis": 0, "reverse": False},
    ),
    "build": (inside("build"), (3, lambda i: i * 2.0), {"chunk": 1, "checkpoint": "store"}),
    "case": (
        later(lambda s, f, g: ad.jit(lambda _: ad.case(MODEL(1.0) if s is None else s, f, g))(X)),
        (None, lambda v: v * 1.0, lambda v: v.sum()),
        {},
    ),
    "check_derivatives": (
        outside("check_derivatives"),
        (loss, X),
        {"interpret": False, "step": 0.01, "tolerance": None, "seed": 0},
    ),
    "checkpoint": (later(lambda f: ad.grad(ad.checkpoint(f))(X)), (loss,), {}),
    "cond": (inside("cond"), (True, square, square, 2.0), {}),
    "convolution": (
        inside("convolution"),
        (IMAGE, IMAGE[..., :2]),
        {"strides": 1, "padding": "valid", "dilation": 1},
    ),
    "custom_derivative": (later(with_rule), (square,), {}),
    "callback": (inside("callback"), (lambda x: X, X, X), {"vectorized": True}),
    "debug_callback": (inside("debug_callback"), (lambda x: None, X), {}),
    "debug_print": (inside("debug_print"), ("a {}", X), {}),
    "demo": (outside("demo"), (loss, X), {"form": "symbols"}),
    "eval_shape": (outside("eval_shape"), (square, X), {}),
    "ShapeDtype": (outside("ShapeDtype"), ((2,),), {"dtype": "float64"}),
    "explore": (
        later(ad.explore),
        (loss, X),
        {"path": new_file("html"), "measure": False, "sparsity": False},
    ),
    "export": (
        later(ad.export),
        (loss, X),
        {
            "path": new_file("lib"),
            "name": "loss",
            "scratch": "static",
            "library": False,
            "target": "native",
            "cpu": "",
            "features": "",
        },
    ),
    "fold": (inside("fold"), (lambda c, x: c + x, 0.0, X), {"checkpoint": None}),
    "rewritten": (later(ad.rewritten(square)), (X,), {}),
    "fori_loop": (inside("fori_loop"), (0, 3, lambda _, c: c * 2.0, 1.0), {"checkpoint": None}),
    "function": (later(lambda f, **named: ad.jit(ad.function(f, **named))(X)), (square,), {"returns": None}),
    "gather": (inside("gather"), (X, 2, lambda i: i), {}),
    "grad": (transformed("grad"), (loss,), {**OF_TRANSFORMATIONS, "donate": (), **OPTIONS}),
    "gradient": (later(ad.grad(loss)), (X,), {}),
    "hessian": (transformed("hessian"), (loss,), {"argnums": 0, "sparse": False, "static_argnames": ()}),
    "hvp": (outside("hvp"), (loss, (X,), (X,)), {}),
    "index": (inside("index"), (X, (1,)), {}),
    "jacfwd": (transformed("jacfwd"), (square,), OF_TRANSFORMATIONS),
    "jacobian": (transformed("jacobian"), (square,), {**OF_TRANSFORMATIONS, "sparse": False}),
    "jacrev": (transformed("jacrev"), (square,), OF_TRANSFORMATIONS),
    "jit": (transformed("jit"), (square,), {"static_argnames": (), "donate": (), **OPTIONS}),
    "compiled": (later(ad.jit(square)), (X,), {"out": np.zeros(3)}),
    "jet": (outside("jet"), (square, (X,), ([X, X],)), OPTIONS),
    "jvp": (outside("jvp"), (square, (X,), (X,)), OPTIONS),
    "lambda_": (later(lambda f, x: ad.jit(lambda _: ad.lambda_(f, x)(x))(X)), (square, X), {}),
    "left": (
        later(lambda v, like: ad.jit(lambda _: ad.case(ad.left(v, like), loss, lambda _: 0.0))(X)),
        (X, 1.0),
        {},
    ),
    "linearize": (later(lambda f, x, **named: ad.linearize(f, x, **named)[1](X)), (square, X), OPTIONS),
    "derivative": (later(DERIVATIVE), (X,), {}),
    "transposed": (later(DERIVATIVE.T), (X,), {}),
    "sum of maps": (later(lambda other: DERIVATIVE + other), (DERIVATIVE,), {}),
    "product of maps": (later(lambda other: DERIVATIVE @ other), (DERIVATIVE,), {}),
    "scaled map": (later(lambda factor: DERIVATIVE * factor), (2.0,), {}),
    "part of a map": (later(lambda key: ad.linearize(lambda x: (x, x), X)[1][key]), (0,), {}),
    "map": (inside("map"), (square, X), {}),
    "right": (
        later(lambda v, like: ad.jit(lambda _: ad.case(ad.right(v, like), lambda _: 0.0, loss))(X)),
        (X, 1.0),
        {},
    ),
    "scan": (
        inside("scan"),
        (lambda c, x: (c + x, c), 0.0, X),
        {"length": 3, "reverse": False, "checkpoint": None},
    ),
    "scatter": (inside("scatter"), (X, 3, lambda i: i), {}),
    "stack": (inside("stack"), ([X, X],), {"axis": 0}),
    "nonzero": (inside("nonzero"), (X,), {"size": 2, "fill_value": 0}),
    "extract": (inside("extract"), (X > 0, X), {"size": 2, "fill_value": 0}),
    "unique": (inside("unique"), (X,), {"return_counts": True, "size": 2, "fill_value": 0}),
    "union1d": (inside("union1d"), (X, X), {"size": 2, "fill_value": 0}),
    "intersect1d": (inside("intersect1d"), (X, X), {"size": 2, "fill_value": 0}),
    "setdiff1d": (inside("setdiff1d"), (X, X), {"size": 2, "fill_value": 0}),
    "setxor1d": (inside("setxor1d"), (X, X), {"size": 2, "fill_value": 0}),
    "bincount": (inside("bincount"), (np.arange(3),), {"weights": X, "length": 3}),
    **{
        name: (inside(name), (X, np.array([0, 1, 0])), {"num_segments": 2})
        for name in ("segment_sum", "segment_prod", "segment_max", "segment_min")
    },
    "stop_gradient": (inside("stop_gradient"), (X,), {}),
    "sum_of": (
        later(lambda *like: ad.jit(lambda _: ad.case(ad.sum_of(*like)(1.0), square, loss))(X)),
        (1.0, X),
        {},
    ),
    "alternative": (later(lambda v: ad.jit(lambda _: ad.case(MODEL(v), square, loss))(X)), (1.0,), {}),
    "switch": (inside("switch"), (1, [square, square], 2.0), {}),
    "trace": (outside("trace"), (square, X), {}),
    "value_and_grad": (transformed("value_and_grad"), (loss,), {**OF_TRANSFORMATIONS, "donate": ()}),
    "vjp": (later(lambda f, x, **named: ad.vjp(f, x, **named)[1](X)), (square, X), OPTIONS),
    "vector-Jacobian product": (later(lambda ct: ad.vjp(square, X)[1](ct)), (X,), {}),
    "vmap": (transformed("vmap"), (square,), {"in_axes": 0, "out_axes": 0, "static_argnames": ()}),
    "batched": (later(ad.vmap(square)), (X,), {}),
    "where": (inside("where"), (True, X, X), {}),
    "while_loop": (inside("while_loop"), (lambda c: c < 3.0, lambda c: c + 1.0, 0.0), {}),
}

KEY = ad.random.key(1)
SHAPED: Named = {"shape": (2,), "dtype": "float64"}
COUNTS: Named = {"shape": (2,), "dtype": "int32"}

DRAWS: dict[str, tuple[Arguments, Named]] = {
    "bernoulli": ((KEY, 0.5), {"shape": (2,)}),
    "beta": ((KEY, 1.0, 2.0), SHAPED),
    "binomial": ((KEY, 9, 0.5), COUNTS),
    "bits": ((KEY,), COUNTS),
    "categorical": ((KEY, X), {"axis": -1, "shape": (2,), "replace": False}),
    "cauchy": ((KEY,), SHAPED),
    "chisquare": ((KEY, 2.0), SHAPED),
    "choice": ((KEY, X), {"shape": (2,), "replace": False, "p": X / 6, "axis": 0}),
    "dirichlet": ((KEY, X), SHAPED),
    "exponential": ((KEY,), SHAPED),
    "fold_in": ((KEY, 1), {}),
    "gamma": ((KEY, 2.0), SHAPED),
    "geometric": ((KEY, 0.5), COUNTS),
    "gumbel": ((KEY,), SHAPED),
    "key": ((0,), {}),
    "laplace": ((KEY,), SHAPED),
    "loggamma": ((KEY, 2.0), SHAPED),
    "logistic": ((KEY,), SHAPED),
    "lognormal": ((KEY, 0.0, 1.0), SHAPED),
    "multinomial": ((KEY, 9, X / 6), COUNTS),
    "multivariate_normal": ((KEY, X, np.eye(3)), SHAPED),
    "negative_binomial": ((KEY, 2.0, 0.5), COUNTS),
    "normal": ((KEY,), SHAPED),
    "pareto": ((KEY, 2.0), SHAPED),
    "permutation": ((KEY, X), {"axis": 0, "independent": True}),
    "poisson": ((KEY, 2.0), COUNTS),
    "rademacher": ((KEY,), {"shape": (2,), "dtype": "int64"}),
    "randint": ((KEY, (2,), 0, 5), {"dtype": "int64"}),
    "rayleigh": ((KEY,), SHAPED),
    "split": ((KEY,), {"n": 3}),
    "student_t": ((KEY, 2.0), SHAPED),
    "triangular": ((KEY, 0.0, 1.0, 2.0), SHAPED),
    "truncated_normal": ((KEY, -1.0, 1.0), SHAPED),
    "uniform": ((KEY,), {**SHAPED, "minval": 0.0, "maxval": 1.0}),
    "weibull": ((KEY, 2.0), SHAPED),
}
CALLS |= {
    f"random.{name}": (later(getattr(ad.random, name)), args, named) for name, (args, named) in DRAWS.items()
}

FOUND: Named = {"solver": None, "linear": "direct", "tol": None, "maxiter": 9, "full_output": True}
TIMES = np.array([0.0, 0.1])

SOLVED: dict[str, tuple[Call, Arguments, Named]] = {
    "root": (outside("root"), (lambda x, c: x * x - c, X, X), FOUND),
    "fixed_point": (outside("fixed_point"), (lambda x, c: c / x, X, X), {**FOUND, "method": "plain"}),
    "minimize": (outside("minimize"), (loss, X), {**FOUND, "method": "newton"}),
    "linear_solve": (
        outside("linear_solve"),
        (np.eye(3), X),
        {"method": "direct", "tol": None, "maxiter": 9},
    ),
    "linear_solve of a function": (
        later(ad.linear_solve),
        (lambda x: 2 * x, X),
        {"method": "cg", "tol": None, "maxiter": 9},
    ),
    "solve": (later(lambda b, **named: ad.LinearMap.identity(X).solve(b, **named)), (X,), {"method": "cg"}),
    "odeint": (
        outside("odeint"),
        (lambda y, t: -y, X, TIMES),
        {"rtol": 1e-3, "atol": 1e-3, "max_steps": 50, "adjoint": "discrete"},
    ),
    "sweep": (transformed("sweep"), (square,), {"instance": "provenance", "mode": "reverse"}),
    "optimize.sgd": (later(ad.optimize.sgd), (0.1,), {}),
    "optimize.momentum": (later(ad.optimize.momentum), (0.1,), {"decay": 0.9, "nesterov": True}),
    "optimize.adam": (later(ad.optimize.adam), (0.1,), {"b1": 0.9, "b2": 0.9, "eps": 1e-8}),
    "optimize.adamw": (later(ad.optimize.adamw), (0.1,), {"weight_decay": 0.1}),
    "optimize.lbfgs": (later(ad.optimize.lbfgs), (0.1,), {"memory": 3}),
    "optimize.constant": (later(ad.optimize.constant), (0.1,), {}),
    "optimize.exponential_decay": (
        later(ad.optimize.exponential_decay),
        (0.1, 0.5),
        {"steps": 3, "final": 0.01},
    ),
    "optimize.cosine_decay": (later(ad.optimize.cosine_decay), (0.1, 3), {"final": 0.01}),
    "optimize.warm_up": (later(ad.optimize.warm_up), (0.1, 3), {"start": 0.01}),
    "optimize.clip_by_value": (later(ad.optimize.clip_by_value), (ad.optimize.sgd(0.1), 1.0), {}),
    "optimize.clip_by_global_norm": (later(ad.optimize.clip_by_global_norm), (ad.optimize.sgd(0.1), 1.0), {}),
    "optimize.global_norm": (later(ad.optimize.global_norm), (X,), {}),
    "optimize.masked": (
        later(lambda o, m: ad.optimize.masked(o, m).init(X)),
        (ad.optimize.sgd(0.1), True),
        {},
    ),
    "optimize.init": (later(ad.optimize.lbfgs().init), (X,), {}),
    "optimize.update": (later(lambda g, p: ADAM.update(g, ADAM.init(X), p)), (X, X), {}),
    "optimize.apply_updates": (later(ad.optimize.apply_updates), (X, X), {}),
    "register": (
        later(registered),
        (Plain,),
        {"fields": None, "static": ()},
    ),
    "scipy.objective": (later(lambda f, x: ad.scipy.objective(f, x).jac(X)), (loss, X), {}),
    "scipy.system": (later(lambda f, y: ad.scipy.system(f, y).jac(0.0, X)), (lambda y, t: y * t, X), {}),
}
ADAM = ad.optimize.adam()
CALLS |= SOLVED

PLACES = [(name, place) for name, (_, args, named) in CALLS.items() for place in (*range(len(args)), *named)]

IN_TURNS = {*SOLVED, *(f"random.{name}" for name in DRAWS)}

EVERY_DAY = [p for k, p in enumerate(PLACES) if k % 6 == 0 or p[0] not in IN_TURNS]
"""The arguments that meet other kinds every day: those of draws and of solvers, which share their checks, in
turns."""

SHARE = 14
"""Every day an argument meets one in this many of the kinds; `make fuzz` tries all."""


def test_all_functions_of_the_interface_are_called() -> None:
    functions = {name for name in ad.__all__ if inspect.isfunction(getattr(ad, name))}
    # Of the bridges, three need other packages, and the fourth reads text: see tests/bridges.
    assert functions - {"from_jax", "from_stablehlo", "to_jax", "to_torch"} <= CALLS.keys()
    assert DRAWS.keys() == set(ad.random.__all__)
    assert {f"scipy.{name}" for name in ("objective", "system")} <= CALLS.keys()
    assert {f"optimize.{name}" for name in ad.optimize.__all__ if name != "Optimizer"} <= CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_right_with_the_arguments_listed(name: str) -> None:
    call, args, named = CALLS[name]
    with redirect_stdout(io.StringIO()):
        call(args, named)


@pytest.mark.parametrize(("name", "place"), EVERY_DAY)
def test_a_sample_of_kinds(name: str, place: int | str) -> None:
    first = PLACES.index((name, place)) % SHARE
    require_own_errors(name, place, list(KINDS)[first::SHARE])


@pytest.mark.fuzz
@pytest.mark.parametrize(("name", "place"), PLACES)
def test_all_kinds(name: str, place: int | str) -> None:
    require_own_errors(name, place, list(KINDS))


@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
def require_own_errors(name: str, place: int | str, kinds: Sequence[str]) -> None:
    call, args, named = CALLS[name]
    for kind in kinds:
        given, options = list(args), dict(named)
        if isinstance(place, int):
            given[place] = KINDS[kind]()
        else:
            options[place] = KINDS[kind]()
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                call(given, options)
        except ad.TimeLimitError:
            assert name == "while_loop"
        except ad.MliradError as error:
            assert error.location is not None and __file__ in error.location, f"{kind}: {error}"
        except Exception as error:
            place_of_error = traceback.extract_tb(error.__traceback__)[-1]
            notes = " ".join(getattr(error, "__notes__", ()))
            is_own = place_of_error.filename == __file__ or "was called by a program at" in notes
            assert is_own, f"{kind}: {error!r} at {place_of_error}"
