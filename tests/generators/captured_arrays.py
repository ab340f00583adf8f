"""Random functions of a state outside of them, made of arrays and containers, and changes of it in place.

    program = random_program(seed)
    program.function(x)              x times what some readings find in the state
    program.change(rng)              one element, a view, the order of a dictionary, a dtype, a function, ...

Reads are plain Python and NumPy on the current objects, so the function itself is the oracle. A
compiled one must give the same after every change: of elements through views and other names, of shapes and
dtypes under one name, of the identity of objects, of orders, of functions and of compiled functions.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

import mlirad as ad

LONG = 3000
"""Elements of the long array."""


class Model:
    """An object with arrays, of a class with some."""

    shared = np.ones(3)

    def __init__(self, weights: Any):
        self.weights = weights

    def total(self) -> Any:
        """A number of its weights."""
        return np.sum(self.weights) + self.shared[0]


def doubled(x: Any) -> Any:
    return 2.0 * x


def shifted(x: Any, by: float = 3.0) -> Any:
    return x + by


def random_state(rng: random.Random) -> SimpleNamespace:
    """A state; equal generators make equal ones."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    block = numbers.integers(1, 9, (4, 6)).astype(float)

    class Own(Model):
        """A class that no other state has."""

        shared = numbers.integers(1, 9, 3).astype(float)

    state = SimpleNamespace(
        block=block,
        row=block[1],
        column=block[:, 2],
        turned=block.T,
        long=numbers.integers(1, 9, LONG).astype(np.float32),
        whole=numbers.integers(-5, 9, 5),
        flags=numbers.integers(0, 2, 4).astype(bool),
        items=[block[0], 2.0, numbers.integers(1, 9, 2).astype(float)],
        table={"one": block[2], "other": np.arange(3.0)},
        ordered=OrderedDict(b=2.0, a=5.0),
        names={"one", "third"},
        text="one",
        own=Own(block[3]),
        use=doubled,
        pair=(block, [1.0, np.ones(2)]),
        alias=block,
        nothing=None,
        number=3,
    )
    state.compiled = ad.jit(lambda x: x + state.inner[0])
    state.inner = [7.0, np.ones(2)]
    state.slope = ad.grad(lambda x: x * x * state.inner[0])
    state.method = state.own.total
    return state


def _walked(s: Any) -> Any:
    total = 0.0
    for k, (key, value) in enumerate(s.table.items()):
        total = total + (k + len(key)) * np.sum(value)
    return total


def _by_kind(s: Any) -> Any:
    return np.sum(s.whole) + (10 if s.whole.dtype.kind == "f" else 20) * s.whole.ndim


def _same(s: Any) -> Any:
    return 1.0 if s.alias is s.block else 2.0


def _raised(s: Any) -> Any:
    try:
        return s.table["third"][0]
    except KeyError:
        return -1.0


