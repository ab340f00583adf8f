"""Objects that give something else each time they are asked: generators of random numbers, and iterators.

drawn_state(np.random.default_rng(0))     what changes when a number is drawn
drawn_state(iter([1.0, 2.0]))             how many elements are left

A trace that draws from one of them would do so once, and calls of the program never. So where it stands is
compared before and after the trace.
"""

from __future__ import annotations

import gc
import itertools
import operator
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import GeneratorType, ModuleType
from typing import Any, Final, cast

import numpy as np

_NUMPYS: Final = ("Generator", "RandomState", "BitGenerator")

_SHOWN: Final = (itertools.count, itertools.repeat)
"""Iterators that show in their text how far they are."""


def generator_classes() -> tuple[type[Any], ...]:
    """The classes of what draws random numbers; NumPy has none before `np.random` is imported."""
    numpys = sys.modules.get("numpy.random")
    found = [getattr(numpys, name, None) for name in _NUMPYS]
    return (random.Random, *(kind for kind in found if kind is not None))


def is_iterator(value: object) -> bool:
    """Return whether a value is an iterator of Python's own, which is used up by being read; files are
    not.
    """
    kind = cast("type[Any]", type(value))
    return kind.__module__ in ("builtins", "itertools") and issubclass(kind, Iterator)


def generators_of(module: ModuleType, names: set[str]) -> Iterator[Any]:
    """The generators that functions of a module draw from, if code names such functions."""
    if module is random:
        if not names.isdisjoint(vars(random)):
            yield cast(Any, random)._inst
    elif module in (np, sys.modules.get("numpy.random")) and _has_numpys(names):
        generator = cast(Any, np.random.mtrand)._rand
        own = names & vars(np.random).keys()
        if any(getattr(getattr(np.random, name), "__self__", None) is generator for name in own):
            yield generator


def _has_numpys(names: set[str]) -> bool:
    """Tell whether code that names these can draw from `np.random`: it is imported, or named."""
    return "numpy.random" in sys.modules or "random" in names


class OtherGenerators:
    """The generators of random numbers that the walk over captured objects did not find, before a trace.

    Packages draw from NumPy's and Python's global generators, and from generators of NumPy that they made.
    The latter are looked for if the trace may run code of packages (`everywhere`), among all objects of the
    process. (Python's own library draws from generators of its own, for the names of files.)
    """

    def __init__(self, known: Iterable[object], *, everywhere: bool):
        seen = {id(generator) for generator in known}
        numpys = sys.modules.get("numpy.random")
        owned = frozenset(() if numpys is None else (np.random.Generator, np.random.RandomState))
        self._found: list[tuple[str, Any, object]] = []
        for name, generator in (
            ("random", cast(Any, random)._inst),
            *(() if numpys is None else (("np.random", cast(Any, numpys).mtrand._rand),)),
            *((f"a {type(o).__name__}", o) for o in (_objects_of(owned) if everywhere else ())),
        ):
            if id(generator) not in seen:
                seen.add(id(generator))
                self._found.append((name, generator, drawn_state(generator)))

    def drawn(self) -> list[str]:
        """The names of those that have been drawn from since."""
        return [name for name, generator, before in self._found if drawn_state(generator) != before]


def _objects_of(kinds: frozenset[type[Any]]) -> Iterator[Any]:
    """All objects of some classes. There are millions of others, so no code of Python looks at each."""
    every = gc.get_objects() if kinds else []
    return itertools.compress(every, map(kinds.__contains__, map(type, every)))


def drawn_state(drawn: Any) -> object:
    """Return where a generator of random numbers or an iterator stands, as something to compare."""
    if is_iterator(drawn):
        return _iterator_state(drawn)
    if isinstance(drawn, random.Random):
        return drawn.getstate()
    if isinstance(drawn, np.random.RandomState):
        legacy = cast("tuple[Any, ...]", drawn.get_state(legacy=True))
        return repr(legacy[2:]), legacy[1].tobytes()
    bits = drawn.bit_generator if isinstance(drawn, np.random.Generator) else drawn
    state: Any = bits.state
    return repr({k: v for k, v in state.items() if k != "state"}), _shown(state["state"])


def returning(generator: Any) -> Callable[[], None]:
    """Return what sets a generator of random numbers back to where it stands."""
    if isinstance(generator, random.Random):
        return partial(generator.setstate, generator.getstate())
    if isinstance(generator, np.random.RandomState):
        return partial(generator.set_state, generator.get_state(legacy=False))
    bits = generator.bit_generator if isinstance(generator, np.random.Generator) else generator
    return partial(setattr, bits, "state", bits.state)


def _shown(state: Any) -> str:
    if isinstance(state, dict):
        table = cast("dict[str, Any]", state)
        return repr({k: v.tobytes() if isinstance(v, np.ndarray) else v for k, v in table.items()})
    return repr(state)


def _iterator_state(iterator: Any) -> object:
    """Return how many elements are left, where a function stands that makes them, and the same of what they
    are of.

    Python does not tell how far `itertools.cycle` and `tee`, and `iter` of a function, are.
    """
    if isinstance(iterator, GeneratorType):
        frame = iterator.gi_frame
        if frame is None:
            return None
        held: list[object] = list(frame.f_locals.values())
        return frame.f_lasti, [id(value) for value in held], _states(held)
    text = repr(iterator) if type(iterator) in _SHOWN else ""
    return text, operator.length_hint(iterator, -1), _states(gc.get_referents(iterator))


def _states(held: list[Any]) -> list[object]:
    """The states of the iterators among objects, and in tuples of them."""
    nests = (cast("tuple[Any, ...]", value) if type(value) is tuple else (value,) for value in held)
    parts = [part for nest in nests for part in nest]
    return [_iterator_state(part) for part in parts if is_iterator(part)]
