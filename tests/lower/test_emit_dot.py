"""Contractions by BLAS, in every orientation, against einsum."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.errors import CompileError, VerifyError
from tests.lower.emission import check, run, tensor

CASES = [
    ((4, 5), (5, 3), ((), ()), ((1,), (0,)), "ab,bc->ac"),
    ((5, 4), (5, 3), ((), ()), ((0,), (0,)), "ba,bc->ac"),
    ((4, 5), (3, 5), ((), ()), ((1,), (1,)), "ab,cb->ac"),
    ((5, 4), (3, 5), ((), ()), ((0,), (1,)), "ba,cb->ac"),
    ((4, 5), (5,), ((), ()), ((1,), (0,)), "ab,b->a"),
    ((5, 4), (5,), ((), ()), ((0,), (0,)), "ba,b->a"),
    ((5,), (5, 3), ((), ()), ((0,), (0,)), "b,bc->c"),
    ((5,), (3, 5), ((), ()), ((0,), (1,)), "b,cb->c"),
    ((5,), (5,), ((), ()), ((0,), (0,)), "b,b->"),
    ((4,), (3,), ((), ()), ((), ()), "a,c->ac"),
    ((2, 4, 5), (2, 5, 3), ((0,), (0,)), ((2,), (1,)), "nab,nbc->nac"),
    ((4, 2, 5), (5, 2, 3), ((1,), (1,)), ((2,), (0,)), "anb,bnc->nac"),
    ((2, 3, 4, 5), (2, 3, 5), ((0, 1), (0, 1)), ((3,), (2,)), "mnab,mnb->mna"),
    ((2, 4, 5, 6), (5, 6, 3), ((), ()), ((2, 3), (0, 1)), "xabd,bdc->xac"),
    ((2, 5), (2, 5), ((0,), (0,)), ((1,), (1,)), "nb,nb->n"),
    ((4, 0), (0, 3), ((), ()), ((1,), (0,)), "ab,bc->ac"),
    ((0, 2), (2, 3), ((), ()), ((1,), (0,)), "ab,bc->ac"),
    ((1, 5), (5, 3), ((), ()), ((1,), (0,)), "ab,bc->ac"),
    ((4, 1), (1, 1), ((), ()), ((1,), (0,)), "ab,bc->ac"),
    ((60, 70), (70, 50), ((), ()), ((1,), (0,)), "ab,bc->ac"),
]


def program(case: tuple, shape: tuple[int, ...], dtype: str, extra: str = "") -> str:
    """A function of one contraction."""
    x, y, batch, contract, _ = case
    a, b, z = tensor(x, dtype), tensor(y, dtype), tensor(shape, dtype)
    return f"""
func.func @main(%x: {a}, %y: {b}) -> {z} {{
  %z = kernel.dot %x, %y {{lhs_batch = {list(batch[0])}, rhs_batch = {list(batch[1])},
    lhs_contract = {list(contract[0])}, rhs_contract = {list(contract[1])}{extra}}} : {a}, {b} -> {z}
  func.return %z : {z}
}}"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("case", CASES, ids=[f"{c[4]}-{c[0]}" for c in CASES])
def test_contractions(case: tuple, dtype: str) -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=case[0]).astype(dtype), random.normal(size=case[1]).astype(dtype)
    want = np.einsum(case[4], x, y)
    rtol = 1e-5 if dtype == "float32" else 1e-12
    got = run(program(case, want.shape, dtype), x, y)[0]
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)
    if want.ndim == 2:
        check(program(case, want.shape, dtype, ", layouts = [[1, 0]]"), x, y, rtol=rtol)


@pytest.mark.parametrize("blocks", [(2, 2), (3, 2), (1, 3), (100, 2), (2, 100), (16, 32)])
@pytest.mark.parametrize("case", [c for c in CASES if not c[2][0]], ids=lambda c: f"{c[4]}-{c[0]}")
def test_blocks_of_rows_and_columns(case: tuple, blocks: tuple[int, int]) -> None:
    """The last blocks may be smaller, and one block may be all."""
    random = np.random.default_rng(1)
    x, y = random.normal(size=case[0]), random.normal(size=case[1])
    want = np.einsum(case[4], x, y)
    stated = f", parallel = {blocks[0]}, columns = {blocks[1]}"
    check(program(case, want.shape, "float64", stated), x, y, rtol=1e-12)
    if want.ndim == 2:
        stated = f"{stated}, layouts = [[1, 0]]"
        check(program(case, want.shape, "float64", stated), x, y, rtol=1e-12)


@pytest.mark.parametrize("stated", [", columns = 2", ", parallel = 2, columns = 0"])
def test_blocks_that_are_none(stated: str) -> None:
    with pytest.raises(VerifyError, match="blocks of"):
        run(program(CASES[0], (4, 3), "float64", stated), np.ones((4, 5)), np.ones((5, 3)))


def test_what_is_no_matrix_is_refused() -> None:
    case = ((2, 4, 5), (5, 2), ((), ()), ((0, 2), (1, 0)), "")
    with pytest.raises(CompileError, match="laid out as matrices"):
        run(program(case, (4,), "float64"), np.ones((2, 4, 5)), np.ones((5, 2)))
    case = ((4, 5), (5, 3), ((), ()), ((1,), (0,)), "")
    with pytest.raises(VerifyError, match="left operand must be a scalar or static array of f64, f32, got"):
        run(program(case, (4, 3), "int64"), np.ones((4, 5), int), np.ones((5, 3), int))
