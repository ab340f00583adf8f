"""The namespace that the conformance suite is given: what its arrays and functions do is what NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance import namespace
from tests.conformance.array import Array
from tests.conformance.differences import difference

X = np.array([[2.0, -1.0, 0.5], [1.0, 4.0, 0.0]])


def _updated(xp: Any, x: Any) -> Any:
    x[0, 1] = 7.0
    x += 1
    return x


CALLS: dict[str, Any] = {
    "operators": lambda xp, x: 1 - x @ x.T**2,
    "in place": _updated,
    "a position": lambda xp, x: x[1, ::2],
    "a mask": lambda xp, x: x[x > 0.7],
    "arrays in lists": lambda xp, x: xp.concat([x, xp.zeros((1, 3))]),
    "several results": lambda xp, x: xp.linalg.slogdet(x[:, :2]),
    "lengths by elements": lambda xp, x: [*xp.nonzero(x), *xp.unique_all(xp.stack([x, x]))],
    "complex numbers": lambda xp, x: xp.fft.rfft(x),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_programs_with_the_results_of_numpy(name: str) -> None:
    found, expected = CALLS[name](namespace, Array(X.copy())), CALLS[name](np, X.copy())
    several = found if isinstance(found, list | tuple) else [found]
    assert all(isinstance(x, Array) for x in several)
    for one, other in zip(several, expected if several is found else [expected], strict=True):
        np.testing.assert_allclose(one.value, other, rtol=1e-14)
        assert one.dtype == other.dtype


def test_what_is_no_array_stays_what_it_is() -> None:
    x = namespace.asarray(X)
    assert namespace.result_type(x, namespace.float32) == np.float64
    assert not namespace.can_cast(x, namespace.float32)
    assert x.__array_namespace__() is namespace
    if hasattr(np, "__array_namespace_info__"):  # since NumPy 2.1
        assert set(namespace.__array_namespace_info__().dtypes()) == set(namespace.DTYPES)


def test_a_deliberate_difference_is_one_of_the_suites_complex_special_cases() -> None:
    infinite = "test_unary[exp(real(x_i) is +infinity and imag(x_i) is +0) -> infinity + 0j]"
    assert difference(f"array_api_tests.test_special_cases::{infinite}")
    assert not difference("array_api_tests.test_special_cases::test_unary[exp(x_i is -infinity) -> +0]")
    assert not difference("array_api_tests.test_fft::test_rfft")
