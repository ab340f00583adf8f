"""Whole derivatives as arrays: Jacobians by columns or rows, and Hessians.

The derivative is linearised once and applied to every basis vector, by a `build` over the positions of the
vector's one 1; made bulk, it is applied to a matrix (dual-numbers paper, Appendix A). The Jacobian of an
output of shape t with respect to an input of shape s is an array of shape t + s, for every pair of leaves:

    jacobian of f: x -> {"y": ...}           {"y": an array of shape y.shape + x.shape}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from mlirad.dialects.extents import nominal
from mlirad.errors import DifferentiationError
from mlirad.frontend.constructs.basis_images import images_of_basis
from mlirad.frontend.differentiation.argnums import Argnums, argument_positions
from mlirad.frontend.differentiation.derivatives import (
    Linearization,
    jvp,
    linearize_at,
    require_holomorphic,
    value_and_grad,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.function_names import function_name, with_signature
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.source import user_line

Mode: TypeAlias = Literal["forward", "reverse", "auto"]


def jacobian(
    function: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    mode: Mode,
    args: tuple[Any, ...],
    holomorphic: bool = False,
    chunk: int | None = None,
) -> tuple[Any, Any]:
    """The Jacobian, structured like the result and, in each leaf of it, like the chosen arguments; and aux.

    The mode "auto" applies the map to the fewer basis vectors: those of the arguments or of the results.
    `chunk` says to how many at a time, at most.
    """
    at = linearize_at(function, args, argument_positions(function, argnums, len(args)))
    outputs, _, rows = at.outputs(function, has_aux)
    if holomorphic:
        require_holomorphic(function, at, at.value[0] if has_aux else at.value)
    elif any(at.arguments.imaginary()):
        raise DifferentiationError(
            f"the Jacobian of {function_name(function)} with respect to complex arguments is not complex",
            location=user_line(),
            hint="write holomorphic=True where the function is holomorphic, else make it a function of "
            "z.real and z.imag",
        )
    if mode == "auto":
        is_tall = nominal(sum(at.results[r].size for r in rows)) >= nominal(sum(p.size for p in at.points))
        mode = "forward" if is_tall else "reverse"
    blocks = (_columns if mode == "forward" else _rows)(at, rows, chunk)
    aux = at.value[1] if has_aux else None
    if holomorphic:
        return _holomorphic(at, argnums, outputs, blocks), aux
    structured = [
        _like_arguments(at, argnums, [blocks.get((r, k)) for k in range(at.leaves)])
        for r in range(outputs.size)
    ]
    return outputs.unflatten(structured), aux


def hessian(
    function: Callable[..., Any], argnums: Argnums, args: tuple[Any, ...], chunk: int | None = None
) -> Any:
    """The Jacobian of the gradient, its columns by forward mode, at most `chunk` at a time."""
    return jacobian(gradient_of(function, argnums), argnums, False, "forward", args, chunk=chunk)[0]


def hvp(
    function: Callable[..., Any], argnums: Argnums | None, primals: tuple[Any, ...], tangents: Any
) -> Any:
    """The Hessian times the tangents: the gradient by the chosen arguments, or all, and its derivative."""
    if argnums is None:
        argnums = 0 if len(primals) == 1 else tuple(range(len(primals)))
    return jvp(gradient_of(function, argnums), argnums, primals, tangents)[1]


# Parts -------------------------------------------------------------------------------------------


def gradient_of(function: Callable[..., Any], argnums: Argnums) -> Callable[..., Any]:
    """The gradient of a scalar function, as a function of the same arguments."""

    def gradient(*args: Any) -> Any:
        return value_and_grad(function, argnums, False, args)[1]

    return with_signature(gradient, function)


def _columns(at: Linearization, rows: Sequence[int], chunk: int | None) -> dict[tuple[int, int], Any]:
    """The blocks by results and arguments, from the images of the arguments' basis."""

    def apply(tangents: list[Array]) -> list[Any]:
        images = at.image(tangents)
        return [images[r] for r in rows]

    points = [LeafType(p.shape, p.dtype) for p in at.points]
    blocks: dict[tuple[int, int], Any] = {}
    for n, k in enumerate(at.moving):
        columns = images_of_basis(apply, points, n, come_last=True, chunk=chunk)
        blocks |= {(r, k): column for r, column in zip(rows, columns, strict=True)}
    return blocks


def _rows(at: Linearization, rows: Sequence[int], chunk: int | None) -> dict[tuple[int, int], Any]:
    """The blocks by results and arguments, from the transposed images of the results' basis."""

    def apply(cotangents: list[Array]) -> list[Any]:
        images = at.transposed_image(cotangents)
        return [images[k] for k in at.moving]

    floats = {k: LeafType(r.shape, r.dtype) for k, r in enumerate(at.results) if r.dtype.kind == "f"}
    blocks: dict[tuple[int, int], Any] = {}
    for r in rows:
        images = images_of_basis(apply, list(floats.values()), list(floats).index(r), chunk=chunk)
        blocks |= {(r, k): row for k, row in zip(at.moving, images, strict=True)}
    return blocks


def _holomorphic(
    at: Linearization, argnums: Argnums, outputs: Tree, blocks: dict[tuple[int, int], Any]
) -> Any:
    """The complex Jacobian, f' = du/dx + i dv/dx, of the derivatives with respect to real parts."""
    arguments = at.arguments.with_whole_numbers()
    structured = [
        arguments.unflatten([ComplexArray(blocks[r, k], blocks[r + 1, k]) for k in range(0, at.leaves, 2)])
        for r in range(0, outputs.size, 2)
    ]
    if isinstance(argnums, int | str):
        structured = [row[0] for row in structured]
    return outputs.with_whole_numbers().unflatten(structured)


def _like_arguments(at: Linearization, argnums: Argnums, leaves: list[Any]) -> Any:
    structured = at.arguments.unflatten(leaves)
    return structured[0] if isinstance(argnums, int | str) else structured
