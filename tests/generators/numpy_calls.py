"""Random calls of NumPy's and SciPy's functions, with the options of their signatures, right kinds and
wrong ones.

    call = random_call(seed=7)
    call.with_numpy()         what NumPy makes of it
    call.with_mlirad()        what a traced function makes of it, interpreted or compiled
    print(call)               np.roll(a0, (1, -2), axis=(0, 1)) with a0 = float64 (3, 2)

Arguments are drawn by what their parameter is: `ARGUMENTS` has those of a function that have to fit each
other, `OPTIONS` what a parameter of some name takes anywhere. A parameter in neither gets an array. Arrays
have random shapes (empty ones, rank 0), dtypes, layouts and special values; some stay NumPy arrays, the
others are traced.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import mlirad as ad
from mlirad.frontend.numpy_functions.calls.numpy_signatures import numpy_signature
from mlirad.frontend.numpy_functions.meanings.ufuncs import all_meanings
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from tests.generators.matrix_calls import MATRIX_ARGUMENTS

DTYPES = (np.float64, np.float64, np.float64, np.float32, np.int64, np.int32, np.bool_)
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e300, 1e-310, -3.0)
METHODS = ("reduce", "accumulate", "outer", "reduceat", "at")


@dataclass(frozen=True)
class Leaf:
    """The place of a traced array among the arguments of a call."""

    number: int


@dataclass
class Call:
    """A call of `function`, whose traced arrays are `leaves`."""

    seed: int
    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    options: dict[str, Any]
    leaves: list[Any]

    def apply(self, leaves: Any) -> Any:
        """The call on arrays, NumPy's or traced ones."""
        result = self.function(
            *(filled(a, leaves) for a in self.args), **{k: filled(v, leaves) for k, v in self.options.items()}
        )
        if isinstance(result, np.dtype):
            return np.zeros((), result)
        return filled(self.args[0], leaves) if result is None else result  # what writes its first argument

    def with_numpy(self) -> Any:
        """NumPy's result, or whatever it raises."""
        return self.apply([np.array(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in self.leaves])

    def with_mlirad(self, *, interpret: bool = True) -> Any:
        """The result of a traced function that is the call."""
        function = ad.jit(lambda *leaves: self.apply(leaves), interpret=interpret, flush_subnormals=False)
        return function(*self.leaves)

    def __str__(self) -> str:
        shown = [shown_value(a) for a in self.args]
        shown += [f"{k}={shown_value(v)}" for k, v in self.options.items()]
        arrays = ", ".join(f"a{k} = {shown_value(leaf)}" for k, leaf in enumerate(self.leaves))
        return f"{self.name}({', '.join(shown)}) with {arrays}"


def filled(value: Any, leaves: Any) -> Any:
    """An argument with arrays in the places of leaves."""
    if isinstance(value, Leaf):
        return leaves[value.number]
    if isinstance(value, list | tuple):
        return type(value)(filled(v, leaves) for v in value)
    return value


def shown_value(value: Any) -> str:
    """A value in a failure's message."""
    if isinstance(value, Leaf):
        return f"a{value.number}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)} {value.tolist()}"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown_value, value))},)"
    if isinstance(value, list):
        return f"[{', '.join(map(shown_value, value))}]"
    return repr(value)


