"""Elements of traced arrays that constants alone decide: Python has them while a function is traced."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportUnknownLambdaType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
import mlirad.numpy as mnp


def counts():
    """A traced array of integers, which is written: [3, 1, 2]."""
    found = mnp.ones(3, int)
    found[0] = 3
    found[2] += 1
    return found


KNOWN = {
    "truth": lambda x: x * 2 if counts()[0] > 2 and np.all(counts() > 0) else x,
    "truth of several": lambda x: x if np.any(counts() == 7) else -x,
    "position": lambda x: x * [1.0, 2.0, 3.0, 4.0][counts()[0]],
    "position in an array": lambda x: x * np.arange(5.0)[counts()[2]],
    "range": lambda x: sum(x**k for k in range(counts()[0])),
    "float": lambda x: x * float(counts()[0]) + int(counts()[2]),
    "shape": lambda x: np.sum(np.broadcast_to(x, (counts()[0], counts()[2]))),
    "shape by an array": lambda x: np.sum(np.full(counts()[1:], x) * 2),
    "slice": lambda x: np.sum((x * np.arange(5.0))[counts()[1] : counts()[0]]),
    "sorted": lambda x: x * np.sort(counts())[1].item(),
    "view": lambda x: x if counts()[::2].max() == 3 else -x,
}


@pytest.mark.parametrize("control", ["plain", "rewrite"])
@pytest.mark.parametrize("name", KNOWN)
def test_what_constants_decide(name: str, control: str) -> None:
    function = KNOWN[name]
    value, slope = ad.value_and_grad(function, control=control)(1.5)
    assert value == pytest.approx(function(1.5), rel=1e-14)
    assert slope == pytest.approx((function(1.5 + 1e-6) - function(1.5 - 1e-6)) / 2e-6, rel=1e-8)


def _written(y, x):
    y[1] = x
    return y


UNKNOWN = {
    "an argument": lambda x: x if counts()[0] * x > 2 else -x,
    "written": lambda x: x if _written(counts(), x)[1] > 0 else -x,
    "behind a branch": lambda x: x if ad.cond(x > 0, lambda: 1, lambda: 2) > 1 else -x,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_arguments_decide(name: str) -> None:
    with pytest.raises(ad.TracingError, match="is not known while the function is traced"):
        ad.jit(UNKNOWN[name], control="plain")(1.5)


def test_loops_change_what_was_known() -> None:
    def summed(x, n):
        k = mnp.zeros((), int)
        total = 0.0
        while k < n:
            total = total + x ** (2 if k % 2 == 0 else 3)
            k = k + 1
        return total

    compiled = ad.jit(summed, control="rewrite")
    for n in (0, 1, 4, 7):
        assert compiled(0.5, n) == pytest.approx(summed(0.5, n), rel=1e-14)


def test_large_arrays_are_not_computed() -> None:
    with pytest.raises(ad.TracingError, match="is not known while the function is traced"):
        ad.jit(lambda x: x if np.sum(np.sin(ad.asarray(np.arange(1e4)))) > 0 else -x, control="plain")(1.5)
