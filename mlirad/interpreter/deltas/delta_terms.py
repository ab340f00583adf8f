"""Delta terms: the derivative of one scalar by the inputs, as a data structure.

    z = x * sin(x) with x the input 0        Share 1 (Add (Scale (sin x) (Input 0)) (Scale x (Share 0 ...)))

`Share` gives a term that may be used more than once an ID, under two invariants (section 2.5 of the
dual-numbers paper, which `mlirad.interpreter.deltas` names):

1. the IDs in a term under `Share i` are smaller than i;
2. terms with one ID are one object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Zero:
    """The delta of a constant."""


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """The delta of the input scalar of that number."""

    name: int


@dataclass(frozen=True, slots=True, eq=False)
class Add:
    """The sum of two."""

    left: Delta
    right: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """A multiple; the factor is a partial derivative."""

    factor: float
    term: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """The term itself, under a name."""

    id: int
    term: Delta


Delta: TypeAlias = Zero | Input | Add | Scale | Share

Terms: TypeAlias = Sequence[Delta]
"""The term of every element of an array, in row-major order."""

ZERO = Zero()
"""The one `Zero` that is ever needed."""


def parts(term: Delta) -> tuple[Delta, ...]:
    """The terms that a term is made of."""
    match term:
        case Zero() | Input():
            return ()
        case Add(left, right):
            return left, right
        case Scale(_, inner) | Share(_, inner):
            return (inner,)


def distinct(*terms: Delta) -> Iterator[Delta]:
    """Every term in the given ones, each object once."""
    seen: set[int] = set()
    pending: list[Delta] = list(reversed(terms))
    while pending:
        term = pending.pop()
        if id(term) not in seen:
            seen.add(id(term))
            yield term
            pending += reversed(parts(term))


def delta_nodes(*terms: Delta) -> int:
    """Return how many constructors a run has made for these terms: each `Add`, `Scale` and `Share` once.

    `Input` and `Zero` are not counted: there are as many as inputs, and one, whatever the program does.
    """
    return sum(not isinstance(term, Input | Zero) for term in distinct(*terms))
