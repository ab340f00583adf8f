"""Compiled programs and where they are kept.

The programs of one function, one transformation and one set of options are shared between all objects that
`ad.grad(f)` makes, and are dropped with the function; at most `CACHE_SIZE` are kept, and `CACHE_BYTES` of
those that were made when arrays outside had other elements, least recently used first out. Functions of equal
code that read the same from outside share programs too (`recompiles.py`).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

from mlirad.errors import TracingError
from mlirad.frontend.compiling.escapes import Escapes
from mlirad.frontend.compiling.recompiles import listed, note_remade, shared_programs, warn
from mlirad.frontend.tracing.captures import (
    Captures,
    Watch,
    WeakRoot,
    classes_key,
    codes_of_values,
)
from mlirad.frontend.tracing.code_reads import EVERY_NAME
from mlirad.frontend.tracing.drawn_objects import OtherGenerators, is_iterator
from mlirad.frontend.tracing.function_names import definition_of, function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.outside_reads import TraceWatch, watching
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.value_walk import LIMIT
from mlirad.jit.call import NativeFunction
from mlirad.jit.forking import CompileLock
from mlirad.jit.guards import Guards
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from mlirad.frontend.compiling.comparisons import Weighing
    from mlirad.frontend.compiling.log import Record

T = TypeVar("T")

CACHE_SIZE = 256
"""The number of compiled signatures of one function that are kept."""

CACHE_BYTES = 1 << 29
"""The most bytes of the arrays of programs of one function that do not fit what it reads from outside at
present: each has copies of its own."""


@dataclass(frozen=True)
class Program:
    """A compiled signature. `call` takes the leaves of the arguments and returns the result.

    `tree` and `result` are the structures of arguments and result; `native` is its machine code, unless it
    is interpreted.
    """

    call: Callable[..., Any]
    tree: Tree
    result: Tree
    native: NativeFunction | None = None


_Place: TypeAlias = tuple[Hashable, Hashable]
"""The key of a signature, and that of what the function reads from outside."""

_ticks: Final = itertools.count()


class _Kept:
    """A program, the bytes of the arrays it was made with, and when it was last used."""

    __slots__ = ("nbytes", "program", "used")

    def __init__(self, program: Program, nbytes: int) -> None:
        self.program = program
        self.nbytes = nbytes
        self.used = next(_ticks)


class Cache:
    """The compiled programs of a function, by signature and by what the function reads from outside.

    Without a function, for code that reads nothing from outside, by signature alone. Threads look programs up
    without the lock, and only note when: what is kept changes under the lock alone.
    """

    def __init__(
        self, function: Callable[..., Any] | WeakRoot | None = None, transformation: Hashable = None
    ) -> None:
        self._transformation = transformation
        self._kept: dict[_Place, _Kept] = {}
        self.lock = CompileLock()
        self.watch = None if function is None else Watch(function)
        self._last: dict[Hashable, Captures] = {}
        self._changes = 0
        self._is_whole = True
        self._written: set[str] = set()
        self._weighing: Weighing | None = None
        self._is_weighed = False
        self._reads_outside = False
        self._escapes = Escapes()

    def captures(self) -> Captures:
        """Return what the function reads from outside at present."""
        return NOTHING if self.watch is None else self.watch.current()

    def find(self, key: Hashable) -> Program | None:
        """The program of a signature, which is now the one used last."""
        kept = self._kept.get((key, self.captures().key))
        if kept is None:
            return None
        kept.used = next(_ticks)
        return kept.program

    def programs(self) -> list[Program]:
        """All that are kept, the first made first."""
        return [kept.program for kept in list(self._kept.values())]

    def weighing(self) -> Weighing | None:
        """Return what times the comparison of large arrays beside a call, None once that is done."""
        if self._is_weighed:
            return None
        if self._weighing is None:
            captures = self.captures()
            if captures.large:
                from mlirad.frontend.compiling.comparisons import Weighing

                self._weighing = Weighing(captures, self._name)
        weighing = self._weighing
        self._is_weighed = weighing is None or weighing.is_last
        if self._is_weighed:
            self._weighing = None  # which holds copies of arrays
        return weighing

    def find_or_make(
        self, key: Hashable, make: Callable[[], Program], signature: Callable[[], str] | None = None
    ) -> Program:
        """The program of a signature; one thread makes it while the others wait.

        The logger shows the `signature`. Raises `TracingError` if the function draws random numbers, or reads
        an iterator, while it is traced.
        """

        def found_or_made(record: Record | None) -> Program:
            with self.lock:
                return self._found_or_made(key, make, record)

        if self.watch is None or "logging" not in sys.modules:
            return found_or_made(None)
        from mlirad.frontend.compiling.log import recorded

        return recorded(self._name, found_or_made, signature)

    def _found_or_made(self, key: Hashable, make: Callable[[], Program], record: Record | None) -> Program:
        captures = self.captures()
        kept = self._kept.get((key, captures.key))
        found = None if kept is None else kept.program
        if found is None:
            found = shared_programs.find(self._transformation, key, captures)
            if record is not None:
                record.cause = self._cause(key, captures)
                record.source = None if found is None else "shared"
            if found is None:
                self._note(key, captures)
                states = captures.drawn_states()
                others = OtherGenerators(
                    (drawn for _, drawn in captures.drawn), everywhere=bool(captures.outside)
                )
                found, watch = watching(make, outside=bool(captures.outside))
                self._require_undrawn(captures, states)
                if self.watch is not None:
                    self._escapes.note(self.watch.root, captures)
                if self._reads_unseen(watch, captures, others):
                    return found
                captures = self._settled(captures)
                if self.watch is not None and key not in self._last:
                    note_remade(self.watch.root, self._name, (self._transformation, key), captures)
                shared_programs.keep(self._transformation, key, captures, found)
            self._last[key] = captures
            self._kept[key, captures.key] = _Kept(found, captures.nbytes)
            self._drop_oldest(captures.key)
        return found

    def _drop_oldest(self, current: Hashable) -> None:
        """Drop programs that are too many, or too large and of no use unless a state other than the current
        one returns.
        """
        spare = [place for place in self._kept if place[1] != current]
        excess = sum(self._kept[place].nbytes for place in spare) - CACHE_BYTES
        if excess <= 0 and len(self._kept) <= CACHE_SIZE:
            return
        for place in sorted(spare, key=self._last_use):
            if excess > 0:
                excess -= self._kept[place].nbytes
                self._drop(place)
        for place in sorted(self._kept, key=self._last_use)[: max(len(self._kept) - CACHE_SIZE, 0)]:
            self._drop(place)

    def _last_use(self, place: _Place) -> int:
        return self._kept[place].used

    def _drop(self, place: _Place) -> None:
        del self._kept[place]
        if all(key != place[0] for key, _ in self._kept):
            self._last.pop(place[0], None)

    def of(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached entry for a signature, a `Program` or whatever else the cache is for; make it if
        it is missing.
        """
        found = cast(Any, self.find(key))
        return cast(Any, self.find_or_make(key, cast(Any, make))) if found is None else found

    def _reads_unseen(self, watch: TraceWatch, captures: Captures, others: OtherGenerators) -> bool:
        """Return whether a trace was decided by what nothing compares. Then there is a warning, once."""
        known = captures.codes | codes_of_values()
        unseen = [] if self.watch is None else watch.found(known, evaluates=EVERY_NAME in captures.names)
        unseen += [f"draws random numbers from {name}" for name in others.drawn()]
        if unseen and not self._reads_outside:
            self._reads_outside = True
            warn(
                f"{self._name} is traced at every call, as what decides it can change unseen: "
                f"it {listed(unseen)}",
                "do that outside, and pass the result as an argument",
            )
        return bool(unseen)

    # Messages -------------------------------------------------------------------------------------

    def _cause(self, key: Hashable, captures: Captures) -> str:
        """Say why there is no program of a signature yet."""
        if self._reads_outside:
            return "what decides its trace can change unseen"
        last = self._last.get(key)
        if last is None:
            return "arguments of another signature" if self._last else "its first call"
        changed = listed(last.differences(captures))
        return f"what it reads from outside has changed{': ' if changed else ''}{changed}"

    # Changed captures -----------------------------------------------------------------------------

    def _note(self, key: Hashable, captures: Captures) -> None:
        """Warn, once, if a signature is recompiled repeatedly because of what is read from outside."""
        if not captures.is_whole and self._is_whole:
            self._is_whole = False
            warn(
                f"{self._name} reads more than {LIMIT} values from outside. Changes of the rest are not seen",
                "pass them as arguments, or keep numbers in arrays",
            )
        last = self._last.get(key)
        if last is None:
            return
        self._changes += 1
        if self._changes == CHANGES:
            changed = last.differences(captures)
            what = f": {listed(changed)}" if changed else ""
            warn(
                f"{self._name} is compiled for the {CHANGES + 1}th time, because what it reads from outside "
                f"changes{what}",
                "pass what changes as an argument: arrays and numbers are then inputs of one program",
            )

    def _settled(self, before: Captures) -> Captures:
        """Return what the program just made depends on: what was read before the trace, without what traces
        write.

        Of containers that grow in a trace, such as notes and tables of what was computed before, only what
        they hold is compared from then on, not what is added. Variables that a second trace changes as well
        are left out, and reported.
        """
        after = self.captures()
        watch = self.watch
        if watch is None:
            return before
        if before.has_growing and after is before:
            after = watch.look_again(before)
        if after.key == before.key:
            return after
        grown = before.grown(after)
        changed = [name for name in before.differences(after) if not any(map(name.endswith, grown))]
        written = [name for name in changed if name in self._written]
        self._written.update(changed)
        if written:
            warn(
                f"{self._name} changes what it reads from outside when it is traced: {listed(written)}. "
                f"Calls of the compiled program do not change it",
                "pass it as an argument and return the new value",
            )
        if grown or written:
            watch.ignore(written)
            watch.let_grow(grown)
            return self.captures()
        return before

    def _require_undrawn(self, captures: Captures, states: list[object]) -> None:
        for (name, drawn), before, after in zip(captures.drawn, states, captures.drawn_states(), strict=True):
            if before == after:
                continue
            what = f"draws random numbers from {name or type(drawn).__name__}: they would be drawn"
            hint = DRAWN_OUTSIDE
            if is_iterator(drawn):
                what, hint = f"reads the elements of the iterator {name}: they would be read", READ_OUTSIDE
            raise TracingError(
                f"{self._name} {what} once, when it is traced, and be the same in every call",
                location=definition_of(cast(Watch, self.watch).root),
                hint=hint,
            )

    @property
    def _name(self) -> str:
        return function_name(cast(Watch, self.watch).root)


NOTHING = Captures((), Guards(()), (), frozenset())
"""The captures of code that reads nothing from outside."""

DRAWN_OUTSIDE = "draw them outside and pass them as an argument, or use ad.random.normal(key)"
READ_OUTSIDE = "make a list of them, which can be read again, or pass them as an argument"

CHANGES = 3
"""The number of programs, made because what is read from outside has changed, after which there is a warning.
"""


def signature_key(tree: Tree, types: Sequence[LeafType]) -> Hashable:
    """The key of arguments: structure, the classes in it with their methods, and the types of leaves."""
    return tree, tuple(types), classes_key(tree.kinds())
