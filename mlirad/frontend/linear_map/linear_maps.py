"""`LinearMap`: a derivative at a point, used like a matrix.

    y, J = ad.linearize(f, x)
    J(dx), J.T(ct), (J.T @ J + 0.1 * ad.LinearMap.identity(x))(dx)

A map is an expression and the arrays in it, mostly residuals. The algebra makes expressions and
computes nothing; applying one runs a single program for all of it. Inside a trace it adds ops, so programs
and rules of custom derivatives can be written with it.

Calls take pytrees, `@` takes flat vectors. `J(dx)` takes and returns the pytrees of the function's arguments
and results. `J @ v` obeys `J @ v == J.to_dense() @ v`, so that with `@` a map is a matrix, for SciPy too. The
choice between the two is never guessed from a shape.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

from mlirad.errors import PositionError, ShapeError, UnsupportedError
from mlirad.frontend.linear_map import matrices as map_matrices
from mlirad.frontend.linear_map.map_algebra import HeldMap, held_array, hstacked, scalar, stacked, vstacked
from mlirad.frontend.linear_map.nodes import (
    Add,
    Compose,
    Diagonal,
    Identity,
    Matrix,
    Negate,
    Restrict,
    Scale,
    Select,
    Zero,
    transposed,
)
from mlirad.frontend.linear_map.programs import apply_traced, map_function, run
from mlirad.frontend.linear_map.spaces import Space, space_of
from mlirad.frontend.tracing.notebook import html_table
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_methods
from mlirad.ir.printing import text_of
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True, eq=False, repr=False)
@plain_methods
class LinearMap(HeldMap):
    """A derivative at a point: a linear map from the tangents of the arguments to those of the results.

    `J(dx)` for one argument, `J(dx1, dx2)` for several; `J.T` is the transposed map, so `J.T(ct)` gives the
    cotangent of the argument, or a tuple of them. `None` stands for a zero vector, and for the vector of a
    leaf that has no derivative. As a matrix, the map acts on flat vectors: the leaves of arguments or results
    one after the other, each in row-major order.

    `expression` says what the map is, and `arrays` are what it is made of: the residuals of a derivative.
    `bound_methods` adds the methods that need more than maps.

        >>> _, J = ad.linearize(lambda x: x[:2] * x[2], np.array([1.0, 2.0, 3.0]))
        >>> J(np.array([0.0, 0.0, 1.0])), J.T(np.array([1.0, 0.0]))
        (array([1., 2.]), array([3., 0., 1.]))
        >>> (J @ J.T + 0.5 * ad.LinearMap.identity(np.ones(2))).to_dense()
        array([[10.5,  2. ],
               [ 2. , 13.5]])
    """

    CAPTURED: ClassVar = ("expression", "arrays")

    __array_ufunc__: ClassVar[None] = None  # NumPy leaves operators between arrays and maps to the map

    # Properties -----------------------------------------------------------------------------------

    @property
    def domain(self) -> Space:
        """The space of the arguments."""
        return self.expression.domain

    @property
    def codomain(self) -> Space:
        """The space of the results."""
        return self.expression.codomain

    @property
    def shape(self) -> tuple[int, int]:
        """The number of components of the results and of the arguments: the shape of the dense matrix."""
        return self.codomain.size, self.domain.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the dense matrix."""
        return np.result_type(self.domain.dtype, self.codomain.dtype)

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays that the map holds, those that it shares with others included."""
        return sum(int(a.nbytes) for a in self.arrays)

    def function(self) -> FuncOp:
        """The map as a program: a function of `arrays` that returns it, a value of type `!linear.map`.

        Its parameters are in the order of `arrays`. Spaces are flat: the leaves that have a derivative, in
        order, are the components of a tuple, and a single one is itself. Literals and positions known when
        the function was traced are constants in it. Raises `TracingError` for a map that was made in a trace.
        """
        return map_function(self.expression, self.arrays)

    def ir(self) -> str:
        """The map as MLIR: a function of `arrays` that returns it."""
        return text_of(self.function())

    def __repr__(self) -> str:
        return f"LinearMap({self.shape[0]} x {self.shape[1]}: {self.expression.text(self.arrays)})"

    def _repr_html_(self) -> str:
        """For notebooks: the spaces, the expression, and what the map holds."""
        return html_table(
            f"LinearMap, {self.shape[0]} × {self.shape[1]}",
            [
                ("from", str(self.domain)),
                ("to", str(self.codomain)),
                ("is", self.expression.text(self.arrays)),
                ("holds", f"{len(self.arrays)} arrays, {self.nbytes} bytes"),
            ],
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> LinearMap:
        return LinearMap(self.expression, copy.deepcopy(self.arrays, memo))

    # Application ---------------------------------------------------------------------------------

    def __call__(self, *vectors: Any) -> Any:
        given = self.domain.read(vectors, "vectors" if self.domain.arguments else "the vector")
        return self.codomain.write(self.image(given))

    def image(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The image of a vector given by its leaves, as leaves."""
        if is_tracing():
            return apply_traced(self.expression, self.arrays, leaves)
        return run(self.expression, "apply", apply_traced, self.arrays, leaves)

    def to_dense(self, *, blocks: bool = False) -> Any:
        """The matrix, made by columns or by rows, whichever are fewer, in one program.

        Rows and columns are in the order of flat vectors. With `blocks`, it is structured like a result of
        `ad.jacobian`: for a leaf of the results of shape t and one of the arguments of shape s, an array of
        shape t + s.
        """
        return map_matrices.dense(self.expression, self.arrays, blocks=blocks)

    to_sparse: ClassVar[Callable[..., Any]]
    structure: ClassVar[Callable[..., tuple[NDArray[np.int64], NDArray[np.int64]]]]
    as_linear_operator: ClassVar[Callable[..., Any]]
    solve: ClassVar[Callable[..., Any]]

    # Algebra -------------------------------------------------------------------------------------

    @property
    def T(self) -> LinearMap:
        """The transposed map."""
        return LinearMap(transposed(self.expression), self.arrays)

    def __matmul__(self, other: Any) -> Any:
        """The composition with a map, or the product with a flat vector or a matrix of columns."""
        if not isinstance(other, LinearMap):
            return map_matrices.product(self.expression, self.arrays, other)
        if not other.codomain.matches(self.domain):
            raise ShapeError(
                f"the maps do not compose: the right one ends in {other.codomain}, the left one starts from "
                f"{self.domain}",
                location=user_line(),
                hint="write J @ K for the map that applies K first",
            )
        return LinearMap._made(Compose(), other.domain, self.codomain, (self, other))

    def __rmatmul__(self, other: Any) -> Any:
        """A flat vector, or a matrix of rows, times the map."""
        flipped = other.T if np.ndim(other) == 2 else other
        image = map_matrices.product(self.T.expression, self.arrays, flipped)
        return image.T if np.ndim(other) == 2 else image

    def __add__(self, other: object) -> LinearMap:
        """The sum of two maps between the same spaces."""
        if not isinstance(other, LinearMap):
            return NotImplemented
        if not (other.domain.matches(self.domain) and other.codomain.matches(self.codomain)):
            raise ShapeError(
                f"the maps cannot be added: one goes from {self.domain} to {self.codomain}, the other from "
                f"{other.domain} to {other.codomain}",
                location=user_line(),
                hint="add maps between the same spaces",
            )
        return LinearMap._made(Add(), self.domain, self.codomain, (self, other))

    def __radd__(self, other: object) -> LinearMap:
        """`sum(maps)` begins with 0."""
        return self if type(other) is int and other == 0 else NotImplemented

    def __neg__(self) -> LinearMap:
        return LinearMap._made(Negate(), self.domain, self.codomain, (self,))

    def __sub__(self, other: object) -> LinearMap:
        return self + -other if isinstance(other, LinearMap) else NotImplemented

    def __mul__(self, factor: Any) -> LinearMap:
        """The map times a scalar."""
        return LinearMap._made(Scale(), self.domain, self.codomain, (self,), (scalar(_no_map(factor)),))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> LinearMap:
        return self * (1.0 / scalar(_no_map(divisor)))

    def restrict(self, *arguments: Hashable) -> LinearMap:
        """The map with respect to some arguments, given by name or position: the others are zero.

        For one argument the domain is its space; for several, their spaces in this order.
        """
        if len(arguments) == 1:
            space, span = self.domain.part(arguments[0])
            places = tuple(span)
        else:
            space, places = self.domain.only(arguments)
        shown = ", ".join(map(repr, arguments))
        node = Restrict(self.domain.type, places, shown)
        return LinearMap._made(node, space, self.codomain, (self,))

    def __getitem__(self, key: Any) -> LinearMap:
        """`J[result]` and `J[result, argument]`, by position, name or key; `:` stands for all."""
        parts = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key, slice(None))
        if len(parts) != 2:
            raise PositionError(
                f"a map is indexed by a result and an argument, not by {len(parts)} keys",
                location=user_line(),
                hint="write J[0, 1] for the part of result 0 and argument 1",
            )
        result, argument = parts
        found = self
        if not _is_all(result):
            space, span = self.codomain.part(result)
            found = LinearMap._made(Select(tuple(span), repr(result)), self.domain, space, (self,))
        return found if _is_all(argument) else found.restrict(cast(Hashable, argument))

    # Making maps ---------------------------------------------------------------------------------

    @staticmethod
    def identity(like: Any) -> LinearMap:
        """x to x, on the space of values like these: arrays, scalars, or structures of them."""
        space = space_of(like)
        return LinearMap._made(Identity(space.type), space, space)

    @staticmethod
    def zero(domain: Any, codomain: Any) -> LinearMap:
        """x to 0, between the spaces of values like these."""
        start, end = space_of(domain), space_of(codomain)
        return LinearMap._made(Zero(start.type, end.type), start, end)

    @staticmethod
    def diagonal(entries: Any) -> LinearMap:
        """x to entries * x, for an array or a structure of arrays; 0 goes to 0 whatever the entry is."""
        space = space_of(entries)
        leaves = [held_array(leaf) for leaf in flatten(entries)[0]]
        arrays = [a for a, type_ in zip(leaves, space.leaves, strict=True) if type_ is not None]
        return LinearMap._made(Diagonal(space.type), space, space, (), arrays)

    @staticmethod
    def from_dense(matrix: Any) -> LinearMap:
        """The map from vectors to vectors that a matrix represents."""
        array = held_array(matrix)
        if array.ndim != 2 or array.dtype.kind != "f":
            raise ShapeError(
                f"a matrix of floats is needed, got {array.dtype}{list(array.shape)}",
                location=user_line(),
                hint="pass an array of two dimensions: x.astype(float)",
            )
        rows, columns = (np.empty(extent, array.dtype) for extent in array.shape)
        start, end = space_of(columns), space_of(rows)
        return LinearMap._made(Matrix(start.type, end.type), start, end, (), (array,))

    @staticmethod
    def vstack(maps: Sequence[LinearMap] | Mapping[Any, LinearMap]) -> LinearMap:
        """x to the tuple, list or dictionary of the images; the maps start from one space."""
        return LinearMap._made(*vstacked(maps))

    @staticmethod
    def stack(maps: Sequence[LinearMap]) -> LinearMap:
        """x to the images along a new first axis; the maps have the same domain and codomain."""
        return LinearMap._made(*stacked(maps))

    @staticmethod
    def hstack(maps: Sequence[LinearMap]) -> LinearMap:
        """(x1, ..., xn) to the sum of the images; the maps end in one space."""
        return LinearMap._made(*hstacked(maps))

    @staticmethod
    def block(rows: Sequence[Sequence[LinearMap | None]]) -> LinearMap:
        """The map of blocks, row by row; `None` is zero, between the spaces of its row and its column."""
        columns = list(zip(*rows, strict=True)) if len({len(row) for row in rows}) == 1 else []
        starts = [next((m.domain for m in column if m is not None), None) for column in columns]
        ends = [next((m.codomain for m in row if m is not None), None) for row in rows]
        if not starts or None in starts or None in ends:
            raise ShapeError(
                "block needs rows of one length, with a map in every row and every column",
                location=user_line(),
                hint="pass a list of rows, each a list of maps or None",
            )
        whole: list[LinearMap] = []
        for row, end in zip(rows, cast("list[Space]", ends), strict=True):
            zeros = [LinearMap._made(Zero(s.type, end.type), s, end) for s in cast("list[Space]", starts)]
            whole.append(LinearMap.hstack([z if m is None else m for m, z in zip(row, zeros, strict=True)]))
        return LinearMap.vstack(tuple(whole))


def _no_map(factor: Any) -> Any:
    if isinstance(factor, LinearMap):
        raise UnsupportedError(
            "maps are composed by @, not multiplied", location=user_line(), hint="write J @ K"
        )
    return factor


def _is_all(key: Any) -> bool:
    return isinstance(key, slice) and key == slice(None)
