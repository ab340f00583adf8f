"""Orthogonal polynomials of `scipy.special`: orders that are integers have loops of their own.

eval_legendre(3, x)        array.special whole_eval_legendre, by SciPy's recurrence
eval_legendre(2.5, x)      array.special eval_legendre, a hypergeometric function
"""

from __future__ import annotations

from functools import partial
from typing import Final

from mlirad.dialects.array.special_functions import OF_WHOLE
from mlirad.dialects.shapes import Value, element_of, is_float
from mlirad.frontend.numpy_functions.meanings.special_ops import Meaning, special
from mlirad.ir.arrays import ArrayBuilder


def _of_order(name: str, b: ArrayBuilder, n: Value, *others: Value) -> Value:
    return special(b, name if is_float(n) else f"{OF_WHOLE}{name}", n, *others)


def _laguerre(b: ArrayBuilder, n: Value, x: Value) -> Value:
    return _of_order("eval_genlaguerre", b, n, b.zeros(x.type), x)


def _chebyc(b: ArrayBuilder, n: Value, x: Value) -> Value:
    return b.scaled(_of_order("eval_chebyt", b, n, b.scaled(x, 0.5)), 2.0)


def _chebys(b: ArrayBuilder, n: Value, x: Value) -> Value:
    return _of_order("eval_chebyu", b, n, b.scaled(x, 0.5))


def _shifted(x: Value, b: ArrayBuilder) -> Value:
    return b.sub(b.scaled(x, 2.0), b.splat(1.0, x.type))


def _of_unit_interval(name: str, b: ArrayBuilder, n: Value, x: Value) -> Value:
    return _of_order(name, b, n, _shifted(x, b))


def _jacobi_of_unit_interval(b: ArrayBuilder, n: Value, p: Value, q: Value, x: Value) -> Value:
    one, order = b.splat(1.0, x.type), b.convert(n, element_of(p))
    found = _of_order("eval_jacobi", b, n, b.sub(p, q), b.sub(q, one), _shifted(x, b))
    total = b.sub(b.add(b.scaled(order, 2.0), p), one)
    return b.div(found, special(b, "binom", total, order))


ORTHOGONAL_POLYNOMIALS: Final[dict[str, Meaning]] = {
    **{
        f"eval_{name}": partial(_of_order, f"eval_{name}")
        for name in (
            "legendre", "chebyt", "chebyu", "gegenbauer", "jacobi", "genlaguerre", "hermite", "hermitenorm",
        )
    },
    "eval_laguerre": _laguerre,
    "eval_chebyc": _chebyc,
    "eval_chebys": _chebys,
    "eval_sh_legendre": partial(_of_unit_interval, "eval_legendre"),
    "eval_sh_chebyt": partial(_of_unit_interval, "eval_chebyt"),
    "eval_sh_chebyu": partial(_of_unit_interval, "eval_chebyu"),
    "eval_sh_jacobi": _jacobi_of_unit_interval,
}  # fmt: skip
"""The meanings, by the names of ufuncs."""
