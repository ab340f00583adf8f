"""Every mistake is an error of its class, at the very line that makes it, with what to do instead.

A line that makes a mistake ends in the comment `# here`; the error must name this file and that line.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import mlirad as ad
from mlirad.tools import opt

X = np.arange(3.0)


def marked_line(function) -> int:
    lines, first = inspect.getsourcelines(function)
    (line,) = [first + k for k, text in enumerate(lines) if text.rstrip().endswith("# here")]
    return line


def fails(function, error, python_class, *words):
    """`function` runs into `error`, which is a `python_class` too, at its marked line."""
    with pytest.raises(error) as caught:
        function()
    assert isinstance(caught.value, ad.MliradError)
    assert isinstance(caught.value, python_class)
    assert caught.value.location == f"{__file__}:{marked_line(function)}"
    text = str(caught.value)
    assert text.startswith(caught.value.location + ": ")
    for word in words:
        assert word in text
    assert "hint: " in text


def gradient_of_integers():
    ad.grad(lambda n: n * 2.0)(3)  # here


def gradient_of_booleans():
    ad.grad(lambda b: np.where(b, 1.0, 2.0))(np.bool_(True))  # here


def gradient_of_an_array():
    ad.grad(np.sin)(X)  # here


def gradient_of_a_count():
    ad.grad(lambda x: np.sum(x > 0))(X)  # here


def gradient_twice_with_respect_to_one_argument():
    ad.grad(lambda x: x * x, argnums=(0, 0))(1.0)  # here


def a_function_as_result():
    def f(x):  # here
        return {"x": x, "f": np.sin}

    ad.jit(f)(1.0)


def tangents_not_in_a_tuple():
    ad.jvp(np.sin, X, X)  # here


def a_cotangent_of_another_shape():
    _, pullback = ad.vjp(np.sin, X)
    pullback(np.ones(4))  # here


def a_vector_of_another_shape():
    _, linear_map = ad.linearize(np.sin, X)
    linear_map(np.ones(4))  # here


def wrong_shapes_two_calls_down():
    def inner(x):
        return x + np.ones(4)  # here

    def outer(x):
        return np.sum(inner(np.exp(x)))

    ad.grad(outer)(X)


def wrong_shapes_inside_build_inside_a_gradient():
    def f(x):
        return np.sum(
            ad.build(
                (3,),
                lambda i: ad.grad(
                    lambda y: np.sum(y @ np.ones((2, 2)))  # here
                )(x * x[i])[0],
            )
        )

    ad.grad(f)(X)


def control_flow_on_a_traced_value():
    def f(x):
        y = np.sin(x)
        if np.sum(y) > 0:  # here
            return y
        return -y

    ad.jit(f, control="plain")(X)


def a_loop_until_convergence():
    def f(x):
        while x > 1.0:  # here
            x = x / 2
        return x

    ad.jit(f, control="plain")(10.0)


def an_assertion_on_a_traced_value():
    def f(x):
        assert np.all(x > 0)  # here
        return x

    ad.jit(f, control="plain")(X)


def a_list_made_into_an_array():
    def f(x):
        return np.array([x[0], x])  # here

    ad.grad(lambda x: np.sum(f(x)))(X)


def a_size_that_depends_on_elements():
    def f(x):
        return np.sum(np.outer(x[x > 1.0], x))  # here

    ad.grad(f)(X)


def a_leaked_value():
    kept = []
    ad.jit(lambda x: kept.append(x * 2) or x)(X)
    ad.jit(lambda x: x + kept[0])(X)  # here


def a_numpy_function_that_is_unknown():
    def f(x):
        return np.packbits(x > 0)  # here

    ad.jit(f)(X)


def text_as_an_argument():
    ad.jit(lambda x: x)(np.array(["a"]))  # here


def a_masked_array():
    ad.jit(lambda x: x)(np.ma.array([1.0], mask=[True]))  # here


def a_matrix():
    ad.jit(lambda x: x)(np.matrix([[1.0]]))  # here


MISTAKES = [
    (gradient_of_integers, ad.DifferentiationError, TypeError, "n of dtype int64", "3.0 instead of 3"),
    (gradient_of_booleans, ad.DifferentiationError, TypeError, "b of dtype bool"),
    (gradient_of_an_array, ad.DifferentiationError, TypeError, "shape (3,)", "ad.vjp"),
    (gradient_of_a_count, ad.DifferentiationError, TypeError, "int64"),
    (gradient_twice_with_respect_to_one_argument, ad.ArgumentError, TypeError, "more than once"),
    (a_function_as_result, ad.UnsupportedError, TypeError, "f returns a ufunc"),
    (tangents_not_in_a_tuple, ad.ArgumentError, TypeError, "ad.jvp(f, (x,), (dx,))"),
    (a_cotangent_of_another_shape, ad.ShapeError, ValueError, "(4,)", "(3,)"),
    (a_vector_of_another_shape, ad.ShapeError, ValueError, "(4,)", "(3,)"),
    (wrong_shapes_two_calls_down, ad.ShapeError, ValueError, "(3,)", "(4,)"),
    (wrong_shapes_inside_build_inside_a_gradient, ad.ShapeError, ValueError, "(3,)", "(2, 2)"),
    (control_flow_on_a_traced_value, ad.TracingError, TypeError, "np.where"),
    (a_loop_until_convergence, ad.TracingError, TypeError, "truth"),
    (an_assertion_on_a_traced_value, ad.TracingError, TypeError, "truth"),
    (a_list_made_into_an_array, ad.ShapeError, ValueError, "shape"),
    (a_size_that_depends_on_elements, ad.TracingError, TypeError, "np.where"),
    (a_leaked_value, ad.TracingError, TypeError, "has ended", "return it"),
    (a_numpy_function_that_is_unknown, ad.UnsupportedError, TypeError, "np.packbits"),
    (text_as_an_argument, ad.DtypeError, TypeError, "argument x", "float64"),
    (a_masked_array, ad.DtypeError, TypeError, "MaskedArray"),
    (a_matrix, ad.DtypeError, TypeError, "matrix", "np.asarray"),
]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case[0].__name__)
def test_mistake(case):
    fails(*case)


MALFORMED = {
    "no end": ("func.func @f(%x: f64) -> f64 {\n  func.return %x : f64\n", ":3:1: "),
    "unknown op": ("func.func @f(%x: f64) -> f64 {\n  %y = array.frobnicate %x : f64\n", ":2:"),
    "undefined": (
        "func.func @f(%x: f64) -> f64 {\n  %y = array.exp %z : f64\n  func.return %y : f64\n}",
        ":2:18: error: %z is not defined",
    ),
    "wrong type": (
        "func.func @f(%x: f64) -> f64 {\n  %y = array.exp %x : i64\n  func.return %y : i64\n}",
        ":2:",
    ),
    "returns": ("func.func @f(%x: f64) -> i64 {\n  func.return %x : f64\n}", ":2:3: error: "),
    "breaks a rule": (
        "func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {\n"
        "  %y = array.sum %x {dims = [1]} : tensor<3xf64> -> tensor<3xf64>\n"
        "  func.return %y : tensor<3xf64>\n}",
        ":2:8: error: ",
    ),
    "binary": ("\x00\x01\x02", ":1:1: error: "),
    "nothing closes": ("(" * 5000, ":1:"),
    "huge literal": (
        "func.func @f() -> tensor<999999999999xf64> {\n"
        "  %y = array.constant dense<0.0> : tensor<999999999999xf64>\n"
        "  func.return %y : tensor<999999999999xf64>\n}",
        ":2:",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_text_is_one_line_with_its_place(name, tmp_path, capsys):
    text, expected = MALFORMED[name]
    file = tmp_path / "program.mlir"
    file.write_text(text)
    assert opt.main([str(file)]) == 1
    printed = capsys.readouterr()
    assert f"{file}{expected}" in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""
