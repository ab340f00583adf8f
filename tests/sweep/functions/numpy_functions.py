"""NumPy's elementwise functions and operators, by the functions of mpmath that they are."""

# ruff: noqa: E501

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp, mpf

from tests.sweep.case import Case
from tests.sweep.conventions import CONSTANT, EXPONENT, OVERFLOW, RECIPROCAL

LINE, HALF_LINE, UNIT = (-math.inf, math.inf), (0.0, math.inf), (-1.0, 1.0)


def ufunc(name: str, exact: Callable[..., Any], **kw: Any) -> Case:
    """A ufunc of one argument."""
    return Case(name=f"np.{name}", call=getattr(np, name), exact=exact, **kw)


def _zero(x: Any) -> Any:
    return mpf(0)


INFINITIES = (math.inf, -math.inf)
WHOLE = tuple(float(n) for n in range(-3, 4))
HALVES = tuple(n / 2 for n in range(-6, 7))

ONE_ARGUMENT = (
    ufunc("negative", lambda x: -x),
    ufunc("positive", lambda x: x),
    ufunc("conjugate", lambda x: x),
    ufunc("absolute", abs, knots=(0.0,)),
    ufunc("fabs", abs, knots=(0.0,)),
    ufunc("exp", mp.exp, usual=(-20, 20)),
    ufunc("exp2", lambda x: mp.power(2, x), usual=(-20, 20)),
    ufunc("expm1", mp.exp, usual=(-20, 20)),
    ufunc("log", mp.log, usual=(0, 20), domain=HALF_LINE),
    ufunc("log2", lambda x: mp.log(x) / mp.log(2), usual=(0, 20), domain=HALF_LINE),
    ufunc("log10", lambda x: mp.log(x) / mp.log(10), usual=(0, 20), domain=HALF_LINE),
    ufunc("log1p", mp.log1p, usual=(-0.9, 20), domain=(-1.0, math.inf)),
    ufunc("sqrt", mp.sqrt, usual=(0, 20), domain=HALF_LINE),
    ufunc("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), usual=(-20, 20)),
    ufunc("square", lambda x: x * x),
    ufunc("reciprocal", lambda x: 1 / x),
    ufunc("sin", mp.sin, usual=(-20, 20)),
    ufunc("cos", mp.cos, usual=(-20, 20)),
    ufunc("tan", mp.tan, usual=(-1.5, 1.5), special=(math.pi / 2, 1.5707)),
    ufunc("arcsin", mp.asin, usual=UNIT, domain=UNIT, special=(1 - 1e-12, 0.5, -0.5)),
    ufunc("arccos", mp.acos, usual=UNIT, domain=UNIT, special=(1 - 1e-12, 0.5, -0.5)),
    ufunc("arctan", mp.atan),
    ufunc("sinh", mp.sinh, usual=(-20, 20)),
    ufunc("cosh", mp.cosh, usual=(-20, 20)),
    Case(name="np.tanh", call=np.tanh, slope=lambda x: mp.sech(x) ** 2,
         special=(5.0, 8.0, 9.0, 15.0, 19.0, 30.0, 100.0, 300.0, 350.0, -8.0, -19.0)),
    ufunc("arcsinh", mp.asinh),
    ufunc("arccosh", mp.acosh, usual=(1, 20), domain=(1.0, math.inf), special=(1 + 1e-12,)),
    ufunc("arctanh", mp.atanh, usual=UNIT, domain=UNIT, special=(1 - 1e-12, 0.5, -0.5)),
    ufunc("deg2rad", lambda x: x * mp.pi / 180),
    ufunc("radians", lambda x: x * mp.pi / 180),
    ufunc("rad2deg", lambda x: x * 180 / mp.pi),
    ufunc("degrees", lambda x: x * 180 / mp.pi),
    *(ufunc(name, _zero, knots=HALVES) for name in ("sign", "floor", "ceil", "rint", "trunc", "spacing")),
    Case(name="np.modf", call=lambda x: np.modf(x)[0], exact=lambda x: x - mp.floor(x), knots=WHOLE, exponents=(-330, 15)),
    Case(name="np.frexp", call=lambda x: np.frexp(x)[0], exact=lambda x: mp.frexp(x)[0], domain=HALF_LINE,
         knots=tuple(2.0**n for n in range(-30, 30)), stated={EXPONENT: (0.0, math.inf)}),
    Case(name="np.fix", call=np.fix, exact=_zero, knots=WHOLE),
    Case(name="np.round", call=np.round, exact=_zero, knots=HALVES),
    Case(name="np.sinc", call=np.sinc, exact=lambda x: mp.sinc(mp.pi * x), exponents=(-330, 15),
         special=(1e-3, 1e-4, 1e-5, 1e-6, 1e-20, 0.3, 0.5, 1.5)),
    Case(name="np.i0", call=np.i0, exact=lambda x: mp.besseli(0, x), exponents=(-330, 2), special=(8.0, 500.0, 700.0), slow=True,
         stated={OVERFLOW: (710.0, -710.0)}),
    Case(name="np.nan_to_num", call=np.nan_to_num, exact=lambda x: x, stated={CONSTANT: INFINITIES}),
    Case(name="np.real", call=np.real, exact=lambda x: x),
    Case(name="np.abs of a complex number", call=lambda x: np.abs(x + 0.5j), exact=lambda x: mp.hypot(x, mpf(1) / 2)),
    Case(name="np.angle", call=np.angle, exact=_zero, knots=(0.0,)),
    Case(name="np.unwrap", call=np.unwrap, exact=lambda x: x, exponents=(-330, -1), usual=(-0.5, 0.5), domain=(-1.0, 1.0)),
)  # fmt: skip

# Two arguments ------------------------------------------------------------------------------------

EXPONENTS = tuple((float(v),) for v in (-2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 7, 1 / 3))
BASES = tuple((v,) for v in (1e-30, 0.5, 1.0, 2.0, 1e30))
SIZES = tuple((v,) for v in (0.0, 1e-30, 1e-5, 1.0, 1e10, 1e30))


def of_first(name: str, exact: Callable[..., Any], others: Any, **kw: Any) -> Case:
    """A ufunc of two arguments, by the first."""
    return Case(name=f"np.{name}", call=getattr(np, name), exact=exact, others=others, **kw)


def of_second(name: str, exact: Callable[..., Any], others: Any, **kw: Any) -> Case:
    """The same by the second argument, which `exact` takes first."""
    function = getattr(np, name)
    return Case(
        name=f"np.{name}", argument=1, call=lambda y, x: function(x, y), exact=exact, others=others, **kw
    )


def _power(x: Any, c: Any) -> Any:
    """Powers of negative numbers are real where the exponent is whole."""
    if c == 0:
        return mpf(1)
    return x ** int(c) if c == int(c) else mp.power(x, c)


def _whole_or_positive(c: float) -> tuple[float, float]:
    return LINE if c == int(c) else HALF_LINE


def _atan2_slope(first: Any, second: Any) -> Any:
    return second / (first * first + second * second)


def _softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x))


