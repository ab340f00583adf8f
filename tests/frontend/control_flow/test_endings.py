"""Loops that an exception ends: they end in the program, too, and the call raises."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

pytestmark = pytest.mark.filterwarnings("ignore::mlirad.ControlFlowWarning")

LIMIT = 40


def endless(x: Any) -> Any:
    count = 0
    while True:
        x = x / 2
        count += 1
        if count > LIMIT:
            raise RuntimeError("no end")
        if x < 1:
            return x


def before_the_step(x: Any) -> Any:
    count = 0
    while x > 1:
        if count == LIMIT:
            raise StopIteration("no end")
        count = count + 1
        x = x / 2
    return x


def _halved(x: Any, count: Any) -> Any:
    if count > LIMIT:
        raise OverflowError("no end")
    return x / 2


def in_a_helper(x: Any) -> Any:
    count = 0
    while x > 1:
        count = count + 1
        x = _halved(x, count)
    return x


def two_reasons(x: Any) -> Any:
    count, start = 0, x
    while x > 1:
        if start > 1e6:
            raise ValueError("too large")
        x = x / 2
        count += 1
        if count > LIMIT:
            raise RuntimeError("no end")
    return x


def with_a_break(x: Any) -> Any:
    count = 0
    while x > 1:
        x = x / 2
        if x < 1.5:
            break
        count += 1
        if count > LIMIT:
            raise RuntimeError("no end")
    return x * 3


def after_a_return(x: Any) -> Any:
    count = 0
    while True:
        x = x / 2
        if x < 1:
            return x
        count += 1
        if count > LIMIT:
            raise RuntimeError("no end")


def under_two_conditions(x: Any) -> Any:
    count = 0
    while x > 1:
        x = x / 2
        count += 1
        if x > 3:
            if count > LIMIT:
                raise RuntimeError("no end")
            x = x - 0.5
        else:
            x = x * 0.5
    return x


def in_an_inner_for(x: Any) -> Any:
    while x > 1:
        for k in range(20):
            if x - k > 1e6:
                raise RuntimeError("too large")
        x = x / 2
    return x


def inside_another(x: Any) -> Any:
    total = 0.0
    while total < 2:
        y, count = x, 0
        while y > 1:
            y = y / 2
            count += 1
            if count > LIMIT:
                raise RuntimeError("no end")
        total = total + 1 + y
    return total


def of_the_outer_one(x: Any) -> Any:
    count = 0
    while True:
        y = x
        while y > 4 and y < 1e6:
            y = y / 2
        count += 1
        x = x / 2
        if count > LIMIT:
            raise RuntimeError("no end")
        if y + x < 3:
            return y + x


def _step(carry: Any) -> Any:
    x, count = carry
    if count > LIMIT:
        raise RuntimeError("no end")
    return x / 2, count + 1


def of_a_construct(x: Any) -> Any:
    return ad.while_loop(lambda carry: carry[0] > 1, ad.rewritten(_step), (x * 1.0, 0))[0]


LOOPS = (
    endless, before_the_step, in_a_helper, two_reasons, with_a_break, after_a_return,
    under_two_conditions, in_an_inner_for, inside_another, of_the_outer_one,
    of_a_construct,
)  # fmt: skip


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("interpret", [False, True])
def test_the_call_ends_with_the_exception(loop: Callable[..., Any], interpret: bool) -> None:
    compiled = ad.jit(loop, interpret=interpret, timeout=20.0)
    gradient = ad.grad(loop, interpret=interpret, timeout=20.0)
    for x in (6.5, 0.5, 900.0):
        np.testing.assert_allclose(compiled(x), loop(x), rtol=1e-12)
        slope = (loop(x + 1e-6) - loop(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(gradient(x), slope, rtol=1e-6, atol=1e-9)
    for call in (loop, compiled, gradient):
        with pytest.raises((RuntimeError, OverflowError, StopIteration, ValueError)) as caught:
            call(math.inf)
        assert not isinstance(caught.value, ad.MliradError)
    with pytest.raises(type(_error_of(loop)), match=str(_error_of(loop))):
        compiled(math.inf)


def _error_of(loop: Callable[..., Any]) -> Exception:
    try:
        loop(math.inf)
    except Exception as error:
        return error
    raise AssertionError


def test_a_batch_ends_when_all_members_have() -> None:
    batched = ad.jit(lambda x: ad.vmap(in_a_helper)(x), timeout=20.0)
    np.testing.assert_allclose(batched(np.array([6.5, 3.0])), [6.5 / 8, 0.75])
    with pytest.raises(OverflowError, match="no end"):
        batched(np.array([6.5, math.inf]))


def _checked(_: Any, x: Any) -> Any:
    if x > 1e6:
        raise RuntimeError("too large")
    return x / 2


def in_a_construct(x: Any) -> Any:
    while x > 1:
        x = ad.fori_loop(0, 3, ad.rewritten(_checked), x)
    return x


def test_what_cannot_end_a_loop_is_refused() -> None:
    with pytest.raises(ad.MliradError, match="in a loop that is inside of a loop"):
        ad.jit(in_a_construct, control="rewrite")(5.0)


def test_other_loops_carry_nothing_more() -> None:
    def plain(x: Any) -> Any:
        while x > 1:
            x = x / 2
        return x

    text = ad.jit(plain, control="rewrite").ir(5.0)
    assert "i1" not in text.split("array.while")[1].split("{")[0]
    assert "array.report" not in text


def test_messages_that_need_elements_are_those_of_the_source() -> None:
    def f(x: Any) -> Any:
        if x < 0:
            raise ValueError(f"{x:.3f} is negative")
        return x

    assert ad.jit(f)(1.0) == 1.0
    with pytest.raises(ValueError, match="is negative"):
        ad.jit(f)(-1.0)


NUMBERS: dict[str, Callable[[Any], Any]] = {
    "sorted by a key": lambda x: sorted([x, 0.5, -2.0], key=abs)[1] * x,
    "sorted by a key, in reverse": lambda x: sorted([x, 0.5, -2.0], key=lambda v: v * v, reverse=True)[0] * x,
    "fsum": lambda x: math.fsum([x, x * x]) + 1.0,
    "dist": lambda x: math.dist([x, 1.0], [0.0, x]),
    "trunc": lambda x: math.trunc(x) * x,
}


@pytest.mark.parametrize("name", NUMBERS)
def test_functions_of_python_on_traced_numbers(name: str) -> None:
    f = NUMBERS[name]
    for x in (0.7, -1.3, 2.6):
        np.testing.assert_allclose(ad.jit(f)(x), f(x), rtol=1e-12)
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(ad.grad(f)(x), slope, rtol=1e-5, atol=1e-8)
    assert ad.jit(lambda x: math.trunc(x))(2.6).dtype == np.int64
