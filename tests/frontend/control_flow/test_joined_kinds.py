"""Variables of another kind on each way: real and complex, integer and float, texts of traced values."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from tests.frontend.control_flow.differences import slope


def complex_in_one_branch(x):
    if x > 0:
        y = x * 1j
    else:
        y = x
    return np.abs(y + 1) ** 2


def complex_in_place_of_a_number(x):
    y = 2.0
    if x > 0:
        y = np.sqrt(x + 0j) * 1j
    return np.abs(y + x) ** 2


def root(x):
    if x > 0:
        return np.sqrt(x)
    return np.sqrt(-x) * 1j


def complex_result_of_a_call(x):
    return np.real(root(x) * (2 + 1j))


def complex_in_an_expression(x):
    y = x * 1j if x > 0 else x
    z = x if x > 0 else np.exp(1j * x)
    return np.abs(y + 1) ** 2 + z.real


def complex_arrays(x):
    y = np.array([1.0, 2.0]) * x
    if x > 0:
        y = y * np.array([1j, 2.0])
    return np.sum(np.abs(y - 0.5) ** 2)


def complex_after_an_iteration(x):
    y, k = x, 0
    while k < 3 and x < 5:
        y = y * (1 + 0.5j)
        k += 1
        x = x + 0.1
    return np.abs(y) ** 2


def float_in_place_of_an_integer(x):
    n = np.int64(3)
    if x > 0:
        n = x * 2.5
    return n * x


def float_array_in_place_of_integers(x):
    k = np.arange(3)
    if x > 0:
        k = k * x
    return np.sum(k * x)


FUNCTIONS = [
    complex_in_one_branch,
    complex_in_place_of_a_number,
    complex_result_of_a_call,
    complex_in_an_expression,
    complex_arrays,
    complex_after_an_iteration,
    float_in_place_of_an_integer,
    float_array_in_place_of_integers,
]


@pytest.mark.parametrize("interpret", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_and_slopes(function, interpret: bool) -> None:
    compiled = ad.value_and_grad(function, control="rewrite", interpret=interpret)
    for x in (0.6, -0.7):
        value, found = compiled(x)
        assert value == pytest.approx(function(x), rel=1e-13)
        assert found == pytest.approx(slope(function, x), rel=1e-7)


@pytest.mark.parametrize("dtype", [np.bool_, np.float32])
def test_truth_values_and_other_precisions_are_not_converted(dtype) -> None:
    def converted(x):
        y = np.array([x, 2 * x]) if x > 0 else np.ones(2, dtype)
        return np.sum(y)

    with pytest.raises(ad.DtypeError, match=f"of the false branch is {np.dtype(dtype)}"):
        ad.jit(converted, control="rewrite")(1.0)


def checked(x):
    if np.any(x < 0) or np.any(x > 9):
        is_low = np.any(x < 0)
        kind = "low" if is_low else f"high, {x.dtype!r}"
        message = f"it is {kind}."
        if is_low:
            message += " Write abs."
        raise ValueError(message)
    return x * 2


def test_texts_of_traced_values_differ_on_ways_to_an_exception() -> None:
    compiled = ad.jit(checked, control="rewrite")
    np.testing.assert_array_equal(compiled(np.ones(3)), [2, 2, 2])
    for x in (-1.0, 10.0):
        with pytest.raises(ValueError, match="it is") as caught:
            compiled(np.full(3, x))
        assert type(caught.value) is ValueError


def test_texts_of_traced_values_equal_no_other_objects() -> None:
    def asked(x):
        text = f"{x}"
        return x if text is not None and text != 1.0 and text not in (None, 2) else -x

    assert ad.jit(asked)(1.5) == 1.5

    def compared(x):
        return x if f"{x}" == "1.5" else -x

    with pytest.raises(ad.TracingError, match="what it says is not known"):
        ad.jit(compared)(1.5)
