"""`ad.sweep` against brute force: perturbation, polynomial algebra, shortest paths; instances of users."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import mlirad as ad

X = np.array([1.0, 2.0, 3.0])


# Provenance ----------------------------------------------------------------------------------------


@ad.function
def power(x: Any, n: Any) -> Any:
    return ad.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))


def chosen_closure(x: Any, p: Any) -> Any:
    f = ad.cond(p > 0, lambda: ad.lambda_(lambda z: z * x[0]), lambda: ad.lambda_(lambda z: z + x[1]))
    return f(x[2])


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "window": (lambda x: x[:-1] * x[1:], (X,)),
    "where": (lambda x, p: np.where(p, x, 0.0), (X, np.array([True, False, True]))),
    "position": (lambda x, k: x[k], (X, 1)),
    "loop": (lambda x: ad.fori_loop(0, 3, lambda i, c: c * x[i], 1.0), (X,)),
    "while": (lambda x: ad.while_loop(lambda c: c < x[1], lambda c: c + x[0], x[2]), (X,)),
    "branch": (lambda x: ad.cond(x[0] > 0, lambda: x[1], lambda: x[2]), (X,)),
    "recursion": (lambda x, n: power(x[1], n), (X, 3)),
    "closure": (chosen_closure, (X, 1.0)),
    "written": (lambda x: _written(x), (X,)),
    "product": (lambda a, x: a @ x, (np.eye(3), X)),
    "structure": (lambda d: {"y": d["a"][0] * d["n"]}, ({"a": X, "n": 2},)),
}


def _written(x: Any) -> Any:
    y = np.zeros(3)
    y[1] = x[0]
    y[2] += x[2]
    return y


def flat(structure: Any) -> list[np.ndarray]:
    """The arrays of a structure."""
    if isinstance(structure, dict):
        return [a for key in sorted(structure) for a in flat(structure[key])]
    if isinstance(structure, tuple):
        return [a for part in structure for a in flat(part)]
    return [] if structure is None else [np.asarray(structure)]


def moved(structure: Any, number: int, place: tuple[int, ...], by: float) -> Any:
    """The structure with one element of its array of this number replaced."""
    count = iter(range(10**6))

    def visit(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: visit(part[key]) for key in sorted(part)}
        if isinstance(part, tuple):
            return tuple(visit(p) for p in part)
        if next(count) != number:
            return part
        new = np.array(part)
        new[place] = not new[place] if new.dtype == bool else new[place] + new.dtype.type(by)
        return new if new.shape else new.item()

    return visit(structure)


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_does_not_reach_a_result_does_not_matter(name: str, interpret: bool) -> None:
    function, args = PROGRAMS[name]
    value = function(*args) if name not in ("recursion", "closure") else ad.jit(function)(*args)
    found, reached = ad.sweep(function, interpret=interpret)(*args)
    for x, y in zip(flat(found), flat(value), strict=True):
        np.testing.assert_allclose(x, y)
    sets = flat(reached)
    for number, (array, reaches) in enumerate(zip(flat(args), sets, strict=True)):
        assert array.shape == reaches.shape
        for place in np.ndindex(array.shape):
            others = [ad.jit(function)(*moved(args, number, place, by)) for by in (1.0, -2.0)]
            changes = any(
                not np.array_equal(x, y)
                for other in others
                for x, y in zip(flat(other), flat(value), strict=True)
            )
            assert reaches[place] or not changes, f"{name}: {number} {place}"


def test_sets_are_exact_where_elements_are_only_moved() -> None:
    _, reached = ad.sweep(lambda x, w: x[:2] @ w[1:])(X, X)
    assert [r.tolist() for r in reached] == [[True, True, False], [False, True, True]]
    _, ahead = ad.sweep(lambda x: x[::-1], mode="forward")(X, seeds=(np.array([True, False, False]),))
    assert ahead.tolist() == [False, False, True]
    _, first = ad.sweep(lambda x: np.cumsum(x))(X, seeds=np.array([False, True, False]))
    assert first.tolist() == [True, True, False]


# Formal derivatives ----------------------------------------------------------------------------------


class Polynomial:
    """A polynomial of several variables with integer coefficients: exponents to coefficient."""

    def __init__(self, terms: dict[tuple[int, ...], int]):
        self.terms = {e: c for e, c in terms.items() if c}

    def __add__(self, other: Polynomial) -> Polynomial:
        total = Counter(self.terms)
        for e, c in other.terms.items():
            total[e] += c
        return Polynomial(dict(total))

    def __neg__(self) -> Polynomial:
        return Polynomial({e: -c for e, c in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        total: Counter[tuple[int, ...]] = Counter()
        for e, c in self.terms.items():
            for f, d in other.terms.items():
                total[tuple(map(sum, zip(e, f, strict=True)))] += c * d
        return Polynomial(dict(total))

    def at(self, point: list[int]) -> int:
        """The value at a point."""
        total = 0
        for exponents, c in self.terms.items():
            for x, e in zip(point, exponents, strict=True):
                c *= x**e
            total += c
        return total

    def derivative(self, k: int) -> Polynomial:
        """By variable k: n x^(n-1) for x^n."""
        found: Counter[tuple[int, ...]] = Counter()
        for e, c in self.terms.items():
            if e[k]:
                found[(*e[:k], e[k] - 1, *e[k + 1 :])] += c * e[k]
        return Polynomial(dict(found))


def random_polynomial(rng: random.Random) -> list[tuple[str, int, int]]:
    """Instructions on a stack of values."""
    return [(rng.choice("+-**"), rng.randrange(3 + k), rng.randrange(3 + k)) for k in range(5)]


def run(instructions: list[tuple[str, int, int]], values: list[Any]) -> Any:
    """The last value."""
    values = list(values)
    for symbol, j, k in instructions:
        x, y = values[j], values[k]
        values.append(x + y if symbol == "+" else x - y if symbol == "-" else x * y)
    return values[-1]


@pytest.mark.parametrize("modulus", [0, 3, 4, 7, 12])
@pytest.mark.parametrize("seed", range(4))
def test_formal_derivatives_are_those_of_polynomials(seed: int, modulus: int) -> None:
    rng = random.Random(seed)
    instructions = random_polynomial(rng)
    variables = [Polynomial({tuple(int(j == k) for j in range(3)): 1}) for k in range(3)]
    polynomial = run(instructions, variables)
    instance = f"z{modulus}" if modulus else "naturals"
    point = [rng.randrange(modulus or 4) for _ in range(3)]
    value, slopes = ad.sweep(lambda a, b, c: run(instructions, [a, b, c]), instance)(*point)
    expected = [polynomial.derivative(k).at(point) for k in range(3)]
    assert value == polynomial.at(point)
    assert [int(s) for s in slopes] == [e % modulus if modulus else e for e in expected]
    along = [rng.randrange(modulus or 4) for _ in range(3)]
    _, ahead = ad.sweep(lambda a, b, c: run(instructions, [a, b, c]), instance, "forward")(
        *point, seeds=tuple(along)
    )
    total = sum(e * d for e, d in zip(expected, along, strict=True))
    assert ahead == (total % modulus if modulus else total)


def test_booleans_in_loops_and_functions() -> None:
    """Horner's rule in a loop, over Z/2, is the polynomial written out."""

    def horner(x: Any, coefficients: Any) -> Any:
        return ad.fori_loop(0, 4, lambda i, c: (c & x) ^ coefficients[i], False)

    for bits in range(16):
        coefficients = np.array([bits >> k & 1 for k in range(4)], bool)
        for x in (False, True):
            _, (slope, by_coefficients) = ad.sweep(horner, "z2")(x, coefficients)
            powers = [3, 2, 1, 0]
            assert slope == (
                sum(int(c) * p * (int(x) ** max(p - 1, 0)) for c, p in zip(coefficients, powers, strict=True))
                % 2
            )
            assert by_coefficients.tolist() == [bool(int(x) ** p) for p in powers]