class Draw:
    """Random arguments of one call. `shape` is that of the first array, to which options are made to fit."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.leaves: list[Any] = []
        self.shape: tuple[int, ...] = ()
        self.dtype: np.dtype[Any] = np.dtype(float)
        self.is_first = True
        self.is_special = self.rng.random() < 0.2

    # Small choices

    def choice(self, *values: Any) -> Any:
        return self.rng.choice(values)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def int(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    @property
    def extent(self) -> int:
        return self.choice(0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 2, 3)

    def random_shape(self, ranks: tuple[int, ...] = (0, 1, 1, 1, 2, 2, 2, 3)) -> tuple[int, ...]:
        return tuple(self.extent for _ in range(self.choice(*ranks)))

    # Arrays

    def plain(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A NumPy array in some layout."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            array = self.numbers.integers(0, 2, size=shape).astype(bool)
        elif dtype.kind == "i":
            array = self.numbers.integers(-5, 6, size=shape).astype(dtype)
        else:
            array = np.asarray(self.numbers.normal(size=shape) * self.choice(1, 1, 3), dtype)
            if self.chance(0.3):
                array = np.round(array)
            if self.is_special:
                mask = self.numbers.random(size=shape) < 0.4
                with np.errstate(all="ignore"):
                    array = np.where(mask, self.numbers.choice(SPECIAL, size=shape), array).astype(dtype)
        return self.laid_out(np.asarray(array))

    def laid_out(self, array: Any) -> Any:
        """The same elements in another layout."""
        match self.int(0, 6):
            case 0 if array.ndim:
                return np.asfortranarray(array)
            case 1 if array.ndim:
                return np.repeat(array, 2, axis=-1)[..., ::2]
            case 2 if array.ndim:
                return np.ascontiguousarray(array[::-1])[::-1]
            case _:
                return array

    def traced(self, value: Any) -> Leaf:
        self.leaves.append(value)
        return Leaf(len(self.leaves) - 1)

    def array(self, shape: Any = None, dtype: Any = None, *, trace: float = 0.75) -> Any:
        """An array argument: traced, a NumPy array, nested lists, or a scalar."""
        if shape is None:
            shape = self.random_shape() if self.is_first else self.fitting_shape()
        dtype = np.dtype(self.choice(*DTYPES) if dtype is None else dtype)
        if self.is_first:
            self.shape, self.dtype, self.is_first = shape, dtype, False
            trace = 1.0
        value = self.plain(shape, dtype)
        if self.chance(trace):
            return self.traced(value)
        if self.chance(0.25):
            return value.tolist()
        return value[()] if value.ndim == 0 and self.chance(0.5) else value

    def given(self, value: Any) -> Leaf:
        """A first array that is made elsewhere, traced."""
        self.shape, self.dtype, self.is_first = value.shape, value.dtype, False
        return self.traced(self.laid_out(value))

    def fitting_shape(self) -> tuple[int, ...]:
        """A shape that broadcasts with the first one, or seldom does not."""
        if self.chance(0.06):
            return self.random_shape()
        kept = self.shape[self.int(0, len(self.shape)) :] if self.chance(0.4) else self.shape
        return tuple(1 if self.chance(0.2) else e for e in kept)

    def floats(self, shape: Any = None, **options: Any) -> Any:
        return self.array(shape, self.choice(np.float64, np.float64, np.float32), **options)

    def integers(self, shape: Any, low: int, high: int, *, trace: float = 0.5) -> Any:
        """Integers from low to high - 1."""
        shape = self.random_shape((0, 1, 1, 2)) if shape is None else shape
        dtype = self.choice(np.int64, np.int64, np.int32)
        value = np.asarray(self.numbers.integers(low, max(high, low + 1), size=shape)).astype(dtype)
        if self.chance(trace):
            return self.traced(value)
        return value.tolist() if self.chance(0.4) else value

    def mask(self, shape: Any = None) -> Any:
        return self.array(self.fitting_shape() if shape is None else shape, np.bool_, trace=0.5)

    # Options

    def axis(self) -> Any:
        rank = max(len(self.shape), 1)
        return self.int(-rank, rank - 1) if self.chance(0.9) else self.int(-4, 4)

    def axes(self) -> Any:
        rank = len(self.shape)
        match self.int(0, 5):
            case 0:
                return None
            case 1 | 2:
                return tuple(self.rng.sample(range(rank), self.int(0, rank)))
            case _:
                return self.axis()

    def flag(self) -> Any:
        return self.choice(True, False, True, False, 1, 0)

    def number(self) -> Any:
        return self.choice(0, 1, 2, -1, 0.5, 2.5, -3, True, np.float32(1.5), np.int64(3), np.nan, np.inf)

    def wrong(self) -> Any:
        """Something that most parameters do not take."""
        return self.choice(
            "x", "C", None, 1.5, (), [1], (1, 2), object(), 1 + 2j, np.array("a"), -7, 100, float("nan"),
            np.sin,
            {}, np.ones((2, 2)), [[1], [1, 2]], b"x", slice(None), self.traced(np.float64(1.0)),
            self.traced(np.int64(1)), self.traced(np.array([1, 2])), self.traced(np.True_), np.array(None),
        )  # fmt: skip


# Parameters by name ------------------------------------------------------------------------------

OPTIONS: dict[str, Callable[[Draw], Any]] = {
    "axis": Draw.axes,
    "axis1": Draw.axis,
    "axis2": Draw.axis,
    "axisa": lambda d: d.choice(-1, 0, 1),
    "axisb": lambda d: d.choice(-1, 0, 1),
    "axisc": lambda d: d.choice(-1, 0, 1),
    "keepdims": Draw.flag,
    "dtype": lambda d: d.choice(
        *DTYPES, None, float, int, bool, "f4", np.dtype("i4"), "int32", complex, "f2", np.uint8, "nonsense"
    ),
    "out": lambda d: d.choice(None, None, np.zeros(d.shape), d.array(d.shape)),
    "where": Draw.mask,
    "initial": Draw.number,
    "ddof": lambda d: d.choice(0, 1, 2, 0.5, 7, -1),
    "correction": lambda d: d.choice(0, 1, 2, 0.5),
    "mean": lambda d: d.array(tuple(1 for _ in d.shape), np.float64),
    "order": lambda d: d.choice("C", "C", "F", "A", "K", None, "Z"),
    "subok": lambda d: d.choice(True, False),
    "copy": Draw.flag,
    "device": lambda d: d.choice(None, "cpu", "gpu"),
    "casting": lambda d: d.choice("no", "equiv", "safe", "same_kind", "unsafe", "some"),
    "kind": lambda d: d.choice(None, "quicksort", "stable", "heapsort", "mergesort", "fast", "introselect"),
    "stable": lambda d: d.choice(None, True, False),
    "side": lambda d: d.choice("left", "right", "middle"),
    "sorter": lambda d: d.integers(d.shape, 0, max((*d.shape, 1))),
    "right": Draw.flag,
    "method": lambda d: d.choice(
        "linear",
        "lower",
        "higher",
        "midpoint",
        "nearest",
        "inverted_cdf",
        "averaged_inverted_cdf",
        "closest_observation",
        "interpolated_inverted_cdf",
        "hazen",
        "weibull",
        "median_unbiased",
        "normal_unbiased",
        "other",
    ),
    "overwrite_input": Draw.flag,
    "decimals": lambda d: d.choice(0, 1, 2, 3, -1, -2, 20, -20),
    "k": lambda d: d.int(-3, 3),
    "offset": lambda d: d.int(-3, 3),
    "n": lambda d: d.choice(0, 1, 2, 3, -1),
    "N": lambda d: d.choice(0, 1, 2, 3, None),
    "prepend": lambda d: d.choice(0, 1.5, d.array(d.shape)),
    "append": lambda d: d.choice(0, 1.5, d.array(d.shape)),
    "rtol": lambda d: d.choice(1e-5, 0.5, 0.0, d.array(())),
    "atol": lambda d: d.choice(1e-8, 0.5, 0.0, d.array(())),
    "equal_nan": Draw.flag,
    "nan": Draw.number,
    "posinf": lambda d: d.choice(None, 5.0, 1, d.number()),
    "neginf": lambda d: d.choice(None, -5.0, d.number()),
    "returned": Draw.flag,
    "include_initial": Draw.flag,
    "weights": lambda d: d.choice(None, d.floats(d.shape), d.floats(d.shape[-1:]), d.array(d.shape[1:])),
    "ord": lambda d: d.choice(None, 1, 2, 0, -1, 3, 0.5, np.inf, -np.inf, "fro", "nuc", 2.0, "f", -2),
    "retstep": Draw.flag,
    "endpoint": Draw.flag,
    "num": lambda d: d.choice(0, 1, 2, 3, 5, -1, 2.0),
    "sparse": Draw.flag,
    "indexing": lambda d: d.choice("xy", "ij", "yx"),
    "optimize": lambda d: d.choice(True, False, "greedy", "optimal"),
    "mode": lambda d: d.choice("raise", "wrap", "clip", "full", "same", "valid", "edge"),
    "reflect_type": lambda d: d.choice("even", "odd"),
    "constant_values": lambda d: d.choice(0, 2.5, (1, 2), ((1, 2),), d.array(()), [[0, 1]] * len(d.shape)),
    "end_values": lambda d: d.choice(0, 2.5, (1, 2)),
    "stat_length": lambda d: d.choice(None, 1, 2, (1, 2)),
    "shape": lambda d: d.choice(None, (2, 3), 4, [1], (), -1),
    "newshape": lambda d: d.choice((2, 3), 4),
    "dx": lambda d: d.choice(1.0, 0.5, 2, d.array(d.shape[-1:]), d.array(())),
    "x": lambda d: d.choice(None, d.floats(d.shape[-1:]), d.floats()),
    "left": lambda d: d.choice(None, -1.0, 2, d.array(())),
    "period": lambda d: d.choice(None, 2.0, -3.5, 1, 0),
    "default": lambda d: d.choice(0, 1.5, d.array(())),
    "min": lambda d: d.choice(None, -1, 0.5, d.array()),
    "max": lambda d: d.choice(None, 1, 2.5, d.array()),
    "a_min": lambda d: d.choice(None, -1, 0.5, d.array()),
    "a_max": lambda d: d.choice(None, 1, 2.5, d.array()),
    "invert": Draw.flag,
    "assume_unique": Draw.flag,
    "edge_order": lambda d: d.choice(1, 2, 1, 3),
    "rowvar": Draw.flag,
    "bias": Draw.flag,
    "increasing": Draw.flag,
    "discont": lambda d: d.choice(None, 1.0, 4.0),
    "to_begin": lambda d: d.choice(None, 0, d.array()),
    "to_end": lambda d: d.choice(None, 0, d.array()),
    "start": lambda d: d.int(-3, 3),
    "deg": Draw.flag,
    "a1_is": Draw.flag,
    "tol": lambda d: d.choice(100, 1),
    "minlength": lambda d: d.int(0, 4),
    "bins": lambda d: d.choice(3, [0.0, 1.0, 2.0]),
    "range": lambda d: d.choice(None, (0.0, 1.0)),
    "density": Draw.flag,
    "base": lambda d: d.choice(10.0, 2, 2.0),
    "m": lambda d: d.choice(1, 2),
    "signature": lambda d: d.choice("dd->d", "d->d"),
}
"""The values of parameters, by their names, wherever they are optional; those of `ARGUMENTS` go first."""


# Arguments that fit each other -------------------------------------------------------------------


def _indices(d: Draw, extent: int, *, trace: float = 0.5) -> Any:
    """Positions inside, seldom outside."""
    out = d.chance(0.1)
    return d.integers(None, -extent - out, extent + out, trace=trace)


def _sequence(d: Draw, ranks: tuple[int, ...] = (0, 1, 1, 2, 2, 3)) -> Any:
    first = d.random_shape(ranks)
    axis = d.int(0, max(len(first) - 1, 0))
    parts = [d.array(first)]
    for _ in range(d.choice(0, 1, 1, 2)):
        shape = list(first)
        if shape and d.chance(0.4):
            shape[axis] = d.extent
        parts.append(d.array(tuple(shape)))
    return parts if d.chance(0.5) else tuple(parts)


def _take(d: Draw) -> Any:
    x = d.array()
    if d.chance(0.3):
        return (x, _indices(d, int(np.prod(d.shape)))), {}
    axis = d.axis()
    extent = d.shape[axis] if -len(d.shape) <= axis < len(d.shape) else 1
    mode = {"mode": d.choice("raise", "wrap", "clip", "other")} if d.chance(0.5) else {}
    return (x, _indices(d, extent * (1 if not mode else 3)), axis), mode


def _take_along(d: Draw) -> Any:
    x = d.array()
    if d.chance(0.2):
        return (x, _indices(d, int(np.prod(d.shape))), None), {}
    axis = d.axis()
    rank = len(d.shape)
    extent = d.shape[axis] if -rank <= axis < rank else 1
    shape = [1 if d.chance(0.15) else e for e in d.shape]
    if -rank <= axis < rank:
        shape[axis] = d.extent
    return (x, d.integers(tuple(shape), -extent, extent), axis), {}


def _reshape(d: Draw) -> Any:
    x = d.array()
    size = int(np.prod(d.shape))
    shape = d.choice(-1, (-1, 1), size, (1, size), tuple(reversed(d.shape)), [size, 1, 1], (2, -1), (-1, -1))
    return (x, shape), {"order": d.choice("C", "F", "A")} if d.chance(0.3) else {}


def _pair_of_products(d: Draw) -> Any:
    n, m, k = d.extent, d.extent, d.extent
    left = d.choice((m,), (n, m), (k, n, m), ())
    right = d.choice((m,), (m, n), (k, m, n), (n, m), ())
    return (d.array(left), d.array(right)), {}


def _tensordot(d: Draw) -> Any:
    x = d.array(d.random_shape((1, 2, 2, 3)))
    count = d.int(0, len(d.shape))
    if d.chance(0.5):
        return (x, d.array((*d.shape[len(d.shape) - count :], d.extent)), count), {}
    axes = d.rng.sample(range(len(d.shape)), count)
    y = d.array((d.extent, *[d.shape[a] for a in axes]))
    right = list(range(1, count + 1))
    return (x, y, (axes, right) if count != 1 or d.chance(0.5) else (axes[0], 1)), {}


def _einsum(d: Draw) -> Any:
    letters = dict.fromkeys("ijk", d.extent)
    text = d.choice(
        "ij,jk->ik", "i,i->", "ii->i", "ii", "ij->ji", "i,j", "ij,ij->i", "...i,i->...", "...ij->...ji",
        "ij,j",
        "i,ij,j->", "ijk->", "i->ii", "ij,jk", "i,i->i", "ij...,j->i...", "bij,bjk->bik", "i j , j -> i",
    )  # fmt: skip
    terms = text.replace(" ", "").split("->")[0].split(",")
    letters["b"] = d.extent
    shapes = [tuple(letters.get(c, 2) for c in t.replace("...", "")) for t in terms]
    if d.chance(0.2):
        shapes[0] = tuple(1 for _ in shapes[0])
    if "..." in text:
        shapes[0] = (*shapes[0], d.extent) if text.startswith("ij...") else (d.extent, *shapes[0])
    arrays = [d.array(s) for s in shapes]
    if d.chance(0.15):
        numbered = [[ord(c) - 97 for c in t] for t in terms if "." not in t]
        if len(numbered) == len(arrays):
            return tuple(x for pair in zip(arrays, numbered, strict=True) for x in pair), {}
    return (text, *arrays), {}


def _pad(d: Draw) -> Any:
    x = d.array()
    rank = len(d.shape)
    width = d.choice(
        1, (1, 2), ((1, 2),), [[0, 1]] * rank, np.array([[1, 0]] * rank), {0: (1, 2)}, {-1: 1}, 0, -1, 1.5,
        (2,),
    )  # fmt: skip
    mode = d.choice(
        "constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean", "median",
        "minimum",
        "empty", "other",
    )  # fmt: skip
    options = {} if mode == "constant" and d.chance(0.5) else {"mode": mode}
    wanted = {
        "constant": "constant_values", "linear_ramp": "end_values", "reflect": "reflect_type",
        "symmetric": "reflect_type", "maximum": "stat_length", "mean": "stat_length",
        "minimum": "stat_length",
        "median": "stat_length",
    }.get(mode)  # fmt: skip
    if wanted and d.chance(0.6):
        options[wanted] = OPTIONS[wanted](d)
    return (x, width), options


def _roll(d: Draw) -> Any:
    x = d.array()
    axes = d.axes()
    shift = d.int(-7, 7)
    if d.chance(0.4):
        shift = tuple(
            d.int(-3, 3) for _ in range(d.choice(1, 2, len(axes) if isinstance(axes, tuple) else 1))
        )
    return (x, shift), {} if d.chance(0.3) else {"axis": axes}


def _moveaxis(d: Draw) -> Any:
    x = d.array()
    rank = len(d.shape)
    count = d.int(0, rank)
    axes = [d.rng.sample(range(rank), count) for _ in range(2)]
    if d.chance(0.4):
        return (x, d.axis(), d.axis()), {}
    return (x, *map(d.choice(list, tuple), axes)), {}


def _transpose(d: Draw) -> Any:
    x = d.array()
    if d.chance(0.4):
        return (x,), {}
    order = list(range(len(d.shape)))
    d.rng.shuffle(order)
    return (x, d.choice(list, tuple)(order)), {}


def _split(d: Draw) -> Any:
    x = d.array(d.random_shape((1, 1, 2, 3, 0)))
    sections = d.choice(1, 2, 3, [1], [1, 2], (0, 2, 4), [-1], np.array([1, 3]), 0, -1)
    return (x, sections), {"axis": d.axis()} if d.chance(0.5) else {}


def _split_only(d: Draw) -> Any:
    args, _ = _split(d)
    return args, {}


def _where(d: Draw) -> Any:
    condition = d.array(dtype=d.choice(bool, bool, float, int))
    if d.chance(0.06):
        return (condition, *[d.array()] * d.int(0, 1)), {}
    return (condition, d.choice(d.array(), 1.0, 0), d.choice(d.array(), d.array(), 2)), {}


def _select(d: Draw) -> Any:
    shape = d.random_shape()
    count = d.choice(1, 2, 3, 0)
    conditions = [d.array(shape, bool) for _ in range(count)]
    return (conditions, [d.array() for _ in range(count if d.chance(0.9) else count + 1)]), {}


def _choose(d: Draw) -> Any:
    count = d.choice(1, 2, 3)
    return (d.integers(None, 0, count), [d.array() for _ in range(count)]), {
        "mode": d.choice("raise", "wrap", "clip")
    } if d.chance(0.3) else {}


def _cross(d: Draw) -> Any:
    n = d.choice(3, 3, 3, 2)
    shape = (*d.random_shape((0, 1, 2)), n)
    return (d.array(shape), d.array(d.choice(shape, (3,), (n,)))), {}


def _multi_dot(d: Draw) -> Any:
    n = [d.extent for _ in range(4)]
    return ([d.array((n[0], n[1])), d.array((n[1], n[2])), d.array((n[2], n[3]))][: d.choice(2, 3, 3)],), {}


def _square(d: Draw) -> Any:
    n = d.extent
    return (d.array(d.choice((n, n), (2, n, n))), d.choice(0, 1, 2, 3, 5, -1, 1.5)), {}


def _vectors(d: Draw) -> Any:
    return (d.array((d.extent,)), d.array((d.extent,))), {}


def _searchsorted(d: Draw) -> Any:
    table = np.sort(d.plain((d.extent,), d.choice(*DTYPES)))
    values = d.array()
    return (d.traced(table) if d.chance(0.5) else table, values), {}


def _digitize(d: Draw) -> Any:
    values = d.array()
    bins = np.sort(d.plain((d.extent,), d.choice(float, float, int)))
    bins = bins[::-1] if d.chance(0.4) else bins
    return (values, d.traced(bins) if d.chance(0.3) else bins), {}


def _interp(d: Draw) -> Any:
    n = d.choice(1, 2, 3, 4, 4, 0)
    points = np.sort(d.numbers.normal(size=n))
    names = d.choice((), ("fp",), ("xp", "fp"))
    given = {"xp": d.traced(points) if d.chance(0.5) else points, "fp": d.floats((n,))}
    return (d.floats(), *(v for k, v in given.items() if k not in names)), {k: given[k] for k in names}


def _quantile(scale: int) -> Callable[[Draw], Any]:
    def draw(d: Draw) -> Any:
        levels = d.choice(0.5, 0.3, 0, 1, [0.0, 0.25, 1.0], np.array([[0.1, 0.9]]), 2.0, -0.1)
        return (d.array(), np.multiply(levels, scale) if d.chance(0.9) else d.array(())), {}

    return draw


def _unravel(d: Draw) -> Any:
    shape = tuple(d.int(1, 4) for _ in range(d.choice(1, 2, 3)))
    return (d.integers(None, 0, int(np.prod(shape))), shape), {}


def _ravel_multi(d: Draw) -> Any:
    shape = tuple(d.int(1, 4) for _ in range(d.choice(1, 2, 3)))
    mode = d.choice("raise", "wrap", "clip", ("wrap", "clip", "clip")[: len(shape)])
    reach = 0 if mode == "raise" else 3
    space = d.random_shape((0, 1))
    positions = tuple(d.integers(space, -reach, e + reach) for e in shape)
    return (positions, shape), {"mode": mode} if mode != "raise" else {}


def _repeat(d: Draw) -> Any:
    x = d.array()
    axis = d.axis() if d.chance(0.6) else None
    rank = len(d.shape)
    extent = int(np.prod(d.shape)) if axis is None else d.shape[axis] if -rank <= axis < rank else 1
    return (x, d.choice(0, 1, 2, 3, [2], [d.int(0, 2) for _ in range(extent)], -1), axis), {}


def _insertion(d: Draw) -> Any:
    x = d.array(d.random_shape((1, 1, 2)))
    axis = d.choice(None, 0)
    return (x, d.choice(0, 1, -1, [0, 1]), d.choice(1.5, 2), axis), {}


def _deletion(d: Draw) -> Any:
    x = d.array(d.random_shape((1, 1, 2)))
    return (x, d.choice(0, 1, -1, [0, 1], slice(0, 2)), d.choice(None, 0)), {}


def _with(*makers: Callable[[Draw], Any]) -> Callable[[Draw], Any]:
    """Positional arguments by a maker each."""
    return lambda d: (tuple(make(d) for make in makers), {})


def _linspace(d: Draw) -> Any:
    return (d.array(d.random_shape((0, 0, 1, 2))), d.array()), {}


def _gradient(d: Draw) -> Any:
    x = d.array(d.random_shape((1, 1, 2)))
    return (x, *d.choice((), (), (0.5,), (2,))), {}


def _apply_along(d: Draw) -> Any:
    axis = d.int(0, 1)
    return (d.choice(np.sum, np.cumsum, lambda v: v[:1], np.sort), axis, d.array(d.random_shape((2, 3)))), {}


def _piecewise(d: Draw) -> Any:
    x = d.array()
    return (x, [d.array(d.shape, bool)], d.choice([1.0, 2.0], [np.sin, 0.5], [0])), {}


def _arrays(d: Draw) -> Any:
    return tuple(d.array() for _ in range(d.choice(1, 1, 2, 3))), {}


def _lists(d: Draw) -> Any:
    return (_sequence(d),), {}


ARGUMENTS: dict[str, Callable[[Draw], Any]] = {
    "take": _take, "take_along_axis": _take_along, "reshape": _reshape, "matmul": _pair_of_products,
    "dot": _pair_of_products, "inner": _pair_of_products, "vecdot": _pair_of_products,
    "matvec": _pair_of_products, "vecmat": _pair_of_products, "tensordot": _tensordot, "einsum": _einsum,
    "pad": _pad, "roll": _roll, "moveaxis": _moveaxis, "transpose": _transpose, "permute_dims": _transpose,
    "split": _split, "array_split": _split, "hsplit": _split_only, "vsplit": _split_only,
    "dsplit": _split_only,
    "where": _where, "select": _select, "choose": _choose, "cross": _cross, "multi_dot": _multi_dot,
    "matrix_power": _square, "convolve": _vectors, "correlate": _vectors, "searchsorted": _searchsorted,
    "digitize": _digitize, "interp": _interp, "quantile": _quantile(1), "percentile": _quantile(100),
    "nanquantile": _quantile(1), "nanpercentile": _quantile(100), "unravel_index": _unravel,
    "ravel_multi_index": _ravel_multi, "repeat": _repeat, "insert": _insertion, "delete": _deletion,
    "concatenate": _lists, "stack": _lists, "hstack": _lists, "vstack": _lists, "dstack": _lists,
    "column_stack": _lists, "lexsort": _lists, "meshgrid": _arrays, "broadcast_arrays": _arrays,
    "atleast_1d": _arrays, "atleast_2d": _arrays, "atleast_3d": _arrays, "result_type": _arrays,
    "linspace": _linspace, "logspace": _linspace, "geomspace": _linspace, "gradient": _gradient,
    "swapaxes": _with(Draw.array, Draw.axis, Draw.axis), "rollaxis": _with(Draw.array, Draw.axis),
    "expand_dims": _with(Draw.array, Draw.axes), "broadcast_to": _with(Draw.array, lambda d: (2, *d.shape)),
    "tile": _with(Draw.array, lambda d: d.choice(2, (1, 2), [2, 1, 1], 0, ())),
    "full_like": _with(Draw.array, lambda d: d.choice(1, 2.5, True, d.array(()), d.array())),
    "partition": _with(Draw.array, lambda d: d.choice(0, 1, -1, [0, 1])),
    "argpartition": _with(Draw.array, lambda d: d.choice(0, 1, -1, [0, 1])),
    "polyval": _with(lambda d: d.array((d.extent,)), Draw.array),
    "resize": _with(Draw.array, lambda d: d.choice(3, (2, 3), (), 0)),
    "compress": _with(lambda d: d.choice([True, False], [True]), Draw.array),
    "astype": _with(Draw.array, OPTIONS["dtype"]),
    "apply_along_axis": _apply_along, "piecewise": _piecewise,
    "apply_over_axes": _with(lambda d: d.choice(np.sum, np.max), Draw.array, Draw.axes),
    "bincount": _with(lambda d: d.integers((d.extent,), 0, 4)),
    **MATRIX_ARGUMENTS,
}  # fmt: skip
"""Positional arguments of functions, by name, and options that depend on them."""


# Calls -------------------------------------------------------------------------------------------


def random_call(seed: int) -> Call:
    """A call of a function of the table, a ufunc, or a method of one; equal seeds give equal calls."""
    d = Draw(seed)
    callables = _callables()
    ufuncs = _ufuncs()
    if seed % 6 == 0:
        return d.choice(_operator_call, _operator_call, _array_method_call, _key_call)(d, seed)
    if d.chance(0.3):
        ufunc, name = d.rng.choice(ufuncs)
        return _ufunc_call(d, seed, ufunc, name)
    function, name = d.rng.choice(callables)
    return _function_call(d, seed, function, name)


def _operator_call(d: Draw, seed: int) -> Call:
    """`x + y`, `2 - x`, `x **= 2`, and the like, of arrays, lists and Python's and NumPy's numbers."""
    symbol = d.choice(*OPERATORS)
    # A traced array of rank 0 is a scalar, which `x += y` replaces.
    x = d.array(d.random_shape((1, 1, 2, 3)) if symbol in IN_PLACE else None)
    if symbol in UNARY:
        return Call(seed, f"operator.{symbol}", getattr(operator, symbol), (x,), {}, d.leaves)
    y = d.choice(d.array(), d.array(), d.number(), d.int(-9, 9))
    if symbol == "matmul":
        x, y = _pair_of_products(d)[0]
    if symbol in ("pow", "ipow"):
        y = d.choice(0, 1, 2, 3, 0.5, -0.5, -1.0, 2.0, 1.5, d.floats(d.shape))
    if symbol in ("lshift", "rshift"):
        y = d.choice(0, 1, 3, d.integers(d.shape, 0, 5))
    pair = (y, x) if d.chance(0.3) and symbol not in IN_PLACE else (x, y)
    return Call(seed, f"operator.{symbol}", getattr(operator, symbol), pair, {}, d.leaves)


UNARY = ("neg", "pos", "abs", "invert")
IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow")
OPERATORS = (
    *UNARY, "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lt", "le", "eq", "ne", "gt",
    "ge", "and_", "or_", "xor", "lshift", "rshift", *IN_PLACE,
)  # fmt: skip


def _array_method_call(d: Draw, seed: int) -> Call:
    """`x.sum(axis=1)`: a method of an array, with the options that NumPy's methods have."""
    name = d.choice(*ARRAY_METHODS)
    x, args = d.array(), ()
    if name in ARRAY_METHOD_ARGUMENTS:
        args = ARRAY_METHOD_ARGUMENTS[name](d)
    options = {o: OPTIONS[o](d) for o in ARRAY_METHODS[name] if d.chance(0.4)}
    return Call(seed, f"x.{name}", _method_of, (x, name, *args), options, d.leaves)


