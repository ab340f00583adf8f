"""The meaning of a Delta term, and the steps from that meaning to an evaluator of the right cost.

    eval0 d e          the derivative along e: one number per pass. The specification
    eval1 d            the gradient, by adding and scaling whole vectors
    eval2 d v          v + eval1 d, which adds at one position at an Input
    eval3 c d v        v + c eval1 d, which carries the factor down and never scales a vector
    reverse_pass c d   c eval1 d, visiting every shared term once

(Sections 2.3 to 2.6 of the dual-numbers paper, where the last is reversePass_4.) The first four look through
`Share`, so their time is exponential where a term is used again and again; the first three recur as deep as
the term is. A vector is a list of one number per input. Zero absorbs: a product with a factor 0 is 0,
whatever the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import field
from operator import add
from typing import Generic, TypeAlias, TypeVar

from mlirad.interpreter.deltas.delta_terms import Add, Delta, Input, Scale, Share, Zero
from mlirad.lazy_dataclass import dataclass

Vector: TypeAlias = list[float]

Change: TypeAlias = Callable[[Vector], Vector]

T = TypeVar("T")


def product(a: float, b: float) -> float:
    """a * b, and 0 where either is 0."""
    return 0.0 if a == 0 or b == 0 else a * b


def _plus(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def _times(factor: float, a: Vector) -> Vector:
    return [product(factor, x) for x in a]


def _with_added(vector: Vector, position: int, number: float) -> Vector:
    return [*vector[:position], vector[position] + number, *vector[position + 1 :]]


@dataclass(frozen=True)
class Algebra(Generic[T]):
    """A meaning of every constructor; `Share` means the term that it names."""

    zero: T
    input: Callable[[int], T]
    add: Callable[[T, T], T]
    scale: Callable[[float, T], T]

    def fold(self, term: Delta) -> T:
        """The meaning of a term."""
        match term:
            case Zero():
                return self.zero
            case Input(name):
                return self.input(name)
            case Add(left, right):
                return self.add(self.fold(left), self.fold(right))
            case Scale(factor, inner):
                return self.scale(factor, self.fold(inner))
            case Share(_, inner):
                return self.fold(inner)


def eval0(term: Delta, direction: Sequence[float]) -> float:
    """The derivative along a direction: a number per input."""
    return Algebra(0.0, direction.__getitem__, add, product).fold(term)


def eval1(term: Delta, inputs: int) -> Vector:
    """The gradient by `inputs` inputs."""
    zero = [0.0] * inputs
    return Algebra(zero, lambda name: _with_added(zero, name, 1.0), _plus, _times).fold(term)


def eval2(term: Delta, vector: Vector) -> Vector:
    """The vector with the gradient added, by functions from vectors to vectors.

    At `Scale r d` the paper has the composition of "times r" with eval2 d; that would scale the vector too,
    so that eval1 (Add (Input 0) (Scale 2 (Input 1))), which is (1, 2), would be (2, 2). Only what d adds to
    zero is scaled here.
    """

    return Algebra[Change](lambda v: v, _increment, _then, _scaled_change).fold(term)(vector)


def _increment(position: int) -> Change:
    return lambda v: _with_added(v, position, 1.0)


def _then(first: Change, second: Change) -> Change:
    return lambda v: second(first(v))


def _scaled_change(factor: float, inner: Change) -> Change:
    return lambda v: _plus(v, _times(factor, inner([0.0] * len(v))))


def eval3(cotangent: float, term: Delta, vector: Vector, visited: list[Delta] | None = None) -> Vector:
    """The vector with the cotangent times the gradient added.

    Every `Share` and `Input` is entered in `visited` as often as it is reached: once per path.
    """
    result = list(vector)
    pending: list[tuple[float, Delta]] = [(cotangent, term)]
    while pending:
        c, d = pending.pop()
        if visited is not None and isinstance(d, Share | Input):
            visited.append(d)
        match d:
            case Zero():
                pass
            case Input(name):
                result[name] += c
            case Add(left, right):
                pending += ((c, right), (c, left))
            case Scale(factor, inner):
                pending.append((product(c, factor), inner))
            case Share(_, inner):
                pending.append((c, inner))
    return result


@dataclass
class _State:
    """The evaluation state of Fig. 5; the shared terms are found by the greatest ID in a heap."""

    gradient: dict[int, float] = field(default_factory=dict[int, float])
    fragments: dict[int, Share] = field(default_factory=dict[int, Share])
    cotangents: dict[int, float] = field(default_factory=dict[int, float])
    pending: list[int] = field(default_factory=list[int])  # negated IDs


def reverse_pass(cotangent: float, term: Delta, visited: list[Delta] | None = None) -> dict[int, float]:
    """The cotangent times the gradient, as a map from the inputs that are reached.

    Cotangents of a shared term are summed until no pending term has a greater ID: by invariant 1 none can
    reach it any more. `visited` gets every `Share` when its term is entered, that is once, and every `Input`.
    Time: O(terms + shared terms * log(shared terms)).
    """
    state = _State()
    _eval(cotangent, term, state, visited)
    while state.pending:
        identity = -heapq.heappop(state.pending)
        share = state.fragments.pop(identity)
        if visited is not None:
            visited.append(share)
        _eval(state.cotangents.pop(identity), share.term, state, visited)
    return state.gradient


def _eval(cotangent: float, fragment: Delta, state: _State, visited: list[Delta] | None) -> None:
    """Send a cotangent into a term, as far as the shared terms in it, which are put off."""
    todo: list[tuple[float, Delta]] = [(cotangent, fragment)]
    while todo:
        c, d = todo.pop()
        match d:
            case Zero():
                pass
            case Input(name):
                state.gradient[name] = state.gradient.get(name, 0.0) + c
                if visited is not None:
                    visited.append(d)
            case Add(left, right):
                todo += ((c, right), (c, left))
            case Scale(factor, inner):
                todo.append((product(c, factor), inner))
            case Share(identity, _):
                if identity not in state.fragments:
                    state.fragments[identity] = d
                    heapq.heappush(state.pending, -identity)
                state.cotangents[identity] = state.cotangents.get(identity, 0.0) + c
