"""Guards of arrays: every change of a bit is seen, in every order of elements and every dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mlirad.jit.array_guards import SMALL, ArrayGuard, have_same_bits
from mlirad.jit.guard_kinds import ARRAY, CALL
from mlirad.jit.guards import Guards

Array = npt.NDArray[Any]

DTYPES = ["f8", "f4", "f2", "i8", "u1", "?", "c16", "c8", "S3", "U2", "U5", "M8[s]", ">f8", "i4,f8"]

ORDERS: dict[str, Callable[[Array], Array]] = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "permuted": lambda a: a.reshape(a.shape[0], -1, 2).transpose(1, 0, 2),
    "strided": lambda a: a[::2, 1::3],
    "reversed": lambda a: a[:, ::-1],
}


@pytest.mark.parametrize("rows", [6, 600])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_changed_bit_is_seen_and_its_return_as_well(dtype: str, order: str, rows: int):
    rng = np.random.default_rng(rows)
    nbytes = np.dtype(dtype).itemsize
    bits: Array = rng.integers(0, 2 if dtype == "?" else 50, (rows, 12 * nbytes)).astype(np.uint8)
    array = ORDERS[order](bits.view(dtype))
    guard = ArrayGuard(array)
    hold = Guards([guard]).hold
    assert hold()
    assert guard.holds()
    element = array[tuple(slice(k, k + 1) for k in rng.integers(array.shape).tolist())]
    kept = element.copy()
    byte = element.ctypes.data - bits.ctypes.data + int(rng.integers(nbytes))
    bits.reshape(-1)[byte] ^= 1
    assert not hold()
    assert not guard.holds()
    element[...] = kept
    assert hold()
    assert guard.holds()


@pytest.mark.parametrize("rows", [4, SMALL])
def test_zeros_of_either_sign_differ_and_equal_nans_are_the_same(rows: int):
    zeros, nans = np.zeros((rows, 2))[:, 0], np.full((rows, 2), np.nan)[:, 0]
    assert not have_same_bits(zeros, -zeros)
    assert not have_same_bits(nans, -nans)
    assert have_same_bits(nans, nans.copy())
    assert have_same_bits(zeros + 1j, zeros + 1j)
    assert not have_same_bits(zeros + 1j, zeros + 2j)


def test_elements_that_lie_together_are_compared_by_machine_code():
    a = np.ones((40, 30))
    kinds = {name: ArrayGuard(of(a)).words([])[0][0] for name, of in ORDERS.items()}
    assert kinds == {"whole": ARRAY, "transposed": ARRAY, "permuted": CALL, "strided": CALL, "reversed": CALL}