def _method_of(x: Any, name: str, *args: Any, **options: Any) -> Any:
    return getattr(x, name)(*args, **options)


_REDUCED = ("axis", "keepdims")
_SUMMED = (*_REDUCED, "dtype", "initial", "where")
ARRAY_METHODS: dict[str, tuple[str, ...]] = {
    "sum": _SUMMED, "prod": _SUMMED, "mean": (*_REDUCED, "dtype", "where"),
    "var": (*_REDUCED, "ddof", "where"), "std": (*_REDUCED, "ddof", "where"),
    "max": (*_REDUCED, "initial"), "min": (*_REDUCED, "initial"), "all": _REDUCED, "any": _REDUCED,
    "argmax": _REDUCED, "argmin": _REDUCED, "cumsum": ("axis", "dtype"), "cumprod": ("axis", "dtype"),
    "argsort": (), "sort": ("stable",), "ravel": ("order",), "flatten": ("order",), "squeeze": ("axis",),
    "clip": ("min", "max"), "round": ("decimals",), "repeat": (), "reshape": ("order",), "transpose": (),
    "swapaxes": (), "diagonal": ("offset",), "trace": ("offset",), "take": ("axis",), "dot": (),
    "astype": ("copy",), "copy": ("order",), "conj": (), "fill": (),
}  # fmt: skip
"""Methods of arrays, and options of theirs."""

