"""The functions of libraries that do nothing but compute their results from their arguments.

"sum" in PURE["numpy"]           True
"savetxt" in PURE["numpy"]       False: it writes a file

A trace is remembered for other processes only if all that code of the program names in a library is listed
here: whatever else it may read or do, a process that does not trace would miss. A name that is missing costs
a trace, a name that is wrong gives stale results.
"""

from __future__ import annotations

from typing import Final

_NUMPY: Final = """
abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis apply_over_axes arange
arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around
array array_equal array_equiv array_split asanyarray asarray ascontiguousarray asfortranarray asin asinh
astype atan atan2 atanh atleast_1d atleast_2d atleast_3d average bartlett bincount bitwise_and bitwise_count
bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman block
broadcast_arrays broadcast_shapes broadcast_to can_cast cbrt ceil choose clip column_stack common_type
compress concat concatenate conj conjugate convolve copy copysign copyto corrcoef correlate cos cosh
count_nonzero cov cross cumprod cumsum cumulative_prod cumulative_sum deg2rad degrees delete diag
diag_indices diag_indices_from diagflat diagonal diff digitize divide divmod dot dsplit dstack ediff1d
einsum empty empty_like equal exp exp2 expand_dims expm1 extract eye fabs fill_diagonal fix flatnonzero flip
fliplr flipud float_power floor floor_divide fmax fmin fmod frexp full full_like gcd geomspace gradient
greater greater_equal hamming hanning heaviside histogram histogram_bin_edges hsplit hstack hypot i0
identity imag indices inner insert interp intersect1d invert isclose iscomplex iscomplexobj isfinite isin
isinf isnan isneginf isposinf isreal isrealobj isscalar issubdtype ix_ kaiser kron lcm ldexp left_shift less
less_equal lexsort linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
logical_xor logspace matmul matrix_transpose matvec max maximum mean median meshgrid min minimum mod modf
moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin
nanpercentile nanprod nanquantile nanstd nansum nanvar ndim negative nextafter nonzero not_equal ones
ones_like outer pad partition percentile permute_dims piecewise place poly polyadd polyder polyfit polyint
polymul polysub polyval positive pow power prod promote_types ptp put put_along_axis putmask quantile
rad2deg radians ravel ravel_multi_index real real_if_close reciprocal remainder repeat reshape resize
result_type right_shift rint roll rollaxis rot90 round searchsorted select setdiff1d setxor1d shape sign
signbit sin sinc sinh size sort split sqrt square squeeze stack std subtract sum swapaxes take
take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices tril_indices_from
triu triu_indices triu_indices_from true_divide trunc union1d unique unravel_index unstack unwrap vander var
vdot vecdot vecmat vsplit vstack where zeros zeros_like bool bool_ complex128 complex64 complexfloating
dtype float16 float32 float64 floating generic inexact int16 int32 int64 int8 int_ integer intp ndarray
number signedinteger uint16 uint32 uint64 uint8 unsignedinteger e euler_gamma inf nan newaxis pi True_
False_ fft linalg
"""

_LINALG: Final = """
cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power
matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv
tensorsolve trace vecdot vector_norm
"""

_FFT: Final = """
fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq
rfftn
"""

_SPECIAL: Final = """
agm airy airye beta betainc betaincc betainccinv betaincinv betaln binom boxcox boxcox1p cbrt chdtr chdtrc
comb cosdg cosm1 cotdg dawsn digamma ellipe ellipeinc ellipj ellipk ellipkinc ellipkm1 entr erf erfc erfcinv
erfcx erfi erfinv exp1 exp10 exp2 expi expit expm1 expn exprel factorial fdtr fdtrc fresnel gamma gammainc
gammaincc gammainccinv gammaincinv gammaln gammasgn gdtr gdtrc huber hyp0f1 hyp1f1 hyp2f1 hyperu i0 i0e i1
i1e inv_boxcox inv_boxcox1p iv ive j0 j1 jv k0 k0e k1 k1e kl_div kn kv kve lambertw log1p log_expit log_ndtr
log_softmax loggamma logit logsumexp modstruve multigammaln ndtr ndtri ndtri_exp owens_t pdtr pdtrc perm
poch polygamma powm1 pseudo_huber psi radian rel_entr rgamma round shichi sici sindg softmax spence
spherical_in spherical_jn spherical_kn spherical_yn stdtr struve tandg wrightomega xlog1py xlogy y0 y1 yn yv
zeta zetac
"""

_SCIPY_LINALG: Final = """
block_diag cho_factor cho_solve cholesky det eig eigh eigvals eigvalsh expm fractional_matrix_power inv logm
lstsq lu_factor lu_solve norm pinv polar qr schur signm solve solve_banded solve_circulant
solve_continuous_lyapunov solve_discrete_lyapunov solve_lyapunov solve_sylvester solve_toeplitz
solve_triangular solveh_banded sqrtm svd svdvals toeplitz
"""

_BUILTINS: Final = """
abs all any bool complex dict divmod enumerate filter float frozenset int isinstance issubclass len list map
max min pow range repr reversed round set slice sorted str sum tuple zip Ellipsis NotImplemented
ArithmeticError AssertionError IndexError KeyError NotImplementedError OverflowError RuntimeError TypeError
ValueError ZeroDivisionError
"""

_MATH: Final = """
acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2
expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp
lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau
trunc ulp
"""

_OPERATOR: Final = """
abs add and_ concat contains eq floordiv ge getitem gt index inv invert is_ is_not le lshift lt matmul mod
mul ne neg not_ or_ pos pow rshift sub truediv truth xor
"""

_MLIRAD: Final = """
Array asarray bincount build case checkpoint cond convolution debug_print extract fixed_point fold fori_loop
gather grad hessian hvp index intersect1d jacfwd jacobian jacrev jet jit jvp lambda_ left linear_solve
linearize map minimize nonzero numpy odeint right root scan scatter setdiff1d setxor1d stack stop_gradient
sum_of switch union1d unique value_and_grad vjp vmap where while_loop
"""

PURE: Final[dict[str, frozenset[str]]] = {
    name: frozenset(text.split())
    for name, text in {
        "builtins": _BUILTINS,
        "math": _MATH,
        "operator": _OPERATOR,
        "functools": "partial reduce",
        "numpy": _NUMPY,
        "numpy.linalg": _LINALG,
        "numpy.fft": _FFT,
        "scipy": "linalg special",
        "scipy.special": _SPECIAL,
        "scipy.linalg": _SCIPY_LINALG,
        "mlirad": _MLIRAD,
    }.items()
}
"""The names of each module, those of its modules in it included."""

_UNSEEN: Final = frozenset(("ctypes", "data", "dump", "dumps", "tofile"))
"""Attributes of arrays by which their elements get out of the process, or out of sight."""

_FRAMES: Final = ("__", "ag_", "co_", "cr_", "f_", "gi_", "tb_")
"""The beginnings of attributes by which code gets at other code, and at its variables."""


def is_plain_attribute(name: str) -> bool:
    """Return whether reading an attribute of this name of a value does nothing, and shows nothing but the
    value.
    """
    return name not in _UNSEEN and not name.startswith(_FRAMES)
