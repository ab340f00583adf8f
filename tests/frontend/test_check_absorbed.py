"""`check_absorbed`: where a zero that was computed absorbs an infinite derivative, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad

ONE = np.array([0.5, 1.0, 0.25])


def angle(x: Any) -> Any:
    a = np.arccos(x)  # the pole
    return a * np.sin(a)


def walk(x: Any) -> Any:
    """A recursion over two steps."""
    return ad.fold(lambda c, t: c + angle(t), 0.0, x)


def of_branch(x: Any) -> Any:
    return ad.cond(x > 0, angle, lambda x: x, x)


def of_steps(x: Any) -> Any:
    """A loop of a number of iterations that data decide."""
    return ad.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + angle(x)), (0, 0.0 * x))[1]


def apart(x: Any) -> Any:
    """The pole in one iteration, the zero in the next one."""
    return ad.fori_loop(0, 2, lambda i, s: np.where(i == 0, np.arccos(s), s * s), x)


TRANSITIONS = np.array([[0.5, 0.0, 0.5], [0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])


def probability(t: Any) -> Any:
    """The probability of a chain that starts in one state, by logarithms, one of them minus infinity."""
    a = np.log(t[0])
    for weights in np.array([[0.3, 0.8, 0.5], [0.2, 0.1, 0.6]]):
        a = special.logsumexp(a[:, None] + np.log(t), axis=0) + np.log(weights)
    return special.logsumexp(a)


FOUND: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "reverse": (ad.grad(angle), (1.0,)),
    "forward": (lambda x: ad.jvp(angle, (x,), (1.0,))[1], (1.0,)),
    "pullback": (lambda x, c: ad.vjp(angle, x)[1](c)[0], (1.0, 2.0)),
    "jacobian": (ad.jacobian(angle), (ONE,)),
    "second, forward over reverse": (ad.jacfwd(ad.grad(angle)), (1.0,)),
    "second, reverse over reverse": (ad.grad(ad.grad(angle)), (1.0,)),
    "batch": (ad.vmap(ad.grad(angle)), (ONE,)),
    "batch inside": (ad.grad(lambda x: np.sum(ad.vmap(angle)(x))), (ONE,)),
    "scan": (ad.grad(lambda x: ad.scan(lambda c, t: (c * angle(t) + t, c), 1.0, x)[0]), (ONE,)),
    "fold": (ad.grad(walk), (ONE,)),
    "while": (ad.grad(of_steps), (1.0,)),
    "branch": (ad.grad(of_branch), (1.0,)),
    "two iterations": (ad.grad(apart), (1.0,)),
    "saturation": (ad.grad(lambda z: -np.log(0.9 * special.expit(z))), (-800.0,)),
    "saturation in float32": (ad.grad(lambda z: -np.log(0.5 - np.tanh(z) / 2)), (np.float32(120.0),)),
    "forbidden transition": (ad.grad(lambda e: np.sqrt(e) * np.sin(e) ** 2 / np.sqrt(e)), (0.0,)),
    "forbidden transition of a chain": (ad.grad(lambda t: probability(t)), (TRANSITIONS,)),
    "product with an input": (ad.grad(lambda x, y: x * np.sqrt(y), 1), (0.0, 0.0)),
    "contraction": (ad.grad(lambda x: np.dot(np.sqrt(x), np.array([2.0, 1.0]) * x)), (np.array([0.0, 1.0]),)),
}
"""Derivatives in which a computed zero absorbs, at arguments."""

FINE: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "no pole": (ad.grad(angle), (0.5,)),
    "a pole by itself": (ad.grad(np.sqrt), (0.0,)),
    "branch of where": (ad.grad(lambda x: np.where(x > 0, np.sqrt(x), 0.0)), (0.0,)),
    "branches of where": (
        ad.grad(lambda x: np.sum(np.where(x > 0, np.log(x), x) ** 2)),
        (np.array([0.0, 2.0]),),
    ),
    "guarded twice": (ad.hessian(lambda x: np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0)), (0.0,)),
    "elements not read": (ad.grad(lambda x: np.sqrt(x)[1] + np.sum(np.log(x)[1:])), (np.array([0.0, 1.0]),)),
    "rows of a Jacobian": (ad.jacobian(np.sqrt), (np.array([0.0, 1.0]),)),
    "columns of a Jacobian": (ad.jacfwd(np.sqrt), (np.array([0.0, 1.0]),)),
    "what does not move": (
        lambda x, c: ad.vjp(np.sqrt, x)[1](c)[0],
        (np.array([0.0, 1.0]), np.array([0.0, 1.0])),
    ),
    "a direction": (
        lambda x, v: ad.jvp(np.sqrt, (x,), (v,))[1],
        (np.array([0.0, 1.0]), np.array([0.0, 1.0])),
    ),
    "a constant zero": (ad.grad(lambda x: 0.0 * np.sqrt(x)), (0.0,)),
    "a mask": (ad.grad(lambda x: np.sum(np.sqrt(x) * (x > 0))), (np.array([0.0, 1.0]),)),
    "norms": (ad.hessian(np.linalg.norm), (np.zeros(2),)),
    "a logarithm": (ad.grad(lambda z: -np.log(special.expit(z))), (-800.0,)),
    "an angle": (ad.grad(lambda x: np.arccos(x) ** 2), (1.0,)),
    "identities": (ad.grad(lambda p: np.sum(np.sqrt(p) ** 2)), (np.array([0.0, 4.0]),)),
    "a branch not taken": (ad.grad(lambda x: ad.cond(x > 0, angle, lambda x: x, x)), (-1.0,)),
    "padding": (ad.grad(lambda x: np.sum(np.pad(np.sqrt(x), 1) ** 3)), (np.array([1.0, 4.0]),)),
    "loop": (
        ad.grad(lambda x: ad.scan(lambda c, t: (np.where(t > 0, np.sqrt(t), c), c), 1.0, x)[0]),
        (np.zeros(2),),
    ),
}
"""Derivatives in which a zero says that something is not taken, or none absorbs."""

OPTIONS: list[dict[str, Any]] = [
    {"method": "dual-arrays"},
    {"method": "jacobian"},
    {"method": "chad"},
    {"interpret": True},
    {"chunk": 1},
]


def checked(function: Callable[..., Any], args: tuple[Any, ...], **options: Any) -> Any:
    return ad.jit(lambda *args: function(*args), check_absorbed=True, **options)(*args)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", FOUND)
def test_a_computed_zero_that_absorbs_is_told(name: str, options: dict[str, Any]) -> None:
    function, args = FOUND[name]
    ad.jit(lambda *args: function(*args), **options)(*args)
    with pytest.raises(ad.AbsorbedPoleError) as caught:
        checked(function, args, **options)
    assert __file__ in caught.value.location


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", FINE)
def test_a_zero_that_is_meant_is_not(name: str, options: dict[str, Any]) -> None:
    function, args = FINE[name]
    expected = ad.jit(lambda *args: function(*args), **options)(*args)
    np.testing.assert_array_equal(checked(function, args, **options), expected)


def test_the_operation_and_its_line_are_named() -> None:
    lines = Path(__file__).read_text().splitlines()
    (line,) = [n for n, text in enumerate(lines, 1) if text.endswith(" # the pole")]
    with pytest.raises(ad.AbsorbedPoleError, match="the derivative of acos is not finite") as caught:
        ad.grad(angle, check_absorbed=True)(1.0)
    assert caught.value.location == f"{__file__}:{line}"


def test_a_recursive_function() -> None:
    """The derivative of a call that stays a call reports, too."""

    def power(x: Any, n: Any) -> Any:
        return ad.cond(n > 0, lambda: angle(x) + call(x, n - 1), lambda: 0.0 * x)

    call = ad.function(power, returns=1.0)
    f = lambda x: call(x, 2)  # noqa: E731
    assert ad.grad(f, check_absorbed=True)(0.5) == ad.grad(f)(0.5)
    with pytest.raises(ad.AbsorbedPoleError):
        ad.grad(f, check_absorbed=True)(1.0)


def test_nothing_else_changes() -> None:
    """Without the option programs are the same; with it a program without derivatives is."""
    plain = ad.jit(np.sin)
    assert "report" not in ad.grad(angle).ir(0.5, after="lower-checkpoints")
    assert ad.jit(np.sin, check_absorbed=True).lower(0.5).program.llvm == plain.lower(0.5).program.llvm
