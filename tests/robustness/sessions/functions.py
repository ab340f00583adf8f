"""The functions that sessions call: what they read from outside, their transformations, their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import mlirad as ad

GAIN = 1.5
"""Read by some of the functions; a session changes it."""


class Fault(Exception):
    """The exception of a user's function while it is traced."""


@dataclass
class Knobs:
    """The state that the functions read from outside."""

    scale: float = 0.7
    count: int = 2
    is_bent: bool = False
    is_broken: bool = False
    weights: np.ndarray[Any, Any] = field(default_factory=lambda: np.array([0.3, -0.4]))
    table: dict[str, float] = field(default_factory=lambda: {"gain": 0.9})
    levels: list[float] = field(default_factory=lambda: [0.5, 1.0])
    bend: Callable[[Any], Any] = np.tanh

    def strength(self) -> float:
        return self.scale * 2


Objective = Callable[[Any, Any], Any]
"""A function of a scalar and an array that returns a scalar."""


def objectives(knobs: Knobs) -> tuple[Objective, ...]:
    """The functions of a session, made again at each call."""
    offset = knobs.scale

    def by_attributes(s: Any, v: Any) -> Any:
        return s * np.sum(np.sin(v * knobs.scale)) + knobs.strength()

    def by_containers(s: Any, v: Any) -> Any:
        return np.sum(v**2) * knobs.table["gain"] + s * sum(knobs.levels)

    def by_arrays(s: Any, v: Any) -> Any:
        return np.sum(v * knobs.weights[0]) + s * np.sum(knobs.weights**2)

    def by_branches(s: Any, v: Any) -> Any:
        if knobs.is_broken:
            raise Fault
        return np.sum(knobs.bend(v)) * s if knobs.is_bent else np.mean(v * s) if v.size else s

    def by_iterations(s: Any, v: Any) -> Any:
        for k in range(knobs.count):
            s = np.tanh(s + np.sum(v) * (k + 1) * GAIN)
        return s

    def by_cells(s: Any, v: Any) -> Any:
        return np.sum(np.exp(-v * v)) * offset + s * GAIN

    def by_loops(s: Any, v: Any) -> Any:
        carry, _ = ad.scan(lambda c, x: (np.sin(c + x) * knobs.scale, c), s, np.ravel(v))
        return ad.while_loop(lambda c: c > 1.0, lambda c: c / 2, carry + s * s)

    def by_writes(s: Any, v: Any) -> Any:
        row = ad.asarray(np.zeros(3)) + s
        row = row.at[knobs.count].set(knobs.scale * s)
        return np.sum(row**2) + np.sum(np.abs(v) * v)

    return by_attributes, by_containers, by_arrays, by_branches, by_iterations, by_cells, by_loops, by_writes


Applied = Callable[..., Any]


def transformations(options: dict[str, Any]) -> dict[str, Callable[[Objective], Applied]]:
    """From a function to one that is called with the same arguments."""
    return {
        "jit": lambda f: ad.jit(f, **options),
        "grad": lambda f: ad.grad(f, argnums=(0, 1), **options),
        "value and grad": lambda f: ad.value_and_grad(f, argnums=1, **options),
        "by jacobian": lambda f: ad.grad(f, argnums=0, **({"method": "jacobian"} | options)),
        "hessian": lambda f: ad.hessian(f, argnums=1, **options),
        "jvp": lambda f: lambda s, v: ad.jvp(f, (s, v), (1.0, np.cos(np.asarray(v))), **options),
        "pullback": lambda f: lambda s, v: ad.vjp(f, s, v, **options)[1](1.0),
        "map": lambda f: lambda s, v: ad.linearize(f, s, v, **options)[1](1.0, np.asarray(v) * 0 + 0.5),
        "batch": lambda f: (
            lambda s, v: ad.vmap(ad.grad(f), in_axes=(0, None), **options)(np.array([0.1, 0.2, 0.3]) * s, v)
        ),
        "nested": lambda f: ad.jit(lambda s, v: ad.grad(lambda t: f(t, v) ** 2)(s), **options),
    }


TRANSFORMATIONS = tuple(transformations({}))

DIRECT = ("jit", "grad", "value and grad", "by jacobian", "hessian", "nested")
"""Those that hand their arguments to mlirad as they are."""


def arguments(form: int, value: int) -> tuple[Any, Any]:
    """A scalar and an array, of many forms of one meaning."""
    rng = np.random.default_rng(value)
    n = (3, 3, 1, 0, 5)[value % 5]
    s, v = float(rng.uniform(0.2, 1)), rng.uniform(-1, 1, size=n)
    frozen = v.copy()
    frozen.flags.writeable = False
    forms: tuple[Callable[[], tuple[Any, Any]], ...] = (
        lambda: (s, v),
        lambda: (np.float64(s), v),
        lambda: (np.array(s), v),
        lambda: (s, np.repeat(v, 2)[::2]),
        lambda: (s, v[::-1]),
        lambda: (s, frozen),
        lambda: (s, np.asfortranarray(rng.uniform(-1, 1, size=(n, 2)))),
        lambda: (s, rng.uniform(-1, 1, size=(2, n)).T),
        lambda: (np.float32(s), v.astype(np.float32)),
        lambda: (s, v.astype(">f8")),
    )
    return forms[form % len(forms)]()


class Point(NamedTuple):
    """A structure with a leaf that is None."""

    x: float
    y: None


def wrong_arguments(kind: int) -> tuple[Any, ...]:
    """Arguments that no function of a scalar and an array takes."""
    endless: list[Any] = []
    endless.append(endless)
    deep: Any = 1.0
    for _ in range(5000):
        deep = (deep,)
    kinds: tuple[tuple[Any, ...], ...] = (
        (),
        (1.0,),
        (1.0, np.ones(2), 3.0),
        ("a", np.ones(2)),
        (1.0, np.array(["a"])),
        (1.0, np.array([None, 1])),
        (1.0j, np.ones(2)),
        (object(), np.ones(2)),
        (1.0, endless),
        (1.0, deep),
        ({1: 1.0, "a": 2.0}, np.ones(2)),
        (1.0, (x for x in (1.0, 2.0))),
        (1.0, np.ma.masked_array([1.0, 2.0], [True, False])),
        (1.0, np.array(["2020-01-01"], dtype="M8[D]")),
        (Point(1.0, None), np.ones(2)),
        (1.0, {1.0, 2.0}),
        (1.0, np.zeros(2, dtype=[("a", "f8")])),
        (10**400, np.ones(2)),
        (1.0, np.float16),
        (1.0, np.ones((1,) * 40)),
    )
    return kinds[kind % len(kinds)]
