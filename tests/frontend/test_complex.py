"""Complex arrays: NumPy's values, dtypes and errors, derivatives by their stated convention, constructs."""

from __future__ import annotations

from collections.abc import Callable
from operator import iadd, imul, ipow, isub, itruediv
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import mlirad as ad
from mlirad.errors import MliradError

xp: Any = np
RNG = np.random.default_rng(12)
Z = RNG.normal(size=(4, 6)) + 1j * RNG.normal(size=(4, 6))
W = RNG.normal(size=(4, 6)) + 1j * RNG.normal(size=(4, 6))
X = RNG.normal(size=(4, 6))
SINGLE = Z.astype(np.complex64)
HERMITIAN = Z @ Z.conj().T + np.eye(4)

ELEMENTWISE = (
    "positive negative conjugate absolute square reciprocal sqrt exp exp2 expm1 log log2 log10 log1p sin cos "
    "tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh sign rint isfinite isnan isinf "
    "logical_not real imag angle"
)
HOLOMORPHIC = (
    "negative square reciprocal sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin "
    "arccos arctan arcsinh arccosh arctanh"
)

PROGRAMS: dict[str, Callable[..., Any]] = {
    "arithmetic": lambda z, w, x: (z + w, z - x, x - z, z * x, 2j * x, z / w, x / z, z / x, 1 + z, z - 1j),
    "dtypes": lambda z, w, x: (
        x.astype(np.float32) ** z, z.astype(np.complex64) ** np.int64(3), np.float_power(z.astype("F"), 2),
        np.zeros_like(z.astype(np.complex64) ** 2), z.astype(np.complex64) ** x, *np.broadcast_arrays(z, x),
        *np.atleast_2d(z[0], x[0]), *np.meshgrid(z[0], x[0]), np.polyval(z[0, :1], x),
        np.zeros_like(2 ** z.astype(np.complex64)),
        np.full(2, np.iscomplexobj(z) and not np.isrealobj(z)), np.var(z, mean=0.5),
    ),
    "like it": lambda z, w, x: (
        np.zeros_like(z, int), np.ones_like(z, np.float32, "C"), np.ones_like(z, np.complex64, "C"),
        np.full_like(z, 2, shape=(3,)), np.full_like(z, 2, bool), np.zeros_like(np.empty_like(z, int)),
        np.ones_like(x, np.result_type(z, x)), np.ones(3, np.result_type(z.astype("F"), 1.0)),
        np.array([np.can_cast(z, x.dtype), np.can_cast(z, "F", "same_kind"), np.can_cast(x, z.dtype)]),
    ),
    "powers": lambda z, w, x: (z**0, z**3, z**-2, z**0.5, z**w, abs(x) ** z, z**x, (0 * z) ** 2.5),
    "comparisons": lambda z, w, x: (z == w, z != z, np.isclose(z, z + 1e-12), xp.array_equal(z, z)),
    "reductions": lambda z, w, x: (
        z.sum(), z.mean(0), np.sum(z, axis=(0, 1), keepdims=True), z.prod(1), np.prod(z), np.cumprod(z, 0),
        np.cumsum(z, 1), np.sum(z, 0, initial=0.5), np.sum(z, initial=2j), np.average(z, 0, np.arange(4.0)),
        np.average(z, 1, x, returned=True), np.nansum(np.where(x > 0, z, complex(0, np.nan)), 1),
        np.nansum(x, dtype=complex, initial=0.5), np.add.reduce(z, 1, initial=1), np.multiply.reduce(z),
        np.mean(x, 0, dtype=complex), np.var(z, dtype=np.complex128), z.var(0),
        np.std(z, ddof=1), np.any(z), np.count_nonzero(z), np.trace(z[:, :4]),
    ),
    "products": lambda z, w, x: (
        z @ w.T, x @ z.T, np.dot(z[0], w[0]), np.vdot(z, w), np.inner(z, x), np.outer(z[0], x[0]),
        np.tensordot(z, w, 2), np.einsum("ij,kj,k->i", z, w, z[:, 0]), np.kron(z, x),
        np.convolve(z[0], w[0]), np.correlate(z[0], w[1], "full"),
    ),
    "shapes": lambda z, w, x: (
        z.T, z.reshape(3, 8), np.moveaxis(z, 0, 1), z[1:3, ::-1], z[[0, 2]], z[None], np.roll(z, 2, 1),
        np.concatenate([z, x]), np.stack([x, w]), np.where(x > 0, z, x), np.pad(z, 1), np.tile(z, 2),
        np.pad(z, (1, 2), constant_values=(1, 2j)),
        np.pad(z, 1, "linear_ramp", end_values=1), np.diff(z, prepend=1), np.diff(x, append=2j),
        np.interp([-9.0, 0.0, 9.0], np.arange(6), z[0], left=1.0), np.logspace(0, z[0], 3),
        np.logspace(x[0], 1j, 2, base=2.0), np.add(x, x, dtype=complex), np.sqrt(x, dtype=complex),
        np.flip(z), np.diag(z[0]), np.tril(z), np.repeat(z, 2, 0), np.split(z, 2), np.diff(z), z.ravel(),
        np.take(z, [1, 2], 1), np.broadcast_to(z[0], (2, 6)), np.zeros_like(z), np.ones_like(z),
        np.full_like(z, 1j), np.zeros_like(x, dtype=complex), x.astype(complex), z.astype(np.complex64),
    ),
    "matrices": lambda z, w, x: (
        np.linalg.solve(z[:, :4], w), np.linalg.solve(z[:, :4], w[:, 0]), np.linalg.inv(w[:, :4]),
        np.linalg.norm(z), np.linalg.norm(z, axis=1), np.linalg.svd(z, compute_uv=False),
        np.linalg.matrix_power(z[:, :4], 3), np.linalg.pinv(z),
        np.linalg.cholesky(z @ z.conj().T + np.eye(4)), np.linalg.eigvalsh(z @ z.conj().T),
    ),
}  # fmt: skip


