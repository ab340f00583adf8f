"""Partial derivatives of orthogonal polynomials, of Kelvin functions and of what is near these, as numbers.

    FAMILY_PARTIALS["eval_legendre"](n, x, r)      NaN, and differences of values of P_n around x

They share nothing with the formulas of the compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mlirad.dialects.array.special_functions import OF_WHOLE, SPECIAL_FUNCTIONS
from mlirad.dialects.array.special_values import special_values
from mlirad.interpreter.arrays import Array

_STEP: Final = 1e-3


def _by_differences(name: str, k: int, *operands: Array) -> Array:
    """The derivative in one argument, by eight values, accurate to some 1e-10."""
    known = SPECIAL_FUNCTIONS[name]
    h = _STEP * np.maximum(np.abs(operands[k]), 1e-2)

    def moved(d: Array) -> Array:
        arguments = [np.asarray(x + d if j == k else x) for j, x in enumerate(operands)]
        return special_values(known.loop, *arguments)[known.output]

    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    found = sum((w * (moved(j * h) - moved(-j * h)) for j, w in weights), np.zeros_like(h))
    return found / h


def _numerically(name: str, which: tuple[int, ...]) -> Callable[..., Any]:
    def partials(*given: Array) -> tuple[Array, ...]:
        operands, result = given[:-1], given[-1]
        missing = np.full_like(result, np.nan)
        return tuple(
            _by_differences(name, k, *operands) if k in which else missing for k in range(len(operands))
        )

    return partials


def _polynomials() -> dict[str, Callable[..., Any]]:
    names = ("legendre", "chebyt", "chebyu", "gegenbauer", "jacobi", "genlaguerre")
    found = [f"{prefix}eval_{name}" for name in names for prefix in ("", OF_WHOLE)]
    found += [f"{OF_WHOLE}eval_hermite", f"{OF_WHOLE}eval_hermitenorm"]
    return {name: _numerically(name, (SPECIAL_FUNCTIONS[name].arity - 1,)) for name in found}


_OF_X: Final = (
    "ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip", "itj0y0_j", "itj0y0_y", "it2j0y0_j",
    "it2j0y0_y", "iti0k0_i", "iti0k0_k", "it2i0k0_i", "it2i0k0_k", "itstruve0", "it2struve0", "itmodstruve0",
    "itairy_ai", "itairy_bi", "itairy_ai_below", "itairy_bi_below", "pbwa_w", "pbwa_wp", "lpmv",
    "pbdv_d", "pbdv_dp", "pbvv_v", "pbvv_vp", "wright_bessel", "log_wright_bessel",
)  # fmt: skip

_WAVES: Final = (*(f"mathieu_{name}" for name in ("cem", "sem", "modcem1", "modcem2", "modsem1", "modsem2")),)
_VALUES: Final = ("mathieu_a", "mathieu_b")
"""Mathieu functions, by x, and their characteristic values, by q."""

_OF_LAST: Final = (*_OF_X, *_VALUES, *(f"{name}_{k}" for name in _WAVES for k in ("y", "yp")))

_OF_FIRST: Final = ("besselpoly", "tklmbda")

_OF_ALL: Final = (
    "stdtrit", "gdtrib", "btdtria", "btdtrib", "elliprf", "elliprg", "pdtrik", "bdtrik", "bdtrin", "nbdtrik",
    "nbdtrin", "stdtridf", "fdtridfd",
)  # fmt: skip

FAMILY_PARTIALS: Final[dict[str, Callable[..., Any]]] = {
    **_polynomials(),
    **{name: _numerically(name, (SPECIAL_FUNCTIONS[name].arity - 1,)) for name in _OF_LAST},
    **{name: _numerically(name, (0,)) for name in _OF_FIRST},
    **{name: _numerically(name, tuple(range(SPECIAL_FUNCTIONS[name].arity))) for name in _OF_ALL},
}
"""The factors of a function by its name, from arguments and value; NaN for those without derivative."""
