"""Every elementwise op, compiled in a nest over a vector, against its scalar meaning."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.special

import mlirad as ad
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import NUMPY_DTYPES
from mlirad.dialects.array.scalars import SCALARS
from mlirad.lower.llvm.elementary import ELEMENTARY
from tests.lower.emission import TYPES, check, run, tensor

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.25, -1e-3, 1e300, -1e300, 1e-300, np.inf, -np.inf, np.nan]
INTEGERS = [0, 1, -1, 2, -7, 31, 32, 63, 64, 100, -(2**31), 2**31 - 1, -(2**63), 2**63 - 1]
EXPLICIT = ("array.select", "array.compare", "array.convert")
FEATURES = [None, "x86-64-v3", "baseline"]


def samples(dtype: str) -> npt.NDArray[Any]:
    """Special and ordinary values of an element type."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype.startswith("float"):
        with np.errstate(all="ignore"):
            return np.array(FLOATS).astype(dtype)
    return np.unique(np.array(INTEGERS).astype(dtype))


def nest(name: str, types: list[str], result: str, size: int, schedule: str, properties: str = "") -> str:
    """A function that applies one op to vectors."""
    keyword, braced = (properties, "") if name in ("array.compare", "array.special") else ("", properties)
    arguments = ", ".join(f"%x{k}: {tensor((size,), t)}" for k, t in enumerate(types))
    names = ", ".join(f"%x{k}" for k in range(len(types)))
    loads = "\n".join(
        f"    %a{k} = kernel.load %x{k}[%i] : {tensor((size,), t)} -> {TYPES[t]}" for k, t in enumerate(types)
    )
    operands = ", ".join(f"%a{k}" for k in range(len(types)))
    signature = ", ".join(TYPES[t] for t in types) + f" -> {TYPES[result]}"
    if len(set(types)) == 1 and result == types[0] and name not in EXPLICIT:
        signature = TYPES[result]
    output = tensor((size,), result)
    return f"""
func.func @main({arguments}) -> {output} {{
  %y = kernel.nest {names} (%i) {{space = [{size}], reduction = []{schedule}}}
    : {", ".join(tensor((size,), t) for t in types)} -> {output} {{
{loads}
    %r = {name} {keyword} {operands} {braced} : {signature}
    array.yield %r : {TYPES[result]}
  }}
  func.return %y : {output}
}}"""


def cases() -> list[Any]:
    """Each op with its operand types, result type, properties as text and as keywords."""
    found: list[Any] = []
    for op in ew.ELEMENTWISE_OPS:
        name = op.name.removeprefix("array.")
        dtypes = [NUMPY_DTYPES[t].name for t in op.DOMAIN]
        for dtype in dtypes:
            if name == "compare":
                for predicate in ew.PREDICATES:
                    found.append((name, [dtype] * 2, "bool", predicate, {"predicate": predicate}))
            elif name == "convert":
                for to in TYPES:
                    found.append((name, [dtype], to, "", {"dtype": np.dtype(to)}))
            elif name == "select":
                found.append((name, ["bool", dtype, dtype], dtype, "", {}))
            elif name == "polygamma":
                found.append((name, [dtype], dtype, "{order = 1}", {"order": 1}))
            elif name == "special":
                found.append((name, [dtype] * 2, dtype, "gammainc", {"function": "gammainc"}))
                found.append((name, [dtype], dtype, "airy_bip", {"function": "airy_bip"}))
            elif issubclass(op, ew.FloatTestOp):
                found.append((name, [dtype], "bool", "", {}))
            else:
                arity = 2 if issubclass(op, ew.BinaryOp) else 1
                found.append((name, [dtype] * arity, dtype, "", {}))
    return [pytest.param(*c, id=f"{c[0]}-{'-'.join(c[1])}-{c[2]}{c[3]}") for c in found]


SIGN_OF_ZERO_IS_OPEN = ("max", "min", "absorbing_mul")
"""The ops that state so."""


