"""The programs of a function, stored with the function, so that they are dropped with it.

cache_of(f, ("grad", 0))      the programs of its gradients, which all that `ad.grad(f)` makes share

The cache is an attribute of the function. The values that a program keeps to compare can lead back to the
function: a weak dictionary would keep both forever; with an attribute the cycle is collected. Functions of
equal code share programs: a lambda in a loop is another object in every iteration, and nobody means to
compile it each time. The key of captures has all that a trace can have seen, so two functions with equal keys
have the same program. Programs are shared so only where functions read little, since programs of functions
that may be gone are memory that nobody frees.
"""

from __future__ import annotations

import functools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from mlirad.frontend.compiling.programs import Cache
from mlirad.frontend.tracing.capture_walk import PROGRAMS
from mlirad.frontend.tracing.captures import weak_root


class Programs:
    """The caches of one function, by transformation and options. A copy of it is empty."""

    def __init__(self, function: Any):
        self._owner = id(function)
        self._caches: dict[Hashable, Cache] = {}

    def belongs_to(self, function: Any) -> bool:
        """Return whether these are the programs of the function, not of one whose attributes were copied."""
        return self._owner == id(function)

    def cache(self, function: Any, transformation: Hashable) -> Cache:
        """The cache of a transformation."""
        return self._caches.get(transformation) or self._caches.setdefault(
            transformation, Cache(function, transformation)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Programs, (None,)

    def __deepcopy__(self, memo: object) -> Programs:
        return Programs(None)

    __copy__: Any = None


_of_builtins: dict[int, Programs] = {}
"""The programs of functions written in C, which live as long as the process."""

_of_objects: OrderedDict[tuple[int, int], tuple[object, Programs]] = OrderedDict()
"""The programs of methods and other callable objects, by identity. They keep an object alive only if what it
reads leads back to it.
"""

OBJECTS = 8
"""The number of methods and callable objects whose programs are kept, besides those that somebody holds."""


def cache_of(function: Callable[..., Any], transformation: Hashable) -> Cache:
    """The cache shared by all objects that apply this transformation, with its options, to this function."""
    if isinstance(function, FunctionType | functools.partial) or type(function).__module__.startswith(
        "mlirad."
    ):
        # An attribute of the function, so that what the programs keep can be collected with it.
        attributes = function.__dict__
        programs = attributes.get(PROGRAMS)
        if programs is None or not programs.belongs_to(function):
            programs = attributes[PROGRAMS] = Programs(function)
        return programs.cache(function, transformation)
    if isinstance(function, np.ufunc | BuiltinFunctionType | type(np.sum)):
        return _of_builtins.setdefault(id(function), Programs(function)).cache(function, transformation)
    owner: Any = function.__self__ if isinstance(function, MethodType) else function
    key = (id(owner), id(function.__func__) if isinstance(function, MethodType) else 0)
    found = _of_objects.get(key)
    if found is None:
        try:
            drop = _of_objects.pop  # which the module may have lost when Python ends
            reference = weakref.ref(owner, lambda _: drop(key, None))
        except TypeError:  # the programs then belong to the transformed function alone
            return Cache(function)
        found = _of_objects[key] = (reference, Programs(function))
        while len(_of_objects) > OBJECTS:
            _of_objects.popitem(last=False)
    return found[1].cache(weak_root(function), transformation)
