"""The output of programs: lines of each construct, compiled and interpreted, in values and derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import ArgumentError, TracingError

X = np.array([3.0, 1.0, 2.0])


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def straight(x):
    ad.debug_print("{}", np.sin(x[0]) > 0)
    ad.debug_print("{}", x)
    ad.debug_print("{}", x)
    return np.sum(x)


def in_scan(x):
    def step(c, e):
        ad.debug_print("c = {}, e = {}", c, e)
        return c * e, c + e

    last, ys = ad.scan(step, 1.0, x)
    ad.debug_print("last {}", last)
    return np.sum(ys)


def in_nested_loops(x):
    def outer(i, c):
        ad.debug_print("outer {}", i)

        def inner(j, d):
            ad.debug_print("inner {} {}", i, j)
            return d * x[j]

        return ad.fori_loop(0, i, inner, c)

    return ad.fori_loop(0, 3, outer, 1.0)


def in_while(x):
    def body(c):
        ad.debug_print("now {}", c)
        return c / 2

    return ad.while_loop(lambda c: c > 1, body, x[0])


def in_condition_of_while(x):
    def goes_on(c):
        ad.debug_print("tested {}", c)
        return c > 1

    return ad.while_loop(goes_on, lambda c: c / 2, x[0])


def in_branches(x):
    def big(v):
        ad.debug_print("big {}", v)
        return v * v

    def small(v):
        ad.debug_print("small {}", v)
        return v

    a = ad.cond(x[0] > 2, big, small, x[0])
    b = ad.cond(x[1] > 2, big, small, x[1])
    ad.debug_print("both")
    return a * b + ad.switch(1, [big, small], x[2])


def in_build(x):
    def position(i):
        ad.debug_print("at {}: {}", i, x[i])
        return x[i] * x[i]

    return np.sum(ad.build(3, position))


def in_branch_of_build(x):
    def position(i):
        def big(v):
            ad.debug_print("big {}", v)
            return v * v

        return ad.cond(x[i] > 1.5, big, lambda v: v, x[i])

    return np.sum(ad.build(3, position))


def in_loop_of_build(x):
    def position(i):
        def body(c):
            ad.debug_print("{} {}", i, c)
            return c - 1

        return ad.while_loop(lambda c: c > 1, body, x[i])

    return np.sum(ad.build(3, position) * x)


def in_vmap(x):
    def each(v):
        ad.debug_print("v = {:.1f}", v)
        return v * v

    return np.sum(ad.vmap(each)(x))


def in_custom(x):
    @ad.custom_derivative
    def square(v):
        ad.debug_print("squared {}", v)
        return v * v

    @square.rule
    def _(v):
        return lambda dv: 2 * v * dv

    return square(x[0])


def in_checkpoint(x):
    @ad.checkpoint
    def part(v):
        ad.debug_print("part {}", v)
        return np.sin(v)

    return part(x[0]) * x[1]


def in_function(x):
    @ad.function
    def kept(v):
        ad.debug_print("kept {}", v)
        return v * v

    return kept(x[0]) + kept(x[1])


def in_inner_derivative(x):
    def f(v):
        ad.debug_print("inner {}", v)
        return v * v * x[1]

    ad.debug_print("before")
    g = ad.grad(f)(x[0])
    ad.debug_print("after {}", g)
    return g


def in_gather(x):
    def place(i):
        ad.debug_print("place {}", i)
        return (2 - i,)

    return np.sum(ad.gather(x, 3, place) * x)


EXPECTED = {
    straight: ["True", "[3. 1. 2.]", "[3. 1. 2.]"],
    in_scan: ["c = 1.0, e = 3.0", "c = 3.0, e = 1.0", "c = 3.0, e = 2.0", "last 6.0"],
    in_nested_loops: ["outer 0", "outer 1", "inner 1 0", "outer 2", "inner 2 0", "inner 2 1"],
    in_while: ["now 3.0", "now 1.5"],
    in_branches: ["big 3.0", "small 1.0", "both", "small 2.0"],
    in_build: ["at 0: 3.0", "at 1: 1.0", "at 2: 2.0"],
    in_branch_of_build: ["big 3.0", "big 2.0"],
    in_loop_of_build: ["0 3.0", "2 2.0", "0 2.0"],
    in_vmap: ["v = 3.0", "v = 1.0", "v = 2.0"],
    in_custom: ["squared 3.0"],
    in_checkpoint: ["part 3.0"],
    in_function: ["kept 3.0", "kept 1.0"],
    in_inner_derivative: ["before", "inner 3.0", "after 6.0"],
    in_gather: ["place 0", "place 1", "place 2"],
}


@pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("f", EXPECTED, ids=lambda f: f.__name__)
def test_values_print(f, interpret, capsys):
    ad.jit(f, interpret=interpret)(X)
    assert lines(capsys) == EXPECTED[f]


@pytest.mark.parametrize("f", [f for f in EXPECTED if f not in (in_function,)], ids=lambda f: f.__name__)
def test_derivatives_print_once_and_are_those_without(f, capsys, monkeypatch):
    gradient = ad.grad(f)(X)
    assert lines(capsys) == EXPECTED[f]
    hessian = None if f in (in_while, in_loop_of_build, in_nested_loops) else ad.jacfwd(ad.grad(f))(X)
    capsys.readouterr()
    value, tangent = ad.jvp(f, (X,), (X,))
    assert lines(capsys) == EXPECTED[f]
    linear_value, linear = ad.linearize(f, X)
    assert lines(capsys) == EXPECTED[f]
    np.testing.assert_allclose(linear(X), tangent)
    assert lines(capsys) == []
    monkeypatch.setattr(ad, "debug_print", lambda *args: None)

    def silent(x):
        return f(x)

    np.testing.assert_array_equal(ad.grad(silent)(X), gradient)
    assert value == linear_value == ad.jit(silent)(X)
    if hessian is not None:
        np.testing.assert_allclose(ad.jacfwd(ad.grad(silent))(X), hessian)


@pytest.mark.parametrize("f", [in_build, in_branch_of_build], ids=lambda f: f.__name__)
@pytest.mark.parametrize("chunk", [1, 2])
def test_kept_builds_print_the_same(f, chunk, capsys):
    ad.jit(f, chunk=chunk)(X)
    assert lines(capsys) == EXPECTED[f]


def test_a_condition_prints(capsys):
    assert ad.jit(in_condition_of_while)(X) == 0.75
    assert lines(capsys) == ["tested 3.0", "tested 1.5", "tested 0.75"]


def test_nothing_prints_in_an_empty_build(capsys):
    def f(x):
        return np.sum(x) + np.sum(ad.build(0, lambda i: (ad.debug_print("{}", i), x[i])[1]))

    ad.jit(f)(X)
    assert lines(capsys) == []


def test_prints_outside_of_a_trace(capsys):
    ad.debug_print("{} {}", X, 1)
    assert lines(capsys) == ["[3. 1. 2.] 1"]


WRONG_MESSAGES = [
    *("{} {}", "{x}", "{:d}", "{", "}", "{0} {}", "{7}", "{0.__class__.__mro__}", "{0[0]}", "{!r}", "{:c}"),
    *("{:>3000000000}", "{:.1000f}", "{:{}}", "{:>{0}}", "{00}", "{-1}", "{:%Y}", "{:,n}", "{:\x00<1000}"),
]


@pytest.mark.parametrize("message", WRONG_MESSAGES)
def test_messages_that_cannot_be_filled(message):
    with pytest.raises(ArgumentError, match=r"test_debug_print.py:[0-9]+: debug_print cannot fill") as caught:
        ad.jit(lambda x: (ad.debug_print(message, x), x)[1])(1.0)
    assert caught.value.hint


def test_messages_outside_of_a_trace_are_the_same_language():
    for message in ("{} {}", "{0.__class__}", "{:>3000000000}"):
        with pytest.raises(ArgumentError, match=r"debug_print cannot fill"):
            ad.debug_print(message, 1.0)
    with pytest.raises(ArgumentError, match=r"takes a message first, a str, got float"):
        ad.debug_print(1.0)


@pytest.mark.parametrize(
    "spec", ["", ".3f", ">10", "*^12.2e", "+", " g", "010.3f", ",.1f", "_.2f", "%", "#.4G"]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_formats_of_numbers(spec, dtype, capsys):
    message = "x = {0:" + spec + "} {{{1:>6}}} {2}"
    x = dtype(-1234.56789)

    def f(x, n, v):
        ad.debug_print(message, x, n, v)
        return x

    ad.jit(f)(x, 7, X)
    ad.jit(f, interpret=True)(x, 7, X)
    assert lines(capsys) == [message.format(x, 7, X)] * 2


def test_a_stream_that_fails(monkeypatch):
    class Closed:
        def write(self, text):
            raise ValueError("the stream is closed")

        def flush(self):
            pass

    f = ad.jit(lambda x: (ad.debug_print("{}", x), x)[1])
    f(1.0)
    with monkeypatch.context() as patched, pytest.raises(ValueError, match="the stream is closed"):
        patched.setattr("sys.stdout", Closed())
        f(1.0)
    assert f(2.0) == 2.0


def test_structures_and_functions_without_a_result():
    with pytest.raises(ArgumentError, match="was given a structure"):
        ad.jit(lambda x: (ad.debug_print("{}", (x, x)), x)[1])(1.0)
    with pytest.raises(TracingError, match="returns no array"):
        ad.jit(lambda x: ad.debug_print("{}", x))(1.0)
