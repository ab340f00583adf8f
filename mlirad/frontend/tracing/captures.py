"""The captures of a traced function: variables, globals, attributes, elements, defaults.

    scale = np.array([2.0, 3.0])                find_captures(f, "f").key
    f = lambda x: helper(x) * scale             -->  scale: float64[2] and its elements,
                                                     helper: its code, and what that reads

The key covers all that a trace can have seen; traces of functions with equal keys are equal. While the guards
hold, the key is the same, and they are quick to check. So a program is used only while what it was made from
is as it was, and is reused when that state returns.

Captures are found by walking the objects that the code names: for functions, all that their code reads, in
turn; for objects and classes of the program, the attributes whose names appear in the code that was found;
for objects of installed packages, all attributes; for containers and arrays, all elements. The modules and
the code of Python, of mlirad and of installed packages are taken not to change.

Captures are compared, not made inputs. A captured array could become one more input of the program, and a
change of it would then cost nothing. But ordinary NumPy code may have read its elements during the trace, to
choose a branch, a shape or an index, and nothing reports that. So the elements are compared with a copy, at
some 20 GB/s: a captured array of 10 MB costs 1 ms per call, one whose elements do not lie together two. An
array that owns its memory and is read-only is compared by identity.

Watching a trace instead of walking would take a profiler, which slows everything down and does not see
attributes. A name that only an untaken path reads costs a comparison, never a wrong result. Guards hold the
same objects that were found; where one fails, the walk is repeated, and its result decides: an equal value in
another object is not a change.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from mlirad.frontend.tracing.capture_walk import Walk
from mlirad.frontend.tracing.captured_objects import is_program_class
from mlirad.frontend.tracing.code_reads import EVERY_NAME
from mlirad.frontend.tracing.drawn_objects import drawn_state
from mlirad.frontend.tracing.value_keys import value_key
from mlirad.frontend.tracing.value_walk import SIZE_OF, LargeArray
from mlirad.jit.guards import Guards
from mlirad.lazy_dataclass import dataclass

RECENT: Final = 8
"""The number of states of what a function reads for which the guards are kept."""


@dataclass(frozen=True, eq=False)
class Captures:
    """The values that a function reads from outside, by the name under which its code reaches them."""

    entries: tuple[tuple[str, Hashable], ...]
    guards: Guards
    drawn: tuple[tuple[str, Any], ...]
    """Generators of random numbers and iterators."""
    names: frozenset[str]
    key: Hashable = None
    is_whole: bool = True
    """True if all was looked at."""
    nbytes: int = 0
    """The number of bytes that the arrays in it have."""
    has_growing: bool = False
    """True if containers are among it that may have more elements while the guards hold."""
    outside: tuple[str, ...] = ()
    """Code that may read files, the clock and their like."""
    codes: frozenset[CodeType] = frozenset()
    """The code of the program that it reaches."""
    large: tuple[LargeArray, ...] = ()
    """The arrays whose comparison takes a while."""

    def grown(self, after: Captures) -> list[str]:
        """The names of containers that have another number of elements after a trace."""
        return [name.removeprefix(SIZE_OF) for name in self.differences(after) if name.startswith(SIZE_OF)]

    def differences(self, other: Captures) -> list[str]:
        """The names of what is there in both and not the same."""
        own, others = _by_name(self.entries), _by_name(other.entries)
        return [name for name, keys in own.items() if others.get(name, keys) != keys]

    def fingerprint(self) -> dict[str, int]:
        """Return what tells two states apart by name, without keeping what was read."""
        return {name: hash(tuple(keys)) for name, keys in _by_name(self.entries).items()}

    def drawn_states(self) -> list[object]:
        """Return where generators of random numbers and iterators stand."""
        return [drawn_state(drawn) for _, drawn in self.drawn]


class WeakRoot:
    """A method, or an object that can be called, which is not kept alive."""

    def __init__(self, function: Any):
        is_method = isinstance(function, MethodType)
        self._reference: Callable[[], Any] = (weakref.WeakMethod if is_method else weakref.ref)(function)

    def function(self) -> Any:
        """The object. Whoever asks holds it."""
        return self._reference()


def weak_root(function: Callable[..., Any]) -> WeakRoot:
    """A method or another callable object, as the root of a watch that does not keep it alive."""
    return WeakRoot(function)


class Watch:
    """The values that one function, or object, reads from outside, over time."""

    def __init__(self, root: object, names: frozenset[str] = frozenset()):
        self._root = root
        self._recent: tuple[Captures, ...] = ()
        self._names, self._guess = names, frozenset[str]()
        self._ignored: frozenset[str] = frozenset()
        self._growing: frozenset[str] = frozenset()

    @property
    def root(self) -> Any:
        """The function or object."""
        return self._root.function() if isinstance(self._root, WeakRoot) else self._root

    def current(self) -> Captures:
        """Return what it reads now."""
        recent = self._recent
        for place, captures in enumerate(recent):
            if captures.guards.hold():
                if place:
                    self._recent = (captures, *recent[:place], *recent[place + 1 :])
                return captures
        is_weak = isinstance(self._root, WeakRoot)
        found = find_captures(
            self.root, self._names, self._ignored, self._growing, is_weak=is_weak, guess=self._guess
        )
        self._guess = found.names
        self._recent = (found, *recent[: RECENT - 1])
        return found

    def entire(self) -> Captures:
        """Everything that it reads now, also ignored entries and those that tables have gained."""
        if not self._ignored and not self._growing:
            return self.current()
        return find_captures(self.root, self._names, guess=self._guess)

    def known_codes(self) -> frozenset[CodeType]:
        """The code that it was found to reach."""
        return frozenset(code for captures in self._recent for code in captures.codes)

    def ignore(self, names: Iterable[str]) -> None:
        """Look no more at what has these names: the function itself writes it."""
        self._ignored |= set(names)
        self._recent = ()

    def let_grow(self, names: Iterable[str]) -> None:
        """Compare of the containers with these names only what they hold at present, not what is added."""
        self._growing |= set(names)
        self._recent = ()

    def look_again(self, captures: Captures) -> Captures:
        """Return what it reads now, where containers have grown since `captures` were found."""
        self._recent = tuple(known for known in self._recent if known is not captures)
        return self.current()


def find_captures(
    root: object,
    names: frozenset[str] = frozenset(),
    ignored: frozenset[str] = frozenset(),
    growing: frozenset[str] = frozenset(),
    *,
    is_weak: bool = False,
    guess: frozenset[str] = frozenset(),
) -> Captures:
    """Return what `root` reads from outside; `names` are names of attributes to look at besides those it
    finds. It does not look at `ignored` objects, and `growing` ones may have more elements while the guards
    hold. A `guess` at the names that it will find saves looking for them.

    If it is weak, the guards do not keep alive the root or, of a method, its instance.
    """
    weak = getattr(root, "__self__", root) if is_weak else None
    code = _code_of(root)
    guess = guess or (_names_of.get(code, guess) if code is not None else guess)
    sought = names | guess
    while True:
        walk = Walk(sought, ignored, growing, weak)
        walk.run(root)
        found = names | walk.found_names
        # A walk that leaves something out finds other names each time, so it is not repeated without an end.
        if not walk.depends_on(found ^ sought) or (sought > names and not walk.is_whole):
            break
        sought = found if guess <= names else names  # from the start, where the guess was wrong
        guess = frozenset()
    names = frozenset(walk.names)
    if code is not None:
        _names_of[code] = names
    entries = tuple(walk.entries)
    return Captures(
        entries,
        Guards(walk.guards),
        tuple(walk.drawn),
        names,
        _Key(entries),
        walk.is_whole,
        walk.nbytes,
        walk.has_growing,
        tuple(walk.outside),
        frozenset(walk.codes),
        tuple(walk.large),
    )


_names_of: weakref.WeakKeyDictionary[CodeType, frozenset[str]] = weakref.WeakKeyDictionary()
"""The names of attributes that functions of some code were found to read, the last time."""


def _code_of(root: object) -> CodeType | None:
    function = root.__func__ if isinstance(root, MethodType) else root
    return function.__code__ if isinstance(function, FunctionType) else None


def static_key(value: object) -> Hashable:
    """The key of a static argument: what it is now and all that it holds and, for functions, reads."""
    key = value_key(value)
    return _watch(value).current().key if key is None else key


def classes_key(kinds: Iterable[type[Any]]) -> Hashable:
    """The key of the classes of structured arguments, whose methods a traced function can call."""
    return tuple(static_key(kind) for kind in kinds if is_program_class(kind))


def classes_guards(kinds: Iterable[type[Any]]) -> list[Guards]:
    """The guards under which that key stays the same."""
    return [_watch(kind).current().guards for kind in kinds if is_program_class(kind)]


def values_guards(values: Iterable[object]) -> list[Guards]:
    """The guards under which static values have the same keys."""
    return [_watch(value).current().guards for value in values]


def codes_of_values() -> frozenset[CodeType]:
    """The code that static values and classes of arguments reach, of those that were used last."""
    return frozenset(code for watch in list(_watches.values()) for code in watch.known_codes())


def _watch(value: object) -> Watch:
    """Return what there is to see of an object; kept for those that were used last."""
    watch = _watches.pop(id(value), None)
    if watch is None:
        watch = Watch(value, frozenset((EVERY_NAME,)))
    _watches[id(value)] = watch  # at the end, as the most recently used
    while len(_watches) > 64:
        _watches.pop(next(iter(_watches)), None)
    return watch


_watches: dict[int, Watch] = {}
"""The keys of objects used as static arguments, by their identity; each keeps its object."""


class _Key:
    """The key of captures, hashed once."""

    __slots__ = ("_entries", "_hash")

    def __init__(self, entries: tuple[tuple[str, Hashable], ...]):
        self._entries = entries
        self._hash = hash(entries)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, _Key) and self._hash == other._hash and self._entries == other._entries
        )


def _by_name(entries: Iterable[tuple[str, Hashable]]) -> dict[str, list[Hashable]]:
    """The keys of entries; an object and the function in it can have one name."""
    found: dict[str, list[Hashable]] = {}
    for name, key in entries:
        found.setdefault(name, []).append(key)
    return found
