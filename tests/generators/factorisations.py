"""Makers of random factorisations and linear systems, of matrices that are far from singular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations
from mlirad.dialects.array.factorisations import PARTS, part_type
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import FLAG, FLOATS, Value, array_type, element_of, keyword, shape_of
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker


def _matrices(g: ProgramBuilder, *, square: bool = False) -> Value | None:
    """Matrices with a dominant diagonal of distinct elements, beside which elements are below 0.3 / n."""
    rows = g.extent()
    columns = rows if square else g.extent()
    batch = (g.extent(),) if g.rng.random() < 0.3 else ()
    if not g.fits((*batch, rows, columns)):
        return None
    type_ = array_type((*batch, rows, columns), g.element(FLOATS))
    x = g.like(type_)
    shape, zeros = shape_of(type_), _literal(g, np.zeros(shape_of(type_)), type_)
    finite = g.emit(ew.IsFiniteOp, [x], array_type(shape, i1))
    sine = g.emit(ew.SinOp, [g.emit(ew.SelectOp, [finite, x, zeros], type_)], type_, bound=1)
    small = _literal(g, np.full(shape, 0.3 / max(rows, columns, 1)), type_)
    moved = g.emit(ew.MulOp, [sine, small], type_, bound=0.3)
    diagonal = np.broadcast_to(np.eye(rows, columns) * (2 + 1.5 * np.arange(columns)), shape)
    return g.emit(ew.AddOp, [moved, _literal(g, diagonal, type_)], type_, bound=8)


def _literal(g: ProgramBuilder, value: np.ndarray, type_: Attribute) -> Value:
    return g.emit(
        ConstantOp, [], type_, {"value": literal(np.ascontiguousarray(value), element_of(type_))}, bound=8
    )


def _part(op_class: type[Operation], kind: str, *, square: bool = False) -> Maker:
    """A part of a factorisation: in smooth programs none whose signs may change."""

    def make(g: ProgramBuilder) -> Value | None:
        x = None if g.smooth and kind == "schur" else _matrices(g, square=square)
        if x is None:
            return None
        parts = ["values"] if g.smooth and "values" in PARTS[kind] else PARTS[kind]
        part = g.rng.choice(parts)
        return g.emit(op_class, [x], part_type(kind, part, x.type), {"part": keyword(part)}, bound=20)

    return make


def cholesky(g: ProgramBuilder) -> Value | None:
    x = _matrices(g, square=True)
    return None if x is None else g.emit(factorisations.CholeskyOp, [x], x.type, bound=4)


def _system(op_class: type[Operation], properties: Callable[[ProgramBuilder], dict[str, Attribute]]) -> Maker:
    def make(g: ProgramBuilder) -> Value | None:
        matrix = _matrices(g, square=True)
        if matrix is None:
            return None
        shape = (*shape_of(matrix)[:-1], g.extent())
        if not g.fits(shape):
            return None
        x = g.like(array_type(shape, element_of(matrix)))
        return g.emit(op_class, [matrix, x], x.type, properties(g), bound=2 * g.bound(x))

    return make


def _triangle(g: ProgramBuilder) -> dict[str, Attribute]:
    return {name: FLAG for name in ("upper", "transposed", "unit") if g.rng.random() < 0.4}


FACTORISATION_MAKERS: dict[type[Operation], Maker] = {
    factorisations.LuOp: _part(factorisations.LuOp, "lu", square=True),
    factorisations.CholeskyOp: cholesky,
    factorisations.QrOp: _part(factorisations.QrOp, "qr"),
    factorisations.EighOp: _part(factorisations.EighOp, "eigh", square=True),
    factorisations.EigOp: _part(factorisations.EigOp, "eig", square=True),
    factorisations.SchurOp: _part(factorisations.SchurOp, "schur", square=True),
    factorisations.SvdOp: _part(factorisations.SvdOp, "svd"),
    factorisations.TriangularSolveOp: _system(factorisations.TriangularSolveOp, _triangle),
    factorisations.SolveOp: _system(factorisations.SolveOp, lambda _: {}),
}
