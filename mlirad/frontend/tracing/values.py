"""The leaves of traced pytrees: arrays, or values of higher type, which are functions and sums.

    type_of(x)                        LeafType(shape, dtype, weak), or the `HigherType` of a function or sum
    type_of(x).made(value)            a value of the program as such a leaf

While a function is traced, values of higher type go wherever arrays go, but into arrays. They are defined by
`constructs.closures` and `constructs.sums`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn, TypeAlias, TypeVar

from xdsl.ir import Attribute

from mlirad.dialects.shapes import Value
from mlirad.errors import TracingError
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.frames import Scope, current_frame, emitting
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import Traced
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.lazy_dataclass import dataclass

H = TypeVar("H", bound="Higher")


class HigherType(ABC):
    """The type of a function or a sum that is a value."""

    weak: ClassVar[bool] = False

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """As a type of the language."""

    @abstractmethod
    def made(self, value: Value) -> Higher:
        """The function or sum of a value just emitted."""

    @abstractmethod
    def blank(self) -> Value:
        """Some value of this type, for a branch that is never taken."""

    @abstractmethod
    def joined(self, other: HigherType) -> HigherType | None:
        """Return what is known of a value that is of this type or of the other; `None` if no value may be."""

    @abstractmethod
    def fitted(self, leaf: object) -> Higher | None:
        """A leaf as a value of this type; `None` if it does not fit."""

    @abstractmethod
    def learn_from(self, wanted: HigherType) -> None:
        """Raise `Learned` if a signature that is unknown in this type is known in the wanted one."""

    def exactly(self, leaf: H) -> H | None:
        """A leaf of this very type; `None` for another, once each has learned of the other."""
        if leaf.kind != self:
            leaf.kind.learn_mutually(self)
            return None
        return leaf

    def learn_mutually(self, other: HigherType) -> None:
        """The same of what either says of the other."""
        self.learn_from(other)
        other.learn_from(self)

    @abstractmethod
    def unknown(self) -> Iterator[Hashable]:
        """The keys of the closures in it whose signatures are unknown."""


class Higher(Traced, ABC):
    """A traced value that is not an array."""

    noun: ClassVar[str]
    """Its name in errors."""
    use: ClassVar[str]
    """The advice on its use in hints."""

    def __init__(self, value: Value | None, scope: Scope):
        self._value = value
        self._scope = scope

    @property
    @abstractmethod
    def kind(self) -> HigherType:
        """Return what is known of it."""

    @property
    def value(self) -> Value:
        """The SSA value, as one that can be used in the function being traced."""
        assert self._value is not None
        return current_frame().value(self._value, self._scope)

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise no_array(self)

    def __repr__(self) -> str:
        return f"<{self.kind}>"

    def _refused(self, *operands: object) -> NoReturn:
        raise no_array(self)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refused
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refused
    __matmul__ = __rmatmul__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = _refused


ValueType: TypeAlias = LeafType | HigherType


def blank_of(type_: ValueType) -> Value:
    """Some value of a type: zeros, of arrays."""
    return type_.blank() if isinstance(type_, HigherType) else emitting().zeros(type_.type)


def no_array(leaf: Higher) -> TracingError:
    """The error of a function or sum where an array is needed."""
    return tracing_error(
        f"{leaf.noun} is used where an array is needed",
        f"{leaf.use}; to choose from several write ad.cond(p, lambda: a, lambda: b), not np.where, or "
        "ad.switch(i, [lambda: a, lambda: b]), not an index",
    )


def type_of(leaf: Array | Higher) -> ValueType:
    """Return what is known of a traced leaf."""
    return leaf.kind if isinstance(leaf, Higher) else LeafType(leaf.shape, leaf.dtype, leaf.weak)


@dataclass(frozen=True)
class StructureType:
    """The type of a pytree of traced values: its containers, and the type of each leaf."""

    tree: Tree
    leaves: tuple[ValueType, ...]

    @property
    def types(self) -> list[Attribute]:
        """The leaves as types of the language."""
        return [leaf.type for leaf in self.leaves]

    def made(self, values: Sequence[Value]) -> Any:
        """The structure of values just emitted, one for each leaf."""
        return self.tree.unflatten([t.made(v) for t, v in zip(self.leaves, values, strict=True)])

    def strong(self) -> StructureType:
        """The same with leaves that promote as arrays do."""
        if not any(leaf.weak for leaf in self.leaves):
            return self
        return StructureType(
            self.tree,
            tuple(LeafType(t.shape, t.dtype) if isinstance(t, LeafType) else t for t in self.leaves),
        )

    def joined(self, other: StructureType) -> StructureType | None:
        """Return what is known of structures of this type or of the other; `None` if they differ."""
        if self.tree != other.tree:
            return None
        leaves: list[ValueType] = []
        for one, another in zip(self.leaves, other.leaves, strict=True):
            if isinstance(one, HigherType) and isinstance(another, HigherType):
                common = one.joined(another)
                if common is None:
                    return None
                leaves.append(common)
            elif one == another:
                leaves.append(one)
            else:
                return None
        return StructureType(self.tree, tuple(leaves))

    def learn_from(self, wanted: StructureType) -> None:
        """Raise `Learned` if a signature that is unknown in this type is known in the wanted one."""
        for one, another in zip(self.leaves, wanted.leaves, strict=True):
            if isinstance(one, HigherType) and isinstance(another, HigherType):
                one.learn_from(another)

    def unknown(self) -> Iterator[Hashable]:
        """The keys of the closures in it whose signatures are unknown."""
        for leaf in self.leaves:
            if isinstance(leaf, HigherType):
                yield from leaf.unknown()

    def __str__(self) -> str:
        return self.tree.shown([str(leaf) for leaf in self.leaves])
