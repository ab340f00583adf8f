"""Random functions of what they read from outside, and changes of it: a value somewhere deep in objects.

    def program(x, d=root):                         root = {"k": [Namespace(k=ContextVar("v"))]}
        return x * d["k"][0].k.get()                change(3.0) sets the context variable

The value stands in an innermost place that can be written, around which containers, objects and functions are
put; the code that reads it is text. `program_of` gives the same code with the same kinds of objects for equal
seeds, so that two of them differ in nothing but the value.
"""

from __future__ import annotations

import argparse
import array
import collections
import contextvars
import enum
import functools
import linecache
import operator
import random
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import mlirad as ad

Change = Callable[[float], object]


@dataclass
class Record:
    """A dataclass."""

    k: Any


@dataclass(frozen=True)
class Frozen:
    """A frozen dataclass, whose field may hold what changes."""

    k: Any


class Pair(collections.namedtuple("Pair", ("k", "rest"))):
    """A named tuple."""

    __slots__ = ()


class Plain:
    """An object with attributes."""

    def __init__(self, k: Any):
        self.k = k

    def method(self) -> Any:
        """Its content."""
        return self.k

    @property
    def shown(self) -> Any:
        """Its content."""
        return self.k


class Derived(Plain):
    """One of a derived class."""

    def method(self) -> Any:
        """Its content."""
        return super().method()


class Slotted:
    """An object with slots."""

    __slots__ = ("__weakref__", "k")

    def __init__(self, k: Any):
        self.k = k


class Called(Plain):
    """An object that can be called."""

    def __call__(self) -> Any:
        return self.k


class Indexed(Plain):
    """An object that can be indexed."""

    def __getitem__(self, key: int) -> Any:
        return self.k


class Guessing:
    """An object whose attributes are found by code."""

    def __init__(self, k: Any):
        self.inside = k

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["inside"]


def _set_item(key: Any) -> Callable[[Any], Change]:
    return lambda holder: lambda value: holder.__setitem__(key, value)


def _set_k(holder: Any) -> Change:
    return lambda value: setattr(holder, "k", value)


def _with_default(value: Any) -> Any:
    def held(k: Any = value) -> Any:
        return k

    return held


def _of_cell(value: Any) -> Any:
    return lambda: value


def _class_of(value: Any) -> Any:
    held = staticmethod(value) if callable(value) else value
    return type("Holder", (Plain,), {"k": held, "__init__": lambda self: None})


def _context(value: Any) -> Any:
    variable: contextvars.ContextVar[Any] = contextvars.ContextVar("variable")
    variable.set(value)
    return variable


def _module(value: Any) -> Any:
    module = types.ModuleType("settings")
    vars(module)["k"] = value
    return module


def _chain(value: Any) -> Any:
    return collections.ChainMap({}, {"k": value})


def _objects(value: Any) -> Any:
    made = np.empty(2, object)
    made[0] = value
    return made


def _member(value: Any) -> Any:
    return enum.Enum("Member", {"HELD": [value]}).HELD  # type: ignore[attr-defined]


_kept: list[Any] = []
"""The targets of weak references."""


def _weak(value: Any) -> Any:
    _kept.append(Plain(value))
    del _kept[:-500]
    return weakref.ref(_kept[-1])


def _proxy(value: Any) -> Any:
    _kept.append(Plain(value))
    del _kept[:-500]
    return weakref.proxy(_kept[-1])


INNERMOST: list[tuple[Callable[[float], Any], str, Callable[[Any], Change]]] = [
    (lambda v: [v, 1.0], "[0]", _set_item(0)),
    (lambda v: {"k": v}, "['k']", _set_item("k")),
    (lambda v: {1: v}, "[1]", _set_item(1)),
    (lambda v: collections.deque([v]), "[0]", _set_item(0)),
    (lambda v: collections.OrderedDict(k=v), "['k']", _set_item("k")),
    (lambda v: collections.defaultdict(float, k=v), "['k']", _set_item("k")),
    (lambda v: collections.UserDict(k=v), "['k']", _set_item("k")),
    (lambda v: collections.UserList([v]), "[0]", _set_item(0)),
    (lambda v: np.array([v, 1.0]), "[0]", _set_item(0)),
    (lambda v: np.array(v), "", _set_item(())),
    (lambda v: np.array([[1.0, v]]).T, "[1, 0]", _set_item((1, 0))),
    (_objects, "[0]", _set_item(0)),
    (lambda v: array.array("d", [v]), "[0]", _set_item(0)),
    (lambda v: memoryview(np.array([v])), "[0]", _set_item(0)),
    (_context, ".get()", lambda holder: holder.set),
    (lambda v: argparse.Namespace(k=v), ".k", _set_k),
    (lambda v: types.SimpleNamespace(k=v), ".k", _set_k),
    (Record, ".k", _set_k),
    (Plain, ".k", _set_k),
    (Plain, ".shown", _set_k),
    (Plain, ".method()", _set_k),
    (Derived, ".method()", _set_k),
    (Slotted, ".k", _set_k),
    (Called, "()", _set_k),
    (Indexed, "[7]", _set_k),
    (Guessing, ".anything", lambda holder: lambda value: setattr(holder, "inside", value)),
    (_class_of, ".k", _set_k),
    (lambda v: _class_of(v)(), ".method()", lambda holder: _set_k(type(holder))),
    (_module, ".k", _set_k),
    (_with_default, "()", lambda holder: lambda value: setattr(holder, "__defaults__", (value,))),
    (_of_cell, "()", lambda holder: lambda value: setattr(holder.__closure__[0], "cell_contents", value)),
]
"""The ways to put a value into an object, to read it there in code, and to change it."""

