"""Lists and trees: sums whose values hold values of their own kind, beside plain loops of NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import mlirad as ad
from mlirad.pipeline_options import METHODS, SPECIFICATIONS

Function = Callable[..., Any]

Numbers = ad.sum_of(None, (0.0, ad.itself))
Vectors = ad.sum_of(np.zeros(3), {"weight": 0.0, "vector": np.zeros(3), "rest": ad.itself})


class Node(NamedTuple):
    value: Any
    left: Any
    right: Any


Tree = ad.sum_of(0, Node(0.0, ad.itself, ad.itself))


@ad.function
def total(numbers: Any) -> Any:
    return ad.case(numbers, lambda _: 0.0, lambda cell: np.sin(cell[0]) + 0.5 * total(cell[1]))


def list_of_a_loop(x: Any, v: Any) -> Any:
    return total(ad.fold(lambda numbers, e: Numbers((x * e, numbers)), Numbers(None), v))


def list_of_a_loop_by_hand(x: Any, v: Any) -> Any:
    found = 0.0
    for e in v:
        found = np.sin(x * e) + 0.5 * found
    return found


def written_out(x: Any, v: Any) -> Any:
    return total(Numbers((x, Numbers((v[1], Numbers((x * x, Numbers(None))))))))


def written_out_by_hand(x: Any, v: Any) -> Any:
    return np.sin(x) + 0.5 * (np.sin(v[1]) + 0.5 * np.sin(x * x))


@ad.function
def weighted(vectors: Any) -> Any:
    def at_cell(cell: Any) -> Any:
        return cell["weight"] * np.cos(cell["vector"]) + weighted(cell["rest"])

    return ad.case(vectors, lambda last: last, at_cell)


def list_of_vectors(x: Any, v: Any) -> Any:
    def step(i: Any, vectors: Any) -> Any:
        return Vectors({"weight": x * i, "vector": v * (i + 1), "rest": vectors})

    return np.sum(weighted(ad.fori_loop(0, 3, step, Vectors(v))) ** 2)


def list_of_vectors_by_hand(x: Any, v: Any) -> Any:
    found = v
    for i in range(3):
        found = x * i * np.cos(v * (i + 1)) + found
    return np.sum(found**2)


@ad.function
def grown(depth: Any, x: Any, v: Any) -> Any:
    def node() -> Any:
        return Tree(Node(x, grown(depth - 1, x * v[0], v), grown(depth - 2, np.sin(x), v)))

    return ad.cond(depth <= 0, lambda: Tree(depth), node)


@ad.function
def product(tree: Any) -> Any:
    def at_node(node: Any) -> Any:
        return node.value + product(node.left) * product(node.right)

    return ad.case(tree, lambda depth: 1.0 + depth, at_node)


def tree_of_recursion(x: Any, v: Any) -> Any:
    return product(grown(4, x, v))


def tree_of_recursion_by_hand(x: Any, v: Any) -> Any:
    def go(depth: int, x: Any) -> Any:
        if depth <= 0:
            return 1.0 + depth
        return x + go(depth - 1, x * v[0]) * go(depth - 2, np.sin(x))

    return go(4, x)


def carried_and_chosen(x: Any, v: Any) -> Any:
    """A `while` takes a list apart and makes another; branches choose lists."""
    numbers = ad.fold(lambda rest, e: Numbers((e, rest)), Numbers(None), v)

    def more(state: Any) -> Any:
        return ad.case(state[0], lambda _: False, lambda _: True)

    def moved(state: Any) -> Any:
        def at_cell(cell: Any) -> Any:
            number, rest = cell
            kept = ad.cond(number > 0, lambda: Numbers((number * x, state[1])), lambda: state[1])
            return rest, kept

        return ad.case(state[0], lambda _: state, at_cell)

    return total(ad.while_loop(more, moved, (numbers, Numbers(None)))[1])


def carried_and_chosen_by_hand(x: Any, v: Any) -> Any:
    found = 0.0
    for e in v[::-1]:
        found = np.where(e > 0, np.sin(e * x) + 0.5 * found, found)
    return found


def list_of_a_counted_loop(x: Any, v: Any) -> Any:
    """A loop whose iterations are counted by the arguments."""
    count = np.sum(v > -2)
    return total(ad.fori_loop(0, count, lambda i, rest: Numbers((x * v[i] * (i + 1), rest)), Numbers(None)))


def list_of_a_counted_loop_by_hand(x: Any, v: Any) -> Any:
    found = 0.0
    for i in range(3):
        found = np.sin(x * v[i] * (i + 1)) + 0.5 * found
    return found


def list_of_functions(x: Any, v: Any) -> Any:
    """Functions in a list, which capture a list and are made by a loop."""
    functions = ad.sum_of(None, (ad.lambda_(lambda z: z, 0.0), ad.itself))
    numbers = Numbers((x, Numbers((v[0], Numbers(None)))))

    @ad.function
    def applied(chain: Any, z: Any) -> Any:
        return ad.case(chain, lambda _: z, lambda cell: cell[0](applied(cell[1], z)))

    first = functions((ad.lambda_(lambda z: z * total(numbers)), functions(None)))

    def step(chain: Any, e: Any) -> Any:
        return functions((ad.lambda_(lambda z: np.cos(z * e) + x), chain))

    return applied(ad.fold(step, first, v), x)


def list_of_functions_by_hand(x: Any, v: Any) -> Any:
    found = x * (np.sin(x) + 0.5 * np.sin(v[0]))
    for e in v:
        found = np.cos(found * e) + x
    return found


def product_of_a_loop(x: Any, v: Any) -> Any:
    """A tail call goes through the list: no call stays in a batch."""

    @ad.function
    def multiplied(numbers: Any, found: Any) -> Any:
        return ad.case(
            numbers, lambda _: found, lambda cell: multiplied(cell[1], found * cell[0] + np.cos(found))
        )

    return multiplied(ad.fold(lambda rest, e: Numbers((e, rest)), Numbers(None), v), x)


def product_of_a_loop_by_hand(x: Any, v: Any) -> Any:
    found = x
    for e in v[::-1]:
        found = found * e + np.cos(found)
    return found


Functions = ad.sum_of(None, (ad.lambda_(lambda z: z, 0.0), ad.itself))
SINE, DOUBLE = ad.lambda_(np.sin), ad.lambda_(lambda z: 2 * z, 0.0)
CHAIN = Functions((SINE, Functions((DOUBLE, Functions(None)))))


def functions_from_outside(x: Any, v: Any) -> Any:
    """Functions, and lists of them, that are made outside of the trace, and passed on inside."""

    @ad.function
    def applied(chain: Any, z: Any) -> Any:
        return ad.case(chain, lambda _: z, lambda cell: applied(cell[1], cell[0](z)))

    chosen = ad.cond(x > 0.6, lambda: SINE, lambda: DOUBLE)
    grown = Functions((ad.lambda_(lambda z: z * v[0]), Functions((chosen, CHAIN))))
    return applied(grown, x) + ad.fori_loop(0, 2, lambda i, f: ad.lambda_(lambda z: f(z) * x), DOUBLE)(v[1])


def functions_from_outside_by_hand(x: Any, v: Any) -> Any:
    y = x * v[0]
    return 2 * np.sin(np.where(x > 0.6, np.sin(y), 2 * y)) + 2 * v[1] * x**2


KNOWN = Numbers((1.5, Numbers((2.5, Numbers(None)))))


def captured(x: Any, v: Any) -> Any:
    """A list made outside of the trace, also as the rest of one that is made inside."""
    return total(Numbers((x, KNOWN))) * total(KNOWN) + ad.case(KNOWN, lambda _: x, lambda cell: x * cell[0])


def captured_by_hand(x: Any, v: Any) -> Any:
    known = np.sin(1.5) + 0.5 * np.sin(2.5)
    return (np.sin(x) + 0.5 * known) * known + 1.5 * x


PROGRAMS: dict[Function, Function] = {
    list_of_a_loop: list_of_a_loop_by_hand,
    written_out: written_out_by_hand,
    list_of_a_counted_loop: list_of_a_counted_loop_by_hand,
    list_of_vectors: list_of_vectors_by_hand,
    tree_of_recursion: tree_of_recursion_by_hand,
    carried_and_chosen: carried_and_chosen_by_hand,
    list_of_functions: list_of_functions_by_hand,
    captured: captured_by_hand,
    product_of_a_loop: product_of_a_loop_by_hand,
    functions_from_outside: functions_from_outside_by_hand,
}
X, V = 0.8, np.array([0.9, -0.7, 1.3])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_values_and_derivatives(program: Function) -> None:
    """Against the same program without lists, to order 2, in both modes, compiled and interpreted."""
    by_hand = PROGRAMS[program]
    value = by_hand(X, V)
    assert ad.jit(program)(X, V) == pytest.approx(value, rel=1e-13)
    assert ad.jit(program, interpret=True)(X, V) == pytest.approx(value, rel=1e-13)
    expected = ad.grad(by_hand, argnums=(0, 1))(X, V)
    for method in METHODS:
        for found, wanted in zip(
            ad.grad(program, argnums=(0, 1), method=method)(X, V), expected, strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)
    moved, slope = ad.jvp(program, (X, V), (0.3, -V))
    assert moved == pytest.approx(value, rel=1e-13)
    assert slope == pytest.approx(0.3 * expected[0] - expected[1] @ V, rel=1e-11)
    np.testing.assert_allclose(
        ad.hessian(program, argnums=1)(X, V), ad.hessian(by_hand, argnums=1)(X, V), rtol=1e-11, atol=1e-12
    )


@pytest.mark.parametrize("method", SPECIFICATIONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_derivatives_by_specifications(program: Function, method: str) -> None:
    """The tangents of lists and trees are lists and trees: compiled and interpreted, in both modes."""
    by_hand = PROGRAMS[program]
    expected = ad.grad(by_hand, argnums=(0, 1))(X, V)
    for interpret in (False, True):
        found = ad.grad(program, argnums=(0, 1), method=method, interpret=interpret)(X, V)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    _, slope = ad.jvp(program, (X, V), (0.3, -V), method=method)
    assert slope == pytest.approx(0.3 * expected[0] - expected[1] @ V, rel=1e-11)


@pytest.mark.parametrize("method", SPECIFICATIONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_second_derivatives_by_specifications(program: Function, method: str) -> None:
    """The inner ones are expanded first, but for those of recursive functions, which stay calls."""
    expected = ad.hessian(PROGRAMS[program], argnums=1)(X, V)
    for interpret in (False, True):
        found = ad.hessian(program, argnums=1, method=method, interpret=interpret)(X, V)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_batches(program: Function) -> None:
    """Batches of derivatives, which are of rows, and of values, which are of records."""
    xs, vs = np.array([0.8, 0.5]), np.stack([V, -V])
    np.testing.assert_allclose(
        ad.vmap(program)(xs, vs),
        [PROGRAMS[program](x, v) for x, v in zip(xs, vs, strict=True)],
        rtol=1e-13,
        atol=1e-14,
    )
    np.testing.assert_allclose(
        ad.vmap(ad.grad(program, argnums=1))(xs, vs),
        [ad.grad(PROGRAMS[program], argnums=1)(x, v) for x, v in zip(xs, vs, strict=True)],
        rtol=1e-12,
        atol=1e-13,
    )


@ad.function
def sines(numbers: Any) -> Any:
    """With a check for NaN it reports, and returns no array."""
    return ad.case(numbers, lambda _: Numbers(None), lambda cell: Numbers((np.sin(cell[0]), sines(cell[1]))))


@ad.function
def maker(x: Any, n: Any) -> Any:
    return ad.cond(n <= 0, lambda: ad.lambda_(lambda z: z * x), lambda: maker(np.cos(x), n - 1))


@pytest.mark.parametrize("method", METHODS)
def test_functions_that_return_lists_or_functions_are_checked(method: str) -> None:
    def program(x: Any, v: Any) -> Any:
        numbers = ad.fold(lambda rest, e: Numbers((e, rest)), Numbers(None), v)
        return total(sines(numbers)) + maker(x / v[0], 2)(v[1])

    def by_hand(x: Any, v: Any) -> Any:
        found = 0.0
        for e in v:
            found = np.sin(np.sin(e)) + 0.5 * found
        return found + v[1] * np.cos(np.cos(x / v[0]))

    assert ad.jit(program, check_nans=True)(X, V) == pytest.approx(by_hand(X, V), rel=1e-14)
    np.testing.assert_allclose(
        ad.grad(program, argnums=1, method=method, check_nans=True)(X, V),
        ad.grad(by_hand, argnums=1)(X, V),
        rtol=1e-12,
    )
    with pytest.raises(ad.NotANumberError, match=r"test_inductive\.py:\d+: sin makes NaN"):
        ad.jit(program, check_nans=True)(X, np.array([1.0, np.inf, 1.0]))


def test_room_grows_in_batches() -> None:
    """If a branch that differs between batch members makes cells, each member has rows of its own."""

    def kept(x: Any, v: Any) -> Any:
        def step(rest: Any, e: Any) -> Any:
            return ad.cond(x * e > 0, lambda: Numbers((x * e, rest)), lambda: rest)

        return total(ad.fold(step, Numbers(None), v))

    xs, v = np.array([0.5, -1.0, 2.0]), np.sin(np.arange(400.0))

    def by_hand(x: float) -> float:
        found = 0.0
        for e in v[x * v > 0]:
            found = e * np.cos(x * e) + 0.5 * found
        return found

    slopes = ad.vmap(ad.grad(kept), in_axes=(0, None))(xs, v)
    np.testing.assert_allclose(slopes, [by_hand(x) for x in xs], rtol=1e-12)


def test_many_nodes() -> None:
    """10^5 cells made and taken apart by loops, and 2^17 - 1 nodes of a tree, where recursion is not deep."""
    n = 100_000

    def folded(x: Any) -> Any:
        numbers = ad.fori_loop(0, n, lambda i, rest: Numbers((x * i, rest)), Numbers(None))

        def more(state: Any) -> Any:
            return ad.case(state[0], lambda _: False, lambda _: True)

        def step(state: Any) -> Any:
            return ad.case(state[0], lambda _: state, lambda cell: (cell[1], state[1] + cell[0] ** 2))

        return ad.while_loop(more, step, (numbers, 0.0))[1]

    squares = (n - 1) * n * (2 * n - 1) / 6
    value, slope = ad.value_and_grad(folded)(0.5)
    assert value == pytest.approx(0.25 * squares, rel=1e-10)
    assert slope == pytest.approx(squares, rel=1e-10)

    @ad.function
    def full(depth: Any, x: Any) -> Any:
        return ad.cond(
            depth == 0, lambda: Tree(0), lambda: Tree(Node(x, full(depth - 1, x), full(depth - 1, -0.5 * x)))
        )

    @ad.function
    def summed(tree: Any) -> Any:
        return ad.case(tree, lambda _: 0.0, lambda t: t.value**2 + summed(t.left) + summed(t.right))

    value, slope = ad.value_and_grad(lambda x: summed(full(16, x)))(2.0)
    squares = sum(1.25**level for level in range(16))
    assert value == pytest.approx(4 * squares, rel=1e-12)
    assert slope == pytest.approx(4 * squares, rel=1e-12)


def test_without_a_trace() -> None:
    def first_of(numbers: Any) -> Any:
        return ad.case(numbers, lambda _: -1.0, lambda cell: cell[0] + first_of(cell[1]))

    assert first_of(KNOWN) == 3.0


def test_kinds_are_told_apart_by_what_they_hold() -> None:
    assert ad.sum_of(None, (0.0, ad.itself))((1.0, KNOWN)).kind == KNOWN.kind
    with pytest.raises(
        ad.ArgumentError, match=r"is not any alternative of a sum of None \| \(float64\[3\], itself\)"
    ):
        ad.sum_of(None, (np.zeros(3), ad.itself))((np.ones(3), KNOWN))


def test_a_type_without_an_end() -> None:
    with pytest.raises(ad.ArgumentError, match=r"no value of .* can be made, as each"):
        ad.sum_of((0.0, ad.itself), (ad.itself, ad.itself))


def test_the_place_is_no_value() -> None:
    assert repr(ad.itself) == "ad.itself"
    with pytest.raises(ad.TracingError, match=r"test_inductive\.py:\d+: ad\.itself stands for a value"):
        ad.jit(lambda x: x * ad.itself)(1.0)
    with pytest.raises(ad.ArgumentError, match=r"example 1 of ad\.sum_of holds a constructor of sums"):
        ad.sum_of(None, (Numbers, ad.itself))


def test_functions_that_do_not_fit() -> None:
    """Without examples, what a function returns is known when the sum that holds it is traced."""
    chain = Functions((ad.lambda_(lambda z: np.zeros(3)), Functions(None)))
    with pytest.raises(ad.ArgumentError, match=r"a function in alternative 1 of .* does not take or return"):
        ad.jit(
            lambda x: ad.case(
                ad.cond(x > 0, lambda: chain, lambda: Functions(None)), lambda _: x, lambda _: x
            )
        )(1.0)


def test_what_is_made_outside_decides_the_program() -> None:
    """A function or a list that takes the place of another is seen; none is taken for what a trace left."""
    held: dict[str, Any] = {"f": DOUBLE, "numbers": KNOWN}

    @ad.jit
    def computed(x: Any) -> Any:
        return held["f"](x) + total(held["numbers"])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert computed(1.0) == pytest.approx(2 + np.sin(1.5) + 0.5 * np.sin(2.5))
        held["f"] = ad.lambda_(lambda z: 3 * z, 0.0)
        assert computed(1.0) == pytest.approx(3 + np.sin(1.5) + 0.5 * np.sin(2.5))
        held["numbers"] = Numbers((1.0, KNOWN))
        assert computed(0.0) == pytest.approx(np.sin(1.0) + 0.5 * (np.sin(1.5) + 0.5 * np.sin(2.5)))
