"""Functions that end by calling themselves as loops: they compute the same, at any depth."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp

import mlirad as ad
from mlirad.dialects.array.control import WhileOp
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion, run_passes
from mlirad.registry import make_passes

V = "tensor<3xf64>"


class Texts:
    """A random function @f(n, x, v) that counts n down, and ends by calling itself through branches."""

    def __init__(self, seed: int):
        self._rng, self._lines, self._count = random.Random(seed), list[str](), 0

    def _new(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _emit(self, depth: int, text: str) -> str:
        name = self._new()
        self._lines.append(f"{'  ' * depth}{name} = {text}")
        return name

    def _float(self, depth: int, x: str, v: str, n: str) -> str:
        kind = self._rng.randrange(4)
        if kind == 0:
            return self._emit(depth, f"array.{self._rng.choice(('sin', 'cos', 'tanh'))} {x} : f64")
        if kind == 1:
            e = self._emit(depth, f"array.index {v}[{n}] : {V} -> f64")
            return self._emit(depth, f"array.mul {x}, {e} : f64")
        if kind == 2:
            s = self._emit(depth, f"array.sum {v} {{dims = [0]}} : {V} -> f64")
            t = self._emit(depth, f"array.tanh {s} : f64")
            return self._emit(depth, f"array.sub {x}, {t} : f64")
        return x

    def _vector(self, depth: int, x: str, v: str) -> str:
        if self._rng.random() < 0.5:
            return v
        s = self._emit(depth, f"array.sin {v} : {V}")
        b = self._emit(depth, f"array.broadcast {x} {{dims = []}} : f64 -> {V}")
        return self._emit(depth, f"array.mul {s}, {b} : {V}")

    def _end(self, depth: int, x: str, v: str, n: str, *, again: bool) -> list[str]:
        x, v = self._float(depth, x, v, n), self._vector(depth, x, v)
        if not again:
            return [self._float(depth, x, v, n), v]
        m = self._emit(depth, f"array.sub {n}, %one : i64")
        self._count += 1
        name = f"%c{self._count}"
        self._lines.append(
            f"{'  ' * depth}{name}, {name}_v = func.call @f({m}, {x}, {v}) : (i64, f64, {V}) -> (f64, {V})"
        )
        return [name, f"{name}_v"]

    def _branches(self, depth: int, levels: int, x: str, v: str, n: str) -> list[str]:
        if levels == 0 or self._rng.random() < 0.3:
            return self._end(depth, x, v, n, again=self._rng.random() < 0.7)
        x = self._float(depth, x, v, n)
        kind = self._rng.random()
        if kind < 0.6:
            two = self._emit(depth, f"array.constant {self._rng.randint(1, 4)} : i64")
            p = self._emit(depth, f"array.compare gt {n}, {two} : i64, i64 -> i1")
            head, count = f"array.if {p} : i1 -> (f64, {V})", 2
        else:
            three = self._emit(depth, "array.constant 3 : i64")
            r = self._emit(depth, f"array.rem {n}, {three} : i64")
            head, count = f"array.switch {r} : i64 -> (f64, {V})", 3
        word = "else" if count == 2 else "case"
        self._count += 1
        name = f"%r{self._count}"
        self._lines.append(f"{'  ' * depth}{name}, {name}_v = {head} {{")
        for k in range(count):
            if k:
                self._lines.append(f"{'  ' * depth}}} {word} {{")
            made = self._branches(depth + 1, levels - 1, x, v, n)
            self._lines.append(f"{'  ' * (depth + 1)}array.yield {', '.join(made)} : f64, {V}")
        self._lines.append(f"{'  ' * depth}}}")
        return [name, f"{name}_v"]

    def module(self, n: int) -> ModuleOp:
        """The function, called for n from @main(x, v)."""
        self._lines += [
            f"func.func private @f(%n: i64, %x: f64, %v: {V}) -> (f64, {V}) {{",
            "  %zero = array.constant 0 : i64",
            "  %one = array.constant 1 : i64",
            "  %done = array.compare le %n, %zero : i64, i64 -> i1",
            f"  %r, %r_v = array.if %done : i1 -> (f64, {V}) {{",
        ]
        made = self._end(2, "%x", "%v", "%n", again=False)
        self._lines += [f"    array.yield {', '.join(made)} : f64, {V}", "  } else {"]
        made = self._branches(2, 2, "%x", "%v", "%n")
        self._lines += [
            f"    array.yield {', '.join(made)} : f64, {V}",
            "  }",
        ]
        result = "%r"
        if self._rng.random() < 0.5:
            bound = self._emit(1, f"array.constant {self._rng.uniform(0, 2)} : f64")
            flag = self._emit(1, f"array.compare gt %x, {bound} : f64, f64 -> i1")
            zero = self._emit(1, "array.constant 0.0 : f64")
            result = self._emit(1, f"array.select {flag}, {zero}, %r : i1, f64, f64 -> f64")
        self._lines += [
            f"  func.return {result}, %r_v : f64, {V}",
            "}",
            f"func.func @main(%x: f64, %v: {V}) -> f64 {{",
            f"  %n = array.constant {n} : i64",
            f"  %r, %r_v = func.call @f(%n, %x, %v) : (i64, f64, {V}) -> (f64, {V})",
            f"  %s = array.sum %r_v {{dims = [0]}} : {V} -> f64",
            "  %y = array.add %r, %s : f64",
            "  func.return %y : f64",
            "}",
        ]
        module = parse_module("\n".join(self._lines))
        verify_module(module)
        return module


def after(module: ModuleOp, passes: str) -> ModuleOp:
    made = module.clone()
    run_passes(made, make_passes(passes))
    verify_module(made)
    return made


def check(seed: int) -> bool:
    """A random function and the loop that it becomes agree, and so do gradients; tell if it called itself."""
    module = Texts(seed).module(seed % 7)
    rng = np.random.default_rng(seed)
    x, v = np.float64(rng.uniform(-1, 1)), rng.uniform(-1, 1, 3)
    (value,) = run_function(module, [x, v], function="main")
    loops = after(module, "tail-calls-to-loops")
    calls = [op for op in module.walk() if isinstance(op, CallOp)]
    assert sum(isinstance(op, CallOp) for op in loops.walk()) == 1
    if (
        len(calls) == 1
    ):  # else there is a loop, unless all that it changes is the number, which no result needs
        assert not any(isinstance(op, WhileOp) for op in loops.walk())
    assert run_function(loops, [x, v], function="main")[0].tobytes() == value.tobytes()
    gradient = "differentiate{function=main wrt=0,1}"
    recursive = [p for p in expansion() if p != "tail-calls-to-loops"]
    expected = run_function(after(module, ",".join([gradient, *recursive])), [x, v], function="main_grad")
    method = METHODS[seed % len(METHODS)]
    made = after(module, ",".join([gradient, *expansion(method)]))
    for a, b in zip(run_function(made, [x, v], function="main_grad"), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    return len(calls) > 1


def test_random_functions() -> None:
    assert sum(check(seed) for seed in range(8)) > 4


@pytest.mark.fuzz
def test_many_random_functions(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    while time.monotonic() < end:
        seed = seeds.randrange(2**32)
        print(f"seed {seed}")  # noqa: T201
        judged["that call themselves" if check(seed) else "that do not"] += 1


@ad.function
def power(a: Any, x: Any, n: Any) -> Any:
    return ad.cond(n == 0, lambda: a, lambda: power(a * x, x, n - 1))


@pytest.mark.parametrize("method", METHODS)
def test_any_depth(method: str) -> None:
    """Calls may be 4 000 deep; these are 10^5."""
    value, slope = ad.value_and_grad(lambda x: power(1.0, x, 100_000), method=method)(1 + 1e-6)
    assert value == pytest.approx((1 + 1e-6) ** 100_000, rel=1e-9)
    assert slope == pytest.approx(100_000 * (1 + 1e-6) ** 99_999, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_closures_of_any_depth(method: str) -> None:
    """Each of 10 000 continuations calls the next one as the last thing that it does."""

    def product(x: Any, w: Any) -> Any:
        @ad.function
        def go(i: Any, k: Any) -> Any:
            return ad.cond(i >= len(w), lambda: k(x), lambda: go(i + 1, ad.lambda_(lambda r: k(r * w[i]))))

        return go(0, ad.lambda_(lambda r: r))

    w = np.linspace(0.9999, 1.0001, 10_000)
    value, slopes = ad.value_and_grad(product, argnums=1, method=method)(2.0, w)
    assert value == pytest.approx(2 * np.prod(w), rel=1e-10)
    np.testing.assert_allclose(slopes, value / w, rtol=1e-10)


LOG: list[float] = []


def noted(x: Any) -> None:
    LOG.append(float(x))


def note(x: Any) -> None:
    ad.debug_callback(noted, x)


@ad.function
def at_each_call(x: Any, n: Any) -> Any:
    note(x)
    return ad.cond(n <= 0, lambda: x, lambda: at_each_call(np.sin(x), n - 1))


def at_each_call_by_hand(x: float, n: int) -> float:
    noted(x)
    return x if n <= 0 else at_each_call_by_hand(np.sin(x), n - 1)


@ad.function
def in_branches(x: Any, n: Any) -> Any:
    def end() -> Any:
        note(-x)
        return x

    def once() -> Any:
        note(x + 1)
        return in_branches(np.cos(x), n - 1)

    def twice() -> Any:
        note(x + 2)
        return ad.cond(x > 0, lambda: in_branches(-x, n - 2), lambda: in_branches(x * x, n - 1))

    return ad.switch(np.clip(n, 0, 2), [end, once, twice])


def in_branches_by_hand(x: float, n: int) -> float:
    noted(-x if n <= 0 else x + min(n, 2))
    if n <= 0:
        return x
    if n == 1:
        return in_branches_by_hand(np.cos(x), 0)
    return in_branches_by_hand(-x, n - 2) if x > 0 else in_branches_by_hand(x * x, n - 1)


@ad.function
def is_over(n: Any) -> Any:
    note(10.0 * n)
    return n <= 0


@ad.function
def halved(x: Any) -> Any:
    note(x)
    return 0.5 * x


@ad.function
def in_what_decides(x: Any, n: Any) -> Any:
    half = halved(x)
    return ad.cond(is_over(n), lambda: half, lambda: in_what_decides(half + 1, n - 1))


def in_what_decides_by_hand(x: float, n: int) -> float:
    noted(x)
    noted(10.0 * n)
    return 0.5 * x if n <= 0 else in_what_decides_by_hand(0.5 * x + 1, n - 1)


@ad.function
def in_a_loop(x: Any, n: Any) -> Any:
    def step(i: Any, total: Any) -> Any:
        note(total + i)
        return total + i

    total = ad.fori_loop(0, 3, step, 1.0 * n)
    return ad.cond(total <= 3, lambda: x * total, lambda: in_a_loop(np.sin(x), n - 1))


def in_a_loop_by_hand(x: float, n: int) -> float:
    total = 1.0 * n
    for i in range(3):
        noted(total + i)
        total += i
    return x * total if total <= 3 else in_a_loop_by_hand(np.sin(x), n - 1)


@ad.function
def behind_the_call(x: Any, n: Any) -> Any:
    def again() -> Any:
        found = behind_the_call(np.sin(x), n - 1)
        note(found + n)
        return found

    return ad.cond(n <= 0, lambda: x, again)


def behind_the_call_by_hand(x: float, n: int) -> float:
    if n <= 0:
        return x
    found = behind_the_call_by_hand(np.sin(x), n - 1)
    noted(found + n)
    return found


REPORTING = {
    at_each_call: at_each_call_by_hand,
    in_branches: in_branches_by_hand,
    in_what_decides: in_what_decides_by_hand,
    in_a_loop: in_a_loop_by_hand,
    behind_the_call: behind_the_call_by_hand,
}


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("program", REPORTING, ids=lambda p: p.__name__)
def test_reports_come_as_often_and_in_the_same_order(program: Any, interpret: bool) -> None:
    for n in (0, 1, 2, 5):
        LOG.clear()
        value = REPORTING[program](0.7, n)
        expected = LOG.copy()
        LOG.clear()
        assert ad.jit(program, interpret=interpret)(0.7, n) == pytest.approx(value, rel=1e-14)
        assert pytest.approx(expected, rel=1e-14) == LOG
        LOG.clear()
        ad.grad(program, interpret=interpret)(0.7, n)
        assert set(np.round(expected, 9)) == set(np.round(LOG, 9))


@pytest.mark.parametrize("method", METHODS)
def test_programs_with_derivatives_print_once(method: str) -> None:
    LOG.clear()
    at_each_call_by_hand(0.7, 3)
    expected = LOG.copy()
    LOG.clear()
    ad.value_and_grad(at_each_call, method=method)(0.7, 3)
    assert pytest.approx(expected, rel=1e-14) == LOG


def test_any_depth_with_checks_and_prints() -> None:
    value, slope = ad.value_and_grad(lambda x: power(1.0, x, 100_000), check_nans=True)(1 + 1e-6)
    assert slope == pytest.approx(100_000 * value / (1 + 1e-6), rel=1e-9)
    with pytest.raises(ad.NotANumberError, match=r"test_tail_calls\.py:\d+"):
        ad.jit(power, check_nans=True)(np.inf, 0.0, 3)
    LOG.clear()
    ad.jit(at_each_call)(0.7, 20_000)
    assert len(LOG) == 20_001


def test_lists_of_any_length_with_checks() -> None:
    """A function that returns a list has another one in the place of zeros, in a branch."""
    numbers = ad.sum_of(None, (0.0, ad.itself))

    @ad.function
    def reversed_list(rest: Any, found: Any) -> Any:
        def at_cell(cell: Any) -> Any:
            return reversed_list(cell[1], numbers((2 * cell[0], found)))

        return ad.case(rest, lambda _: found, at_cell)

    def last(x: Any) -> Any:
        made = ad.fori_loop(0, 10_000, lambda i, rest: numbers((x * (i + 1), rest)), numbers(None))
        return ad.case(reversed_list(made, numbers(None)), lambda _: 0.0, lambda cell: cell[0] ** 2)

    assert ad.jit(last, check_nans=True)(1.5) == 9.0
    assert ad.grad(last, check_nans=True)(1.5) == 12.0


@pytest.mark.parametrize("other", [0.0, -0.0, 2.0])
def test_results_that_a_condition_replaces(other: float) -> None:
    """A result that a selection replaces is that of the call, except for zero, which loops tell apart."""

    @ad.function
    def go(x: Any, n: Any) -> Any:
        found = ad.cond(n <= 0, lambda: x, lambda: go(np.cos(x), n - 1))
        return np.where(x > 0.9, other, found)

    def by_hand(x: float, n: int) -> float:
        found = x if n <= 0 else by_hand(np.cos(x), n - 1)
        return other if x > 0.9 else found

    for x in (0.1, 0.5, 1.5):
        for n in (0, 1, 3):
            value = ad.jit(go)(x, n)
            assert (value, np.signbit(value)) == pytest.approx((by_hand(x, n), np.signbit(by_hand(x, n))))
            slope = (by_hand(x + 1e-6, n) - by_hand(x - 1e-6, n)) / 2e-6
            assert ad.grad(go)(x, n) == pytest.approx(slope, abs=1e-8)


def test_calls_that_are_not_the_last_thing_stay() -> None:
    @ad.function
    def factorial(n: Any) -> Any:
        return ad.cond(n <= 1, lambda: 1.0, lambda: n * factorial(n - 1))

    assert ad.jit(factorial)(5) == 120
    with pytest.raises(ad.CallDepthError):
        ad.jit(factorial)(100_000)


def test_batches() -> None:
    """Members go on for as long as each needs."""
    xs, ns = np.array([1.1, 0.9, 1.5]), np.array([3, 0, 7])
    np.testing.assert_allclose(ad.vmap(power)(np.ones(3), xs, ns), xs**ns, rtol=1e-14)
    slopes = ad.vmap(ad.grad(power, argnums=1))(np.ones(3), xs, ns)
    np.testing.assert_allclose(slopes, ns * xs ** (ns - 1.0), rtol=1e-14)
