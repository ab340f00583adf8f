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
from collections.abc import Callable, Iterator
from functools import partial
from types import GeneratorType, ModuleType
from typing import Any, Final, cast

import numpy as np

GENERATORS: Final = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
"""What draws random numbers."""

_SHOWN: Final = (itertools.count, itertools.repeat)
"""Iterators that show in their text how far they are."""


def is_iterator(value: object) -> bool:
    """Whether a value is an iterator of Python's own, which is used up by being read; files are not."""
    kind = cast("type[Any]", type(value))
    return kind.__module__ in ("builtins", "itertools") and issubclass(kind, Iterator)


def generators_of(module: ModuleType, names: set[str]) -> Iterator[Any]:
    """The generators that functions of a module draw from, if code names such functions."""
    if module is random:
        if not names.isdisjoint(vars(random)):
            yield cast(Any, random)._inst
    elif module in (np, np.random):
        generator = cast(Any, np.random.mtrand)._rand
        own = names & vars(np.random).keys()
        if any(getattr(getattr(np.random, name), "__self__", None) is generator for name in own):
            yield generator


def drawn_state(drawn: Any) -> object:
    """Where a generator of random numbers or an iterator stands, as something to compare."""
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
    """What sets a generator of random numbers back to where it stands."""
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
    """How many elements are left, where a function stands that makes them, and the same of what they are of.

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
