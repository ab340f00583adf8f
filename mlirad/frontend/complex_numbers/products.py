"""Functions that are linear in each of several operands: contractions, and convolutions.

np.matmul(a + ib, c + id)      (ac - bd) + i (ad + bc), each a matmul of parts
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlirad.frontend.complex_numbers.partwise import complex_part
from mlirad.frontend.numpy_functions.linear_algebra.einsum import in_letters
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import Parts, as_complex, paired, parts


def multilinear(function: Callable[..., Any], operands: Sequence[Any], conjugated: Sequence[int] = ()) -> Any:
    """A function of several operands, linear in each; those at `conjugated` are conjugated."""
    sums: list[Any] = [None, None]

    def collect(taken: list[Any], rest: Sequence[Parts], turns: int) -> None:
        """Add the product of one part of every operand; i^turns is its factor."""
        if not rest:
            value = function(*taken)
            is_minus, place = turns % 4 >= 2, turns % 2
            known = sums[place]
            if known is None:
                sums[place] = -value if is_minus else value
            else:
                sums[place] = known - value if is_minus else known + value
            return
        (real, imag), *others = rest
        collect([*taken, real], others, turns)
        if imag is not None:
            collect([*taken, imag], others, turns + 1)

    found = [parts(x) for x in operands]
    for k in conjugated:
        real, imag = found[k]
        found[k] = real, None if imag is None else -imag
    collect([], found, 0)
    real, imag = sums
    return real if imag is None else paired(real, imag)


def _of(*conjugated: int) -> Callable[..., Any]:
    """Return a wrapper that applies a function of two operands and conjugates some of them."""

    def apply(function: Callable[..., Any], a: Any, b: Any, *rest: Any, **options: Any) -> Any:
        def product(x: Any, y: Any) -> Any:
            return function(x, y, *rest, **options)

        return multilinear(product, (a, b), conjugated)

    return apply


def _einsum(function: Callable[..., Any], *operands: Any, dtype: Any = None, **options: Any) -> Any:
    subscripts, arrays = in_letters(operands)
    if dtype is not None:
        options["dtype"] = complex_part("np.einsum", dtype)
    if len(arrays) == 1:  # which may be a view
        z = as_complex(arrays[0])
        return ComplexArray(*(function(subscripts, part, **options) for part in (z.real, z.imag)))
    return multilinear(lambda *taken: function(subscripts, *taken, **options), arrays)


def _multi_dot(function: Callable[..., Any], arrays: Any, **options: Any) -> Any:
    return multilinear(lambda *taken: function(list(taken), **options), list(arrays))


PRODUCTS: dict[Any, Callable[..., Any]] = {
    np.matmul: _of(),
    np.dot: _of(),
    np.inner: _of(),
    np.outer: _of(),
    np.tensordot: _of(),
    np.kron: _of(),
    np.cross: _of(),
    np.convolve: _of(),
    np.correlate: _of(1),
    np.vdot: _of(0),
    np.einsum: _einsum,
    np.linalg.multi_dot: _multi_dot,
    **{
        getattr(np, name): _of(*conjugated)
        for name, conjugated in (("vecdot", (0,)), ("matvec", ()), ("vecmat", (0,)))
        if hasattr(np, name)
    },
    **{
        getattr(np.linalg, name): _of()
        for name in ("matmul", "outer", "tensordot", "cross")
        if hasattr(np.linalg, name)
    },
    **{getattr(np.linalg, name): _of(0) for name in ("vecdot",) if hasattr(np.linalg, name)},
}
"""The functions that are products, each with what applies it."""
