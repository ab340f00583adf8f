"""The layout of objects that the fast entry relies on holds here."""

import inspect
import sys

import numpy as np
import pytest

from mlirad.jit import object_layout


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="describes CPython")
def test_the_layout_is_the_known_one() -> None:
    assert object_layout.is_layout_known()
    assert object_layout.numpy_function("PyArray_Type") == id(np.ndarray)
    assert object_layout.python_function("PyTuple_New") != 0
    with pytest.raises(AttributeError):
        object_layout.python_function("PyNo_Such")


def test_another_interpreter_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "name", "other")
    assert not inspect.unwrap(object_layout.is_layout_known)()