# Shortest paths --------------------------------------------------------------------------------------


def closure_of(w: Any) -> Any:
    """Lengths of shortest paths of at most 2^4 edges, by squaring."""
    return ad.fori_loop(0, 4, lambda i, d: np.minimum(d, np.min(d[:, :, None] + d[None, :, :], axis=1)), w)


@pytest.mark.parametrize("seed", range(3))
def test_paths_through_edges(seed: int) -> None:
    """By Floyd and Warshall: the length through the edge u v, without it, is d(s, u) + d(v, t)."""
    rng, n = np.random.default_rng(seed), 5
    w = np.where(rng.random((n, n)) < 0.7, rng.integers(1, 20, (n, n)).astype(float), np.inf)
    np.fill_diagonal(w, 0.0)
    d = w.copy()
    for k in range(n):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    seeds = np.full((n, n), np.inf)
    seeds[0, n - 1] = 0.0
    found, through = ad.sweep(closure_of, "min-plus")(w, seeds=seeds)
    np.testing.assert_array_equal(found, d)
    np.testing.assert_array_equal(through, d[0][:, None] + d[:, n - 1][None, :])


# Instances of users ------------------------------------------------------------------------------------


def longest() -> ad.Instance:
    """max and +: the longest path."""
    return ad.Instance(
        "max-plus",
        {float: float},
        zero=-np.inf,
        one=0.0,
        plus=np.maximum,
        scale=np.add,
        partials={np.maximum: lambda x, y: (0.0, 0.0), np.add: lambda x, y: (y, x)},
    )


