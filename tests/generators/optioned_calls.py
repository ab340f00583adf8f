"""Random sessions of calls of one function under random options, and what NumPy gives for each of them.

    session = random_session(seed)          jit of a chain of steps, {"threads": 2, "donate": ("rows",), ...}
    call = session.call(rng)                arguments of any size and layout, buffers, a static argument
    session.compiled(*call.given, **call.named)

Arguments are row-major, column-major, strided, reversed, at odd addresses, or read-only; buffers for
results may overlap arguments. Calls go to the function, its copies and its pickles, in turns.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mlirad as ad
from tests.generators.sized_calls import STEPS, random_arguments

NAMES = ("x", "rows", "table", "at", "y")
SIZES = (1, 2, 3, 5, 8, 17, 40, 64, 257)
FLOATS = (np.float64, np.float64, np.float64, np.float32)
MEMBERS = 3
"""The number of members of batches."""


@ad.rewritten
def _folded(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    """A step with a condition in Python."""
    if np.sum(x) > 0.3:
        x = np.sin(x) + table[0, 0]
        rows = rows * 0.5
    else:
        table = np.cos(table)
    for k in range(2):
        if x[0] < k:
            x = x * 0.5 + k
    return x, rows, table


@dataclass(frozen=True)
class Chain:
    """A function of arrays that applies steps, by their numbers, and the last of them `again` times more."""

    steps: tuple[int, ...]
    has_conditions: bool = False

    def __call__(self, x: Any, rows: Any, table: Any, at: Any, y: Any, again: int = 0) -> dict[str, Any]:
        """The arrays that the steps make, and sums of them."""
        x = x + 0.5 * y[::-1]
        for k in (*self.steps, *self.steps[-1:] * again):
            x, rows, table = STEPS[k](x, rows, table, at)
        if self.has_conditions:
            x, rows, table = _folded(x, rows, table, at)
        return {"x": x, "rows": rows, "table": table, "sums": [np.sum(x), np.sum(rows, axis=0)], "y": y * x}


@dataclass(frozen=True)
class Loss:
    """A number that all results of a chain count in."""

    chain: Chain

    def __call__(self, x: Any, rows: Any, table: Any, at: Any, y: Any, again: int = 0) -> Any:
        """The mean of sines of the results."""
        made = self.chain(x, rows, table, at, y, again)
        first, second = np.sin(made["x"]), np.sin(made["rows"])
        return (
            np.mean(first * first + first) + np.mean(second) + np.mean(np.tanh(made["table"]) * table) + y[0]
        )


@dataclass(frozen=True)
class Applied:
    """A transformation of a function of the arrays, as a function of them."""

    kind: str
    function: Any

    def __call__(self, x: Any, rows: Any, table: Any, at: Any, y: Any, again: int = 0) -> Any:
        """The result of the transformation of this kind."""
        f = _With(self.function, again)
        match self.kind:
            case "grad":
                return ad.grad(f, argnums=(0, 1, 2))(x, rows, table, at, y)
            case "value_and_grad":
                return ad.value_and_grad(f, argnums=(2, 0))(x, rows, table, at, y)
            case "jvp":
                moved = np.cos(x), np.sin(rows), table * 0.5
                return ad.jvp(lambda *floats: f(*floats, at, y), (x, rows, table), moved)
            case "hvp":
                return ad.hvp(lambda *floats: f(*floats, at, y), (x, rows, table), (x, rows, table))
            case "vmap":
                return ad.vmap(f)(x, rows, table, at, y)
            case "vmap of grad":
                return ad.vmap(ad.grad(f, argnums=(0, 1)), in_axes=(0, 0, None, 0, 0))(
                    x, rows, table[0], at, y
                )
            case _:
                batch = ad.vmap(f, in_axes=(0, 0, None, 0, 0))
                return ad.grad(lambda *floats: np.sum(batch(*floats, at, y)), argnums=(0, 2))(
                    x, rows, table[0]
                )


@dataclass(frozen=True)
class _With:
    """A function with its static argument."""

    function: Any
    again: int

    def __call__(self, *args: Any) -> Any:
        return self.function(*args, self.again)


OF_LOSSES = ("grad", "value_and_grad", "jvp", "hvp", "vmap of grad", "grad of vmap")
KINDS = ("jit", "jit", "jit", "vmap", *OF_LOSSES)
"""The kinds of compiled functions."""


@dataclass
class Call:
    """Arguments, by position and by name, with what the function gives for them."""

    given: tuple[Any, ...]
    named: dict[str, Any]
    plain: tuple[Any, ...]
    """Copies of the arrays, row-major."""
    again: int
    arrays: dict[str, Any] = field(default_factory=dict[str, Any])
    """The arrays that are passed, by parameters."""


@dataclass
class Session:
    """A function, what it is compiled to under some options, and these."""

    function: Callable[..., Any]
    kind: str
    options: Mapping[str, Any]
    compiled: Any
    copies: list[Any]
    sizes: tuple[int, ...]
    floats: Any
    """The dtype of arrays of floats."""

    @property
    def donated(self) -> tuple[str, ...]:
        """The parameters that are donated."""
        return self.options.get("donate", ())

    def call(self, rng: random.Random) -> Call:
        """Arguments for a call."""
        numbers = np.random.default_rng(rng.randrange(2**32))
        size = rng.choice(self.sizes)
        members = [(*random_arguments(numbers, size), numbers.standard_normal(size)) for _ in range(MEMBERS)]
        plain = members[0]
        if "vmap" in self.kind:
            plain = tuple(np.stack(parts) for parts in zip(*members, strict=True))
        positions = rng.choice((np.int64, np.int64, np.int32, np.int16))
        plain = tuple(a.astype(self.floats if a.dtype.kind == "f" else positions) for a in plain)
        arrays = {
            name: np.copy(a) if name in self.donated else laid_out(a, rng)
            for name, a in zip(NAMES, plain, strict=True)
        }
        if rng.random() < 0.2:
            arrays["y"], plain = _overlapping(arrays["x"], plain, rng)
        again = rng.choice((0, 0, 1)) if "static_argnames" in self.options else 0
        by_name = rng.randrange(len(NAMES) + 1)
        named: dict[str, Any] = {name: arrays[name] for name in NAMES[by_name:]}
        rng.shuffle(names := list(named))
        named = {name: named[name] for name in names}
        if "static_argnames" in self.options and (again or rng.random() < 0.5):
            named["again"] = again
        return Call(tuple(arrays[name] for name in NAMES[:by_name]), named, plain, again, arrays)

    def expected(self, call: Call) -> Any:
        """NumPy's result, or the interpreter's for derivatives and batches."""
        if self.kind == "jit":
            return self.function(*map(np.copy, call.plain), call.again)
        return ad.jit(_With(self.function, call.again), interpret=True)(*map(np.copy, call.plain))

    def another(self, rng: random.Random) -> Any:
        """The compiled function, a copy, or one that was pickled."""
        match rng.randrange(6):
            case 0:
                self.copies.append(pickle.loads(pickle.dumps(rng.choice(self.copies))))
            case 1:
                self.copies.append(copy.deepcopy(rng.choice(self.copies)))
            case _:
                pass
        return rng.choice(self.copies)


def _overlapping(x: Any, plain: tuple[Any, ...], rng: random.Random) -> tuple[Any, tuple[Any, ...]]:
    """Another argument that has elements of `x`, and copies of all of them."""
    y = x if rng.random() < 0.5 else x[::-1]
    return y, (*plain[:-1], np.copy(y))


def laid_out(array: Any, rng: random.Random) -> Any:
    """The same elements in another layout."""
    match rng.randrange(8):
        case 0:
            return np.asfortranarray(array)
        case 1:
            return np.repeat(array, 2, axis=0)[::2]
        case 2:
            return np.ascontiguousarray(array[::-1])[::-1]
        case 3 | 4 as kind:
            block = np.empty(array.nbytes + 64, np.uint8)
            start = -block.ctypes.data % 64 + (8 if kind == 3 else 3)
            found = block[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
            found[...] = array
            return found
        case 5:
            found = array.copy()
            found.flags.writeable = False
            return found
        case _:
            return array.copy()


def buffers_for(expected: Any, rng: random.Random, arrays: Mapping[str, Any]) -> Any:
    """Arrays like the results, of any layout; one may be an argument, or a part of it turned around."""
    taken: list[Any] = [a for a in arrays.values() if isinstance(a, np.ndarray) and a.flags.writeable]

    def like(leaf: Any) -> Any:
        value = np.asarray(leaf)
        for a in taken:
            if (a.shape, a.dtype) == (value.shape, value.dtype) and rng.random() < 0.5:
                taken[:] = [other for other in taken if not np.shares_memory(other, a)]
                return a[::-1] if rng.random() < 0.3 else a
        match rng.randrange(4):
            case 0 if value.ndim:
                return np.full((2 * value.shape[0], *value.shape[1:]), 7, value.dtype)[::2]
            case 1 if value.ndim:
                block = np.empty(value.nbytes + 64, np.uint8)
                return block[8 : 8 + value.nbytes].view(value.dtype).reshape(value.shape)
            case 2:
                return (
                    np.full(value.shape, np.nan, value.dtype, order="F")
                    if value.dtype.kind == "f"
                    else (np.zeros(value.shape, value.dtype, order="F"))
                )
            case _:
                return np.zeros(value.shape, value.dtype)

    return ad.tree.map(like, expected)


def random_session(seed: int) -> Session:
    """A function and options, by the seed."""
    rng = random.Random(seed)
    kind = rng.choice(KINDS)
    conditions = rng.random() < 0.25
    chain = Chain(tuple(rng.sample(range(len(STEPS)), rng.randint(1, 3))), conditions)
    inner = Loss(chain) if kind in OF_LOSSES else chain
    function = inner if kind == "jit" else Applied(kind, inner)
    options = random_options(rng, kind)
    compiled = ad.jit(function, **options)
    return Session(
        function, kind, options, compiled, [compiled], tuple(rng.sample(SIZES, 2)), rng.choice(FLOATS)
    )


def random_options(rng: random.Random, kind: str) -> dict[str, Any]:
    """Options that leave results what they are."""
    options: dict[str, Any] = {}
    if rng.random() < 0.2:
        options["control"] = "rewrite"
    if rng.random() < 0.5:
        options["threads"] = rng.choice((1, 2, 3, 8))
    if rng.random() < 0.4:
        options["donate"] = tuple(rng.sample(("x", "y", "rows", "table"), rng.randint(1, 4)))
    if rng.random() < 0.3:
        options["static_argnames"] = "again"
    if rng.random() < 0.3:
        size = 1 if "vmap" in kind else 0
        options["dynamic"] = " ".join(f"{name}:{size}" for name in ("x", "rows", "at", "y"))
    for name in ("check_bounds", "check_nans", "check_absorbed"):
        if rng.random() < 0.2:
            options[name] = True
    if rng.random() < 0.2:
        options["flush_subnormals"] = False
    if rng.random() < 0.2:
        options["chunk"] = rng.choice((1, 2, "all"))
    if kind in OF_LOSSES and rng.random() < 0.4:
        options["method"] = rng.choice(("jacobian", "chad"))
    return options