READINGS: Sequence[Callable[[Any], Any]] = (
    lambda s: s.block[1, 2],
    lambda s: np.sum(s.turned @ np.arange(4.0)),
    lambda s: np.sum(s.row * np.arange(6.0)),
    lambda s: s.column[3] - s.column[0],
    lambda s: s.long[LONG // 2] + s.long[-1],
    lambda s: np.sum(s.long * np.float32(2.0)),
    _by_kind,
    lambda s: np.sum(np.where(s.flags, 2.0, 3.0)),
    lambda s: sum((np.sum(item) * (k + 1) for k, item in enumerate(s.items)), 0.0),
    lambda s: float(len(s.items)),
    _walked,
    lambda s: sum((k * v for k, v in enumerate(s.ordered.values())), 0.5),
    lambda s: 1.0 if s.text in s.names else 4.0,
    lambda s: float(len(s.text)) + (s.text == "one"),
    lambda s: s.own.total(),
    lambda s: s.method(),
    lambda s: type(s.own).shared[1],
    lambda s: s.use(4.0),
    lambda s: s.pair[0][2, 3] + s.pair[1][0] + s.pair[1][1][1],
    _same,
    lambda s: 3.0 if s.nothing is None else s.nothing,
    lambda s: s.number + 0.5 * isinstance(s.number, float),
    lambda s: s.compiled(2.0),
    lambda s: s.slope(1.5),
    lambda s: s.inner[1][1],
    _raised,
    lambda s: float(hasattr(s, "extra")) + getattr(s, "extra", 0.25),
    lambda s: s.block.shape[0] * 1.0 + s.row.shape[0],
    lambda s: np.max(s.table.get("other", np.zeros(1))),
    lambda s: sum(map(doubled, s.ordered.values())),
    lambda s: (lambda: s.block[0, 0])() + [r[1] for r in s.block][2],
    lambda s: np.linalg.norm(s.block[:, :4] @ s.row[:4]),
)
"""Numbers that functions find in a state."""


def _new_element(array: Any, rng: random.Random) -> None:
    if array.size and array.flags.writeable:
        array.flat[rng.randrange(array.size)] += 1


def _write(name: str) -> Callable[[Any, random.Random], None]:
    return lambda s, rng: _new_element(getattr(s, name), rng)


def _replace(name: str, make: Callable[[Any], Any]) -> Callable[[Any, random.Random], None]:
    return lambda s, rng: setattr(s, name, make(getattr(s, name)))


def _by_memory(s: Any, rng: random.Random) -> None:
    memoryview(s.block).cast("B").cast("d")[rng.randrange(24)] += 2.0


def _grow(s: Any, rng: random.Random) -> None:
    s.items.append(rng.choice((1.0, np.ones(2), s.row)))


def _shrink(s: Any, rng: random.Random) -> None:
    if s.items:
        s.items.pop(rng.randrange(len(s.items)))


def _turn(s: Any, rng: random.Random) -> None:
    s.items.reverse()


def _to_the_end(s: Any, rng: random.Random) -> None:
    for table in (s.table, s.ordered):
        key = next(iter(table))
        table[key] = table.pop(key)


def _third(s: Any, rng: random.Random) -> None:
    if s.table.pop("third", None) is None:
        s.table["third"] = np.array([6.0, 1.0])


def _name(s: Any, rng: random.Random) -> None:
    s.names.symmetric_difference_update({rng.choice(("one", "other"))})


def _extra(s: Any, rng: random.Random) -> None:
    if hasattr(s, "extra"):
        del s.extra
    else:
        s.extra = rng.choice((1.0, 2.0))


def _defaults(s: Any, rng: random.Random) -> None:
    by = float(rng.randrange(4))
    s.use = lambda x, by=by: x - by


def _of_class(s: Any, rng: random.Random) -> None:
    if rng.random() < 0.5:
        _new_element(type(s.own).shared, rng)
    else:
        type(s.own).shared = type(s.own).shared + 1


def _other_class(s: Any, rng: random.Random) -> None:
    s.own.__class__ = type("Other", (type(s.own),), {"total": lambda self: self.weights[0] * 2})


def _inner(s: Any, rng: random.Random) -> None:
    if rng.random() < 0.5:
        s.inner[0] += 1.0
    else:
        _new_element(s.inner[1], rng)


def _compiled(s: Any, rng: random.Random) -> None:
    by = float(rng.randrange(3))
    s.compiled = ad.jit(lambda x: x * by + s.inner[0])


def _again(s: Any, rng: random.Random) -> None:
    """The same elements in another array: nothing has changed but the object."""
    s.block = s.block.copy()


def _back(s: Any, rng: random.Random) -> None:
    s.block = s.alias


def _negative_zero(s: Any, rng: random.Random) -> None:
    s.number = rng.choice((0.0, -0.0, True, 1, 1.0, np.float32(1.0)))


CHANGES: Sequence[Callable[[Any, random.Random], None]] = (
    *map(_write, ("block", "row", "column", "turned", "long", "whole", "block", "row")),
    _replace("flags", lambda flags: ~flags),
    lambda s, rng: np.logical_not(s.flags, out=s.flags),
    _replace("whole", lambda whole: whole.astype(np.float64 if whole.dtype.kind == "i" else np.int64)),
    _replace("whole", lambda whole: np.append(whole, 1)),
    _replace("row", lambda row: row[::-1]),
    _replace("number", lambda number: number + 1),
    _replace("text", lambda text: "other" if text == "one" else "one"),
    _replace("nothing", lambda nothing: 5.0 if nothing is None else None),
    _by_memory,
    _grow,
    _shrink,
    _turn,
    _to_the_end,
    _third,
    _name,
    _extra,
    _defaults,
    _of_class,
    _other_class,
    _inner,
    _compiled,
    _again,
    _back,
    _negative_zero,
    lambda s, rng: setattr(s, "use", rng.choice((doubled, shifted))),
    lambda s, rng: s.pair[1].__setitem__(0, s.pair[1][0] + 1),
    lambda s, rng: _new_element(s.pair[1][1], rng),
    lambda s, rng: s.table.update(other=s.table["other"] * 2),
    lambda s, rng: s.long.sort(),
    lambda s, rng: s.long.fill(rng.randrange(5)),
)
"""The changes of a state between calls."""


@dataclass
class Program:
    """A function of a state, and the state."""

    function: Callable[[Any], Any]
    state: Any

    def change(self, rng: random.Random) -> None:
        """Change something in the state, or put it back."""
        rng.choice(CHANGES)(self.state, rng)


def random_program(seed: int) -> Program:
    """A function that reads a few things of a state; equal seeds make functions of one code."""
    rng = random.Random(seed)
    readings = tuple(rng.sample(READINGS, rng.randint(1, 5)))
    s = random_state(rng)
    by_default, by_attribute = rng.random() < 0.3, rng.random() < 0.3

    def found() -> Any:
        return sum((read(s) * (k + 1.0) for k, read in enumerate(readings)), 0.0)

    def of_default(x: Any, s: Any = s) -> Any:
        return x * sum((read(s) * (k + 1.0) for k, read in enumerate(readings)), 0.0)

    def of_attribute(x: Any) -> Any:
        return x * sum((read(holder.s) * (k + 1.0) for k, read in enumerate(readings)), 0.0)

    holder = SimpleNamespace(s=s)
    if by_default:
        return Program(of_default, s)
    return Program(of_attribute if by_attribute else lambda x: x * found(), s)
