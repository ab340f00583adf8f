"""The table of scalar meanings: complete, total, in the right dtypes, against independent witnesses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import mpmath
import numpy as np
import pytest
from xdsl.dialects.builtin import f32, f64, i1, i32, i64

from mlirad.dialects.array.elementwise import (
    ELEMENTWISE_OPS,
    PREDICATES,
    BinaryOp,
    ElementwiseOp,
    FloatTestOp,
    UnaryOp,
)
from mlirad.dialects.array.literals import NUMPY_DTYPES, numpy_dtype
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.dialects.shapes import ELEMENTS, array_type

INTS = [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 63, 64, 65, -(2**31), 2**31 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.3, -0.3, 2.5, -2.5, 1e30, -1e30, math.inf, -math.inf, math.nan]


def samples(dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "f":
        return np.array(FLOATS, dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    extremes = [] if dtype.itemsize == 4 else [-(2**63), 2**63 - 1]
    return np.array([*INTS, *extremes], dtype)


def instances() -> Iterator[tuple[str, type[ElementwiseOp], np.dtype, dict[str, object]]]:
    for op in ELEMENTWISE_OPS:
        name = op.name.removeprefix("array.")
        properties: list[dict[str, object]] = [{}]
        if name == "polygamma":
            properties = [{"order": k} for k in range(3)]
        elif name == "special":
            properties = [{"function": f} for f in ("gammainc", "airy_bi", "erfcx")]
        elif name == "compare":
            properties = [{"predicate": p} for p in PREDICATES]
        elif name == "convert":
            properties = [{"dtype": NUMPY_DTYPES[t]} for t in ELEMENTS]
        for element in op.DOMAIN:
            for p in properties:
                yield name, op, NUMPY_DTYPES[element], p


def test_the_table_is_the_dialect() -> None:
    assert set(SCALARS) == {op.name.removeprefix("array.") for op in ELEMENTWISE_OPS}
    assert set(NUMPY_DTYPES) == set(ELEMENTS)
    assert [numpy_dtype(array_type((2, 3), t)).itemsize for t in (f64, f32, i64, i32, i1)] == [8, 4, 8, 4, 1]


@pytest.mark.parametrize(("name", "op", "dtype", "properties"), list(instances()))
def test_total_quiet_typed_and_pointwise(name, op, dtype, properties) -> None:
    values = samples(dtype)
    special = SPECIAL_FUNCTIONS.get(str(properties.get("function")))
    arity = 2 if special is None else special.arity
    if issubclass(op, UnaryOp | FloatTestOp) or name == "convert" or arity == 1:
        operands = [values]
    else:
        pairs = np.meshgrid(values, values, indexing="ij")
        operands = [p.ravel() for p in pairs]
    if name == "select":
        operands = [operands[0] == operands[1], *operands]
    expected = dtype
    if name == "compare" or issubclass(op, FloatTestOp):
        expected = np.dtype(bool)
    elif name == "convert":
        expected = properties["dtype"]
    function = SCALARS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = function(*operands, **properties)
        scalars = [function(*(o[k] for o in operands), **properties) for k in range(operands[0].size)]
        empty = function(*(o[:0].reshape(0, 2) for o in operands), **properties)
    assert result.dtype == expected and result.shape == operands[0].shape
    assert empty.dtype == expected and empty.shape == (0, 2)
    assert all(isinstance(s, np.generic) and s.dtype == expected for s in scalars)
    # vector and scalar code of NumPy differ by rounding only
    np.testing.assert_allclose(np.array(scalars), result, rtol=4 * np.finfo(np.float32).eps)


def c_division(x: int, y: int) -> int:
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def wrapped(value: int, bits: int) -> int:
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


WITNESSES = {
    "add": lambda x, y, bits: x + y,
    "sub": lambda x, y, bits: x - y,
    "mul": lambda x, y, bits: x * y,
    "div": lambda x, y, bits: c_division(x, y),
    "floor_div": lambda x, y, bits: x // y if y else 0,
    "rem": lambda x, y, bits: x % y if y else 0,
    "fmod": lambda x, y, bits: x - y * c_division(x, y) if y else 0,
    "pow": lambda x, y, bits: pow(x, y, 2**bits) if y >= 0 else 0,
    "shift_left": lambda x, y, bits: x << y if 0 <= y < bits else 0,
    "shift_right": lambda x, y, bits: x >> y if 0 <= y < bits else -(x < 0),
    "max": lambda x, y, bits: max(x, y),
    "min": lambda x, y, bits: min(x, y),
    "and": lambda x, y, bits: x & y,
    "or": lambda x, y, bits: x | y,
    "xor": lambda x, y, bits: x ^ y,
}


@pytest.mark.parametrize("name", WITNESSES)
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_integers_against_python(name, dtype) -> None:
    values, bits = samples(np.dtype(dtype)), 8 * np.dtype(dtype).itemsize
    for x in values:
        result = SCALARS[name](np.full_like(values, x), values)
        expected = [wrapped(WITNESSES[name](int(x), int(y), bits), bits) for y in values]
        assert result.tolist() == expected


def test_every_integer_op_has_a_python_witness() -> None:
    binary = {op.name.removeprefix("array.") for op in ELEMENTWISE_OPS if issubclass(op, BinaryOp)}
    integers = {op.name.removeprefix("array.") for op in ELEMENTWISE_OPS if i64 in op.DOMAIN}
    assert binary & integers == set(WITNESSES)


def test_integer_unaries() -> None:
    least = np.int64(-(2**63))
    assert SCALARS["neg"](least) == least and SCALARS["abs"](least) == least
    assert SCALARS["sign"](np.array([-5, 0, 5])).tolist() == [-1, 0, 1]
    assert SCALARS["not"](np.array([0, 5])).tolist() == [-1, -6]
    assert SCALARS["not"](np.bool_(True)) == np.bool_(False)


@pytest.mark.parametrize("source", [np.float64, np.float32])
@pytest.mark.parametrize("target", [np.int64, np.int32])
def test_float_to_integer_saturates(source, target) -> None:
    info = np.iinfo(target)
    large = [1e300 if source is np.float64 else 1e38, 2.0**63, -(2.0**63), 2.0**31, -(2.0**31)]
    x = np.array([math.nan, math.inf, -math.inf, *large, 2.7, -2.7, -0.0], source)
    result = SCALARS["convert"](x, dtype=np.dtype(target))

    def expected(value: float) -> int:
        if math.isnan(value):
            return 0
        return int(min(max(mpmath.mpf(value), info.min), info.max))

    assert result.tolist() == [expected(float(v)) for v in x]


def test_other_conversions() -> None:
    booleans = SCALARS["convert"](np.array([0.0, -0.0, 0.5, np.nan]), dtype=np.dtype(bool))
    assert booleans.tolist() == [False, False, True, True]
    assert SCALARS["convert"](np.int64(2**32 + 5), dtype=np.dtype(np.int32)) == 5
    assert SCALARS["convert"](np.bool_(True), dtype=np.dtype(np.float32)) == 1
    assert SCALARS["convert"](np.float64(1e300), dtype=np.dtype(np.float32)) == np.inf


def test_float_conventions() -> None:
    nan, inf = math.nan, math.inf

    def same(result: object, expected: list[float]) -> None:
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))

    same(SCALARS["sign"](np.array([-0.0, 0.0, -3.0, inf, nan])), [-0.0, 0.0, -1, 1, nan])
    same(SCALARS["max"](np.array([nan, 1.0, 1.0]), np.array([1.0, nan, 2.0])), [nan, nan, 2])
    same(SCALARS["min"](np.array([nan, 1.0, 1.0]), np.array([1.0, nan, 2.0])), [nan, nan, 1])
    k, dx = np.array([inf, nan, inf, 2.0, -inf]), np.array([0.0, -0.0, 1.0, nan, 0.0])
    same(SCALARS["absorbing_mul"](k, dx), [0, 0, inf, nan, 0])
    same(SCALARS["round"](np.array([0.5, 1.5, 2.5, -0.5])), [0, 2, 2, -0.0])
    x, y = np.array([7.5, -7.5, 7.5, 1.0, 0.0]), np.array([2.0, 2.0, -2.0, 0.0, 0.0])
    np.testing.assert_array_equal(SCALARS["floor_div"](x, y), [3, -4, -4, inf, nan])
    np.testing.assert_array_equal(SCALARS["rem"](x, y), [1.5, 0.5, -0.5, nan, nan])
    np.testing.assert_array_equal(SCALARS["fmod"](x, y), [1.5, -1.5, 1.5, nan, nan])
    same(SCALARS["softplus"](np.array([-inf, -1000.0, 1000.0, inf])), [0, 0, 1000, inf])
    same(SCALARS["logistic"](np.array([-inf, -1000.0, 1000.0, inf])), [0, 0, 1, 1])
    same(SCALARS["hypot"](np.float64(1e200), np.float64(1e200)), math.hypot(1e200, 1e200))
    same(SCALARS["erfinv"](np.array([-1.0, 1.0, 2.0])), [-inf, inf, nan])
    same(SCALARS["lgamma"](np.array([-inf, -1.0, 0.0, inf])), [inf] * 4)


def test_select_with_a_scalar_condition() -> None:
    x, y = np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)
    result = SCALARS["select"](np.bool_(False), x, y)
    assert result.dtype == np.float32 and result.tolist() == [3, 4]


PRECISE = {
    "expm1": mpmath.expm1,
    "log1p": mpmath.log1p,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "erfinv": mpmath.erfinv,
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))),
    "logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "asinh": mpmath.asinh,
    "atanh": mpmath.atanh,
}


@pytest.mark.parametrize("name", PRECISE)
def test_special_functions_against_mpmath(name) -> None:
    bounded = name in ("log1p", "erfinv", "atanh")
    x = np.array([0.9, 0.3, 1e-9] if name == "rsqrt" or bounded else [0.9, 0.3, 1e-9, 2.7, 20.5])
    x = x if name == "rsqrt" else np.concatenate([x, -x])
    with mpmath.workdps(40):
        expected = [float(PRECISE[name](mpmath.mpf(float(v)))) for v in x]
    np.testing.assert_allclose(SCALARS[name](x), expected, rtol=1e-13)
    np.testing.assert_allclose(SCALARS[name](x.astype(np.float32)), expected, rtol=1e-4, atol=1e-40)


@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_polygamma_against_mpmath(order) -> None:
    x = np.array([0.3, 1.0, 2.5, 30.0])
    expected = [float(mpmath.psi(order, float(v))) for v in x]
    np.testing.assert_allclose(SCALARS["polygamma"](x, order=order), expected, rtol=1e-12)