def require_equal(name: str, got: npt.NDArray[Any], want: npt.NDArray[Any]) -> None:
    """Equality: exact, except for elementary functions, which differ from NumPy's in the last places."""
    if name in ELEMENTARY and name not in ("sign", "floor", "ceil", "round", "trunc", "sqrt"):
        rtol = 2e-6 if got.dtype == np.float32 else 1e-14
        scale = 1e3 if name in ("lgamma", "polygamma") else 10
        bound = ELEMENTARY[name].ulp * float(np.finfo(got.dtype).eps) if got.dtype.kind == "f" else 0.0
        np.testing.assert_allclose(got, want, rtol=max(rtol * scale, bound), atol=0)
    else:
        np.testing.assert_array_equal(got, want)
        if got.dtype.kind == "f" and name not in SIGN_OF_ZERO_IS_OPEN:
            known = ~np.isnan(got)
            np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(want)[known])


@pytest.mark.parametrize(("name", "types", "result", "properties", "keywords"), cases())
def test_op(name: str, types: list[str], result: str, properties: str, keywords: dict[str, Any]) -> None:
    values = [samples(t) for t in types]
    columns = [
        np.array(c, t) for c, t in zip(zip(*itertools.product(*values), strict=True), types, strict=True)
    ]
    if name.endswith("_slope"):
        columns[1] = np.asarray(SCALARS[name.removesuffix("_slope")](columns[0]))
    want = np.asarray(SCALARS[name](*columns, **keywords))
    size = len(columns[0])
    for schedule in ("", ", lane = 0"):
        text = nest(f"array.{name}", types, result, size, schedule, properties)
        (got,) = run(text, *columns)
        require_equal(name, got, want)


OPS_OF_EACH_KIND = [
    ("array.mul", ["float64"] * 2, "float64", ""),
    ("array.exp", ["float32"], "float32", ""),
    ("array.fmod", ["float64"] * 2, "float64", ""),
    ("array.pow", ["int32"] * 2, "int32", ""),
    ("array.floor_div", ["int64"] * 2, "int64", ""),
    ("array.compare", ["float32"] * 2, "bool", "lt"),
    ("array.select", ["bool", "float64", "float64"], "float64", ""),
    ("array.xor", ["bool", "bool"], "bool", ""),
]


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("size", [0, 1, 3, 7, 8, 9, 17, 64])
def test_extents_widths_and_processors(size: int, features: str | None) -> None:
    random = np.random.default_rng(size)
    for (name, types, result, properties), width in zip(
        OPS_OF_EACH_KIND,
        ("", ", width = 2", ", width = 4", "", ", width = 16", "", ", width = 32", ""),
        strict=True,
    ):
        arguments = [random.integers(-9, 9, size).astype(t) for t in types]
        text = nest(name, types, result, size, f", lane = 0{width}", properties)
        check(text, *arguments, features=features, rtol=1e-6)


@pytest.mark.parametrize("name", ["tanh", "logistic"])
def test_a_function_and_its_slope_are_computed_from_one_exponential(name: str) -> None:
    function = {"tanh": np.tanh, "logistic": scipy.special.expit}[name]
    x = np.concatenate([np.linspace(-1000, 1000, 41), [1e-300, -0.0, np.inf, -np.inf, np.nan]])
    text = ad.value_and_grad(lambda x: np.sum(function(x))).llvm(x)
    defined = {
        line.partition("(")[0].split("@")[1] for line in text.splitlines() if line.startswith("define")
    }
    shared = {"tanh": "half_expm1", "logistic": "exp"}[name]
    assert {n.split(".")[1] for n in defined if n.startswith("mlirad.")} == {shared}
    slope = np.asarray(ad.grad(lambda x: np.sum(function(x)))(x))
    want = np.asarray(SCALARS[f"{name}_slope"](x, function(x)))
    np.testing.assert_allclose(slope, want, rtol=1e-14, atol=3e-308)
