"""Facts about values that are computed from eigenvectors, or singular vectors, and their values.

    %v = array.eigh vectors %a                      Vectors      linear in the columns of V, by dimension 1
    %f = array.exp %w                               Spectral     a function of each eigenvalue
    %g = array.mul %v, (broadcast %f)               Vectors      the same with a factor for each column
    %h = array.sub %g, %g'                          Mixed        a sum of such arrays with different factors
    %q = array.mul %y, %z                           Products     products of two components of one column
    %d = array.select %eye, (broadcast %f), 0       Diagonal     a diagonal matrix

The *label* is the dimension of the eigenvalues. A frame is one eigenvalue problem, or one singular value
decomposition; a decomposition has two sides, the left and the right singular vectors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from mlirad.dialects.array.factorisations import EighOp, EigOp, SvdOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.spectral_functions.named import Name, Names

Side: TypeAlias = Literal["left", "right"]
How: TypeAlias = Literal["times", "over", "where", "unless"]
"""The way a factor enters: as it is, as a divisor, as 1 where it holds, as 1 where it does not."""


@dataclass(frozen=True)
class Factorised:
    """The factorisation of a batch of matrices."""

    op_class: type[EighOp | SvdOp | EigOp]
    matrix: Value
    is_complex: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch, the rows and the columns of the matrices."""
        shape = shape_of(self.matrix)
        return shape[:-1] if self.is_complex else shape

    @property
    def batch(self) -> int:
        """The number of batch dimensions."""
        return len(self.shape) - 2

    @property
    def extent(self) -> int:
        """The number of eigenvalues or singular values."""
        return min(self.shape[-2:])


@dataclass(frozen=True)
class Frame(Factorised):
    """A factorisation with known sums over all vectors."""

    op_class: type[EighOp] | type[SvdOp]


@dataclass(frozen=True)
class Pick:
    """The columns that are taken, in order: those at the elements of `index`, of these the `positions`."""

    index: Value | None = None
    positions: tuple[int, ...] | None = None

    def then(self, positions: tuple[int, ...]) -> Pick:
        """The columns at these positions among those taken."""
        own = self.positions
        return replace(self, positions=positions if own is None else tuple(own[p] for p in positions))


ALL = Pick()


@dataclass(frozen=True)
class Factor:
    """An array that multiplies another one, with the dimension of that for each of its own."""

    value: Value
    dims: tuple[int, ...]
    how: How = "times"


@dataclass(frozen=True)
class Vectors:
    """An array that is linear in the columns of the vectors of one side, times factors.

    `kept` are its dimensions of the batch of the frame, and the label behind them.
    """

    frame: Frame
    side: Side
    kept: tuple[int, ...]
    factors: tuple[Factor, ...] = ()
    pick: Pick = ALL

    @property
    def label(self) -> int:
        """The dimension of the columns."""
        return self.kept[-1]


@dataclass(frozen=True)
class Component:
    """A part of a sum: an array of vectors with a sign, dimensions in the sum, and further factors."""

    sign: int
    value: Value
    dims: tuple[int, ...]
    factors: tuple[Factor, ...] = ()


@dataclass(frozen=True)
class Mixed:
    """A sum of arrays of vectors with different factors, as that of real parts of vectors times numbers is.

    `kept` are its dimensions of the batch of the frame, and the label behind them.
    """

    frame: Frame
    side: Side
    kept: tuple[int, ...]
    pick: Pick
    parts: tuple[Component, ...]

    @staticmethod
    def of(fact: Vectors | Mixed, value: Value) -> Mixed:
        """An array of vectors as a sum of one part."""
        if isinstance(fact, Mixed):
            return fact
        part = Component(1, value, tuple(range(len(shape_of(value)))))
        return Mixed(fact.frame, fact.side, fact.kept, fact.pick, (part,))

    def aligned(self, other: Mixed) -> bool:
        """Return whether both have the same columns along the same dimensions."""
        return (self.frame, self.kept, self.pick) == (other.frame, other.kept, other.pick)


@dataclass(frozen=True)
class Spectral:
    """An array computed elementwise from the values of a frame, which `kept` are the dimensions of."""

    frame: Frame
    kept: tuple[int, ...]
    pick: Pick = ALL

    @property
    def label(self) -> int:
        """The dimension of the values."""
        return self.kept[-1]


@dataclass(frozen=True)
class Diagonal:
    """Matrices that are 0 off the diagonal of two dimensions; `dims` are those of `value`, one of the two."""

    value: Value
    dims: tuple[int, ...]
    ends: tuple[int, int]


@dataclass(frozen=True)
class Term:
    """A factor of a product, its dimensions by name."""

    value: Value
    names: Names
    how: How = "times"


@dataclass(frozen=True)
class Pair:
    """The sum, over the names that are not in `names`, of products of two arrays of vectors and of factors.

    Names of dimensions of the array are ("d", k). Of complex vectors the two are real parts; where `whole`
    says so, the same of the imaginary parts is added: the array is the real part of products with conjugates.
    """

    frame: Frame
    left: Term
    right: Term
    terms: tuple[Term, ...]
    names: Names
    kept: Names
    pick: Pick
    whole: bool
    sign: int = 1

    @property
    def label(self) -> Name:
        """The name of the dimension of the columns."""
        return self.kept[-1]


@dataclass(frozen=True)
class Products:
    """A sum of such sums, over the same columns."""

    pairs: tuple[Pair, ...]

    @property
    def frame(self) -> Frame:
        """The frame of the vectors."""
        return self.pairs[0].frame

    @property
    def names(self) -> Names:
        """The names of the dimensions of the array."""
        return self.pairs[0].names

    @property
    def kept(self) -> Names:
        """The names of the batch, and that of the columns."""
        return self.pairs[0].kept

    @property
    def pick(self) -> Pick:
        """The columns that are taken."""
        return self.pairs[0].pick

    @property
    def is_closed(self) -> bool:
        """Return whether the sum is over the columns, too."""
        return self.kept[-1] not in self.names

    @property
    def is_whole(self) -> bool:
        """Return whether no imaginary parts are missing."""
        return all(pair.whole for pair in self.pairs)


@dataclass(frozen=True)
class Trace:
    """The sum, over the names that are not in `names`, of products of functions of the values of a frame."""

    frame: Frame
    terms: tuple[Term, ...]
    names: Names
    kept: Names
    pick: Pick

    @property
    def label(self) -> Name:
        """The name of the dimension of the values."""
        return self.kept[-1]


Fact: TypeAlias = Vectors | Mixed | Spectral | Diagonal | Products
Site: TypeAlias = Products | Trace
"""A sum over all columns, which does not depend on the choice of vectors for equal values."""