def test_an_instance_of_a_user() -> None:
    def f(x: Any) -> Any:
        return np.maximum(x[0] + x[1], x[2])

    value, through = ad.sweep(f, longest())(X)
    assert value == 3.0
    assert through.tolist() == [2.0, 1.0, 0.0]


def test_an_instance_of_a_user_is_the_one_that_is_shipped() -> None:
    mine = ad.Instance(
        "xor",
        {bool: bool},
        zero=False,
        one=True,
        plus=np.logical_xor,
        scale=np.logical_and,
        partials={
            np.logical_xor: lambda x, y: (True, True),
            np.logical_and: lambda x, y: (y, x),
            np.logical_not: lambda x: True,
        },
    )

    def f(p: Any) -> Any:
        return ad.fori_loop(0, 3, lambda i, c: (c & p[i]) ^ ~p[i - 1], True)

    for bits in range(8):
        p = np.array([bits >> k & 1 for k in range(3)], bool)
        found, expected = ad.sweep(f, mine)(p), ad.sweep(f, "z2")(p)
        assert found[0] == expected[0]
        np.testing.assert_array_equal(found[1], expected[1])


PARTS: dict[str, Any] = {
    "carries": {float: float},
    "zero": 0.0,
    "one": 1.0,
    "plus": np.add,
    "scale": np.multiply,
    "partials": {np.add: lambda x, y: (1.0, 1.0)},
}