ARRAY_METHOD_ARGUMENTS: dict[str, Callable[[Draw], Any]] = {
    "repeat": lambda d: (d.choice(0, 1, 2),),
    "reshape": lambda d: d.choice((-1,), ((-1,),), d.shape, d.shape[::-1], (1, -1), ((*d.shape, 1),)),
    "transpose": lambda d: d.choice((), tuple(range(len(d.shape)))[::-1], (tuple(range(len(d.shape))),)),
    "swapaxes": lambda d: (d.axis(), d.axis()),
    "take": lambda d: (d.integers(None, -1, 1),),
    "dot": lambda d: (d.array(d.shape[::-1]),),
    "astype": lambda d: (OPTIONS["dtype"](d),),
    "fill": lambda d: (d.number(),),
}


def _key_call(d: Draw, seed: int) -> Call:
    """`x[1:, None, [0, 2]]`, read or written."""
    x = d.array(d.random_shape((1, 1, 2, 2, 3)))
    parts: list[Any] = []
    for extent in d.shape[: d.int(0, len(d.shape))]:
        low, high = -extent, max(extent - 1, -extent)
        parts.append(
            d.choice(
                d.int(low, high), slice(None), slice(d.int(-3, 3), None), slice(None, d.int(-3, 3)),
                slice(None, None, d.choice(2, -1, -2)), [d.int(low, high) for _ in range(d.int(0, 3))],
                np.array([d.int(low, high)]), d.plain((extent,), bool),
            )
        )  # fmt: skip
    for extra in (None, Ellipsis):
        if d.chance(0.25):
            parts.insert(d.int(0, len(parts)), extra)
    key = parts[0] if len(parts) == 1 and d.chance(0.7) else tuple(parts)
    if d.chance(0.5):
        return Call(seed, "getitem", _item_of, (Key(key), x), {}, d.leaves)
    values = d.choice(d.number(), 1.5, 2, d.array(()), d.array((1,)), d.array(d.shape))
    return Call(seed, "setitem", _item_set, (x, Key(key), values), {}, d.leaves)


