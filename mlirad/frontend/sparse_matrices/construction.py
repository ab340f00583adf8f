"""Functions and classes of `scipy.sparse` that make matrices of traced values.

    csr_array((values, indices, indptr), shape=shape)      coo_array((values, (rows, columns)))
    diags_array([main, side], offsets=[0, 1])              block_array([[a, b], [None, c]])
    kron(a, b)

Where values stand is known. A traced dense array is a block with an entry in each place, but no matrix by
itself, as it does not show which of its elements are 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from mlirad.errors import MliradError
from mlirad.frontend.sparse_matrices.entries import Entries
from mlirad.frontend.sparse_matrices.numbering import Numbering
from mlirad.frontend.sparse_matrices.objects import (
    Sparse,
    class_of,
    converted,
    entries_of,
    holds_traced,
    is_array,
    is_sparse,
    is_traced_matrix,
    matrix_of,
    numbered,
    plain_class,
    restored,
    traced,
    traced_like,
)
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import argument_error, tracing_error, unsupported_error
from mlirad.packages import scipy_module


def _said(name: str, make: Callable[[], Sparse]) -> Sparse:
    """The result of a function; errors that SciPy raises name the user's line."""
    try:
        return make()
    except MliradError:
        raise
    except (ValueError, TypeError, IndexError) as error:
        raise argument_error(
            f"scipy.sparse.{name}: {error}", "values and their places have the shapes that SciPy's pages show"
        ) from error


def construct(own: Sparse, init: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """A constructor: of traced values the object becomes one of the class of these."""
    kind = plain_class(class_of(own))
    given = dict(zip(("arg1", "shape", "dtype", "copy"), args, strict=False)) | kwargs
    dtype, source = given.get("dtype"), given["arg1"]
    found = _said(kind.__name__, partial(_constructed, kind, source, given))
    found = found if dtype is None else found.astype(dtype)
    own.__class__ = type(found)
    cast("dict[str, Any]", vars(own)).update(cast("dict[str, Any]", vars(found)))


def _constructed(kind: type[Any], source: Any, given: dict[str, Any]) -> Sparse:
    form = cast(str, kind.format.fget(object.__new__(kind)))
    if is_traced_matrix(source):
        is_other = is_array(source) is not issubclass(kind, scipy_module("sparse").sparray)
        found = matrix_of(entries_of(source), kind((1, 1))) if is_other else source
        return converted(found, form) if found.format != form else found.copy()
    if not isinstance(source, tuple):
        raise unsupported_error(
            f"{kind.__name__} of a traced array: which of its elements are 0 is not known",
            "name the places of entries: coo_array takes values, rows and columns",
        )
    values, *places = cast("tuple[Any, ...]", source)
    if holds_traced(places):
        raise tracing_error(
            f"the places of entries of {kind.__name__} are traced",
            "compute rows and columns with NumPy outside of the traced function, or from values that it is "
            "not traced for",
        )
    if form in ("csr", "csc", "bsr") and len(places) == 1:
        coo = getattr(scipy_module("sparse"), kind.__name__.replace(form, "coo"))
        return converted(coo(source, shape=given.get("shape")), form)
    numbering = Numbering()
    options = {name: given[name] for name in ("shape", "blocksize") if name in given}
    return restored(kind((numbering.numbers_of(values), *places), **options), numbering)


def _diagonals(own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sparse:
    """`diags`, `diags_array` and `spdiags`, whose values come first."""
    values, *rest = args
    if holds_traced([rest, *kwargs.values()]):
        raise tracing_error(
            f"{own.__name__} has traced offsets or a traced shape", "diagonals alone can be traced"
        )
    dtype = kwargs.pop("dtype", None)
    numbering = Numbering()
    if own.__name__ != "spdiags":
        kwargs["dtype"] = np.int64
    numbers = _numbers(values, numbering)
    found = _said(own.__name__, lambda: restored(own(numbers, *rest, **kwargs), numbering))
    return found if dtype is None else found.astype(dtype)


def _numbers(values: Any, numbering: Numbering) -> Any:
    """Numbers for arrays in a nest of lists and tuples."""
    if isinstance(values, list | tuple):
        return [_numbers(part, numbering) for part in cast("list[Any]", values)]
    return numbering.numbers_of(values)


def _blocks(own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sparse:
    """Functions that put blocks, which come first, together."""
    dtype = kwargs.pop("dtype", None)
    numbering = Numbering()
    blocks, *rest = args
    numbers = _numbered_blocks(blocks, numbering)
    found = _said(own.__name__, lambda: restored(own(numbers, *rest, **kwargs), numbering))
    return found if dtype is None else found.astype(dtype)


def _numbered_blocks(blocks: Any, numbering: Numbering) -> Any:
    """Blocks with numbers for their values, in a nest of lists."""
    if blocks is None:
        return None
    if is_sparse(blocks):
        return numbered(blocks, numbering)
    is_nest: bool = isinstance(blocks, list | tuple) or getattr(blocks, "dtype", None) == np.dtype(object)
    if is_nest:
        return [_numbered_blocks(part, numbering) for part in cast("list[Any]", blocks)]
    return numbered(full(blocks), numbering)


def full(values: Any) -> Sparse:
    """A dense block as a matrix with an entry in each place."""
    values = real_or_complex(values)
    values = values.reshape((1,) * (2 - values.ndim) + tuple(values.shape))
    rows, columns = xp.indices(values.shape).reshape(2, -1)
    kind = scipy_module("sparse").coo_array
    return traced_like(kind((np.ones(rows.size), (rows, columns)), shape=values.shape), values.reshape(-1))


def _kron(own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sparse:
    a, b, *rest = args
    one, other = (m if is_sparse(m) else full(m) for m in (a, b))
    found = entries_of(one).kron(entries_of(other))
    like = next((m for m in (a, b) if is_sparse(m) and is_array(m)), a if is_sparse(a) else b)
    given = rest[0] if rest else kwargs.get("format")
    return matrix_of(found, like, given)


def _find(own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`find`: rows, columns and values of entries, also of those that happen to be 0."""
    entries: Entries = entries_of(args[0]).summed()
    return entries.rows, entries.columns, entries.values


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("diags", "diags_array", "spdiags"), _diagonals),
    **dict.fromkeys(
        (
            "hstack", "vstack", "bmat", "block_array", "block_diag", "tril", "triu", "swapaxes",
            "permute_dims", "expand_dims",
        ),
        _blocks,
    ),
    "kron": _kron,
    "find": _find,
}  # fmt: skip
"""The functions of `scipy.sparse` on traced values, given SciPy's own, by their names there."""


def norm(a: Sparse, ord: Any = None, axis: Any = None) -> Any:
    """`scipy.sparse.linalg.norm`: of Frobenius, and those that are sums of absolute values."""
    a = traced(a)
    entries = entries_of(a).summed()
    sizes = xp.abs(entries.values)
    if axis is not None:
        if ord not in (None, 2, 1):
            raise unsupported_error(f"norm with ord={ord} along an axis", "orders 1 and 2 are known")
        if ord == 1:
            return entries.with_values(sizes).sums(axis % 2)
        return xp.sqrt(entries.with_values(sizes * sizes).sums(axis % 2))
    if ord in (None, "fro", "f"):
        return xp.linalg.norm(sizes)
    if ord in (1, np.inf):
        return xp.max(entries.with_values(sizes).sums(0 if ord == 1 else 1))
    raise unsupported_error(
        f"norm with ord={ord} of a sparse matrix of traced values", "orders 'fro', 1 and numpy.inf are known"
    )
