"""Mistakes with functions and sums as values: errors at the user's line that say what to write."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.tracing import functions
from mlirad.passes.eliminate_functions import order
from mlirad.pipeline_options import SPECIFICATIONS

Number = ad.sum_of(0.0, np.zeros(2))
KEPT: list[Any] = []


def sine(*like: Any) -> Any:
    return ad.lambda_(np.sin, *like)


def two_kinds(x: Any) -> Any:
    return ad.cond(x > 0, lambda: Number(x), lambda: Number(np.ones(2)))


def leaks_from_a_loop(x: Any) -> Any:
    ad.fold(lambda c, w: KEPT.append(sine()) or c, x, np.ones(3))
    return KEPT.pop()(x)


def leaks_with_a_signature(x: Any) -> Any:
    ad.fold(lambda c, w: KEPT.append(sine(0.0)) or c, x, np.ones(3))
    return KEPT.pop()(x)


def leaks_in_a_choice(x: Any) -> Any:
    ad.fold(lambda c, w: KEPT.append(sine()) or c, x, np.ones(3))
    f = KEPT.pop()
    return ad.cond(x > 0, lambda: f, lambda: ad.lambda_(np.cos, 0.0))(x)


def calls_itself(x: Any) -> Any:
    f = ad.lambda_(lambda z: f(z) + x)
    return f(x)


@ad.function
def twice(f: Any) -> Any:
    return ad.lambda_(lambda z: f(f(z)))


def takes_functions(x: Any) -> Any:
    return twice(twice(ad.lambda_(lambda z: z * x, 0.0)))(x)


def unknown_signatures(x: Any) -> Any:
    chosen = [ad.cond(x > 0, lambda: ad.lambda_(np.sum), lambda: ad.lambda_(np.max)) for _ in range(2)]
    return chosen[0](np.ones(2)) + chosen[1](np.ones(3))


def never_the_same(x: Any, depth: int = 0) -> Any:
    f = ad.cond(x > 0, lambda: sine(), lambda: ad.lambda_(np.cos))
    return never_the_same(f(x), depth + 1)


@ad.custom_derivative
def applied(f: Any, x: Any) -> Any:
    return f(x)


@applied.rule
def _(f: Any, x: Any) -> Any:
    return lambda _, dx: dx


Mistake = tuple[Callable[..., Any], str, str]

MISTAKES: dict[str, Mistake] = {
    # at the top level, and in arrays
    "returned": (lambda x: sine(0.0), "returns a function made by ad.lambda_", "return arrays"),
    "returned-in-a-pair": (lambda x: (x, Number(x)), "returns a sum", "return arrays"),
    "returned-by-a-gradient": (lambda x: ad.grad(lambda y: sine())(x), "returns a function", "return arrays"),
    "returned-by-checkpoint": (
        lambda x: ad.checkpoint(lambda y: sine())(x)(x),
        "returns a function",
        "arrays",
    ),
    "in-stack": (lambda x: np.stack([sine(), sine()])[0](x), "used where an array is needed", "ad.switch"),
    "in-array": (lambda x: np.array([sine(), sine()])[0](x), "used where an array is needed", "ad.switch"),
    "in-asarray": (lambda x: ad.asarray([Number(x)]), "used where an array is needed", "ad.switch"),
    "in-where": (lambda x: np.where(x > 0, sine(), sine())(x), "used where an array is needed", "ad.cond"),
    "in-ad-where": (
        lambda x: ad.where(x > 0, Number(x), Number(x)),
        "used where an array is needed",
        "ad.cond",
    ),
    "in-arithmetic": (lambda x: sine() * x, "used where an array is needed", "f(x)"),
    "in-arithmetic-on-the-right": (lambda x: np.ones(2) + sine(), "used where an array is needed", "f(x)"),
    "in-a-ufunc": (lambda x: np.exp(sine()), "used where an array is needed", "f(x)"),
    "in-a-comparison": (lambda x: Number(x) < x, "used where an array is needed", "ad.case"),
    "indexed": (lambda x: sine()[0], "used where an array is needed", "f(x)"),
    "in-xs": (lambda x: ad.fold(lambda c, f: f(c), x, [sine()]), "xs[0] is a function", "ad.switch"),
    "in-outputs": (
        lambda x: ad.scan(lambda c, w: (c, sine()), x, np.ones(2)),
        "output is a function",
        "carry",
    ),
    "built": (lambda x: ad.build(3, lambda i: sine()), "build: result is a function", "call it there"),
    "built-in-a-pair": (lambda x: ad.build(3, lambda i: (x, Number(x))), "result[1] is a sum", "ad.case"),
    "mapped": (lambda x: ad.map(lambda w: sine(), np.ones(2)), "map: result is a function", "call it"),
    "mapped-over": (
        lambda x: ad.map(lambda f, w: f(w), sine(), np.ones(2)),
        "arrays[0] is a function",
        "sees it",
    ),
    "batched": (lambda x: ad.vmap(lambda w: sine())(np.ones(2)), "vmap: result is a function", "call it"),
    "batched-over": (lambda x: ad.vmap(lambda f, w: f(w))(sine(), np.ones(2)), "args[0] is", "in_axes"),
    "printed": (lambda x: ad.debug_print("{}", sine()), "used where an array is needed", "ad.switch"),
    "custom": (lambda x: applied(sine(), x), "used where an array is needed", "ad.switch"),
    "stopped": (lambda x: ad.stop_gradient(sine())(x), "stop_gradient is given a function", "what it gives"),
    # calls
    "number-of-arguments": (lambda x: sine(0.0)(x, x), "2 arguments for 1", "as many as it takes"),
    "number-without-examples": (lambda x: ad.lambda_(lambda a, b: a)(x), "with 1 argument", ""),
    "number-of-examples": (lambda x: ad.lambda_(lambda: x, 0.0), "with 1 argument", ""),
    "structure": (lambda x: sine(0.0)((x,)), "is called with ((float64[],),)", "the tuples, keys and fields"),
    "shape": (lambda x: sine(0.0)(np.ones(3)), "is called with (float64[3],)", "a function for each"),
    "dtype": (lambda x: sine(0.0)(x.astype(np.int64)), "is called with (int64[],)", ".astype"),
    "function-for-array": (lambda x: sine(0.0)(sine(0.0)), "is called with (a function", "convert"),
    "by-name": (lambda x: ad.lambda_(lambda z: z)(z=x), "arguments by name: z", "by position"),
    "string": (lambda x: sine(0.0)("1"), "is called with ('1',)", "fields that it takes"),
    "no-function": (lambda x: ad.lambda_(x), "needs a function, not Array", ""),
    "no-value": (lambda x: ad.cond(x > 0, lambda: np.sin, lambda: np.cos)(x), "is a ufunc", "ad.lambda_(f)"),
    # branches and carries
    "branches": (
        lambda x: ad.cond(x > 0, lambda: sine(0.0), lambda: sine(np.ones(2))),
        r"(float64[2],) -> float64[2] made at FILE, that of another branch a function (float64[],) -> "
        r"float64[] made at FILE",
        "the same structures, shapes and dtypes",
    ),
    "branches-of-results": (
        lambda x: ad.cond(x > 0, lambda: ad.lambda_(lambda n: n, 0), lambda: sine(0))(1),
        "(int64[],) -> float64[] made at FILE, that of another branch a function (int64[],) -> int64[]",
        "the same structures",
    ),
    "branches-of-kinds": (
        lambda x: ad.cond(x > 0, lambda: sine(0.0), lambda: x),
        "result of the false branch is float64[], that of another branch a function",
        "the same structures",
    ),
    "branches-of-sums": (
        lambda x: ad.cond(x > 0, lambda: ad.left(x, 0), lambda: ad.left(x, 0.0)),
        "a sum of float64[] | float64[], that of another branch a sum of float64[] | int64[]",
        "the same alternatives",
    ),
    "carries": (
        lambda x: ad.fold(lambda f, w: ad.lambda_(lambda z: z, np.ones(2)), sine(0.0), np.ones(3)),
        "carry starts as a function (float64[],) -> float64[] made at FILE, and the body returns a function "
        "(float64[2],) -> float64[2] made at FILE",
        "in every iteration",
    ),
    "carries-of-kinds": (
        lambda x: ad.while_loop(lambda f: x > 0, lambda f: f(x), sine(0.0)),
        "carry starts as a function (float64[],) -> float64[] made at FILE, and the body returns float64[]",
        "in every iteration",
    ),
    # signatures
    "two-signatures": (unknown_signatures, "its signature was learned from another call", "np.zeros(3)"),
    "calls-itself": (calls_itself, "calls itself", "@ad.function"),
    # sums
    "no-alternative": (lambda x: Number(np.ones(3)), "is not any alternative of a sum of", "convert"),
    "not-this-alternative": (lambda x: Number(1, x), "is not alternative 1 of a sum of", "convert"),
    "number-of-alternative": (lambda x: Number(2, x), "no alternative 2 of", "from 0 to 1"),
    "several-alternatives": (
        lambda x: ad.sum_of(0.0, 1.0)(x),
        "any of the alternatives 0, 1",
        "Shape(0, value)",
    ),
    "alternatives-of-three": (lambda x: Number(0, x, x), "3 are given", "Shape(number, value)"),
    "number-of-arms": (lambda x: ad.case(Number(x), np.sin), "1 arms for the 2 alternatives", "for each"),
    "parameters-of-arms": (lambda x: ad.case(Number(x), np.sin, lambda: x), "for alternative 1, calls", ""),
    "results-of-arms": (
        lambda x: ad.case(two_kinds(x), np.sin, np.cos),
        "result of arm 1 is float64[2]",
        "same",
    ),
    "case-of-an-array": (lambda x: ad.case(x, np.sin), "takes a sum apart, not Array", "ad.switch"),
    # derivatives
    "by-a-closure": (
        lambda x: ad.grad(lambda f: f(x))(sine()),
        "f is a function",
        "the arrays that it is made of",
    ),
    "by-a-sum": (lambda x: ad.jvp(lambda s: x, (Number(x),), (0.0,)), "s is a sum", "the arrays"),
    # scopes
    "leaked": (leaks_from_a_loop, "has ended", "return it as a result"),
    "leaked-with-a-signature": (leaks_with_a_signature, "has ended", "return it as a result"),
    "leaked-in-a-choice": (leaks_in_a_choice, "has ended", "return it as a result"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case: str) -> None:
    function, message, hint = MISTAKES[case]
    with pytest.raises(ad.MliradError) as caught:
        ad.jit(function)(1.0)
    error = caught.value
    pattern = re.escape(message).replace("FILE", re.escape(__file__) + r":\d+")
    assert re.search(pattern, error.message)
    assert hint in (error.hint or "")
    assert error.location is not None
    file, line = error.location.rsplit(":", 1)
    assert file == __file__
    lines, first = inspect.getsourcelines(function)
    helpers = [inspect.getsourcelines(f) for f in (sine, two_kinds)]
    assert any(at <= int(line) < at + len(text) for text, at in [(lines, first), *helpers])
    frames = [f for f in _files(error) if f != __file__]
    assert not frames, "the traceback shows code of mlirad"


def _files(error: BaseException) -> list[str]:
    found: list[str] = []
    traceback = error.__traceback__
    while traceback is not None:
        found.append(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
    return found


OUTSIDE: dict[str, tuple[Callable[[], Any], str, str]] = {
    "case": (
        lambda: ad.case(1.0, np.sin),  # pyright: ignore[reportArgumentType]
        "ad.case takes a sum apart, not float",
        "make it one by ad.sum_of",
    ),
    "by-name": (lambda: ad.lambda_(np.sin)(x=1.0), "arguments by name: x", "pass arguments by position"),
    "no-examples": (lambda: ad.sum_of(), "an example of each alternative", ""),
    "argument": (
        lambda: ad.jit(lambda f: f(1.0))(kept()),
        "argument f is a function",
        "make it in the function that uses it",
    ),
    "called": (lambda: kept()(1.0), "outside of the traced function that made it", "return what it gives"),
}


@pytest.mark.parametrize("method", SPECIFICATIONS)
@pytest.mark.parametrize("place", ["body", "branch", "loop", "build"])
def test_a_derivative_inside_of_a_specification(method: str, place: str) -> None:

    def inner(x: Any) -> Any:
        return ad.grad(lambda y: x * y**3)(x)

    def f(x: Any) -> Any:
        match place:
            case "body":
                return inner(x)
            case "branch":
                return ad.cond(x > 0, lambda: inner(x), lambda: x)
            case "loop":
                return ad.fori_loop(0, 2, lambda i, c: inner(c), x)
            case _:
                return np.sum(ad.build(2, lambda i: inner(x)))

    assert ad.grad(f, method=method, interpret=True)(1.0) == pytest.approx(ad.grad(f)(1.0), rel=1e-12)


def kept() -> Any:
    """A closure whose trace has ended."""
    ad.jit(lambda x: (KEPT.append(sine(x)), x)[1])(1.0)
    return KEPT.pop()


@pytest.mark.parametrize("case", OUTSIDE)
def test_outside_of_a_trace(case: str) -> None:
    function, message, hint = OUTSIDE[case]
    with pytest.raises(ad.MliradError) as caught:
        function()
    error = caught.value
    assert message in error.message
    assert hint in (error.hint or "")
    assert error.location is not None and __file__ in error.location


def test_signatures_that_need_ever_more_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "MOST_TRACES", 4)
    with pytest.raises(
        ad.TracingError, match="of unknown signature is called here, as others were"
    ) as caught:
        ad.jit(never_the_same)(1.0)
    assert "ad.lambda_(f, np.zeros(3))" in (caught.value.hint or "")
    assert caught.value.location is not None and __file__ in caught.value.location


def test_functions_of_functions_that_are_not_inlined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the room for inlining they hold functions of their own kind, as records."""
    assert ad.jit(takes_functions, interpret=True)(2.0) == 32
    monkeypatch.setattr(order, "LEAST_ROOM", 0)
    monkeypatch.setattr(order, "GROWTH", 0)
    assert ad.jit(lambda x: takes_functions(x))(2.0) == 32
