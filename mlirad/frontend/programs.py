"""Compiled programs and where they are kept.

The programs of one function, one transformation and one set of options are shared between all objects that
`ad.grad(f)` makes, and are dropped with the function; at most `CACHE_SIZE` are kept, least recently used
first out.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, cast

import numpy as np

from mlirad.errors import UnsupportedError
from mlirad.frontend.compilation import Stats
from mlirad.frontend.source import user_line
from mlirad.jit.call import NativeFunction

CACHE_SIZE = 256
"""How many compiled signatures of one function are kept."""

MOST_SECONDS = 1e9
"""Time limits are below this: 30 years."""


Lanes = int | Literal["all"] | None


class CompileOptions(TypedDict, total=False):
    """What every transformation takes by name: the fields of `Options`."""

    interpret: bool
    method: str
    lanes: Lanes
    check_bounds: bool
    check_nans: bool
    timeout: float | None


@dataclass(frozen=True)
class Options:
    """How a function is compiled.

    `interpret` runs it by the reference interpreter. `method` is how derivatives are expanded. `lanes` is how
    many positions of a `build` or `vmap` are computed at a time: "all", by operations on whole arrays; 1, one
    after another; n, by operations on blocks of n. `None` is "all" where the memory of the program stays
    within `MEMORY_LIMIT`. `check_bounds` raises a `PositionError` for a position that is found outside its
    array when the program runs, `check_nans` a `NotANumberError` where the function makes NaN. `timeout` is
    how many seconds a call may take once it is compiled; one that takes longer raises a `TimeLimitError`.
    """

    interpret: bool = False
    method: str = "dual-arrays"
    lanes: Lanes = None
    check_bounds: bool = False
    check_nans: bool = False
    timeout: float | None = None

    @property
    def checks(self) -> frozenset[str]:
        """What the program checks when it runs."""
        return frozenset(("bounds",) * self.check_bounds + ("nans",) * self.check_nans)

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout < MOST_SECONDS:
            raise UnsupportedError(
                f"timeout is {self.timeout}, which is no number of seconds to wait",
                location=user_line(),
                hint="write timeout=10.0 to let calls take ten seconds, or leave it out",
            )
        if isinstance(self.lanes, int) and self.lanes < 1:
            raise UnsupportedError(
                f"lanes is {self.lanes}, which is no number of positions",
                location=user_line(),
                hint='write lanes=1 to compute them one after another, or lanes="all"',
            )


def options_of(given: CompileOptions) -> Options:
    """The options with the names and values given; raises `UnsupportedError` for a name that is none."""
    names = tuple(CompileOptions.__annotations__)
    for name in given:
        if name not in names:
            raise UnsupportedError(
                f"there is no option {name!r}", location=user_line(), hint=f"there are {', '.join(names)}"
            )
    return Options(**cast("dict[str, Any]", given))


@dataclass(frozen=True)
class Program:
    """A compiled signature. `call` takes the leaves of the arguments and returns the result.

    `native` is the machine code where it can be called with the arguments themselves: where all are arrays
    (a scalar would have to be told from a weak one) and the result is an array or a tuple of arrays.
    """

    call: Callable[..., Any]
    native: NativeFunction | None
    stats: Stats


class Cache:
    """The compiled programs of a function, by signature."""

    def __init__(self) -> None:
        self.programs: OrderedDict[Hashable, Program] = OrderedDict()
        self.lock = threading.RLock()

    def find(self, key: Hashable) -> Program | None:
        """The program of a signature, moved to the end of the queue for removal."""
        found = self.programs.get(key)
        if found is not None:
            try:
                self.programs.move_to_end(key)
            except KeyError:  # removed by another thread meanwhile
                return found
        return found

    def find_or_make(self, key: Hashable, make: Callable[[], Program]) -> Program:
        """The program of a signature; one thread makes it while the others wait."""
        with self.lock:
            found = self.programs.get(key)
            if found is None:
                found = self.programs[key] = make()
                while len(self.programs) > CACHE_SIZE:
                    self.programs.popitem(last=False)
            return found


_of_ufuncs: dict[Hashable, Cache] = {}
_caches: weakref.WeakKeyDictionary[Any, dict[Hashable, Cache]] = weakref.WeakKeyDictionary()


def cache_of(function: Callable[..., Any], transformation: Hashable) -> Cache:
    """The cache shared by all objects that apply this transformation, with its options, to this function."""
    try:
        return _caches.setdefault(function, {}).setdefault(transformation, Cache())
    except TypeError:  # ufuncs and some callables cannot be referred to weakly
        if isinstance(function, np.ufunc):  # and these stay as long as the process
            return _of_ufuncs.setdefault((function, transformation), Cache())
        return Cache()