@pytest.mark.parametrize("part", PARTS)
def test_an_instance_that_lacks_a_part(part: str) -> None:
    with pytest.raises(ad.ArgumentError, match=f"the instance 'mine' has no {part}") as caught:
        ad.Instance("mine", **{k: v for k, v in PARTS.items() if k != part})
    assert caught.value.location is not None and __file__ in caught.value.location


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plus": np.subtract}, r"breaks a law: plus\(zero, x\) = x"),
        ({"plus": lambda x, y: x + y + x * y * y}, r"breaks a law: plus\(x, y\) = plus\(y, x\)"),
        ({"plus": lambda x, y: x + y + x * x * y * y}, r"breaks a law: plus\(x, plus\(y, z\)\)"),
        ({"scale": lambda c, x: c + x}, r"breaks a law: scale\(x, zero\) = zero"),
        ({"scale": lambda c, x: c * x * x}, r"breaks a law: scale\(x, plus\(y, z\)\)"),
        ({"carries": {str: float}}, "dtype <U0"),
        ({"partials": {np.sum: lambda x: 1.0}}, "a line for sum, which is not an elementwise function"),
        ({"partials": {np.logical_and: lambda x, y: (y, x)}, "carries": {float: float}}, "logical_and"),
    ],
)
def test_an_instance_that_is_wrong(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ad.ArgumentError, match=message) as caught:
        ad.Instance("mine", **{**PARTS, **change})
    assert caught.value.location is not None and __file__ in caught.value.location


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ad.sweep(np.sin, "min-plus")(X), ad.DifferentiationError, "has no line for array.sin"),
        (lambda: ad.sweep(lambda n: n + 1, "z2")(3), ad.DifferentiationError, "has no data for an argument"),
        (lambda: ad.sweep(np.sin, "backprop"), ad.ArgumentError, "there is no instance 'backprop'"),
        (lambda: ad.sweep(np.sin, mode="both"), ad.ArgumentError, "there is no mode of sweep 'both'"),
        (
            lambda: ad.sweep(lambda p, q: ad.cond(p, lambda: q, lambda: p), "z2")(True, False),
            ad.DifferentiationError,
            "does not say what a condition carries",
        ),
        (
            lambda: ad.sweep(lambda n, x: x[n] * n, "naturals")(1, np.array([2, 3])),
            ad.DifferentiationError,
            "does not say what a position",
        ),
        (lambda: ad.sweep(lambda x: x * 2)(X, seeds=np.array([True])), ad.ShapeError, "seeds of shape"),
        (
            lambda: ad.sweep(lambda n: n * 1.5, "naturals")(2),
            ad.DifferentiationError,
            "has no data for what array.convert makes",
        ),
    ],
)
def test_errors_are_one_sentence_with_the_line(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert caught.value.location is not None and __file__ in caught.value.location


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("place", ["body", "branch", "loop", "while", "call"])
def test_data_are_not_lost_without_a_word(place: str, mode: str) -> None:
    """An integer that becomes a float and an integer again, wherever that is."""

    def lossy(n: Any) -> Any:
        return (n * 1.0).astype(int)

    called = ad.function(lossy)

    def f(n: Any) -> Any:
        match place:
            case "body":
                return lossy(n) + n
            case "branch":
                return ad.cond(n > 1, lambda: lossy(n), lambda: 0) + n
            case "loop":
                return ad.fori_loop(0, 2, lambda i, c: c + lossy(n), 0) + n
            case "while":
                return ad.while_loop(lambda c: c < 9, lambda c: c + lossy(n) + 1, 0) + n
            case _:
                return called(n) + n

    with pytest.raises(ad.DifferentiationError, match=r"has no data for what array\.\w+ makes"):
        ad.sweep(f, "naturals", mode)(3)


@pytest.mark.parametrize("instance", ["provenance", "cotangents"])
def test_functions_that_hold_their_own_kind_are_refused(instance: str) -> None:
    def f(x: Any) -> Any:
        return ad.fori_loop(0, 3, lambda i, f: ad.lambda_(lambda z: f(z) * x), ad.lambda_(np.sin))(x)

    with pytest.raises(ad.DifferentiationError, match="has no data for lists, trees and functions that"):
        ad.sweep(f, instance)(2.0)


def test_sweeps_in_programs() -> None:
    """Inside of compiled functions and batches, and derivatives of sweeps."""
    found = ad.jit(lambda x: ad.sweep(lambda y: y[0] * y[1])(x)[1])(X)
    assert found.tolist() == [True, True, False]

    def slope(x: Any) -> Any:
        return ad.sweep(lambda y: y * y * y, "cotangents")(x)[1]

    assert ad.grad(slope)(2.0) == 12.0
    np.testing.assert_array_equal(ad.vmap(slope)(X), 3 * X**2)