@dataclass(frozen=True)
class Key:
    """The index of an array."""

    parts: Any


def _item_of(key: Key, x: Any) -> Any:
    return x[key.parts]


def _item_set(x: Any, key: Key, values: Any) -> None:
    x[key.parts] = values


def _callables() -> list[tuple[Callable[..., Any], str]]:
    return [(f, f"{f.__module__.replace('numpy', 'np', 1)}.{f.__name__}") for f in FUNCTIONS]


def _ufuncs() -> list[tuple[np.ufunc, str]]:
    return [(u, u.__name__) for u in all_meanings()]


def _function_call(d: Draw, seed: int, function: Callable[..., Any], name: str) -> Call:
    signature = numpy_signature(function)
    make = ARGUMENTS.get(function.__name__)
    if make is not None:
        args, options = make(d)
    else:
        required = [
            p for p in signature.parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]  # fmt: skip
        args = tuple(
            OPTIONS[p.name](d) if k and p.name in OPTIONS else d.array() for k, p in enumerate(required)
        )
        options = {}
    given = set(list(signature.parameters)[: len(args)]) | set(options)
    for p in signature.parameters.values():
        if p.name in given or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY):
            continue
        if p.default is not p.empty and d.chance(0.12 if p.name in RARE else 0.3) and p.name in OPTIONS:
            options[p.name] = OPTIONS[p.name](d)
    args, options = _spoiled(d, args, options, [p.name for p in signature.parameters.values()])
    return Call(seed, name, function, tuple(args), options, d.leaves)


