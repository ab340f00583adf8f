"""Factorisations and triangular systems in native code: their definitions, and NumPy's results."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mlirad.dialects.array.factorisations import PARTS
from mlirad.jit.call import NativeFunction
from tests.lower.emission import tensor
from tests.lower.loops import check, function, lowered

RNG = np.random.default_rng(3)
DTYPES = ["float64", "float32"]
SIZES = [1, 3, 8, 9, 40]
"""Written out up to 8 rows, computed by LAPACK beyond."""


def matrices(shape: tuple[int, ...], dtype: str, seed: int = 0) -> npt.NDArray[Any]:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def parts(kind: str, x: npt.NDArray[Any], *, checks: bool = False) -> dict[str, npt.NDArray[Any]]:
    """All parts of a factorisation, found in one kernel and, without checks, in guarded memory."""
    rows, columns = x.shape[-2:]
    least, dtype = min(rows, columns), str(x.dtype)
    shapes: dict[str, tuple[tuple[int, ...], str]] = {
        "factors": ((rows, rows), dtype),
        "pivots": ((rows,), "int64"),
        "permutation": ((rows,), "int64"),
        "factor": ((rows, rows), dtype),
        "orthogonal": ((rows, least), dtype),
        "triangular": ((least, columns), dtype),
        "values": ((least, 2) if kind == "eig" else (least,), dtype),
        "vectors": ((rows, rows, 2) if kind == "eig" else (rows, rows), dtype),
        "left": ((rows, least), dtype),
        "right": ((least, columns), dtype),
    }
    types = [tensor((*x.shape[:-2], *shapes[p][0]), shapes[p][1]) for p in PARTS[kind]]
    operand = tensor(x.shape, dtype)
    keywords = [""] if kind == "cholesky" else PARTS[kind]
    lines = [
        f"%r{k} = array.{kind} {part} %x : {operand} -> {t}"
        for k, (part, t) in enumerate(zip(keywords, types, strict=True))
    ]
    results = ", ".join(f"%r{k}" for k in range(len(types)))
    text = "\n".join(
        [
            f"func.func @f(%x: {operand}) -> ({', '.join(types)}) {{",
            *lines,
            f"func.return {results} : {', '.join(types)}\n}}",
        ]
    )
    module = function(text)
    if checks:
        native = NativeFunction(lowered(module, checks=True)[1])
    else:
        native = NativeFunction(lowered(module)[1], debug=True)
    found = native(x)
    return dict(zip(PARTS[kind], found, strict=True))


def tolerance(dtype: str) -> float:
    return 1e-12 if dtype == "float64" else 1e-4


def close(x: Any, y: Any, dtype: str) -> None:
    np.testing.assert_allclose(x, y, rtol=tolerance(dtype), atol=10 * tolerance(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_lu(n: int, dtype: str) -> None:
    a = matrices((2, n, n), dtype)
    found = parts("lu", a)
    lower = np.tril(found["factors"], -1) + np.eye(n, dtype=dtype)
    rows = np.take_along_axis(a, found["permutation"][..., None], axis=1)
    close(lower @ np.triu(found["factors"]), rows, dtype)
    assert (np.abs(lower) <= 1).all(), "a pivot is not the largest element"
    order = np.tile(np.arange(n), (2, 1))
    for member in range(2):
        for k, other in enumerate(found["pivots"][member]):
            order[member, [k, other]] = order[member, [other, k]]
    np.testing.assert_array_equal(order, found["permutation"])


@pytest.mark.parametrize("n", [3, 9])
def test_lu_of_a_singular_matrix_has_a_zero_pivot(n: int) -> None:
    a = np.ones((n, n))
    assert (np.diagonal(parts("lu", a)["factors"]) == 0).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_cholesky_reads_the_lower_triangle(n: int, dtype: str) -> None:
    a = matrices((2, n, n), dtype)
    s = a @ a.swapaxes(1, 2) + np.eye(n, dtype=dtype)
    garbage = s + np.triu(np.full((n, n), np.nan, dtype), 1)
    found = parts("cholesky", np.where(np.tri(n, dtype=bool), s, garbage))["factor"]
    close(found, np.linalg.cholesky(s), dtype)
    assert (np.triu(found, 1) == 0).all()


@pytest.mark.parametrize("n", [3, 9])
@pytest.mark.parametrize("what", ["negative", "nan"])
def test_cholesky_of_a_matrix_that_is_not_positive_definite_is_nan(n: int, what: str) -> None:
    s = np.stack([np.eye(n)] * 3)
    s[1, -1, -1] = -1 if what == "negative" else np.nan
    found = parts("cholesky", s)["factor"]
    np.testing.assert_array_equal(found[[0, 2]], s[[0, 2]])
    assert np.isnan(np.extract(np.tri(n, dtype=bool), found[1])).all()
    assert (np.triu(found[1], 1) == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (12, 5), (5, 12)])
def test_qr_and_svd_are_numpys(shape: tuple[int, int], dtype: str) -> None:
    a = matrices((2, *shape), dtype)
    q, r = np.linalg.qr(a)
    found = parts("qr", a)
    close(found["orthogonal"], q, dtype)
    close(found["triangular"], r, dtype)
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    found = parts("svd", a)
    close(found["values"], s, dtype)
    close((found["left"] * s[:, None, :]) @ found["right"], a, dtype)
    close(np.abs(found["left"]), np.abs(u), dtype)
    close(np.abs(found["right"]), np.abs(vt), dtype)


@pytest.mark.parametrize("checks", [False, True])
@pytest.mark.parametrize("n", [1, 3, 20])
def test_complex_matrices_as_pairs(n: int, checks: bool) -> None:
    """Triangles that LAPACK does not read, or does not write, are those of rows."""
    z = RNG.normal(size=(2, n, n)) + 1j * RNG.normal(size=(2, n, n))
    hermitian = z @ z.conj().swapaxes(1, 2) + np.eye(n)
    matrix = tensor((2, n, n, 2), "float64")
    text = f"""func.func @f(%z: {matrix}, %h: {matrix}) -> ({matrix}, {matrix}, {matrix}) {{
      %l = array.cholesky %h {{complex}} : {matrix}
      %x = array.triangular_solve %z, %h {{upper, transposed, complex}} : {matrix}, {matrix} -> {matrix}
      %q = array.qr orthogonal %z {{complex}} : {matrix}
      func.return %l, %x, %q : {matrix}, {matrix}, {matrix}
    }}"""
    native = NativeFunction(lowered(function(text), checks=checks)[1], debug=not checks)
    given = (np.stack([x.real, x.imag], -1) for x in (z, np.tril(hermitian)))
    factor, solved, q = (x[..., 0] + 1j * x[..., 1] for x in native(*given))
    np.testing.assert_allclose(factor, np.linalg.cholesky(hermitian), rtol=1e-10, atol=1e-11)
    expected = np.linalg.solve(np.triu(z).conj().swapaxes(1, 2), np.tril(hermitian))
    np.testing.assert_allclose(solved, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(q, np.linalg.qr(z)[0], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 4, 30])
def test_eigh_reads_the_lower_triangle(n: int, dtype: str) -> None:
    a = matrices((2, n, n), dtype)
    s = (a + a.swapaxes(1, 2)) / 2
    found = parts("eigh", np.tril(s) + np.triu(np.full((n, n), 7, dtype), 1))
    close(found["values"], np.linalg.eigvalsh(s), dtype)
    scaled = found["vectors"] * found["values"][:, None, :]
    close(scaled @ found["vectors"].swapaxes(1, 2), s, dtype)


@pytest.mark.parametrize("kind", PARTS)
def test_checked_code_computes_the_same(kind: str) -> None:
    a = matrices((2, 9, 9), "float64")
    s = a @ a.swapaxes(1, 2) + np.eye(9)
    plain, checked = parts(kind, s), parts(kind, s, checks=True)
    for part, value in plain.items():
        np.testing.assert_array_equal(checked[part], value)


@pytest.mark.parametrize("kind", ["eigh", "svd", "eig", "schur"])
def test_what_is_not_found_is_nan(kind: str) -> None:
    found = parts(kind, np.full((9, 9), np.nan))
    assert all(np.isnan(part).all() for part in found.values())


@pytest.mark.parametrize("flags", ["", "upper", "transposed", "upper, transposed", "unit", "upper, unit"])
@pytest.mark.parametrize(("n", "columns"), [(1, 1), (3, 1), (3, 9), (9, 1), (9, 3)])
def test_triangular_systems(n: int, columns: int, flags: str) -> None:
    t, b = tensor((2, n, n), "float64"), tensor((2, n, columns), "float64")
    text = f"""
    func.func @f(%t: {t}, %b: {b}) -> {b} {{
      %x = array.triangular_solve %t, %b {"{" + flags + "}" if flags else ""} : {t}, {b} -> {b}
      func.return %x : {b}
    }}"""
    matrix = matrices((2, n, n), "float64") / n + 2 * np.eye(n)
    right = matrices((2, n, columns), "float64", 1)
    used = np.triu(matrix) if "upper" in flags else np.tril(matrix)
    if "unit" in flags:
        used = used * (1 - np.eye(n)) + np.eye(n)
    if "transposed" in flags:
        used = used.swapaxes(1, 2)
    other = np.tri(n, k=-1, dtype=bool)
    matrix[:, other if "upper" in flags else other.T] = np.nan
    expected = np.linalg.solve(used, right)
    for native in (
        NativeFunction(lowered(function(text))[1], debug=True),
        NativeFunction(lowered(function(text), checks=True)[1]),
    ):
        np.testing.assert_allclose(native(matrix, right)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("n", [3, 12])
def test_row_numbers_are_read_returned_sorted_and_captured(n: int) -> None:
    """They have 32 bits in memory where all that happens to them is that elements are read."""
    a, p, r = f"tensor<4x{n}x{n}xf64>", f"tensor<4x{n}xi64>", f"tensor<{n}xi64>"
    header = f"func.func @f(%x: {a}) -> "
    permutation = f"%p = array.lu permutation %x : {a} -> {p}"
    x = matrices((4, n, n), "float64")
    read = check(
        f"""{header}({r}, tensor<4xi64>) {{
      {permutation}
      %1 = array.constant 1 : i64
      %w = array.index %p[%1] : {p} -> {r}
      %c, %v = array.scan %1 (%k, %d: i64) {{carries = 1, length = 4}} : i64 -> (i64, tensor<4xi64>) {{
        %e = array.index %p[%k, %d] : {p} -> i64
        array.yield %e, %e : i64, i64
      }}
      func.return %w, %v : {r}, tensor<4xi64>
    }}""",
        x,
    )
    kept = check(
        f"""{header}({p}, {p}, {p}, {p}) {{
      {permutation}
      %q = array.lu pivots %x : {a} -> {p}
      %s = array.add %p, %q : {p}
      %t = array.sort %p {{dim = 1}} : {p}
      func.return %p, %q, %s, %t : {p}, {p}, {p}, {p}
    }}""",
        x,
    )
    assert all(any(op.name == "array.convert" for op in f.body.block.walk()) for f in (read, kept))