def agree(found: Any, wanted: Any, what: object, tolerance: float = 1e-10) -> None:
    """Structures of equal dtypes, shapes and, nearly, values."""
    if isinstance(wanted, list | tuple):
        assert len(found) == len(wanted)
        for k, (one, other) in enumerate(zip(found, wanted, strict=True)):
            agree(one, other, (what, k), tolerance)
        return
    one, other = np.asarray(found), np.asarray(wanted)
    assert (one.dtype, one.shape) == (other.dtype, other.shape), what
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=str(what))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_numpys(name: str) -> None:
    f = PROGRAMS[name]
    agree(ad.jit(f)(Z, W, X), f(Z, W, X), name)


LISTS: dict[str, Callable[..., Any]] = {
    "roots": lambda p: np.roots(p), "polyval": lambda p: np.polyval(p, 2.0), "fft": lambda p: np.fft.fft(p),
    "ifft": lambda p: np.fft.ifft(p), "irfft": lambda p: np.fft.irfft(p), "hfft": lambda p: np.fft.hfft(p),
    "dot": lambda p: np.dot(p, p), "vdot": lambda p: np.vdot(p, p), "norm": lambda p: np.linalg.norm(p),
    "inv": lambda p: np.linalg.inv([p[:2], p[1:]]), "eigvals": lambda p: np.linalg.eigvals([p[:2], p[1:]]),
    "solve": lambda p: np.linalg.solve([p[:2], p[1:]], p[:2]), "det": lambda p: np.linalg.det([p[:2], p[1:]]),
    "expm": lambda p: scipy.linalg.expm([p[:2], p[1:]]), "cumsum": lambda p: np.cumsum(p),
    "sqrt": lambda p: np.emath.sqrt(p), "exp": lambda p: np.exp(p),
    "einsum": lambda p: np.einsum("i,j", p, p),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::mlirad.errors.CaptureWarning")
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("kind", [list, tuple])
def test_lists_with_traced_complex_numbers(name: str, kind: Callable[..., Any]) -> None:
    def f(x: Any) -> Any:
        return LISTS[name](kind([1, x + 1j, 2 * x]))

    np.testing.assert_allclose(ad.jit(f)(2.5), f(2.5), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("z", [Z, SINGLE], ids=["complex128", "complex64"])
def test_elementwise_functions_are_numpys(z: Any) -> None:
    def f(z: Any) -> list[Any]:
        return [getattr(xp, name)(z) for name in ELEMENTWISE.split()]

    agree(ad.jit(f)(z), f(z), z.dtype, 1e-12 if z.dtype == np.complex128 else 1e-5)


def test_each_part_is_accurate_wherever_the_number_lies() -> None:
    """Parts that differ by hundreds of orders of magnitude, signed zeros on branch cuts."""
    sizes = [0.0, 1e-200, 1e-9, 0.5, 1.0, 2.0, 30.0, 1e100, 1e200]
    every = np.array([s * a + 0j for s in (1, -1) for a in sizes])
    z = np.empty((len(every), len(every)), complex)
    z.real, z.imag = every.real[:, None], every.real
    names = ["absolute", "sqrt", "tan", "tanh", "arctan", "arctanh", "arccos", "arccosh", "sign", "angle"]
    names += ["arcsin", "arcsinh"]
    # Nearer than 1e-154 to its poles, arctanh is infinite here.
    at_poles = np.isin(z, [a + b * 1e-200j for a in (1, -1) for b in (1, -1)])
    z = z[~at_poles & ~np.isin(z, [b * 1e-200 + a * 1j for a in (1, -1) for b in (1, -1)])]
    tame = z[np.abs(z.real) + np.abs(z.imag) < 1e150]

    def f(z: Any) -> list[Any]:
        return [getattr(xp, name)(z) for name in names]

    with np.errstate(all="ignore"):
        wanted, quotients = f(tame), (1 / z[z != 0], (2 + 3j) * 1e200 / z[np.abs(z) > 1e-3])
        found = ad.jit(f)(tame)
    for name, one, other in zip(names, found, wanted, strict=True):
        for part in (np.real, np.imag):
            np.testing.assert_allclose(part(one), part(other), rtol=1e-13, err_msg=name)
    one, other = ad.jit(lambda z, w: (1 / z, (2 + 3j) * 1e200 / w))(z[z != 0], z[np.abs(z) > 1e-3])
    np.testing.assert_allclose(one, quotients[0], rtol=1e-14)
    np.testing.assert_allclose(other, quotients[1], rtol=1e-14)
    small = every.real[1:5]
    np.testing.assert_allclose(ad.jit(lambda x: np.log1p(x + 0j).real)(small), np.log1p(small), rtol=1e-15)


def test_powers_of_zero() -> None:
    exponents = np.array([2.5, 0.0, 1 + 1j, 0j, -1.0, 1j])
    with np.errstate(all="ignore"):
        agree(ad.jit(lambda z, w: z**w)(0j, exponents), np.power(0j, exponents), "0**w")


def test_holomorphic_functions_have_their_derivative() -> None:
    """Against differences along both axes, which agree only for what is holomorphic."""
    z, step = Z[0], 1e-6
    functions = [getattr(xp, name) for name in HOLOMORPHIC.split()]

    def every(z: Any) -> list[Any]:
        return [f(z) for f in functions]

    images = ad.jit(lambda z: ad.jvp(every, (z,), (np.full(z.shape, 1 + 2j),))[1])(z)
    pulled = ad.jit(lambda z: [ad.grad(lambda z, f=f: np.sum(f(z)), holomorphic=True)(z) for f in functions])(
        z
    )
    for name, f, image, slope in zip(HOLOMORPHIC.split(), functions, images, pulled, strict=True):
        for direction in (1, 1j):
            differences = (f(z + step * direction) - f(z - step * direction)) / (2 * step * direction)
            np.testing.assert_allclose(slope, differences, rtol=1e-7, atol=1e-7, err_msg=name)
        np.testing.assert_allclose(image, slope * (1 + 2j), rtol=1e-12, err_msg=name)


def test_gradients_are_conjugate_to_the_direction_of_steepest_ascent() -> None:
    """df/dx - i df/dy, as JAX has it."""

    def f(z: Any, x: Any) -> Any:
        return xp.sum(xp.abs(xp.sin(z) * x) ** 2) + xp.sum((z * z.conj()).real)

    gradient, real = ad.grad(f, argnums=(0, 1))(Z, X)
    direction, step = W, 1e-6
    slope = (f(Z + step * direction, X) - f(Z - step * direction, X)) / (2 * step)
    np.testing.assert_allclose(np.sum(gradient * direction).real, slope, rtol=1e-8)
    assert real.dtype == np.float64
    agree(ad.grad(lambda z: abs(z) ** 2)(1 + 1j), np.complex128(2 - 2j), "abs2")
    check = ad.hvp(lambda z: xp.sum(xp.abs(z) ** 4), (Z,), (W,))
    slope = ad.jvp(ad.grad(lambda z: xp.sum(xp.abs(z) ** 4)), (Z,), (W,))[1]
    agree(check, slope, "hvp")


def test_pullbacks_multiply_by_the_derivative() -> None:
    z, ct = Z[0], W[0]
    value, pull = ad.vjp(lambda z: z**2, z)
    agree((value, pull(ct)[0]), (z**2, 2 * z * ct), "vjp")
    agree(ad.jit(lambda z: ad.vjp(lambda z: z**2, z)[1](ct)[0])(z), 2 * z * ct, "vjp in a trace")
    _, derivative = ad.linearize(lambda z: z**2, z)
    agree(derivative(ct), 2 * z * ct, "linearize")
    agree(derivative.T(ct), 2 * z.conj() * ct, "the transpose by real inner products")
    agree(ad.jacobian(xp.tanh, holomorphic=True)(z), np.diag(1 - np.tanh(z) ** 2), "jacobian")
    agree(ad.jacrev(xp.tanh, holomorphic=True)(z), np.diag(1 - np.tanh(z) ** 2), "jacrev")
    agree(ad.jacobian(lambda x: x**2 * 1j)(X[0]), np.diag(2j * X[0]), "of a real argument")
    ad.check_derivatives(lambda z, x: xp.cumprod(z * x)[-1], z, X[0])


def test_rules_of_custom_derivatives_have_the_same_convention() -> None:
    @ad.custom_derivative
    def cube(z: Any) -> Any:
        return z**3

    @cube.transposed_rule
    def _(z: Any) -> Any:
        return lambda ct: 3 * z**2 * ct

    agree(ad.grad(lambda z: xp.sum(cube(z)), holomorphic=True)(Z[0]), 3 * Z[0] ** 2, "custom")


def test_constructs_carry_complex_values() -> None:
    def f(z: Any, p: Any) -> Any:
        total, partial = ad.scan(lambda c, a: (c * a, c + a), 1 + 0j, z[0])
        return (
            total,
            partial,
            ad.cond(p, lambda: z * 1j, lambda: z.conj()),
            ad.while_loop(lambda c: xp.abs(c) < 100, lambda c: c * c + 1j, z[0, 0]),
            ad.vmap(lambda row: xp.sum(row) * row)(z),
            ad.build(3, lambda i: z[i, i] * 1j),
            ad.fori_loop(0, 3, lambda i, c: c.at[i].set(c[i + 1] * 2), z[0]),
        )

    total, partial, chosen, power, batch, built, looped = ad.jit(f)(Z, np.True_)
    agree(total, np.prod(Z[0]), "scan")
    agree(partial, np.concatenate([[1], np.cumprod(Z[0])[:-1]]) + Z[0], "stacked")
    agree(chosen, Z * 1j, "cond")
    expected = Z[0, 0]
    while abs(expected) < 100:
        expected = expected**2 + 1j
    agree(power, expected, "while")
    agree(batch, Z.sum(1, keepdims=True) * Z, "vmap")
    agree(built, np.diagonal(Z)[:3] * 1j, "build")
    agree(looped, np.concatenate([Z[0, 1:4] * 2, Z[0, 3:]]), "updates")


def test_calls_take_and_give_complex_values() -> None:
    constant = np.exp(1j * X)
    f = ad.jit(lambda x, z: {"z": z * constant * x, "c": z.real})
    for _ in range(3):  # the second call has a quick one where there is one
        found = f(X, Z.T.copy().T)
        agree(found["z"], Z * constant * X, "captured")
        agree(found["c"], Z.real, "real")
    agree(ad.jit(lambda c: c * 2)(3 + 4j), np.complex128(6 + 8j), "a Python number")
    agree(ad.jit(lambda z: z * 2)(SINGLE), SINGLE * 2, "complex64")
    agree(ad.jit(lambda z: z * 2, interpret=True)(Z), Z * 2, "interpreted")


def test_writes_reach_the_array_that_a_view_is_of() -> None:
    def f(z: Any, x: Any) -> Any:
        y, same = z.copy(), z * 1
        y[0] = 2j
        y.reshape(-1)[8:10] = x[0, :2]
        y.T[3] += 1j
        same.imag = x
        total, product = z.sum(0), z[0] * 1
        np.sum(z, 0, out=total)
        np.prod(z, 0, out=product)
        np.fft.fft(x[:, :4], axis=0, out=same[:, :4])
        np.abs(z[:2], out=same[:2])
        return y, same, z, total, product

    def copied(z: Any, x: Any) -> Any:
        return f(z.copy(), x)

    agree(ad.jit(copied)(Z, X), copied(Z, X), "writes")


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "sort": (lambda z: np.sort(z), "np.sort of complex arrays cannot be traced"),
    "maximum": (lambda z: np.maximum(z, 0), "np.maximum of complex arrays cannot be traced"),
    "less": (lambda z: z < 1, "np.less of complex arrays cannot be traced"),
    "vector": (
        lambda z: np.linalg.cholesky(z[0]),
        "cholesky needs square matrices in the last two dimensions, got shape (6,)",
    ),
    "outs": (lambda z: np.fft.fft(z, out=()), "np.fft.fft gives one array, got 0"),
    "astype": (lambda z: z.astype(float), "would lose its imaginary part"),
    "float": (lambda z: float(z[0, 0]), "cannot become a Python number"),
    "option": (lambda z: np.linalg.norm(z.real, ord=1 + 2j), "`ord` must be real, got (1+2j)"),
    "axis": (lambda z: np.cross(z.real, z.real, axis=1j), "`axis` must be real, got 1j"),
    "condition": (lambda z: np.where(z, 1.0, 2.0), "`condition` must be real"),
    "shift": (lambda z: np.roll(z, 1j), "`shift` must be real, got 1j"),
    "repeats": (lambda z: np.tile(z.real, 2j), "`reps` must be real, got 2j"),
    "points": (lambda z: np.interp(z, [0.0, 1.0], z[0, :2]), "`x` must be real"),
    "view": (lambda z: z.view(float), "view"),
    "element": (lambda z: z.real.__setitem__(0, 1j), "do not fit into a real array"),
    "power": (lambda z: np.linalg.matrix_power(z.real[:, :4], 1j), "`n` must be an integer, got 1j"),
    "where": (lambda z: np.add(z, z, where=1j), "np.add: `where` must be real, got 1j"),
    "dtype": (lambda z: np.equal(z.real, 1.0, dtype=complex), "np.equal of complex numbers is not of dtype"),
    "device": (lambda z: np.astype(z, np.complex64, device="gpu"), "`device` must be 'cpu' or None"),
    "keepdims": (lambda z: z.real.sum(keepdims=z), "`keepdims` must be real"),
    "out": (lambda z: np.add(z, z, out=z.real * 1), "np.add gives complex numbers, which do not fit"),
    "in place": (lambda z: iadd(z.real, 1j), "np.add gives complex numbers, which do not fit"),
    "rfft": (lambda z: np.fft.rfft(z), "rfft is of real numbers"),
    "sum": (lambda z: np.sum(z, dtype=float), "is not of dtype float64"),
    "write": (lambda z: ad.asarray(np.zeros(3)).at[0].set(z[0, 0]), "is traced and complex"),
    "grad": (lambda z: ad.grad(lambda z: xp.sum(z))(z), "a gradient is of a real one"),
    "jacobian": (lambda z: ad.jacobian(lambda z: xp.abs(z))(z), "with respect to complex arguments"),
    "real": (
        lambda z: ad.grad(lambda x: xp.sum(x * 1j), holomorphic=True)(z.real),
        "holomorphic=True is for complex results of complex arguments",
    ),
}


def test_sparse_jacobians_are_real() -> None:
    with pytest.raises(MliradError, match="a sparse Jacobian is of real numbers"):
        ad.jacobian(np.exp, sparse=True, holomorphic=True)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_of_complex_numbers_is_refused(name: str) -> None:
    f, message = REFUSED[name]
    with pytest.raises(MliradError) as caught:
        ad.jit(f)(Z)
    assert message in str(caught.value)
    assert "test_complex.py" in str(caught.value)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2)])