RARE = ("out", "subok", "device", "casting", "copy", "order", "like")


def _spoiled(d: Draw, args: Any, options: dict[str, Any], names: list[str]) -> tuple[Any, dict[str, Any]]:
    """Seldom with something wrong in it."""
    if not d.chance(0.15):
        return args, options
    place = d.int(0, len(args) + len(options) - 1) if args or options else 0
    if d.chance(0.1):
        return args, {**options, d.choice("no_option", *names): d.wrong()}
    if place < len(args) and (place or d.chance(0.3)):
        return (*args[:place], d.wrong(), *args[place + 1 :]), options
    if options:
        return args, {**options, d.choice(*options): d.wrong()}
    return args, options


def _ufunc_call(d: Draw, seed: int, ufunc: np.ufunc, name: str) -> Call:
    if ufunc is np.matmul:
        args, options = _pair_of_products(d)
        return Call(seed, name, ufunc, args, options, d.leaves)
    if ufunc.nin == 2 and ufunc is not np.power and d.chance(0.35):  # np.power.reduce is wrong in NumPy 2.4
        return _method_call(d, seed, ufunc, name)
    args: Any = tuple(d.array() for _ in range(ufunc.nin))
    options: dict[str, Any] = {}
    for option in ("dtype", "where", "out", "casting", "order", "subok", "signature"):
        if d.chance(0.04):
            options[option] = OPTIONS[option](d)
    args, options = _spoiled(d, args, options, ["dtype", "axis"])
    return Call(seed, name, ufunc, args, options, d.leaves)


def _method_call(d: Draw, seed: int, ufunc: np.ufunc, name: str) -> Call:
    methods = METHODS if ufunc.identity is not None else [m for m in METHODS if m != "reduceat"]
    method = d.choice(*methods)  # NumPy's reduceat is wrong for some ufuncs that are not associative
    x = d.array()
    args: Any = (x,)
    wanted: tuple[str, ...] = ("axis", "dtype")
    if method == "reduce":
        wanted = ("axis", "dtype", "keepdims", "initial", "where", "out")
    elif method == "outer":
        args, wanted = (x, d.array()), ("dtype",)
    elif method == "reduceat":
        args = (x, d.choice([0], [0, 1], [1, 0, 2], d.integers((2,), 0, 2)))
    elif method == "at":
        args, wanted = (x, d.choice(0, [0], [0, 0]), 1), ()
    options = {o: OPTIONS[o](d) for o in wanted if d.chance(0.3)}
    args, options = _spoiled(d, args, options, list(wanted) or ["axis"])
    return Call(seed, f"{name}.{method}", getattr(ufunc, method), args, options, d.leaves)
