"""SciPy on traced values: what is loaded when, and what to write for functions that are no ufuncs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.errors import DifferentiationError, TracingError
from mlirad.ir.parsing import parse_module
from tests.passes.derivatives import differentiated

X = np.array([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]])


def test_importing_mlirad_leaves_scipy_special_alone():
    code = "import sys, mlirad; print('scipy.special' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


WRITTEN = {
    special.logsumexp: lambda a, axis: np.logaddexp.reduce(a, axis=axis),
    special.softmax: lambda x, axis: np.exp(x - np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis)),
    special.log_softmax: lambda x, axis: x - np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis),
}


@pytest.mark.parametrize("function", WRITTEN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("axis", [0, 1])
def test_what_the_hint_says_is_the_function(function, axis):
    with pytest.raises(TracingError, match=rf"SciPy's {function.__name__} works on NumPy arrays") as error:
        ad.jit(lambda x: function(x, axis=axis))(X)
    assert "np.logaddexp.reduce" in error.value.hint
    written = ad.jit(lambda x: WRITTEN[function](x, axis))
    np.testing.assert_allclose(written(X), function(X, axis=axis), rtol=1e-14)


def test_a_function_without_a_hint():
    with pytest.raises(TracingError, match="SciPy's polygamma works on NumPy arrays"):
        ad.jit(lambda x: special.polygamma(2, x))(X)


def test_polygamma_has_a_highest_order():
    text = """func.func @f(%x: f64) -> f64 {
      %y = array.polygamma %x {order = ORDER} : f64
      func.return %y : f64
    }"""
    differentiated(parse_module(text.replace("ORDER", "99")), "f", (0,), "reverse")
    with pytest.raises(DifferentiationError, match="polygamma of order 101 is beyond what floats hold"):
        differentiated(parse_module(text.replace("ORDER", "100")), "f", (0,), "reverse")