def _logistic(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def _has_no_reciprocal_square(dtype: type[np.floating], y: float, c: float) -> bool:
    info = np.finfo(dtype)
    return y != 0 and not float(info.smallest_normal) < 1 / y / y < float(info.max)


THREE = ((3.0,), (1e-30,), (1e30,))
SHIFTS = ((0.0,), (1.0,), (-1000.0,), (1000.0,))
AROUND = (30.0, 36.0, 37.0, 50.0, 100.0, 300.0, 700.0, -30.0, -37.0, -100.0, -700.0)

TWO_ARGUMENTS = (
    of_first("add", lambda x, c: x + c, THREE),
    of_second("add", lambda x, c: x + c, THREE),
    of_first("subtract", lambda x, c: x - c, THREE),
    of_second("subtract", lambda x, c: c - x, THREE),
    of_first("multiply", lambda x, c: x * c, THREE),
    of_second("multiply", lambda x, c: x * c, THREE),
    of_first("divide", lambda x, c: x / c, THREE),
    of_second("divide", lambda x, c: c / x, ((3.0,), (1e-30,), (1e30,)), regions={RECIPROCAL: _has_no_reciprocal_square}),
    *(of_first(name, _power, EXPONENTS, usual=(0, 10), domain=_whole_or_positive) for name in ("power", "float_power")),
    *(of_second(name, lambda y, c: mp.power(c, y), BASES, usual=(-10, 10)) for name in ("power", "float_power")),
    of_first("hypot", mp.hypot, SIZES, knots=lambda c: () if c else (0.0,)),
    of_second("hypot", mp.hypot, SIZES, knots=lambda c: () if c else (0.0,)),
    Case(name="np.arctan2", call=np.arctan2, slope=_atan2_slope, others=(*SIZES, (-1.0,)), knots=(0.0,)),
    Case(name="np.arctan2", argument=1, call=lambda x, y: np.arctan2(y, x), slope=lambda x, y: -_atan2_slope(x, y),
         others=(*SIZES, (-1.0,)), knots=lambda c: () if c else (0.0,)),
    *(Case(name=f"np.{name}", argument=k, call=lambda x, c, name=name, k=k: getattr(np, name)(*((x, c), (c, x))[k]),
           slope=lambda x, c, scale=scale: _logistic((x - c) * scale()), others=SHIFTS, usual=(-20, 20), special=AROUND)
      for name, scale in (("logaddexp", lambda: mpf(1)), ("logaddexp2", lambda: mp.log(2))) for k in (0, 1)),
    *(Case(name=f"np.{name}", argument=k, call=lambda x, c, name=name, k=k: getattr(np, name)(*((x, c), (c, x))[k]),
           exact=exact, others=((0.0,), (1.0,)), knots=lambda c: (c,))
      for name, exact in (("maximum", max), ("minimum", min), ("fmax", max), ("fmin", min)) for k in (0, 1)),
    of_first("copysign", lambda x, c: abs(x) * mp.sign(c), ((1.0,), (-2.0,)), knots=(0.0,)),
    of_second("copysign", _zero_of_two := lambda y, c: mpf(0), ((1.0,), (-2.0,)), knots=(0.0,)),
    of_first("remainder", lambda x, c: x - c * mp.floor(x / c), ((3.3,), (-2.3,)), usual=(-3, 3), exponents=(-330, 15),
             knots=(0.0,)),
    of_second("remainder", lambda y, c: c - y * mp.floor(c / y), ((7.3,), (-7.3,)), exponents=(-6, 300)),
    of_first("fmod", lambda x, c: x - c * mp.sign(x / c) * mp.floor(abs(x / c)), ((3.3,), (-2.3,)), exponents=(-330, 15)),
    of_second("fmod", lambda y, c: c - y * mp.sign(c / y) * mp.floor(abs(c / y)), ((7.3,), (-7.3,)), exponents=(-6, 300)),
    of_first("floor_divide", _zero_of_two, ((3.3,), (-2.3,)), knots=(0.0,), exponents=(-330, 0), usual=(0.1, 0.9)),
    of_second("floor_divide", _zero_of_two, ((3.3,),), exponents=(1, 300), usual=(4, 9), domain=(3.4, math.inf)),
    of_first("heaviside", _zero_of_two, ((0.5,),), knots=(0.0,)),
    Case(name="np.heaviside", argument=1, call=lambda y, x: np.heaviside(x, y), exact=lambda y, x: y if x == 0 else mpf(0),
         others=((0.0,), (1.0,))),
    of_first("nextafter", lambda x, c: x, ((0.5,),), stated={CONSTANT: INFINITIES}),
    of_second("nextafter", _zero_of_two, ((0.5,), (-2.0,))),
    Case(name="np.ldexp", call=lambda x: np.ldexp(x, 10), exact=lambda x: x * 1024),
    Case(name="np.clip", call=lambda x: np.clip(x, 0.0, 1.0), exact=lambda x: min(max(x, mpf(0)), mpf(1)), knots=(0.0, 1.0)),
)  # fmt: skip

# Operators ----------------------------------------------------------------------------------------


def power_of(number: float) -> Case:
    """A power by a number, which is products, roots and quotients."""
    domain = _whole_or_positive(number)
    return Case(
        name=f"x ** {number}", call=lambda x: x**number, exact=lambda x: _power(x, mpf(number)), usual=(0, 10), domain=domain
    )  # fmt: skip


OPERATORS = tuple(power_of(number) for number in (-7, -3, -2, -1.5, -1, -0.5, 0.5, 1.5, 2, 3, 4, 7, 40))

CASES: tuple[Case, ...] = (*ONE_ARGUMENT, *TWO_ARGUMENTS, *OPERATORS)
"""Every elementwise function of NumPy that has derivatives."""