AROUND: list[tuple[Callable[[Any], Any], str]] = [
    (lambda h: [h], "[0]"),
    (lambda h: (1.0, h), "[1]"),
    (lambda h: {"k": h}, "['k']"),
    (lambda h: Pair(h, 0.0), ".k"),
    (lambda h: Pair(h, 0.0), "[0]"),
    (Frozen, ".k"),
    (Record, ".k"),
    (Plain, ".k"),
    (Derived, ".method()"),
    (Plain, ".shown"),
    (Slotted, ".k"),
    (lambda h: Plain(h).method, "()"),
    (lambda h: functools.partial(operator.itemgetter(0), [h]), "()"),
    (lambda h: functools.partial(_with_default(h)), "()"),
    (lambda h: functools.partial(Plain.method, Plain(h)), "()"),
    (_of_cell, "()"),
    (_with_default, "()"),
    (_weak, "().k"),
    (_proxy, ".k"),
    (lambda h: types.MappingProxyType({"k": h}), "['k']"),
    (_chain, "['k']"),
    (_objects, "[0]"),
    (_context, ".get()"),
    (_member, ".value[0]"),
    (_class_of, ".k"),
    (lambda h: _class_of(h)(), ".k"),
    (_module, ".k"),
    (lambda h: iter_of([h]), "()[0]"),
    (lambda h: collections.deque([h], maxlen=3), "[0]"),
]
"""The wrappers that can be put around an object, and the code that reads it out again."""


def iter_of(values: list[Any]) -> Callable[[], tuple[Any, ...]]:
    """A function of a list that gives what is in it."""
    return lambda: tuple(v for v in values)


ROOTS: list[str] = [
    "def program(x):\n    return x * root{path}\n",
    "def program(x, d=root):\n    return x * d{path}\n",
    "def program(x, *, d=root):\n    return x * d{path}\n",
    "def outer(root):\n    return lambda x: x * root{path}\nprogram = outer(root)\n",
    "def outer(root):\n    def program(x):\n        def inner(z):\n            return z * root{path}\n"
    "        return inner(x)\n    return program\nprogram = outer(root)\n",
    "def helper(x):\n    return x * root{path}\ndef program(x):\n    return helper(x)\n",
    "def helper(d, x):\n    return x * d{path}\nprogram = partial(helper, root)\n",
    "def helper(x, d):\n    return x * d{path}\nprogram = partial(helper, d=root)\n",
    "class Model:\n    def __init__(self, d):\n        self.d = d\n    def loss(self, x):\n"
    "        return x * self.d{path}\nmodel = Model(root)\nprogram = model.loss\n",
    "class Model:\n    def __init__(self, d):\n        self.d = d\n    def __call__(self, x):\n"
    "        return x * self.d{path}\nprogram = Model(root)\n",
    "def program(x):\n    return x * program.d{path}\nprogram.d = root\n",
    "def program(x):\n    return x * getattr(holder, 'd'){path}\nholder = Plain(0.0)\nholder.d = root\n",
    "program = ad.jit(lambda x: x * root{path})\n",
    "program = ad.checkpoint(lambda x: x * root{path})\n",
    "program = ad.rewritten(lambda x: x * root{path} if x > -9.0 else x)\n",
    "inner = ad.jit(lambda x: x * root{path})\ndef program(x):\n    return inner(x)\n",
]
"""Programs, as text, that read an object called `root`."""


@dataclass
class Captured:
    """A function that is x times a value, what it does without a compiler, and what changes the value."""

    function: Callable[..., Any]
    value: float
    set: Change
    text: str

    def change(self, value: float) -> None:
        """Set the value in place."""
        self.set(value)
        self.value = value


def program_of(seed: int, value: float) -> Captured:
    """The function of a seed, with a value."""
    choose = random.Random(seed)
    make, path, change = choose.choice(INNERMOST)
    holder = make(value)
    setter = change(holder)
    for _ in range(choose.randrange(4)):
        wrap, step = choose.choice(AROUND)
        holder, path = wrap(holder), step + path
    text = choose.choice(ROOTS).format(path=path)
    known: dict[str, Any] = {"root": holder, "ad": ad, "partial": functools.partial, "Plain": Plain}
    file = f"<captured state {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), known)
    return Captured(known["program"], value, setter, text)
