"""Values of one of several types: `sum_of`, `left`, `right`, and `case`, which takes them apart.

Shape = ad.sum_of(Circle(0.0), Box(0.0, 0.0))
s = ad.cond(p, lambda: Shape(Circle(r)), lambda: Shape(Box(a, b)))
area = ad.case(s, lambda c: np.pi * c.r**2, lambda b: b.a * b.b)      only the arm of the alternative runs

List = ad.sum_of(None, (0.0, ad.itself))                              a list: nothing, or a number and a list

The type of a list is a name (`function.roll`), which stands for a sum that contains the name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, NoReturn, cast

import numpy as np
from xdsl.ir import Attribute

from mlirad.dialects.function import InductiveType, SumType, inductive_type, sum_type
from mlirad.dialects.shapes import Value, tuple_type
from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.branches import Branch, branched
from mlirad.frontend.constructs.closures import value_as
from mlirad.frontend.tracing.dtypes import result_type
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import Known, is_tracing
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import argument_error, tracing_error
from mlirad.frontend.tracing.structure_types import structure_type
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.frontend.tracing.values import Higher, HigherType, StructureType, ValueType, blank_of
from mlirad.lazy_dataclass import dataclass


class Itself:
    """The place, in the examples of `ad.sum_of`, of values that this `sum_of` makes.

    >>> List = ad.sum_of(None, (0.0, ad.itself))
    >>> @ad.function
    ... def total(values):
    ...     return ad.case(values, lambda _: 0.0, lambda cell: cell[0] + total(cell[1]))
    >>> ad.grad(lambda x: total(List((x, List((x * x, List(None)))))))(3.0)
    np.float64(7.0)
    """

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise tracing_error(
            "ad.itself stands for a value in the examples of ad.sum_of, and is used as an array",
            "make a value by calling what ad.sum_of returns",
        )

    def __repr__(self) -> str:
        return "ad.itself"


itself: Final = Itself()
"""Stands for a value that the same `sum_of` makes, in its examples."""


@dataclass(frozen=True)
class ItselfType(HigherType):
    """The type of `ad.itself` while the sum around it is not made yet."""

    @property
    def type(self) -> Attribute:
        """A name that no sum has."""
        return inductive_type("itself")

    def made(self, value: Value) -> NoReturn:
        """No value has this type."""
        raise AssertionError("ad.itself is not a type of values")

    def blank(self) -> NoReturn:
        """No value has this type."""
        raise AssertionError("ad.itself is not a type of values")

    def joined(self, other: HigherType) -> HigherType | None:
        """The place, at the same place."""
        return self if isinstance(other, ItselfType) else None

    def fitted(self, leaf: object) -> None:
        """No value has this type."""

    def learn_from(self, wanted: HigherType) -> None:
        """There is nothing to learn."""

    def unknown(self) -> Iterator[Hashable]:
        """There are no functions."""
        return iter(())

    def __str__(self) -> str:
        return "itself"


@dataclass(frozen=True)
class SumKind(HigherType):
    """Values of one of the alternatives; `stated` are these with `ItselfType` for the sum itself."""

    stated: tuple[StructureType, ...]

    @property
    def is_inductive(self) -> bool:
        """Tell whether values may hold values of this kind."""
        return any(map(_holds_itself, self.stated))

    @cached_property
    def alternatives(self) -> tuple[StructureType, ...]:
        """The types of the values."""
        return tuple(
            StructureType(a.tree, tuple(self if isinstance(t, ItselfType) else t for t in a.leaves))
            for a in self.stated
        )

    @property
    def type(self) -> Attribute:
        """As a type of the language; of one that may hold itself a name, by what it may hold."""
        if not self.is_inductive:
            return self.sum
        content = str(_sum_of(self.stated))
        return inductive_type(f"sum_{hashlib.sha256(content.encode()).hexdigest()[:8]}")

    @property
    def sum(self) -> SumType:
        """The sum of the alternatives; one of several leaves is a tuple."""
        return _sum_of(self.alternatives)

    def of(self, number: int, leaves: Sequence[Value]) -> Sum:
        """The sum whose alternative `number` holds the leaves."""
        b, type_ = emitting(), self.type
        sum_ = b.alternative(b.tuple_(leaves), number, self.sum)
        return self.made(b.roll(sum_, type_) if isinstance(type_, InductiveType) else sum_)

    def made(self, value: Value) -> Sum:
        """The sum of a value just emitted."""
        return Sum(value, current_frame().scope, self)

    def blank(self) -> Value:
        """The first alternative that holds no value of this kind."""
        number = [_holds_itself(a) for a in self.stated].index(False)
        return self.of(number, list(map(blank_of, self.stated[number].leaves))).value

    def joined(self, other: HigherType) -> HigherType | None:
        """A sum of the same alternatives."""
        if not isinstance(other, SumKind) or len(self.stated) != len(other.stated):
            return None
        joined = [a.joined(b) for a, b in zip(self.stated, other.stated, strict=True)]
        return None if None in joined else SumKind(tuple(a for a in joined if a is not None))

    def fitted(self, leaf: object) -> Sum | None:
        """A sum of these alternatives."""
        return self.exactly(leaf) if isinstance(leaf, Sum) else None

    def learn_from(self, wanted: HigherType) -> None:
        """Raise `Learned` if functions that are alternatives are called as the wanted one says."""
        if isinstance(wanted, SumKind) and self.joined(wanted) is not None:
            for one, other in zip(self.stated, wanted.stated, strict=True):
                one.learn_from(other)

    def unknown(self) -> Iterator[Hashable]:
        """The keys of functions that are alternatives and whose signatures are unknown."""
        for alternative in self.stated:
            yield from alternative.unknown()

    def __str__(self) -> str:
        return f"a sum of {' | '.join(map(str, self.stated))}"


class Sum(Higher):
    """A value of one of several types, which `ad.case` takes apart.

    >>> Size = ad.sum_of(0.0, np.zeros(2))  # a scalar or a vector
    >>> def squared(x):
    ...     size = ad.cond(x[1] == 0, lambda: Size(x[0]), lambda: Size(x))
    ...     return ad.case(size, lambda scalar: scalar**2, lambda vector: vector @ vector)
    >>> squared(np.array([3.0, 0.0])), ad.grad(squared)(np.array([3.0, 4.0]))
    (np.float64(9.0), array([6., 8.]))
    """

    noun: ClassVar[str] = "a sum made by ad.sum_of, ad.left or ad.right"
    use: ClassVar[str] = "take it apart by ad.case"

    def __init__(self, value: Value, scope: Any, kind: SumKind):
        super().__init__(value, scope)
        self._kind = kind

    @property
    def kind(self) -> SumKind:
        """Its alternatives."""
        return self._kind


class KnownSum(Sum, Known):
    """A sum made outside of a trace: the number of its alternative, and the value."""

    CAPTURED: ClassVar = ("content",)
    CAPTURED_FIXED: ClassVar = ("kind", "number")

    def __init__(self, kind: SumKind, number: int, content: Any):
        super().__init__(cast(Any, None), None, kind)
        self.number, self.content = number, content

    @property
    def value(self) -> Value:
        """The sum as a constant of the function being traced."""
        leaves, wanted = flatten(self.content)[0], self.kind.alternatives[self.number]
        values = [value_as(leaf, type_) for leaf, type_ in zip(leaves, wanted.leaves, strict=True)]
        if None in values:
            raise argument_error(
                f"a function in alternative {self.number} of {self.kind} does not take or return what the "
                "example does",
                "make it where the program is traced, or convert what it returns",
            )
        return self.kind.of(self.number, cast("list[Value]", values)).value


class SumOf:
    """The constructor of values of one of several types, each given by an example."""

    def __init__(self, examples: Sequence[Any]):
        self._kind = SumKind(tuple(_type_of_example(e, k) for k, e in enumerate(examples)))
        if all(map(_holds_itself, self._kind.stated)):
            raise argument_error(
                f"no value of {self._kind} can be made, as each alternative holds another such value",
                "add an alternative that ends it, such as None: ad.sum_of(None, (0.0, ad.itself))",
            )

    def __call__(self, *args: Any) -> Sum:
        """The value as the alternative that it fits, or, after a number, as that alternative."""
        if len(args) not in (1, 2):
            raise argument_error(
                f"an alternative of {self._kind} is made of a value, and {len(args)} are given",
                "write Shape(value), or Shape(number, value) to say which alternative it is",
            )
        return self._made(args[-1], args[0] if len(args) == 2 else None)

    def __repr__(self) -> str:
        return f"<constructor of {self._kind}>"

    def _made(self, value: Any, number: Any) -> Sum:
        alternatives = self._kind.alternatives
        leaves, tree = flatten(value)
        found = structure_type(leaves, tree, tree.paths("value"))
        if number is None:
            number = self._chosen(found)
        elif type(number) is not int or not 0 <= number < len(alternatives):
            raise argument_error(
                f"there is no alternative {number!r} of {self._kind}",
                f"alternatives are numbered from 0 to {len(alternatives) - 1}, by Python integers",
            )
        wanted = alternatives[number]
        if wanted.tree != tree:
            raise self._none(found, f"alternative {number}")
        if not is_tracing():
            if not all(map(_is_convertible, found.leaves, wanted.leaves)):
                raise self._none(found, f"alternative {number}")
            known = [
                eager.own(np.asarray(leaf, type_.dtype)) if isinstance(type_, LeafType) else leaf
                for leaf, type_ in zip(leaves, wanted.leaves, strict=True)
            ]
            return KnownSum(self._kind, number, tree.unflatten(known))
        values = [value_as(leaf, type_) for leaf, type_ in zip(leaves, wanted.leaves, strict=True)]
        if None in values:
            raise self._none(found, f"alternative {number}")
        return self._kind.of(number, cast("list[Value]", values))

    def _chosen(self, found: StructureType) -> int:
        """The number of the only alternative that fits, as it is or, if none does, after conversions."""
        for fits in (_is_same, _is_convertible):
            fitting = [
                k
                for k, a in enumerate(self._kind.alternatives)
                if a.tree == found.tree and all(map(fits, found.leaves, a.leaves))
            ]
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                raise tracing_error(
                    f"a value of type {found} may be any of the alternatives {', '.join(map(str, fitting))} "
                    f"of {self._kind}",
                    "say which: Shape(0, value), or make the alternatives dataclasses of their own",
                )
        raise self._none(found, "any alternative")

    def _none(self, found: StructureType, what: str) -> Exception:
        return argument_error(
            f"a value of type {found} is not {what} of {self._kind}",
            "alternatives have the structure, shapes and dtypes of their examples; convert the value",
        )


@plain_errors
def sum_of(*examples: Any) -> SumOf:
    """The constructor of values that are like one of the examples, which may be of any structures.

    `Shape(value)` is the alternative that the value fits, by structure, shapes and dtypes; distinct
    dataclasses are told apart by class. `Shape(k, value)` is alternative number k.

        >>> Shape = ad.sum_of({"radius": 0.0}, {"width": 0.0, "height": 0.0})
        >>> def area(x):
        ...     box = {"width": x, "height": 3.0}
        ...     shape = ad.cond(x > 1, lambda: Shape({"radius": x}), lambda: Shape(box))
        ...     return ad.case(shape, lambda c: 3 * c["radius"] ** 2, lambda b: b["width"] * b["height"])
        >>> ad.value_and_grad(area)(0.5), ad.value_and_grad(area)(2.0)
        ((np.float64(1.5), np.float64(3.0)), (np.float64(12.0), np.float64(12.0)))

    `ad.itself` in an example is a value that this `sum_of` makes: so are lists and trees.

        >>> Tree = ad.sum_of(0.0, (ad.itself, ad.itself))
        >>> @ad.function
        ... def product(tree):
        ...     return ad.case(tree, lambda x: x, lambda sides: product(sides[0]) * product(sides[1]))
        >>> ad.grad(lambda x: product(Tree((Tree(x), Tree((Tree(x + 1), Tree(x)))))))(2.0)
        np.float64(16.0)
    """
    if not examples:
        raise argument_error(
            "sum_of needs an example of each alternative, and none is given",
            "write ad.sum_of(1.0, np.zeros(3)), with an example of each alternative",
        )
    return SumOf(examples)


@plain_errors
def left(value: Any, like: Any) -> Sum:
    """`value` as the first of two alternatives; the second is like the example `like`.

    >>> reciprocal = lambda x: ad.cond(x != 0, lambda: ad.left(1 / x, 0), lambda: ad.right(-1, 0.0))
    >>> value = lambda x: ad.case(reciprocal(x), lambda y: y, lambda code: 1.0 * code)
    >>> ad.jit(value)(4.0), ad.jit(value)(0.0)
    (np.float64(0.25), np.float64(-1.0))
    """
    return SumOf((value, like))(0, value)


@plain_errors
def right(value: Any, like: Any) -> Sum:
    """`value` as the second of two alternatives; the first is like the example `like`.

    >>> def steeper_below(x):
    ...     signed = ad.cond(x > 0, lambda: ad.left(x, x), lambda: ad.right(-x, x))
    ...     return ad.case(signed, lambda above: above, lambda below: -5 * below)
    >>> ad.grad(steeper_below)(2.0), ad.grad(steeper_below)(-2.0)
    (np.float64(1.0), np.float64(5.0))
    """
    return SumOf((like, value))(1, value)


@plain_errors
def case(value: Sum, *arms: Callable[[Any], Any]) -> Any:
    """Return what the arm for the alternative that a sum is returns for the value; all return equal
    structures.

    There is an arm for each alternative, in the order of the examples. Only the one that is chosen runs.

        >>> def half_or_shifted(n):
        ...     found = ad.cond(n % 2 == 0, lambda: ad.left(n // 2, 0.0), lambda: ad.right(n + 0.5, 0))
        ...     return ad.case(found, lambda k: 1.0 * k, lambda x: x)
        >>> ad.jit(half_or_shifted)(6), ad.jit(half_or_shifted)(7)
        (np.float64(3.0), np.float64(7.5))
    """

    if not isinstance(cast(object, value), Sum):
        raise argument_error(
            f"ad.case takes a sum apart, not {type(value).__name__}",
            "make it one by ad.sum_of, ad.left or ad.right; to choose by a number write ad.switch",
        )
    alternatives = value.kind.alternatives
    if len(arms) != len(alternatives):
        raise argument_error(
            f"ad.case has {len(arms)} arms for the {len(alternatives)} alternatives of {value.kind}",
            "give a function for each alternative, in the order of the examples",
        )
    for k, arm in enumerate(arms):
        require_arguments(arm, 1, f"ad.case, for alternative {k},")

    if isinstance(value, KnownSum):
        result = arms[value.number](eager.known(value.content, "case"))
        return result if is_tracing() else eager.known(result, "case")

    def choose(branches: Sequence[Branch]) -> list[Value]:
        if len(branches) < len(arms):
            return branches[0]()
        whole, b = value.value, emitting()
        return b.case(b.unroll(whole, value.kind.sum) if value.kind.is_inductive else whole, branches)

    sides = [_arm(arm, alternative) for arm, alternative in zip(arms, alternatives, strict=True)]
    return branched(sides, [f"arm {k}" for k in range(len(arms))], (), choose, "case")


def _arm(arm: Callable[[Any], Any], alternative: StructureType) -> Callable[..., Any]:
    """The arm as a function of the value that its region takes.

    Called without it, in an attempt that is given up, it is run on what nothing computes.
    """

    def run(*values: Value) -> Any:
        b, types = emitting(), alternative.types
        if not values:
            return arm(alternative.made(b.call("unknown", (), types)))
        if len(types) == 1:
            return arm(alternative.made(values))
        return arm(alternative.made([b.get(values[0], k) for k in range(len(types))]))

    return run


def _together(types: list[Attribute]) -> Attribute:
    return types[0] if len(types) == 1 else tuple_type(types)


def _holds_itself(alternative: StructureType) -> bool:
    return any(isinstance(leaf, ItselfType) for leaf in alternative.leaves)


def _sum_of(alternatives: Sequence[StructureType]) -> SumType:
    return sum_type([_together(a.types) for a in alternatives])


def _type_of_example(example: Any, number: int) -> StructureType:
    leaves, tree = flatten(example)
    if any(isinstance(leaf, SumOf) for leaf in leaves):
        raise argument_error(
            f"example {number} of ad.sum_of holds a constructor of sums, not a sum",
            "give a value that it makes, or ad.itself for one that this sum_of makes",
        )
    known = [0.0 if leaf is itself else leaf for leaf in leaves]
    types = structure_type(known, tree, tree.paths(f"example {number}")).leaves
    places = (ItselfType() if leaf is itself else t for leaf, t in zip(leaves, types, strict=True))
    return StructureType(tree, tuple(places)).strong()


def _is_same(found: ValueType, wanted: ValueType) -> bool:
    if isinstance(found, HigherType) or isinstance(wanted, HigherType):
        return _is_convertible(found, wanted)
    return (found.shape, found.dtype) == (wanted.shape, wanted.dtype)


def _is_convertible(found: ValueType, wanted: ValueType) -> bool:
    if isinstance(found, HigherType) or isinstance(wanted, HigherType):
        if not (isinstance(found, HigherType) and isinstance(wanted, HigherType)):
            return False
        return wanted.joined(found) is not None
    is_scalar = found.weak and result_type([found.kind, wanted.dtype]) == wanted.dtype
    return found.shape == wanted.shape and (is_scalar or found.dtype == wanted.dtype)