def test_second_derivatives_of_singular_values(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    weights = rng.normal(size=min(shape))
    start, direction = rng.normal(size=(2, 2, *shape))

    def f(x: Any) -> Any:
        return np.sum(weights * np.linalg.svd(x[0] + 1j * x[1], compute_uv=False) ** 3)

    slope = ad.grad(f)
    expected = (slope(start + 1e-6 * direction) - slope(start - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(ad.hvp(f, (start,), (direction,)), expected, rtol=1e-6, atol=1e-7)


def test_second_derivatives_of_eigenvalues() -> None:
    start, direction = np.random.default_rng(6).normal(size=(2, 2, 3, 3))

    def f(x: Any) -> Any:
        z = x[0] + 1j * x[1]
        return np.linalg.eigvalsh(z + z.conj().T) @ np.array([1.0, -2.0, 0.5])

    slope = ad.grad(f)
    expected = (slope(start + 1e-6 * direction) - slope(start - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(ad.hvp(f, (start,), (direction,)), expected, rtol=1e-6, atol=1e-7)


def _parts(s: Any, z: Any) -> Any:
    s[1:] += z[1:]
    s[0] *= z[0]
    s[::2] -= z.real[::2]
    return s


INTO_ARRAYS_OF_NUMPY: dict[str, Callable[[Any, Any], Any]] = {
    "+=": lambda s, z: iadd(s, z),
    "-=": lambda s, z: isub(s, z),
    "*=": lambda s, z: imul(s, z),
    "/=": lambda s, z: itruediv(s, z),
    "**=": lambda s, z: ipow(s, z),
    "parts": _parts,
    "out": lambda s, z: (np.exp(z, out=s), s)[1],
    "out of a function": lambda s, z: (np.cumsum(z, out=s), s)[1],
    "real numbers +=": lambda s, z: iadd(s, z.real),
}


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("name", INTO_ARRAYS_OF_NUMPY)
def test_writes_into_arrays_that_numpy_made(name: str, dtype: Any) -> None:
    write = INTO_ARRAYS_OF_NUMPY[name]
    z = np.array([0.5 + 1j, -2 + 0.3j, 1.5 - 1j])

    def function(z: Any) -> Any:
        return write(np.full(3, 2 - 1j, dtype), z.astype(dtype))

    found, expected = ad.jit(function)(z), function(z)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-13 if dtype is np.complex128 else 1e-5)
    if dtype is np.complex128:
        ad.check_derivatives(lambda z: np.sum(function(z).real + 2 * function(z).imag ** 2), z)


def test_complex_results_do_not_fit_into_real_arrays_of_numpy() -> None:
    with pytest.raises(ad.ArgumentError, match="real array"):
        ad.jit(lambda z: np.exp(z, out=np.zeros(2)))(np.ones(2, complex))
